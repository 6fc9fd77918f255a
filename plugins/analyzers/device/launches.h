/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h - when the host launched what a device runs, by correlation id. */
#ifndef DEVICE_LAUNCHES_H
#define DEVICE_LAUNCHES_H

#include <glib.h>

/* Launches that are remembered: ids count up, and a device lags behind by its queue. */
#define DV_LAUNCHES 65536u

typedef struct {
  guint64 id;
  gint64 start; /* ps */
  guint32 input;
  guint32 before; /* 1 + the fresh one of its slot before it; 0: none */
} DvLaunch;

typedef struct {
  DvLaunch settled; /* the last one that all work to come lies behind */
  gboolean used;    /* there is one                                   */
  guint32 newest;   /* 1 + the last fresh one; 0: none                */
} DvLaunchSlot;

/* In NPROF_ORDER_DEVICE launches come ahead of work that begins before them: all since the last
 * work are fresh, and kept.  When others come behind work, no work to come begins before these. */
typedef struct {
  DvLaunchSlot *slot; /* DV_LAUNCHES; NULL until the first  */
  GArray *fresh;      /* of DvLaunch                        */
  gboolean followed;  /* by work                            */
} DvLaunches;

void dv_launches_add (DvLaunches *launches, guint32 input, guint64 id, gint64 start);
/* Work came. */
static inline void
dv_launches_follow (DvLaunches *launches)
{
  launches->followed = TRUE;
}
/* The last launch that begins no later than `work`.  FALSE: there was none, or too many came after
 * it. */
gboolean dv_launches_find (const DvLaunches *launches, guint32 input, guint64 id, gint64 work,
                           gint64 *start);
void dv_launches_clear (DvLaunches *launches);

#endif
