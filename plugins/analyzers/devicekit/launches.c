/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - keeps the last launches, by the low bits of their ids. */
#include "devicekit/launches.h"

static AnLaunchSlot *
slot_of (const AnLaunches *l, guint32 input, guint64 id)
{
  return l->slot + ((guint) (id + input * 7919u) & (AN_LAUNCHES - 1));
}

static void
settle_fresh (AnLaunches *l)
{
  for (guint i = 0; i < l->fresh->len; i++) {
    const AnLaunch *launch = &g_array_index (l->fresh, AnLaunch, i);
    AnLaunchSlot *slot = slot_of (l, launch->input, launch->id);
    slot->settled = *launch;
    slot->used = TRUE;
    slot->newest = 0;
  }
  g_array_set_size (l->fresh, 0);
  l->followed = FALSE;
}

void
an_launches_add (AnLaunches *l, const AnLaunch *launch)
{
  if (!l->slot) {
    l->slot = g_new0 (AnLaunchSlot, AN_LAUNCHES);
    l->fresh = g_array_new (FALSE, FALSE, sizeof (AnLaunch));
  }
  if (l->followed || l->fresh->len == AN_LAUNCHES)
    settle_fresh (l);
  AnLaunchSlot *slot = slot_of (l, launch->input, launch->id);
  AnLaunch fresh = *launch;
  fresh.before = slot->newest;
  g_array_append_val (l->fresh, fresh);
  slot->newest = l->fresh->len;
}

static gboolean
is_launch (const AnLaunch *launch, guint32 input, guint64 id)
{
  return launch->id == id && launch->input == input;
}

static const AnLaunch *
find (const AnLaunches *l, guint32 input, guint64 id, gint64 work)
{
  const AnLaunchSlot *slot = slot_of (l, input, id);
  const AnLaunch *launch, *later = NULL;
  for (guint32 i = slot->newest; i; i = launch->before) {
    launch = &g_array_index (l->fresh, AnLaunch, i - 1);
    if (!is_launch (launch, input, id))
      continue;
    if (launch->start <= work)
      return launch;
    later = launch;
  }
  return slot->used && is_launch (&slot->settled, input, id) ? &slot->settled : later;
}

const AnLaunch *
an_launches_find (const AnLaunches *l, guint32 input, guint64 id, gint64 work)
{
  return l->slot ? find (l, input, id, work) : NULL;
}

void
an_launches_clear (AnLaunches *l)
{
  g_clear_pointer (&l->slot, g_free);
  g_clear_pointer (&l->fresh, g_array_unref);
}
