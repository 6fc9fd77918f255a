/* SPDX-License-Identifier: Apache-2.0 */
/* events-groups.c - rows that SQLite groups come group by group: lanes in the order of a column
 * that all of their rows share, or rows sorted by label, by counting. */
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

/* -- Rows of a label ------------------------------------------------------------------------ */

/* These are rows from..to - 1 of the block of that number. */
typedef struct {
  const struct nprof_store_block *block;
  guint32 number, from, to;
} Piece;

typedef struct {
  Cursor *c;
  gsize *count; /* by label: its rows; then where its next row goes */
} Sorting;

static bool
each_piece (Sorting *s, void (*take) (Sorting *, const Piece *))
{
  const Cursor *c = s->c;
  for (guint r = 0; r < c->n_ranges; r++) {
    const Range *range = c->ranges + r;
    const guint32 first = c->p->lanes[range->lane].first_block;
    for (guint32 row = range->from; row < range->to;) {
      Piece piece = { .number = first + row / NP_SQL_ROWS, .from = row % NP_SQL_ROWS };
      if (!(piece.block = np_sql_block (c->p, piece.number)))
        return false;
      piece.to = MIN (piece.block->n, range->to - row + piece.from);
      row += piece.to - piece.from;
      take (s, &piece);
    }
  }
  return true;
}

/* Returns whether rows of that label are wanted. */
static bool
is_wanted (const Cursor *c, guint32 label)
{
  return label < c->p->n_labels && (!c->labels || c->labels[label]);
}

static void
count_rows (Sorting *s, const Piece *piece)
{
  const struct nprof_store_column *labels = nprof_store_column (piece->block, NPROF_STORE_C_LABEL);
  for (guint32 i = piece->from; i < piece->to; i++) {
    guint32 label = (guint32) nprof_store_get (piece->block, labels, i);
    if (is_wanted (s->c, label))
      s->count[label]++;
  }
}

/* Values that are asked for are put in the order of the rows: to look them up in their blocks
 * later, label by label, would wait for memory at nearly every row. */
static void
place_rows (Sorting *s, const Piece *piece)
{
  const Cursor *c = s->c;
  const struct nprof_store_block *b = piece->block;
  const struct nprof_store_column *labels = nprof_store_column (b, NPROF_STORE_C_LABEL),
                                  *columns[NP_EVENTS_GATHERED];
  for (guint32 g = 0; g < NP_EVENTS_GATHERED; g++)
    columns[g] = nprof_store_column (b, g);
  for (guint32 i = piece->from; i < piece->to; i++) {
    guint32 label = (guint32) nprof_store_get (b, labels, i);
    if (!is_wanted (c, label))
      continue;
    gsize at = s->count[label]++;
    c->order[at] = piece->number * NP_SQL_ROWS + i;
    for (guint32 g = 0; g < NP_EVENTS_GATHERED; g++)
      if (c->gathered[g])
        c->gathered[g][at] = nprof_store_get (b, columns[g], i);
  }
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

/* Returns the labels in the order of their texts; those of one text lie side by side. */
static Ranked *
rank_labels (const NpSqlProfile *p, bool by_name)
{
  Ranked *ranked = g_new (Ranked, p->n_labels + 1);
  for (guint32 k = 0; k < p->n_labels; k++)
    ranked[k] = (Ranked){ k, by_name ? p->names[k].string : p->categories[k].string,
                          by_name ? p->categories[k].string : p->names[k].string };
  qsort (ranked, p->n_labels, sizeof *ranked, by_texts);
  return ranked;
}

/* Gives each label that has rows its place, one behind the other. */
static void
place_groups (Sorting *s, const Ranked *ranked)
{
  Cursor *c = s->c;
  guint n = 0;
  c->groups = g_new (Group, c->p->n_labels + 1);
  for (guint32 k = 0; k < c->p->n_labels; k++) {
    gsize *count = s->count + ranked[k].label, rows = *count;
    *count = c->n_order;
    c->n_order += rows;
    if (rows)
      c->groups[n++] = (Group){ ranked[k].label, c->n_order };
  }
}

bool
np_events_group_labels (Cursor *c, bool by_name, guint gather)
{
  g_autofree gsize *count = g_new0 (gsize, c->p->n_labels + 1);
  g_autofree Ranked *ranked = rank_labels (c->p, by_name);
  Sorting s = { c, count };
  if (!each_piece (&s, count_rows))
    return false;
  place_groups (&s, ranked);
  c->order = g_try_new (guint32, c->n_order + 1);
  for (guint g = 0; g < NP_EVENTS_GATHERED; g++) /* without memory for them rows are looked up */
    c->gathered[g] = gather >> g & 1 ? g_try_new (gint64, c->n_order + 1) : NULL;
  return c->order && each_piece (&s, place_rows);
}
