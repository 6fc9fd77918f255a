/* SPDX-License-Identifier: Apache-2.0 */
/* events-groups.c - rows that SQLite groups come group by group: lanes in the order of a column that all of their rows
 * share, or rows sorted by label, by counting. */
#include "sql/events.h"

#include <string.h>

typedef struct {
  NpSqlProfile *p;
  int code;
} ByLane;

static int
by_lane_column (gconstpointer a, gconstpointer b, gpointer user)
{
  const ByLane *by = user;
  const Range *x = a, *y = b;
  const NpSqlLane *l = by->p->lanes + x->lane, *m = by->p->lanes + y->lane;
  guint32 u = by->code == TRACK ? l->track : lane_text (l, by->code)->string;
  guint32 v = by->code == TRACK ? m->track : lane_text (m, by->code)->string;
  return u != v ? (u < v ? -1 : 1) : (x->lane > y->lane) - (x->lane < y->lane);
}

void
np_events_group_lanes (Cursor *c, int code)
{
  ByLane by = { c->p, code };
  g_qsort_with_data (c->ranges, (int) c->n_ranges, sizeof *c->ranges, by_lane_column, &by);
}

static bool
each_row (Cursor *c, gsize *count, guint32 *to)
{
  for (guint r = 0; r < c->n_ranges; r++) {
    const Range *range = c->ranges + r;
    const guint32 first = c->p->lanes[range->lane].first_block;
    for (guint32 row = range->from; row < range->to;) {
      guint32 number = first + row / NP_SQL_ROWS, i = row % NP_SQL_ROWS;
      const struct nprof_store_block *b = np_sql_block (c->p, number);
      if (!b)
        return false;
      const struct nprof_store_column *labels = nprof_store_column (b, NPROF_STORE_C_LABEL);
      guint32 end = MIN (b->n, range->to - row + i);
      row += end - i;
      for (; i < end; i++) {
        guint32 label = (guint32) nprof_store_get (b, labels, i);
        if (label >= c->p->n_labels || (c->labels && !c->labels[label]))
          continue;
        if (to)
          to[count[label]++] = number * NP_SQL_ROWS + i;
        else
          count[label]++;
      }
    }
  }
  return true;
}

typedef struct {
  guint32 label, first, second;
} Ranked;

static int
by_texts (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->second != y->second ? (x->second < y->second ? -1 : 1)
                                : (x->label > y->label) - (x->label < y->label);
}

bool
np_events_group_labels (Cursor *c, bool by_name)
{
  guint32 n = c->p->n_labels;
  g_autofree gsize *count = g_new0 (gsize, n + 1);
  g_autofree Ranked *ranked = g_new (Ranked, n + 1);
  gsize at = 0;
  if (!each_row (c, count, NULL))
    return false;
  for (guint32 k = 0; k < n; k++)
    ranked[k] = (Ranked){ k, by_name ? c->p->names[k].string : c->p->categories[k].string,
                          by_name ? c->p->categories[k].string : c->p->names[k].string };
  qsort (ranked, n, sizeof *ranked, by_texts);
  for (guint32 k = 0; k < n; k++) {
    gsize rows = count[ranked[k].label];
    count[ranked[k].label] = at;
    at += rows;
  }
  c->order = g_try_new (guint32, at + 1);
  c->n_order = at;
  return c->order && each_row (c, count, c->order);
}
