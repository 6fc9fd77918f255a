/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - table events: the rows of the store, lane by lane.  What is asked of columns that all rows of a lane
 * share, or of names and categories, is tried once for each lane or label; starts are found by halves; rows
 * that are grouped by such a column come group by group, so that SQLite need not sort them.
 * Hidden columns tell what views need: row_depth, row_parent, row_self_ps, row_lane, row_name, row_slice (of the end of
 * an arrow), row_is_slice (a span or an instant). */
#include "sql/profile.h"

#include <string.h>

enum {
  INPUT,
  START,
  DURATION,
  TIME,
  TRACK,
  PROCESS,
  THREAD,
  KIND,
  CATEGORY,
  NAME,
  VALUE,
  ID,
  PARENT,
  FLOW,
  ATTRIBUTE,
  REST,
  DEPTH,
  ROW_PARENT,
  SELF,
  LANE,
  ROW_NAME,
  SLICE,
  IS_SLICE,
  ROWID = -1
};

static const struct {
  const char *name, *type;
} fixed[] = {
  [INPUT] = { "input", "TEXT" },
  [START] = { "start_ps", "INTEGER" },
  [DURATION] = { "duration_ps", "INTEGER" },
  [TIME] = { "time", "INTEGER" },
  [TRACK] = { "track", "INTEGER" },
  [PROCESS] = { "process", "TEXT" },
  [THREAD] = { "thread", "TEXT" },
  [KIND] = { "kind", "TEXT" },
  [CATEGORY] = { "category", "TEXT" },
  [NAME] = { "name", "TEXT" },
  [VALUE] = { "value", "REAL" },
  [ID] = { "id", "INTEGER" },
  [PARENT] = { "parent", "INTEGER" },
  [FLOW] = { "flow", "INTEGER" },
  [ATTRIBUTE] = { NULL, NULL },
  [REST] = { "attributes", "TEXT" },
  [DEPTH] = { "row_depth", "INTEGER" },
  [ROW_PARENT] = { "row_parent", "INTEGER" },
  [SELF] = { "row_self_ps", "INTEGER" },
  [LANE] = { "row_lane", "INTEGER" },
  [ROW_NAME] = { "row_name", "INTEGER" },
  [SLICE] = { "row_slice", "INTEGER" },
  [IS_SLICE] = { "row_is_slice", "INTEGER" },
};

typedef struct {
  gint16 code;    /* of the enumeration */
  guint16 column; /* ATTRIBUTE: which   */
} Column;

typedef struct {
  sqlite3_vtab base;
  NpSqlProfile *p;
  GArray *columns; /* of Column */
} Events;

/* Rows from..to - 1 of a lane. */
typedef struct {
  guint32 lane, from, to;
} Range;

typedef struct {
  sqlite3_vtab_cursor base;
  NpSqlProfile *p;
  Range *ranges;
  guint n_ranges, at_range;
  guint8 *labels; /* by label: 1 fits; NULL: all do          */
  guint32 *order; /* rowids, grouped by label; NULL: ranges  */
  gsize n_order, at_order;
  NpSqlRow row;
  guint32 last; /* in the block, behind the last of the range */
  bool end;
} Cursor;

/* -- What it is ------------------------------------------------------------------------------ */

static void
add_column (Events *e, GHashTable *names, GString *sql, int code, guint16 column)
{
  const Column c = { (gint16) code, column };
  const NpSqlColumn *attribute
      = code == ATTRIBUTE ? &g_array_index (e->p->columns, NpSqlColumn, column) : NULL;
  g_autofree char *name
      = np_sql_column_name (names, attribute ? attribute->name : fixed[code].name);
  g_string_append (sql, e->columns->len ? ", " : "");
  np_sql_quote (sql, name);
  g_string_append_printf (sql, " %s%s", attribute ? "" : fixed[code].type,
                          code > REST ? " HIDDEN" : "");
  g_array_append_val (e->columns, c);
}

static char *
declaration (Events *e)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *sql = g_string_new ("CREATE TABLE events (");
  for (int code = INPUT; code < ATTRIBUTE; code++)
    if (code != TIME || e->p->origin_ns != NPROF_NO_EPOCH)
      add_column (e, names, sql, code, 0);
  for (guint k = 0; k < e->p->columns->len; k++)
    add_column (e, names, sql, ATTRIBUTE, (guint16) k);
  for (int code = REST; code <= IS_SLICE; code++)
    add_column (e, names, sql, code, 0);
  g_string_append_c (sql, ')');
  return g_string_free (sql, FALSE);
}

static int
events_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
                char **error)
{
  (void) argc, (void) argv, (void) error;
  Events *e = g_new0 (Events, 1);
  e->p = aux;
  e->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_autofree char *sql = declaration (e);
  *vtab = &e->base;
  return sqlite3_declare_vtab (db, sql);
}

static int
events_disconnect (sqlite3_vtab *vtab)
{
  Events *e = (Events *) vtab;
  g_array_unref (e->columns);
  g_free (e);
  return SQLITE_OK;
}

static int
code_of (const Events *e, int column)
{
  return column < 0 ? ROWID : g_array_index (e->columns, Column, column).code;
}

/* -- The plan: idxStr holds a column and an operator for each argument ------------------------------- */

enum { BY_NOTHING, BY_LANE, BY_NAME, BY_CATEGORY }; /* idxNum: which, and the column above 8 bits */

static bool
is_lane_text (int code)
{
  return code == INPUT || code == PROCESS || code == THREAD || code == KIND;
}

static bool
is_label_text (int code)
{
  return code == NAME || code == CATEGORY;
}

static bool
is_text_test (int op)
{
  return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GLOB
         || op == SQLITE_INDEX_CONSTRAINT_LIKE;
}

static bool
is_bound (int op)
{
  return op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_GT
         || op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_LT
         || op == SQLITE_INDEX_CONSTRAINT_EQ;
}

/* Can the constraint be used, by how much does it shrink the rows, and need SQLite not try it again? */
static double
use_of (sqlite3_index_info *info, int i, int code, bool *omit)
{
  int op = info->aConstraint[i].op;
  *omit = false;
  if (code == ROWID && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 1e-9;
  if (code == TRACK && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 0.05;
  if (code == IS_SLICE && op == SQLITE_INDEX_CONSTRAINT_EQ)
    return 0.9;
  if (code == START && is_bound (op))
    return 0.25;
  if (!is_text_test (op) || (!is_lane_text (code) && !is_label_text (code)))
    return 0;
  if (op == SQLITE_INDEX_CONSTRAINT_EQ
      && sqlite3_stricmp (sqlite3_vtab_collation (info, i), "BINARY") != 0)
    return 0;
  *omit = true;
  return op == SQLITE_INDEX_CONSTRAINT_EQ ? 0.1 : 0.2;
}

static void
plan_order (const Events *e, sqlite3_index_info *info)
{
#if SQLITE_VERSION_NUMBER >= 3038000
  if (info->nOrderBy != 1 || sqlite3_libversion_number () < 3038000)
    return;
  int distinct = sqlite3_vtab_distinct (info), code = code_of (e, info->aOrderBy[0].iColumn);
  bool lane = is_lane_text (code) || code == TRACK;
  bool label = is_label_text (code) && (guint64) e->p->n_blocks * NP_SQL_ROWS < G_MAXUINT32;
  if ((distinct != 1 && distinct != 2) || (!lane && !label))
    return;
  info->orderByConsumed = 1;
  info->idxNum = lane ? BY_LANE | code << 8 : code == NAME ? BY_NAME : BY_CATEGORY;
#else
  (void) e, (void) info;
#endif
}

static int
events_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  Events *e = (Events *) vtab;
  double rows = MAX (1, (double) nprof_store_meta (e->p->store)->rows);
  GString *plan = g_string_new (NULL);
  bool omit;
  for (int i = 0; i < info->nConstraint; i++) {
    int code = code_of (e, info->aConstraint[i].iColumn);
    double use = info->aConstraint[i].usable ? use_of (info, i, code, &omit) : 0;
    if (use == 0)
      continue;
    g_string_append_c (plan, (char) ('A' + code - ROWID));
    g_string_append_c (plan, (char) info->aConstraint[i].op);
    info->aConstraintUsage[i].argvIndex = (int) plan->len / 2;
    info->aConstraintUsage[i].omit = omit;
    rows *= use;
    if (code == ROWID)
      info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  plan_order (e, info);
  info->idxStr = sqlite3_mprintf ("%s", plan->str);
  info->needToFreeIdxStr = 1;
  info->estimatedCost = info->estimatedRows = (sqlite3_int64) MAX (1, rows);
  g_string_free (plan, TRUE);
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* -- Which rows --------------------------------------------------------------------------------------- */

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

static const NpSqlText *
lane_text (const NpSqlLane *lane, int code)
{
  return code == INPUT     ? &lane->input
         : code == PROCESS ? &lane->process
         : code == THREAD  ? &lane->thread
                           : &lane->kind;
}

static bool
is_slice (const NpSqlLane *lane)
{
  return lane->type == NPROF_STORE_LANE_SPAN || lane->type == NPROF_STORE_LANE_UNCLOSED
         || lane->type == NPROF_STORE_LANE_INSTANT;
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
  const char *wanted = (const char *) sqlite3_value_text (value);
  return text_fits (lane_text (lane, code), op, wanted, (gsize) sqlite3_value_bytes (value));
}

static void
mark_labels (Cursor *c, int code, int op, sqlite3_value *value)
{
  const NpSqlText *texts = code == NAME ? c->p->names : c->p->categories;
  const char *wanted = (const char *) sqlite3_value_text (value);
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

/* The first row of the lane that starts at or behind t; -1: damaged. */
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

/* -- Groups ----------------------------------------------------------------------------------------------- */

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

/* Sorts by counting: the rows of each label side by side, labels of one text as well.  false: no memory, or damaged. */
static bool
group_by_label (Cursor *c, bool by_name)
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

/* -- The cursor -------------------------------------------------------------------------------------------- */

static int
failed (Cursor *c)
{
  sqlite3_vtab *vtab = c->base.pVtab;
  sqlite3_free (vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf ("%s", *c->p->query.error ? c->p->query.error
                                                            : "no memory for the order of rows");
  return SQLITE_CORRUPT_VTAB;
}

static guint32
label_at (const NpSqlRow *row)
{
  return (guint32) nprof_store_get (row->block,
                                    nprof_store_column (row->block, NPROF_STORE_C_LABEL), row->i);
}

/* Goes to a row of the present range. */
static bool
enter (Cursor *c, guint32 row)
{
  const Range *range = c->ranges + c->at_range;
  c->row.lane = range->lane;
  c->row.block = np_sql_block (c->p, c->p->lanes[range->lane].first_block + row / NP_SQL_ROWS);
  c->row.i = row % NP_SQL_ROWS;
  if (c->row.block)
    c->last = MIN (c->row.block->n, range->to - row + c->row.i);
  return c->row.block != NULL;
}

/* To the first row that fits, from the present one on. */
static int
settle (Cursor *c)
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
    if (!enter (c, next))
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
  guint32 rowid = c->order[c->at_order], number = rowid / NP_SQL_ROWS;
  c->row = (NpSqlRow){ c->p->blocks[number], c->p->lane_of[number], rowid % NP_SQL_ROWS };
  return SQLITE_OK;
}

static int
events_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
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
  c->n_ranges = c->at_range = 0;
  c->n_order = c->at_order = 0;
  c->end = false;
}

static int
events_close (sqlite3_vtab_cursor *cursor)
{
  forget ((Cursor *) cursor);
  g_free (cursor);
  return SQLITE_OK;
}

/* -- Filtering --------------------------------------------------------------------------------------------- */

static int
filter_by_rowid (Cursor *c, sqlite3_value *value)
{
  c->end = sqlite3_value_type (value) != SQLITE_INTEGER
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

static int
events_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n,
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
  if (group == BY_LANE) {
    ByLane by = { c->p, num >> 8 };
    g_qsort_with_data (c->ranges, (int) c->n_ranges, sizeof *c->ranges, by_lane_column, &by);
  }
  if (group == BY_NAME || group == BY_CATEGORY)
    return group_by_label (c, group == BY_NAME) ? take_ordered (c) : failed (c);
  return enter (c, c->ranges[0].from) ? settle (c) : failed (c);
}

static int
events_next (sqlite3_vtab_cursor *cursor)
{
  Cursor *c = (Cursor *) cursor;
  if (c->order) {
    c->at_order++;
    return take_ordered (c);
  }
  c->row.i++;
  return c->row.i < c->last && !c->labels ? SQLITE_OK : settle (c);
}

static int
events_eof (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->end;
}

static gint64
rowid_of (const Cursor *c)
{
  return (gint64) c->p->lanes[c->row.lane].first_block * NP_SQL_ROWS + c->row.block->first
         + c->row.i;
}

static int
events_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
  *rowid = rowid_of ((Cursor *) cursor);
  return SQLITE_OK;
}

/* -- Columns ------------------------------------------------------------------------------------------------ */

static void
result_text (const NpSqlText *t, sqlite3_context *out)
{
  if (t->text)
    sqlite3_result_text64 (out, t->text, t->len, SQLITE_STATIC, SQLITE_UTF8);
}

static gint64
get (const NpSqlRow *row, guint32 column)
{
  return nprof_store_get (row->block, nprof_store_column (row->block, column), row->i);
}

static void
result_id (const NpSqlRow *row, guint32 column, NpSqlProfile *p, sqlite3_context *out)
{
  guint64 id = (guint64) get (row, column);
  if (id)
    np_sql_result_value (p, NPROF_UINT64, id, NULL, 0, out);
}

static void
result_time (const Cursor *c, sqlite3_context *out)
{
  gint64 start = get (&c->row, NPROF_STORE_C_START), time;
  gint64 ns = start / 1000 - (start % 1000 < 0);
  if (!__builtin_add_overflow (c->p->origin_ns, ns, &time))
    sqlite3_result_int64 (out, time);
}

/* The span above it on its track, by containment. */
static void
result_parent (const Cursor *c, sqlite3_context *out)
{
  guint32 up = (guint32) get (&c->row, NPROF_STORE_C_UP), row;
  bool found;
  if (c->p->lanes[c->row.lane].type != NPROF_STORE_LANE_SPAN || !up || up > c->row.lane)
    return;
  if (!nprof_store_before (&c->p->query, c->row.lane - up, get (&c->row, NPROF_STORE_C_START), &row,
                           &found))
    sqlite3_result_error (out, c->p->query.error, -1);
  else if (found)
    sqlite3_result_int64 (out, np_sql_rowid (c->p, (struct nprof_row){ c->row.lane - up, row }));
}

/* The span that the end of an arrow is bound to: by id, else the innermost on its track. */
static void
result_slice (const Cursor *c, sqlite3_context *out)
{
  struct nprof_event e;
  const struct nprof_row *rows;
  guint32 n = 0;
  if (c->p->lanes[c->row.lane].type != NPROF_STORE_LANE_FLOW)
    return;
  bool ok = np_sql_event (c->p, &c->row, &e);
  if (ok && e.parent)
    ok = nprof_store_linked (&c->p->query, NPROF_STORE_LINK_ID, e.input, e.parent, 1, &rows, &n);
  if (ok && !n)
    ok = nprof_store_enclosing (&c->p->query, &e, &rows, &n);
  if (!ok)
    sqlite3_result_error (out, c->p->query.error, -1);
  else if (n)
    sqlite3_result_int64 (out, np_sql_rowid (c->p, rows[n - 1]));
}

static void
result_value (const NpSqlRow *row, sqlite3_context *out)
{
  double value;
  gint64 bits = get (row, NPROF_STORE_C_VALUE);
  memcpy (&value, &bits, sizeof value);
  if (get (row, NPROF_STORE_C_HAS_VALUE))
    sqlite3_result_double (out, value);
}

static void
result_hidden (const Cursor *c, int code, sqlite3_context *out)
{
  const NpSqlLane *lane = c->p->lanes + c->row.lane;
  switch (code) {
  case DEPTH:
    sqlite3_result_int64 (out, lane->depth);
    return;
  case ROW_PARENT:
    result_parent (c, out);
    return;
  case SELF:
    if (lane->type == NPROF_STORE_LANE_SPAN)
      sqlite3_result_int64 (out, get (&c->row, NPROF_STORE_C_DURATION)
                                     - get (&c->row, NPROF_STORE_C_CHILD));
    return;
  case LANE:
    sqlite3_result_int64 (out, c->row.lane);
    return;
  case IS_SLICE:
    sqlite3_result_int (out, is_slice (lane));
    return;
  case ROW_NAME:
    sqlite3_result_int64 (out, c->p->names[MIN (label_at (&c->row), c->p->n_labels)].string);
    return;
  default:
    result_slice (c, out);
  }
}

static void
tell_empty (NpSqlProfile *p, guint16 number)
{
  NpSqlColumn *column = &g_array_index (p->columns, NpSqlColumn, number);
  if (column->any || column->told)
    return;
  column->told = true;
  if (!p->empty)
    p->empty = g_string_new (NULL);
  g_string_append_printf (p->empty, "%s%s", p->empty->len ? ", " : "", column->name);
}

static int
events_column (sqlite3_vtab_cursor *cursor, sqlite3_context *out, int number)
{
  const Cursor *c = (Cursor *) cursor;
  const Column *column = &g_array_index (((Events *) cursor->pVtab)->columns, Column, number);
  const NpSqlLane *lane = c->p->lanes + c->row.lane;
  switch (column->code) {
  case START:
    if (lane->timed)
      sqlite3_result_int64 (out, get (&c->row, NPROF_STORE_C_START));
    break;
  case DURATION:
    if (lane->timed && lane->ended)
      sqlite3_result_int64 (out, get (&c->row, NPROF_STORE_C_DURATION));
    break;
  case TIME:
    if (lane->timed)
      result_time (c, out);
    break;
  case TRACK:
    sqlite3_result_int64 (out, lane->track);
    break;
  case INPUT:
  case PROCESS:
  case THREAD:
  case KIND:
    result_text (lane_text (lane, column->code), out);
    break;
  case NAME:
    result_text (c->p->names + MIN (label_at (&c->row), c->p->n_labels), out);
    break;
  case CATEGORY:
    result_text (c->p->categories + MIN (label_at (&c->row), c->p->n_labels), out);
    break;
  case VALUE:
    result_value (&c->row, out);
    break;
  case ID:
    result_id (&c->row, NPROF_STORE_C_ID, c->p, out);
    break;
  case PARENT:
    result_id (&c->row, NPROF_STORE_C_PARENT, c->p, out);
    break;
  case FLOW:
    result_id (&c->row, NPROF_STORE_C_FLOW, c->p, out);
    break;
  case ATTRIBUTE:
    tell_empty (c->p, column->column);
    np_sql_result_attribute (c->p, &c->row, column->column, out);
    break;
  case REST:
    np_sql_result_rest (c->p, &c->row, out);
    break;
  default:
    result_hidden (c, column->code, out);
  }
  return SQLITE_OK;
}

int
np_sql_events (sqlite3 *db, NpSqlProfile *profile)
{
  static const sqlite3_module module = {
    .xCreate = events_connect,
    .xConnect = events_connect,
    .xBestIndex = events_best,
    .xDisconnect = events_disconnect,
    .xDestroy = events_disconnect,
    .xOpen = events_open,
    .xClose = events_close,
    .xFilter = events_filter,
    .xNext = events_next,
    .xEof = events_eof,
    .xColumn = events_column,
    .xRowid = events_rowid,
  };
  int rc = sqlite3_create_module (db, "np_events", &module, profile);
  return rc ? rc
            : sqlite3_exec (db, "CREATE VIRTUAL TABLE events USING np_events", NULL, NULL, NULL);
}
