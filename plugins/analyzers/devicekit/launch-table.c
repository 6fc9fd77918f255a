/* SPDX-License-Identifier: Apache-2.0 */
/* launch-table.c - two generations of launches, each a hash table: when the young one is full, it becomes
 * the old one, and the old one is emptied. */
#include "devicekit/launch-table.h"

#include <string.h>

/* A generation holds so many launches.  A device lags behind its host by its queues, which hold
 * some thousands. */
#define LAUNCHES (32u * 1024)

typedef struct AnKeptLaunch {
  AnLaunchKey key; /* correlation 0: a free slot */
  AnLaunchSite launch;
} AnKeptLaunch;

guint
an_launch_key_hash (gconstpointer p)
{
  const AnLaunchKey *key = p;
  guint64 h = key->correlation ^ ((guint64) key->input << 48);
  return (guint) (h * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32);
}

gboolean
an_launch_key_equal (gconstpointer a, gconstpointer b)
{
  const AnLaunchKey *x = a, *y = b;
  return x->correlation == y->correlation && x->input == y->input;
}

/* Returns the slot that holds the key, else the free one where it belongs. */
static AnKeptLaunch *
slot_of (const AnLaunchSlots *slots, const AnLaunchKey *key)
{
  guint at = an_launch_key_hash (key);
  while (slots->slot[at & slots->mask].key.correlation
         && !an_launch_key_equal (&slots->slot[at & slots->mask].key, key))
    at++;
  return &slots->slot[at & slots->mask];
}

static void
grow (AnLaunchSlots *slots)
{
  AnLaunchSlots larger = { .n = slots->n, .mask = slots->mask ? 2 * slots->mask + 1 : 1023 };
  larger.slot = g_new0 (AnKeptLaunch, larger.mask + 1);
  for (guint i = 0; slots->slot && i <= slots->mask; i++)
    if (slots->slot[i].key.correlation)
      *slot_of (&larger, &slots->slot[i].key) = slots->slot[i];
  g_free (slots->slot);
  *slots = larger;
}

void
an_launch_table_clear (AnLaunchTable *table)
{
  g_free (table->young.slot);
  g_free (table->old.slot);
  memset (table, 0, sizeof *table);
}

static const AnLaunchSite *
find (const AnLaunchSlots *slots, const AnLaunchKey *key)
{
  const AnKeptLaunch *slot = slots->slot ? slot_of (slots, key) : NULL;
  return slot && slot->key.correlation ? &slot->launch : NULL;
}

const AnLaunchSite *
an_launch_table_find (const AnLaunchTable *table, const AnLaunchKey *key)
{
  const AnLaunchSite *found = find (&table->young, key);
  return found ? found : find (&table->old, key);
}

void
an_launch_table_add (AnLaunchTable *table, const AnLaunchKey *key, const AnLaunchSite *launch)
{
  if (2 * table->young.n >= table->young.mask)
    grow (&table->young);
  *slot_of (&table->young, key) = (AnKeptLaunch){ *key, *launch };
  table->young.n++;
}

void
an_launch_table_age (AnLaunchTable *table)
{
  if (table->young.n < LAUNCHES)
    return;
  const AnLaunchSlots old = table->old;
  table->old = table->young;
  table->young = old;
  table->young.n = 0;
  if (old.slot)
    memset (old.slot, 0, (old.mask + 1) * sizeof *old.slot);
}
