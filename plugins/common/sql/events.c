/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - table events: the rows of the store, lane by lane. What is asked of columns that all
 * rows of a lane share, or of names and categories, is tried once for each lane or label; starts
 * are found by halves; rows that are grouped by such a column come group by group, so that SQLite
 * need not sort them. Hidden columns tell what views need: row_depth, row_parent, row_self_ps,
 * row_lane, row_name, row_slice (of the end of an arrow), row_is_slice (a span or an instant);
 * column row is what nprof view calls a row. */
#include "sql/events.h"

#include <string.h>

/* Ids have no type, because by one SQLite would make a double of the digits that one beyond its
 * integers is compared with. */
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
  [ID] = { "id", "" },
  [PARENT] = { "parent", "" },
  [FLOW] = { "flow", "" },
  [ATTRIBUTE] = { NULL, NULL },
  [REST] = { "attributes", "TEXT" },
  [DEPTH] = { "row_depth", "INTEGER" },
  [ROW_PARENT] = { "row_parent", "INTEGER" },
  [SELF] = { "row_self_ps", "INTEGER" },
  [LANE] = { "row_lane", "INTEGER" },
  [ROW_NAME] = { "row_name", "INTEGER" },
  [SLICE] = { "row_slice", "INTEGER" },
  [IS_SLICE] = { "row_is_slice", "INTEGER" },
  [PLACE] = { "row", "TEXT" },
};

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
  for (int code = REST; code <= PLACE; code++)
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

/* -- Columns ----------------------------------------------------------------------------------- */

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

/* Returns a value of START or DURATION of the store. */
static gint64
time_at (const Cursor *c, guint32 column)
{
  return c->gathered[column] ? c->gathered[column][c->at_order] : get (&c->row, column);
}

static guint32
label_of (const Cursor *c)
{
  return c->groups ? c->groups[c->at_group].label : MIN (label_at (&c->row), c->p->n_labels);
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
  gint64 start = time_at (c, NPROF_STORE_C_START), time;
  gint64 ns = start / 1000 - (start % 1000 < 0);
  if (!__builtin_add_overflow (c->p->origin_ns, ns, &time))
    sqlite3_result_int64 (out, time);
}

/* Results in the span above it on its track, by containment. */
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

/* Results in the span that the end of an arrow is bound to: by id, else the innermost on its
 * track. */
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
  case PLACE:
    np_sql_result_place (c->row.lane, c->row.block->first + c->row.i, out);
    return;
  case ROW_NAME:
    sqlite3_result_int64 (out, c->p->names[label_of (c)].string);
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
      sqlite3_result_int64 (out, time_at (c, NPROF_STORE_C_START));
    break;
  case DURATION:
    if (lane->timed && lane->ended)
      sqlite3_result_int64 (out, time_at (c, NPROF_STORE_C_DURATION));
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
    result_text (c->p->names + label_of (c), out);
    break;
  case CATEGORY:
    result_text (c->p->categories + label_of (c), out);
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
    .xBestIndex = np_events_best,
    .xDisconnect = events_disconnect,
    .xDestroy = events_disconnect,
    .xOpen = np_events_open,
    .xClose = np_events_close,
    .xFilter = np_events_filter,
    .xNext = np_events_next,
    .xEof = np_events_eof,
    .xColumn = events_column,
    .xRowid = np_events_rowid,
  };
  int rc = sqlite3_create_module (db, "np_events", &module, profile);
  return rc ? rc
            : sqlite3_exec (db, "CREATE VIRTUAL TABLE events USING np_events", NULL, NULL, NULL);
}
