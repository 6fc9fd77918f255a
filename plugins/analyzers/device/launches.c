/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - the last launches, by the low bits of their ids. */
#include "launches.h"

static DvLaunchSlot *
slot_of (const DvLaunches *l, guint32 input, guint64 id)
{
  return l->slot + ((guint) (id + input * 7919u) & (DV_LAUNCHES - 1));
}

static void
settle (DvLaunches *l)
{
  for (guint i = 0; i < l->fresh->len; i++) {
    const DvLaunch *launch = &g_array_index (l->fresh, DvLaunch, i);
    DvLaunchSlot *slot = slot_of (l, launch->input, launch->id);
    slot->settled = *launch;
    slot->used = TRUE;
    slot->newest = 0;
  }
  g_array_set_size (l->fresh, 0);
  l->followed = FALSE;
}

void
dv_launches_add (DvLaunches *l, guint32 input, guint64 id, gint64 start)
{
  if (!l->slot) {
    l->slot = g_new0 (DvLaunchSlot, DV_LAUNCHES);
    l->fresh = g_array_new (FALSE, FALSE, sizeof (DvLaunch));
  }
  if (l->followed || l->fresh->len == DV_LAUNCHES)
    settle (l);
  DvLaunchSlot *slot = slot_of (l, input, id);
  const DvLaunch launch = { id, start, input, slot->newest };
  g_array_append_val (l->fresh, launch);
  slot->newest = l->fresh->len;
}

static gboolean
is_launch (const DvLaunch *launch, guint32 input, guint64 id, gint64 work)
{
  return launch->id == id && launch->input == input && launch->start <= work;
}

static const DvLaunch *
find (const DvLaunches *l, guint32 input, guint64 id, gint64 work)
{
  const DvLaunchSlot *slot = slot_of (l, input, id);
  const DvLaunch *launch;
  for (guint32 i = slot->newest; i; i = launch->before) {
    launch = &g_array_index (l->fresh, DvLaunch, i - 1);
    if (is_launch (launch, input, id, work))
      return launch;
  }
  return slot->used && is_launch (&slot->settled, input, id, work) ? &slot->settled : NULL;
}

gboolean
dv_launches_find (const DvLaunches *l, guint32 input, guint64 id, gint64 work, gint64 *start)
{
  const DvLaunch *launch = l->slot ? find (l, input, id, work) : NULL;
  if (launch)
    *start = launch->start;
  return launch != NULL;
}

void
dv_launches_clear (DvLaunches *l)
{
  g_clear_pointer (&l->slot, g_free);
  g_clear_pointer (&l->fresh, g_array_unref);
}
