/* SPDX-License-Identifier: Apache-2.0 */
/* tool-table.c - tools table, sql and schema: rows of a table, of a statement, and what tables
 * there are. */
#include "agent/unknown.h"

#include <string.h>

void
np_tool_sql (NpCall *call)
{
  np_call_say (call, "rows of the statement; columns that end in _ps are picoseconds");
  np_put_rows (call, call->args.query, 0, "bad_sql");
}

/* -- table ------------------------------------------------------------------------------------- */

static gboolean
check_column (NpCall *call, const char *column)
{
  if (np_has_column (call, call->args.name, column))
    return TRUE;
  np_call_fail (call, "unknown_column", "the table has no such column");
  np_nearest_columns (call, call->args.name, column);
  return FALSE;
}

/* Puts the columns that were asked for. */
static gboolean
put_selected (NpCall *call, GString *text)
{
  char **columns = call->args.columns;
  g_string_append (text, "select ");
  if (!columns || !*columns)
    g_string_append (text, "*");
  for (guint i = 0; columns && columns[i]; i++) {
    if (!check_column (call, columns[i]))
      return FALSE;
    g_string_append (text, i ? ", " : "");
    np_put_identifier (text, columns[i]);
  }
  g_string_append (text, " from ");
  np_put_identifier (text, call->args.name);
  return TRUE;
}

/* Returns whether an analyzer made the table, which can make it of a part. */
static gboolean
is_made (const NpCall *call)
{
  const struct nprof_store_table *table = np_stored_table (call, call->args.name);
  return table && table->origin && table->origin != G_MAXUINT32;
}

/* Puts a condition of the scope, which is number *n.  A table without the column is made anew of a
 * step or a window. */
static gboolean
put_scoped (NpCall *call, GString *text, guint *n, const char *column, const char *condition)
{
  gboolean is_part = strcmp (column, "device") && strcmp (column, "rank");
  gboolean has_it = np_has_column (call, call->args.name, column);
  if (!has_it && is_part && is_made (call))
    return call->sql != call->profile->sql || np_call_narrow (call);
  if (!has_it) {
    np_call_abstain (call, "verdict", "out_of_scope", NULL);
    np_call_say (call, "rows of this table have no column %s: it cannot be narrowed by it", column);
    np_call_next (call, "table", "all rows of the table", "id", call->id, "name", call->args.name,
                  NULL);
    return FALSE;
  }
  g_string_append (text, (*n)++ ? " and " : " where ");
  g_string_append (text, condition);
  return TRUE;
}

/* *n: how many conditions there are. */
static gboolean
put_scope (NpCall *call, GString *text, guint *n)
{
  const NpArgs *a = &call->args;
  const gint64 first = call->profile->first_ps;
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, a->step.value),
                  *step = np_step_condition (number);
  g_autofree char *rank = g_strdup_printf ("rank = %" G_GINT64_FORMAT, a->rank.value);
  g_autofree char *from
      = g_strdup_printf ("start_ps + coalesce(duration_ps, 0) >= %" G_GINT64_FORMAT,
                         first + a->from_ns.value * 1000);
  g_autofree char *to
      = g_strdup_printf ("start_ps <= %" G_GINT64_FORMAT, first + a->to_ns.value * 1000);
  char *device = a->device ? sqlite3_mprintf ("device = %Q", a->device) : NULL;
  gboolean good = (!device || put_scoped (call, text, n, "device", device))
                  && (!a->step.given || put_scoped (call, text, n, "step", step))
                  && (!a->rank.given || put_scoped (call, text, n, "rank", rank))
                  && (!a->from_ns.given || put_scoped (call, text, n, "duration_ps", from))
                  && (!a->to_ns.given || put_scoped (call, text, n, "start_ps", to));
  sqlite3_free (device);
  return good;
}

static gboolean
put_sort (NpCall *call, GString *text)
{
  const char *sort = call->args.sort;
  gboolean down = sort && *sort == '-';
  if (!sort)
    return TRUE;
  if (!check_column (call, sort + down))
    return FALSE;
  g_string_append (text, " order by ");
  np_put_identifier (text, sort + down);
  g_string_append (text, down ? " desc, rowid" : ", rowid");
  return TRUE;
}

static void
fail_table (NpCall *call, const char *name)
{
  const char *what = np_told_by (call, name);
  if (!what) {
    np_call_fail (call, "unknown_table", "the profile has no such table");
    np_nearest_tables (call, name);
    return;
  }
  np_abstain_unknown (call, what);
  g_string_truncate (call->text, 0);
  np_call_say (call, "this file has nothing for the table");
  if (!strcmp (call->reason, "not_in_format"))
    np_call_next (call, "table", "what the device did", "id", call->id, "name", "operators", NULL);
  np_call_next (call, "schema", "the tables that have rows", "id", call->id, NULL);
}

void
np_tool_table (NpCall *call)
{
  const char *name = call->args.name;
  g_autoptr (GString) text = g_string_new (NULL);
  if (!np_has_table (call, name)) {
    fail_table (call, name);
    return;
  }
  guint n = 0;
  if (!put_selected (call, text) || !put_scope (call, text, &n))
    return;
  if (call->args.where) {
    g_string_append (text, n ? " and " : " where ");
    if (!np_put_where (call, text))
      return;
  }
  if (!put_sort (call, text))
    return;
  np_call_name (call, "table", name);
  np_call_say (call, "rows of the table; columns that end in _ps are picoseconds");
  np_put_rows (call, text->str, text->len, "bad_condition");
  if (!call->total && !call->error.code && np_told_by (call, name)
      && !np_ask_whole (call, 0, "select count(*) from \"%w\"", name))
    fail_table (call, name);
}

/* -- schema ------------------------------------------------------------------------------------ */

static void
put_table (NpCall *call, const char *name, gint64 rows, const char *about)
{
  NpMark mark = np_call_mark (call);
  np_json_object (&call->data.json, NULL);
  np_call_name (call, "name", name);
  if (rows >= 0)
    np_json_integer (&call->data.json, "rows", rows);
  g_autofree char *brief = g_strndup (about, 40);
  np_call_name (call, "about", brief);
  np_call_end_item (call, mark, 100);
}

static void
put_tables (NpCall *call)
{
  struct nprof_store *store = call->profile->store;
  size_t len;
  np_json_array (&call->data.json, "tables");
  put_table (call, "slice", -1, "spans alone: ask it before events");
  put_table (call, "events", -1, "spans, counters, flows, facts: say kind = 'span'");
  for (guint32 i = 0; i < nprof_store_n (store, NPROF_STORE_S_TABLES); i++) {
    const struct nprof_store_table *table = nprof_store_table_at (store, i);
    if (table && table->rows)
      put_table (call, nprof_store_string (store, table->name, &len), (gint64) table->rows,
                 nprof_store_string (store, table->title, &len));
  }
  np_json_end_array (&call->data.json);
  np_json_array (&call->data.json, "columns");
  np_json_end_array (&call->data.json);
  np_call_say (call, "tables with rows; events also holds facts, flows and counters, slice spans "
                     "alone");
}

/* Returns what column i of the table means; NULL: it is of no table of the profile. */
static const struct nprof_store_table_column *
declared (const NpCall *call, const struct nprof_store_table *table, guint i)
{
  return table && i < table->n_columns
             ? nprof_store_table_column_at (call->profile->store, table->columns + i)
             : NULL;
}

static void
put_column (NpCall *call, sqlite3_stmt *stmt, const struct nprof_store_table_column *column)
{
  NpMark mark = np_call_mark (call);
  struct nprof_store *store = call->profile->store;
  const char *type = np_column (stmt, 1);
  size_t len;
  np_json_object (&call->data.json, NULL);
  np_call_name (call, "name", np_column (stmt, 0));
  np_json_text (&call->data.json, "type",
                !g_strcmp0 (type, "INTEGER") ? "int"
                : !g_strcmp0 (type, "REAL")  ? "real"
                                             : "text");
  if (column)
    np_call_name (call, "unit", nprof_store_string (store, column->unit, &len));
  np_call_name (call, "about",
                column && column->help ? nprof_store_string (store, column->help, &len)
                                       : "as its name says");
  np_call_end_item (call, mark, 20);
}

static void
put_columns (NpCall *call)
{
  const struct nprof_store_table *table = np_stored_table (call, call->args.table);
  sqlite3_stmt *stmt
      = np_ask (call, "select name, type from pragma_table_info(%Q)", call->args.table);
  np_json_array (&call->data.json, "tables");
  np_json_end_array (&call->data.json);
  np_json_array (&call->data.json, "columns");
  for (guint i = 0; stmt && sqlite3_step (stmt) == SQLITE_ROW; i++)
    put_column (call, stmt, declared (call, table, i));
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
  np_call_say (call, "columns of the table; a cell is null when it is unknown");
}

void
np_tool_schema_of (NpCall *call)
{
  if (!call->args.table)
    put_tables (call);
  else if (np_has_table (call, call->args.table))
    put_columns (call);
  else
    fail_table (call, call->args.table);
}
