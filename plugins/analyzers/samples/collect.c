/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - keeps the rows of steps that are under way, and adds complete steps to the sums. */
#include "samples.h"

static GArray *
rows_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (SmRow));
}

SmCollector *
sm_collector_new (void)
{
  SmCollector *c = g_new0 (SmCollector, 1);
  sm_sums_init (&c->sums);
  c->first = rows_new ();
  c->open = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  c->next = 1;
  return c;
}

void
sm_collector_free (SmCollector *c)
{
  if (!c)
    return;
  sm_sums_clear (&c->sums);
  g_array_unref (c->first);
  g_ptr_array_unref (c->open);
  g_clear_pointer (&c->spare, g_array_unref);
  g_free (c);
}

static bool
has_shown (const GArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (!g_array_index (rows, SmRow, i).hidden)
      return true;
  return false;
}

static void
add_step (SmCollector *c, guint step, GArray *rows, SmExtent count)
{
  if (count == SM_NOTHING)
    return;
  g_array_sort (rows, sm_row_compare);
  sm_sums_add (&c->sums, (const SmRow *) (void *) rows->data, rows->len, count == SM_ALL);
  sm_sums_end (&c->sums, step);
}

/* Makes room for the rows of one more step, behind the others. */
static void
open_step (SmCollector *c)
{
  GArray *rows = c->spare ? c->spare : rows_new ();
  c->spare = NULL;
  g_ptr_array_add (c->open, rows);
}

/* Closes the oldest step that is not in the sums. */
static void
close_oldest (SmCollector *c, SmCounts counts, gpointer user)
{
  if (!c->open->len)
    open_step (c);
  GArray *rows = g_ptr_array_steal_index (c->open, 0);
  add_step (c, c->next, rows, counts (user, c->next, has_shown (rows)));
  g_array_set_size (rows, 0);
  g_clear_pointer (&c->spare, g_array_unref);
  c->spare = rows;
  c->next++;
}

void
sm_collect (SmCollector *c, guint step, const SmRow *row, SmCounts counts, gpointer user)
{
  if (step && step < c->next) {
    c->late++;
    return;
  }
  c->rows++;
  c->duration += row->duration;
  if (!step) {
    g_array_append_val (c->first, *row);
    return;
  }
  while (step >= c->next + SM_OPEN_STEPS)
    close_oldest (c, counts, user);
  while (c->open->len <= step - c->next)
    open_step (c);
  GArray *rows = g_ptr_array_index (c->open, step - c->next);
  g_array_append_val (rows, *row);
}

void
sm_collector_end (SmCollector *c, guint steps, SmCounts counts, gpointer user)
{
  if (steps)
    add_step (c, 0, c->first, counts (user, 0, has_shown (c->first)));
  while (c->next < steps)
    close_oldest (c, counts, user);
}

void
sm_collect_whole (SmCollector *c, const SmRow *row)
{
  if (row->hidden)
    return;
  c->rows++;
  c->duration += row->duration;
  g_array_append_val (c->first, *row);
  if (c->first->len < 2 * SM_REORDER)
    return;
  g_array_sort (c->first, sm_row_compare);
  sm_sums_add (&c->sums, (const SmRow *) (void *) c->first->data, SM_REORDER, false);
  g_array_remove_range (c->first, 0, SM_REORDER);
}

void
sm_collector_end_whole (SmCollector *c)
{
  add_step (c, 0, c->first, SM_SHOWN);
}
