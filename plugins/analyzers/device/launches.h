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
  gboolean used;
} DvLaunch;

typedef struct { /* rows of a host may come a little before those of devices: both are kept */
  DvLaunch last, before;
} DvLaunchSlot;

typedef struct {
  DvLaunchSlot *slot; /* DV_LAUNCHES; NULL until the first */
} DvLaunches;

void dv_launches_add (DvLaunches *launches, guint32 input, guint64 id, gint64 start);
/* The last launch that begins no later than `work`.  FALSE: there was none, or too many came after it. */
gboolean dv_launches_find (const DvLaunches *launches, guint32 input, guint64 id, gint64 work,
                           gint64 *start);
void dv_launches_clear (DvLaunches *launches);

#endif
