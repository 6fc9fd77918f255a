/* SPDX-License-Identifier: Apache-2.0 */
/* ids.c - finds what has a number.  Tables mostly count without gaps, so that the place is known at
 * once; and rows mostly name what lies behind what the row before named, so a search begins
 * there. */
#include "producers/ids.h"

#include <string.h>

void
ids_init (Ids *ids, gsize element)
{
  *ids = (Ids){ .rows = np_large_array_new (element) };
}

void
ids_clear (Ids *ids)
{
  g_clear_pointer (&ids->rows, np_large_array_free);
}

/* The end of none is where it begins, which is NULL. */
gpointer
ids_at (const Ids *ids, guint place)
{
  return place ? ids->rows->data + (gsize) place * ids->rows->element : ids->rows->data;
}

static gint64
id_at (const Ids *ids, guint place)
{
  return *(const gint64 *) ids_at (ids, place);
}

guint
ids_len (const Ids *ids)
{
  return ids->rows->len;
}

gpointer
ids_add (Ids *ids, gint64 id)
{
  const guint place = ids->rows->len;
  ids->unsorted |= place && id < id_at (ids, place - 1);
  np_large_array_extend (ids->rows, place + 1);
  gint64 *added = memset (ids_at (ids, place), 0, ids->rows->element);
  *added = id;
  return added;
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

void
ids_settle (Ids *ids)
{
  if (ids->unsorted)
    np_large_array_sort (ids->rows, by_id);
  ids->unsorted = false;
}

void
ids_join (Ids *ids, void (*merge) (gpointer into, gconstpointer next))
{
  guint n = 0;
  ids_settle (ids);
  for (guint i = 0; i < ids->rows->len; i++)
    if (n && id_at (ids, n - 1) == id_at (ids, i))
      merge (ids_at (ids, n - 1), ids_at (ids, i));
    else
      memmove (ids_at (ids, n++), ids_at (ids, i), ids->rows->element);
  ids->rows->len = n;
}

/* Returns the first place from `from` on, before `to`, with that id or a larger one. */
static guint
search (const Ids *ids, gint64 id, guint from, guint to)
{
  while (from < to) {
    const guint middle = from + (to - from) / 2;
    if (id_at (ids, middle) < id)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* Looks in steps that double, from where the last one was found. */
static guint
search_near (const Ids *ids, gint64 id)
{
  guint low = ids->last, high = ids->last, step = 1;
  for (; low && id_at (ids, low - 1) >= id; step *= 2)
    high = low, low -= MIN (low, step);
  for (; high < ids->rows->len && id_at (ids, high) < id; step *= 2)
    low = high + 1, high += MIN (ids->rows->len - high, step);
  return search (ids, id, low, high);
}

gconstpointer
ids_look_up (const Ids *ids, gint64 id)
{
  const guint found = search (ids, id, 0, ids->rows->len);
  return found < ids->rows->len && id_at (ids, found) == id ? ids_at (ids, found) : NULL;
}

gpointer
ids_find (Ids *ids, gint64 id)
{
  const guint len = ids->rows->len;
  if (!len || id < id_at (ids, 0) || id > id_at (ids, len - 1))
    return NULL;
  const guint64 guess = (guint64) id - (guint64) id_at (ids, 0);
  if (guess < len && id_at (ids, (guint) guess) == id
      && (!guess || id_at (ids, (guint) guess - 1) != id))
    return ids_at (ids, (guint) guess);
  const guint found = search_near (ids, id);
  if (id_at (ids, found) != id)
    return NULL;
  ids->last = found;
  return ids_at (ids, found);
}
