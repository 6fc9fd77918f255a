/* SPDX-License-Identifier: Apache-2.0 */
/* ids.c - finds what has a number, in arrays whose elements begin with it.  Tables mostly count
 * without gaps, so that the place is known at once. */
#include "rocm.h"

static int
by_id (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static gpointer
element (const GArray *ids, guint64 i)
{
  return ids->data + i * g_array_get_element_size ((GArray *) (guintptr) ids);
}

static gint64
id_at (const GArray *ids, guint64 i)
{
  return *(const gint64 *) element (ids, i);
}

void
rocm_ids_sort (GArray *ids)
{
  for (guint i = 1; i < ids->len; i++)
    if (id_at (ids, i) < id_at (ids, i - 1)) {
      g_array_sort (ids, by_id);
      return;
    }
}

gpointer
rocm_ids_find (const GArray *ids, gint64 id)
{
  guint64 from = 0, to = ids->len;
  const guint64 guess = to ? (guint64) id - (guint64) id_at (ids, 0) : 0;
  if (guess < to && id_at (ids, guess) == id)
    return element (ids, guess);
  while (from < to) {
    const guint64 middle = from + (to - from) / 2;
    if (id_at (ids, middle) < id)
      from = middle + 1;
    else
      to = middle;
  }
  return from < ids->len && id_at (ids, from) == id ? element (ids, from) : NULL;
}
