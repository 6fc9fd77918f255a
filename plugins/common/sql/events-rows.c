/* SPDX-License-Identifier: Apache-2.0 */
/* events-rows.c - the cursor of table events: lanes and labels that fit are found once, starts by
 * halves; then it goes from row to row. */
#include "sql/events.h"

#include <string.h>

/* -- Which rows -------------------------------------------------------------------------------- */

/* Returns the text that a column of texts is compared with; NULL: none fits. SQLite takes a number
 * for its digits, but no text equals a blob, nor is like one (SQLITE_LIKE_DOESNT_MATCH_BLOBS, which
 * Debian sets). */
static const char *
wanted_text (sqlite3_value *value)
{
  return sqlite3_value_type (value) == SQLITE_BLOB ? NULL
                                                   : (const char *) sqlite3_value_text (value);
}

static bool
text_fits (const NpSqlText *t, int op, const char *wanted, gsize len)
{
  if (!t->text || !wanted)
    return false;
  if (op == SQLITE_INDEX_CONSTRAINT_GLOB)
    return sqlite3_strglob (wanted, t->text) == 0;
  if (op == SQLITE_INDEX_CONSTRAINT_LIKE)
    return sqlite3_strlike (wanted, t->text, 0) == 0;
  return t->len == len && !memcmp (t->text, wanted, len);
}

static bool
lane_fits (const NpSqlLane *lane, int code, int op, sqlite3_value *value)
{
  if (code == TRACK)
    return sqlite3_value_type (value) != SQLITE_INTEGER
           || sqlite3_value_int64 (value) == lane->track;
  if (code == IS_SLICE)
    return sqlite3_value_int64 (value) == is_slice (lane);
  if (!is_lane_text (code))
    return true;
  const char *wanted = wanted_text (value);
  return text_fits (lane_text (lane, code), op, wanted, (gsize) sqlite3_value_bytes (value));
}

static void
mark_labels (Cursor *c, int code, int op, sqlite3_value *value)
{
  const NpSqlText *texts = code == NAME ? c->p->names : c->p->categories;
  const char *wanted = wanted_text (value);
  gsize len = (gsize) sqlite3_value_bytes (value);
  if (!c->labels) {
    c->labels = g_malloc (c->p->n_labels + 1);
    memset (c->labels, 1, c->p->n_labels + 1);
  }
  for (guint32 k = 0; k < c->p->n_labels; k++)
    c->labels[k] = c->labels[k] && text_fits (texts + k, op, wanted, len);
}

static gint64
start_of (const struct nprof_store_block *b, guint32 i)
{
  return nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_START), i);
}

/* Returns the first row of the lane that starts at or behind t; -1: damaged. */
static gint64
first_from (NpSqlProfile *p, const NpSqlLane *lane, gint64 t)
{
  guint32 from = 0, to = lane->rows;
  while (from < to) {
    guint32 middle = from + (to - from) / 2;
    const struct nprof_store_block *b = np_sql_block (p, lane->first_block + middle / NP_SQL_ROWS);
    if (!b)
      return -1;
    if (start_of (b, middle % NP_SQL_ROWS) < t)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

typedef struct {
  gint64 from, to; /* starts in [from, to) */
  bool bounded;
} Window;

static void
narrow (Window *w, int op, sqlite3_value *value)
{
  if (sqlite3_value_type (value) != SQLITE_INTEGER)
    return; /* SQLite tries it itself */
  gint64 v = sqlite3_value_int64 (value), next = v < G_MAXINT64 ? v + 1 : v;
  w->bounded = true;
  if (op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_EQ)
    w->from = MAX (w->from, v);
  if (op == SQLITE_INDEX_CONSTRAINT_GT)
    w->from = MAX (w->from, next);
  if (op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_EQ)
    w->to = MIN (w->to, next);
  if (op == SQLITE_INDEX_CONSTRAINT_LT)
    w->to = MIN (w->to, v);
}

static bool
add_range (Cursor *c, guint32 number, const Window *w)
{
  const NpSqlLane *lane = c->p->lanes + number;
  Range range = { number, 0, lane->rows };
  if (w->bounded && !lane->timed)
    return true;
  if (w->bounded) {
    gint64 from = first_from (c->p, lane, w->from);
    gint64 to = w->to == G_MAXINT64 ? (gint64) lane->rows : first_from (c->p, lane, w->to);
    if (from < 0 || to < 0)
      return false;
    range.from = (guint32) from;
    range.to = (guint32) to;
  }
  if (range.from < range.to)
    c->ranges[c->n_ranges++] = range;
  return true;
}
/* -- The cursor -------------------------------------------------------------------------------- */

static int
failed (Cursor *c)
{
  sqlite3_vtab *vtab = c->base.pVtab;
  sqlite3_free (vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf ("%s", *c->p->query.error ? c->p->query.error
                                                            : "no memory for the order of rows");
  return SQLITE_CORRUPT_VTAB;
}

/* Goes to a row of the present range. */
static bool
enter_row (Cursor *c, guint32 row)
{
  const Range *range = c->ranges + c->at_range;
  c->row.lane = range->lane;
  c->row.block = np_sql_block (c->p, c->p->lanes[range->lane].first_block + row / NP_SQL_ROWS);
  c->row.i = row % NP_SQL_ROWS;
  if (c->row.block)
    c->last = MIN (c->row.block->n, range->to - row + c->row.i);
  return c->row.block != NULL;
}

/* Goes to the first row that fits, from the present one on. */
static int
find_fitting (Cursor *c)
{
  for (;;) {
    for (; c->row.i < c->last; c->row.i++)
      if (!c->labels || c->labels[MIN (label_at (&c->row), c->p->n_labels)])
        return SQLITE_OK;
    guint32 next = c->row.block->first + c->last;
    if (next >= c->ranges[c->at_range].to) {
      if (++c->at_range == c->n_ranges) {
        c->end = true;
        return SQLITE_OK;
      }
      next = c->ranges[c->at_range].from;
    }
    if (!enter_row (c, next))
      return failed (c);
  }
}

static int
take_ordered (Cursor *c)
{
  if (c->at_order >= c->n_order) {
    c->end = true;
    return SQLITE_OK;
  }
  if (c->at_order == c->groups[c->at_group].end)
    c->at_group++;
  guint32 rowid = c->order[c->at_order], number = rowid / NP_SQL_ROWS;
  c->row = (NpSqlRow){ c->p->blocks[number], c->p->lane_of[number], rowid % NP_SQL_ROWS };
  return SQLITE_OK;
}

int
np_events_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
  Cursor *c = g_new0 (Cursor, 1);
  c->p = ((Events *) vtab)->p;
  *cursor = &c->base;
  return SQLITE_OK;
}

static void
forget (Cursor *c)
{
  g_clear_pointer (&c->ranges, g_free);
  g_clear_pointer (&c->labels, g_free);
  g_clear_pointer (&c->order, g_free);
  g_clear_pointer (&c->groups, g_free);
  for (guint g = 0; g < NP_EVENTS_GATHERED; g++)
    g_clear_pointer (&c->gathered[g], g_free);
  c->n_ranges = c->at_range = c->at_group = 0;
  c->n_order = c->at_order = 0;
  c->end = false;
}

int
np_events_close (sqlite3_vtab_cursor *cursor)
{
  forget ((Cursor *) cursor);
  g_free (cursor);
  return SQLITE_OK;
}

/* -- Filtering --------------------------------------------------------------------------------- */

/* A text of digits is a number here, as for any INTEGER; SQLite itself rejects the row of a
 * fraction. */
static int
filter_by_rowid (Cursor *c, sqlite3_value *value)
{
  int type = sqlite3_value_numeric_type (value);
  c->end = (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
           || !np_sql_row (c->p, sqlite3_value_int64 (value), &c->row);
  c->last = c->row.i + 1;
  c->ranges = g_new0 (Range, 1);
  c->n_ranges = 1;
  if (!c->end)
    c->ranges[0] = (Range){ c->row.lane, c->row.block->first + c->row.i,
                            c->row.block->first + c->row.i + 1 };
  return SQLITE_OK;
}

static bool
take_lanes (Cursor *c, const char *plan, int n, sqlite3_value **values, const Window *w)
{
  c->ranges = g_new (Range, c->p->n_lanes + 1);
  for (guint32 k = 0; k < c->p->n_lanes; k++) {
    bool fits = true;
    for (int i = 0; i < n && fits; i++)
      fits = lane_fits (c->p->lanes + k, plan[2 * i] - 'A' + ROWID, plan[2 * i + 1], values[i]);
    if (fits && !add_range (c, k, w))
      return false;
  }
  return true;
}

int
np_events_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n,
                  sqlite3_value **values)
{
  Cursor *c = (Cursor *) cursor;
  Window w = { G_MININT64, G_MAXINT64, false };
  forget (c);
  *c->p->query.error = 0;
  for (int i = 0; i < n; i++) {
    int code = plan[2 * i] - 'A' + ROWID, op = plan[2 * i + 1];
    if (code == ROWID)
      return filter_by_rowid (c, values[i]);
    if (code == START)
      narrow (&w, op, values[i]);
    if (is_label_text (code))
      mark_labels (c, code, op, values[i]);
  }
  if (!take_lanes (c, plan, n, values, &w))
    return failed (c);
  c->end = !c->n_ranges;
  if (c->end)
    return SQLITE_OK;
  int group = num & 0xff;
  if (group == BY_LANE)
    np_events_group_lanes (c, num >> 8 & 0xff);
  if (group == BY_NAME || group == BY_CATEGORY)
    return np_events_group_labels (c, group == BY_NAME, (guint) num >> 16) ? take_ordered (c)
                                                                           : failed (c);
  return enter_row (c, c->ranges[0].from) ? find_fitting (c) : failed (c);
}

int
np_events_next (sqlite3_vtab_cursor *cursor)
{
  Cursor *c = (Cursor *) cursor;
  if (c->order) {
    c->at_order++;
    return take_ordered (c);
  }
  c->row.i++;
  return c->row.i < c->last && !c->labels ? SQLITE_OK : find_fitting (c);
}

int
np_events_eof (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->end;
}

static gint64
rowid_of (const Cursor *c)
{
  return (gint64) c->p->lanes[c->row.lane].first_block * NP_SQL_ROWS + c->row.block->first
         + c->row.i;
}

int
np_events_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
  *rowid = rowid_of ((Cursor *) cursor);
  return SQLITE_OK;
}
