/* SPDX-License-Identifier: Apache-2.0 */
/* launch-table.c - two generations of launches, each a hash table: when the young one is full, it
 * becomes the old one, and the old one is emptied. */
#include "devicekit/launch-table.h"

#include <string.h>

/* A generation holds so many launches, and those up to the next work. A device lags behind its host
 * by its queues, which hold some thousands. */
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
  g_clear_pointer (&table->earlier, g_array_unref);
  memset (table, 0, sizeof *table);
}

static AnKeptLaunch *
find_in (const AnLaunchSlots *slots, const AnLaunchKey *key)
{
  AnKeptLaunch *slot = slots->slot ? slot_of (slots, key) : NULL;
  return slot && slot->key.correlation ? slot : NULL;
}

static AnKeptLaunch *
find_last (const AnLaunchTable *table, const AnLaunchKey *key)
{
  AnKeptLaunch *found = find_in (&table->young, key);
  return found ? found : find_in (&table->old, key);
}

/* Returns the call of the same id before that one; NULL: none, or none that work to come may lie
 * before. */
static const AnLaunchSite *
before (const AnLaunchTable *table, const AnLaunchSite *launch)
{
  return launch->before > table->first
             ? &g_array_index (table->earlier, AnLaunchSite, launch->before - table->first - 1)
             : NULL;
}

const AnLaunchSite *
an_launch_table_find (const AnLaunchTable *table, const AnLaunchKey *key, gint64 work)
{
  const AnKeptLaunch *last = find_last (table, key);
  const AnLaunchSite *launch = last ? &last->launch : NULL, *earlier;
  while (launch && launch->start > work && (earlier = before (table, launch)))
    launch = earlier;
  return launch;
}

static void
forget_earlier (AnLaunchTable *table)
{
  table->first += table->earlier->len;
  g_array_set_size (table->earlier, 0);
}

/* Keeps a call that another of its id follows; returns its number, which counts from 1. */
static guint32
keep_earlier (AnLaunchTable *table, const AnLaunchSite *launch)
{
  if (!table->earlier)
    table->earlier = g_array_new (FALSE, FALSE, sizeof (AnLaunchSite));
  if (table->earlier->len == 2 * LAUNCHES)
    forget_earlier (table);
  g_array_append_val (table->earlier, *launch);
  return table->first + table->earlier->len;
}

bool
an_launch_table_add (AnLaunchTable *table, const AnLaunchKey *key, const AnLaunchSite *launch)
{
  AnLaunchSite added = *launch;
  AnKeptLaunch *last = find_last (table, key);
  added.before = last ? keep_earlier (table, &last->launch) : 0;
  if (8ull * table->young.n
      >= 5ull * table->young.mask) /* so that 64 Ki slots hold a generation with ease */
    grow (&table->young);
  AnKeptLaunch *slot = slot_of (&table->young, key);
  table->young.n += !slot->key.correlation;
  *slot = (AnKeptLaunch){ *key, added };
  return !last;
}

void
an_launch_table_follow (AnLaunchTable *table)
{
  if (table->earlier)
    forget_earlier (table);
  if (table->young.n < LAUNCHES)
    return;
  const AnLaunchSlots old = table->old;
  table->old = table->young;
  table->young = old;
  table->young.n = 0;
  if (old.slot)
    memset (old.slot, 0, (old.mask + 1) * sizeof *old.slot);
}
