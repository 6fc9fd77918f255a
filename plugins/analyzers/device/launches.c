/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - the last launches, by the low bits of their ids. */
#include "launches.h"

static guint
slot_of (guint32 input, guint64 id)
{
  return (guint) (id + input * 7919u) & (DV_LAUNCHES - 1);
}

void
dv_launches_add (DvLaunches *l, guint32 input, guint64 id, gint64 start)
{
  if (!l->slot)
    l->slot = g_new0 (DvLaunchSlot, DV_LAUNCHES);
  DvLaunchSlot *slot = l->slot + slot_of (input, id);
  slot->before = slot->last;
  slot->last = (DvLaunch){ id, start, input, TRUE };
}

static gboolean
is_launch (const DvLaunch *launch, guint32 input, guint64 id, gint64 work)
{
  return launch->used && launch->id == id && launch->input == input && launch->start <= work;
}

gboolean
dv_launches_find (const DvLaunches *l, guint32 input, guint64 id, gint64 work, gint64 *start)
{
  if (!l->slot)
    return FALSE;
  const DvLaunchSlot *slot = l->slot + slot_of (input, id);
  const DvLaunch *launch = is_launch (&slot->last, input, id, work) ? &slot->last : &slot->before;
  if (!is_launch (launch, input, id, work))
    return FALSE;
  *start = launch->start;
  return TRUE;
}

void
dv_launches_clear (DvLaunches *l)
{
  g_clear_pointer (&l->slot, g_free);
}
