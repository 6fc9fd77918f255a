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
    l->slot = g_new0 (DvLaunch, DV_LAUNCHES);
  l->slot[slot_of (input, id)] = (DvLaunch){ id, start, input, TRUE };
}

gboolean
dv_launches_find (const DvLaunches *l, guint32 input, guint64 id, gint64 *start)
{
  const DvLaunch *launch = l->slot ? l->slot + slot_of (input, id) : NULL;
  if (!launch || !launch->used || launch->id != id || launch->input != input)
    return FALSE;
  *start = launch->start;
  return TRUE;
}

void
dv_launches_clear (DvLaunches *l)
{
  g_clear_pointer (&l->slot, g_free);
}
