/* SPDX-License-Identifier: Apache-2.0 */
/* totals.h - how long what was under way on a device; made from the sweep of line.h. */
#ifndef DEVICE_TOTALS_H
#define DEVICE_TOTALS_H

#include "class.h"
#include "line.h"

/* ps, each an interval union */
typedef struct {
  gint64 busy;                     /* any work                                            */
  gint64 of[AN_N_CLASSES];         /* innermost work of that class                        */
  gint64 data;                     /* communication or memory                             */
  gint64 exposed;                  /* data, while nothing computed                        */
  gint64 overlap;                  /* data, while something computed                      */
  gint64 exposed_communication;    /* communication, while nothing computed               */
  gint64 exposed_memory;           /* memory, while nothing computed or communicated      */
} DvTotals;

/* All work; what goes on apart (asynchronous transfers) is data, but not busy. */
void dv_totals_add (DvTotals *totals, gint64 duration, const AnActive *active);
/* Of what the file links to a launch. */
void dv_totals_add_linked (DvTotals *totals, gint64 duration, const AnActive *active);

#endif
