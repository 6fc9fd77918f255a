/* SPDX-License-Identifier: Apache-2.0 */
/* totals.h - tells how long each thing was under way on a device; made from the sweep of
 * device-sweep.h. */
#ifndef DEVICE_TOTALS_H
#define DEVICE_TOTALS_H

#include "devicekit/class.h"
#include "devicekit/device-sweep.h"

/* Each is an interval union, in ps. */
typedef struct {
  gint64 busy;                     /* any work                                            */
  gint64 of[AN_N_CLASSES];         /* innermost work of that class                        */
  gint64 exposed;                  /* communication or memory, while nothing computed     */
  gint64 overlap;                  /* the same, while something computed                  */
  gint64 exposed_communication;    /* communication, while nothing computed               */
  gint64 exposed_copy;           /* memory, while nothing computed or communicated      */
} DvTotals;

/* These are ps by what was under way: a bit for each class, and one for busy.  Each moment is in
 * one of them, so that a stretch is one addition; the totals are made of them at the end. */
#define DV_BUSY (1u << AN_N_CLASSES)
typedef struct {
  gint64 during[2 * DV_BUSY];
} DvMoments;

/* Adds all work; what goes on apart (asynchronous transfers) counts as memory, but not as busy. */
static inline void
dv_moments_add (DvMoments *m, gint64 duration, const AnActive *active)
{
  m->during[active->any_work | active->any_apart | (active->any_work ? DV_BUSY : 0)] += duration;
}

/* Adds work that the file links to a launch. */
static inline void
dv_moments_add_linked (DvMoments *m, gint64 duration, const AnActive *active)
{
  m->during[active->any_linked | (active->any_linked ? DV_BUSY : 0)] += duration;
}

DvTotals dv_moments_sum (const DvMoments *moments);

#endif
