/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h - tells why a device did nothing: the one rule for the cause of a gap, told by the work
 * that ends it. */
#ifndef AN_IDLE_H
#define AN_IDLE_H

#include "devicekit/class.h"
#include "devicekit/launches.h"

#include <stdbool.h>

/* Tables list them in this order. */
typedef enum {
  AN_IDLE_HOST,       /* the work was not launched yet, or its program had not begun         */
  AN_IDLE_LAUNCH,     /* it was launched in the gap, and had not begun                       */
  AN_IDLE_WAIT,       /* it was ready for launch or launched before the gap: it waited for other
                         work, an event, or the device itself                               */
  AN_IDLE_DMA,        /* the end of a copy or a transfer was waited for                      */
  AN_IDLE_COLLECTIVE, /* the same of a collective, send or receive                           */
  AN_IDLE_UNLINKED,   /* its launch is not in the file: nobody knows                         */
  AN_IDLE_CAUSES
} AnIdleCause;

const char *an_idle_name (AnIdleCause cause);

/* A row of this kind ended the gap. */
typedef struct {
  bool linked;        /* its launch is in the file                                          */
  gint64 launched;    /* when that call began; when it is not linked, the last program;
                         G_MININT64: none did                                                */
  nprof_track thread; /* which thread called; 0: nobody knows                               */
  AnIdleCause other;  /* cause since then, when it is not linked                            */
} AnIdleEnd;

typedef struct {
  AnIdleCause cause;
  gint64 start, end;
} AnIdlePart;

/* Cuts the gap start < end into parts in the order of time; returns how many, 1 or 2.  A gap of
 * which a part is looked at is judged as that part alone. */
guint an_idle_parts (const AnIdleEnd *ended_by, gint64 start, gint64 end, AnIdlePart parts[2]);

/* Returns AnIdleEnd.other of work.  `launchable`: it is of a kind that has launches, as the kernels
 * of a GPU. */
typedef struct _AnWaits AnWaits;

AnWaits *an_waits_new (const struct nprof_host *host);
void an_waits_free (AnWaits *waits);
AnIdleCause an_idle_without_launch (AnWaits *waits, AnClass class, nprof_str category,
                                    nprof_str name, bool launchable);

#endif
