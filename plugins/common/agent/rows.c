/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - the rows of one statement as data of an answer: pages, cells that are cleaned, and no
 * statement that does more than read. */
#include "agent/agent.h"

#include "agent/names.h"

#include <math.h>
#include <string.h>

#define ROWS 20
#define MOST_COUNTED 100000 /* rows behind the page; of more the total is left out */

/* -- Pages ------------------------------------------------------------------------------------- */

/* Returns a number that other questions do not have. */
static guint
question_of (const NpCall *call, const char *text)
{
  g_autofree char *all
      = g_strconcat (call->tool->name, "\n", call->id ? call->id : "", "\n", text, NULL);
  return g_str_hash (all);
}

/* Reads from which row on the page begins. */
static gboolean
read_cursor (NpCall *call, const char *text, gint64 *from)
{
  *from = 0;
  if (!call->args.cursor)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (call->args.cursor, "-", 2);
  g_autofree char *own = g_strdup_printf ("%x", question_of (call, text));
  if (words[0] && words[1] && !strcmp (words[0], own)
      && g_ascii_string_to_signed (words[1], 10, 0, G_MAXINT64, from, NULL))
    return TRUE;
  np_call_fail (call, "bad_argument",
                "the cursor is of another question: give next_cursor with the same arguments");
  np_call_nearest (call, "cursor");
  return FALSE;
}

/* -- Cells ------------------------------------------------------------------------------------- */

static void
put_text (NpJson *j, sqlite3_stmt *stmt, int column)
{
  const char *text = (const char *) sqlite3_column_text (stmt, column);
  g_autofree char *clean = np_name_clean (text ? text : "", sqlite3_column_bytes (stmt, column));
  np_json_text (j, NULL, clean);
}

static void
put_cell (NpJson *j, sqlite3_stmt *stmt, int column)
{
  double value;
  switch (sqlite3_column_type (stmt, column)) {
  case SQLITE_INTEGER:
    np_json_integer (j, NULL, sqlite3_column_int64 (stmt, column));
    break;
  case SQLITE_FLOAT:
    value = sqlite3_column_double (stmt, column);
    if (isfinite (value))
      np_json_double (j, NULL, value);
    else
      np_json_null (j, NULL);
    break;
  case SQLITE_NULL:
    np_json_null (j, NULL);
    break;
  default:
    put_text (j, stmt, column);
  }
}

static void
put_row (NpJson *j, sqlite3_stmt *stmt, int *types)
{
  np_json_array (j, NULL);
  for (int i = 0; i < sqlite3_column_count (stmt); i++) {
    int type = sqlite3_column_type (stmt, i);
    types[i] = types[i] || type == SQLITE_NULL ? types[i] : type;
    put_cell (j, stmt, i);
  }
  np_json_end_array (j);
}

/* Names of columns are the client's or the profile's. */
static void
put_columns (NpJson *j, sqlite3_stmt *stmt, const int *types)
{
  static const struct {
    const char *end, *unit;
  } units[] = {
    { "_ps", "ps" }, { "_ns", "ns" }, { "bytes", "byte" }, { "flops", "flop" }, { "share", "1" }
  };
  np_json_array (j, "columns");
  for (int i = 0; i < sqlite3_column_count (stmt); i++) {
    g_autofree char *name = np_name_clean (sqlite3_column_name (stmt, i), -1);
    const char *declared = sqlite3_column_decltype (stmt, i);
    gboolean whole = types[i] ? types[i] == SQLITE_INTEGER : !g_strcmp0 (declared, "INTEGER");
    gboolean real = types[i] ? types[i] == SQLITE_FLOAT : !g_strcmp0 (declared, "REAL");
    np_json_object (j, NULL);
    np_json_text (j, "name", name);
    np_json_text (j, "type", whole ? "int" : real ? "real" : "text");
    for (guint k = 0; k < G_N_ELEMENTS (units); k++)
      if ((whole || real) && g_str_has_suffix (name, units[k].end))
        np_json_text (j, "unit", units[k].unit);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* -- The statement ----------------------------------------------------------------------------- */

static gboolean
is_blank (const char *text)
{
  while (g_ascii_isspace (*text) || *text == ';')
    text++;
  return !*text;
}

/* place: where the client's own words begin in the text. */
static void
fail_statement (NpCall *call, const char *text, gsize before, const char *bad)
{
  NpSql *sql = call->sql;
  gint64 place;
  g_autofree char *why = np_sql_error (sql, text, 0, &place);
  gboolean late = np_sql_was_late (sql);
  if (late)
    np_call_fail (call, "timeout",
                  "the statement took more than %u s: narrow it by a step, a "
                  "window or a limit",
                  call->tool->seconds);
  else
    np_call_fail (call, bad, "SQLite refuses it: %s",
                  sqlite3_errcode (np_sql_db (sql)) == SQLITE_AUTH ? "it would do more than read"
                                                                   : why);
  call->error.at = late || place < (gint64) before ? -1 : place - (gint64) before;
  np_nearest_tables (call, NULL);
  np_call_next (call, "schema", "the tables and columns that are there", "id", call->id, NULL);
}

/* Returns the one statement of the text, which reads; NULL: the call has the error. */
static sqlite3_stmt *
prepare (NpCall *call, const char *text, gsize before, const char *bad)
{
  sqlite3_stmt *stmt = NULL;
  const char *rest = text;
  int rc = sqlite3_prepare_v2 (np_sql_db (call->sql), text, -1, &stmt, &rest);
  if (!rc && stmt && sqlite3_stmt_readonly (stmt) && sqlite3_column_count (stmt) && is_blank (rest))
    return stmt;
  if (rc)
    fail_statement (call, text, before, bad);
  else {
    np_call_fail (call, bad, "expected one statement that selects: SELECT, WITH, VALUES, EXPLAIN");
    np_nearest_tables (call, NULL);
  }
  sqlite3_finalize (stmt);
  return NULL;
}

/* Takes the rows of the page, and counts those behind it.  Returns the last result of SQLite. */
static int
take_rows (NpCall *call, sqlite3_stmt *stmt, gint64 from, gint64 *shown, int *types)
{
  gint64 limit = call->args.limit.given ? call->args.limit.value : ROWS, seen = 0;
  gboolean room = TRUE;
  gsize columns = 60 * (gsize) sqlite3_column_count (stmt);
  int rc;
  *shown = 0;
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && seen < from + limit + MOST_COUNTED) {
    seen++;
    if (!room || seen <= from || *shown >= limit)
      continue;
    NpMark mark = np_call_mark (call);
    put_row (&call->data.json, stmt, types);
    room = np_call_fits (call, mark, columns);
    *shown += room;
  }
  call->total = rc == SQLITE_ROW ? -1 : seen;
  call->truncated = from + *shown < seen;
  return rc;
}

static void
end_page (NpCall *call, const char *text, gint64 from, gint64 shown)
{
  if (!call->truncated)
    return;
  if (!shown) {
    np_call_fail (call, "too_large",
                  "one row takes more than %" G_GSIZE_FORMAT " bytes: name fewer columns",
                  call->tool->bytes);
    np_call_nearest (call, "columns");
    return;
  }
  call->cursor = g_strdup_printf ("%x-%" G_GINT64_FORMAT, question_of (call, text), from + shown);
  if (call->args.query)
    np_call_next (call, call->tool->name, "the next page", "id", call->id, "query",
                  call->args.query, "cursor", call->cursor, NULL);
  else
    np_call_next (call, "schema", "columns by which to narrow it", "id", call->id, "table",
                  call->args.name, NULL);
}

void
np_put_rows (NpCall *call, const char *text, gsize before, const char *bad)
{
  gint64 from, shown;
  sqlite3_stmt *stmt = read_cursor (call, text, &from) ? prepare (call, text, before, bad) : NULL;
  if (!stmt)
    return;
  g_autofree int *types = g_new0 (int, sqlite3_column_count (stmt));
  call->rest += call->args.query ? 2 * strlen (call->args.query) : 0;
  np_json_array (&call->data.json, "rows");
  int rc = take_rows (call, stmt, from, &shown, types);
  np_json_end_array (&call->data.json);
  put_columns (&call->data.json, stmt, types);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    fail_statement (call, text, before, bad);
  else
    end_page (call, text, from, shown);
  sqlite3_finalize (stmt);
}
