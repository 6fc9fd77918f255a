/* SPDX-License-Identifier: Apache-2.0 */
/* waiting-rows.c - a list of rows, each with the one of its id before it, and a hash table of the
 * last ones. Rows are taken out of the list when the oldest are forgotten; until then those whose
 * launch came stay in it. */
#include "devicekit/waiting-rows.h"

#define FIRST_SLOTS 1024

typedef struct {
  AnLaunchKey key;
  guint number;
  guint32 before; /* 1 + place of the row of that id before it; 0: none */
} Row;
#define LINKED G_MAXUINT32 /* as `before`: the launch has come */

static Row *
row_at (const AnWaitingRows *w, guint place)
{
  return &g_array_index (w->rows, Row, place);
}

void
an_waiting_rows_clear (AnWaitingRows *w)
{
  g_clear_pointer (&w->rows, g_array_unref);
  g_clear_pointer (&w->slot, g_free);
  *w = (AnWaitingRows){ 0 };
}

/* Returns the slot of the id, else the free one where it belongs. */
static guint32 *
slot_of (const AnWaitingRows *w, const AnLaunchKey *key)
{
  guint at = an_launch_key_hash (key);
  while (w->slot[at & w->mask]
         && !an_launch_key_equal (&row_at (w, w->slot[at & w->mask] - 1)->key, key))
    at++;
  return &w->slot[at & w->mask];
}

static void
put_in_slot (AnWaitingRows *w, guint place)
{
  Row *row = row_at (w, place);
  guint32 *slot = slot_of (w, &row->key);
  row->before = *slot && row_at (w, *slot - 1)->before != LINKED ? *slot : 0;
  w->n += !*slot;
  *slot = place + 1;
}

/* Makes the hash table anew, of the rows that wait. */
static void
fill_slots (AnWaitingRows *w, guint n_slots)
{
  g_free (w->slot);
  w->slot = g_new0 (guint32, n_slots);
  w->mask = n_slots - 1;
  w->n = 0;
  for (guint i = 0; i < w->rows->len; i++)
    if (row_at (w, i)->before != LINKED)
      put_in_slot (w, i);
}

void
an_waiting_rows_add (AnWaitingRows *w, const AnLaunchKey *key, guint number)
{
  const Row row = { *key, number, 0 };
  if (!w->rows)
    w->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  if (!w->slot || 2 * w->n > w->mask)
    fill_slots (w, w->slot ? 2 * (w->mask + 1) : FIRST_SLOTS);
  g_array_append_val (w->rows, row);
  put_in_slot (w, w->rows->len - 1);
  w->n_waiting++;
}

/* Turns the rows of an id around, so that each leads to the one behind it; returns the first, as
 * `before` does. */
static guint32
turned (AnWaitingRows *w, guint32 last)
{
  guint32 behind = 0;
  while (last) {
    Row *row = row_at (w, last - 1);
    guint32 before = row->before;
    row->before = behind;
    behind = last;
    last = before;
  }
  return behind;
}

void
an_waiting_rows_take (AnWaitingRows *w, const AnLaunchKey *key,
                      void (*take) (gpointer user, guint number), gpointer user)
{
  if (!w->n_waiting)
    return;
  guint32 last = *slot_of (w, key), next;
  if (!last || row_at (w, last - 1)->before == LINKED)
    return;
  for (guint32 place = turned (w, last); place; place = next) {
    Row *row = row_at (w, place - 1);
    next = row->before;
    row->before = LINKED;
    w->n_waiting--;
    take (user, row->number);
  }
}

void
an_waiting_rows_forget (AnWaitingRows *w, guint number)
{
  guint n = 0;
  for (; w->rows && n < w->rows->len && row_at (w, n)->number < number; n++)
    w->n_waiting -= row_at (w, n)->before != LINKED;
  if (!n)
    return;
  g_array_remove_range (w->rows, 0, n);
  fill_slots (w, w->mask + 1);
}
