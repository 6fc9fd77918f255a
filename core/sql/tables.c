/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the store's tables (tracks, facts, inputs, those of analyzers) as tables of SQL under
 * their names.  As in Parquet a column of times is called *_ps, because it holds ps. */
#include "sql/profile.h"
#include "table/stored-table.h"

#include <string.h>

typedef struct {
  sqlite3_vtab base;
  NpSqlProfile *p;
  NpTable *table;
} Table;

typedef struct {
  sqlite3_vtab_cursor base;
  NpSqlProfile *p;
  const NpTable *table;
  guint64 row;
} Cursor;

/* -- What it is ------------------------------------------------------------------------------- */

static const char *
type_name (guint32 type)
{
  static const char *const names[] = { [NPROF_INT64] = "INTEGER",
                                       [NPROF_UINT64] = "INTEGER",
                                       [NPROF_DOUBLE] = "REAL",
                                       [NPROF_BOOL] = "INTEGER" };
  return type < G_N_ELEMENTS (names) && names[type] ? names[type] : "TEXT";
}

/* Names a column: "start_ns" of unit ps is start_ps. */
static char *
plain_name (const struct nprof_table_column *column)
{
  char *plain = g_strdup (column->name);
  if (g_str_equal (column->unit, "ps") && g_str_has_suffix (plain, "_ns"))
    plain[strlen (plain) - 2] = 'p';
  return plain;
}

static char *
declaration (const NpTable *t)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *sql = g_string_new ("CREATE TABLE x (");
  for (guint k = 0; k < t->n_columns; k++) {
    const struct nprof_table_column *column = t->schema->columns[k];
    g_autofree char *plain = plain_name (column);
    g_autofree char *name = np_sql_column_name (names, plain);
    g_string_append (sql, k ? ", " : "");
    np_sql_quote (sql, name);
    g_string_append_printf (sql, " %s", type_name (column->type));
  }
  g_string_append_c (sql, ')');
  return g_string_free (sql, FALSE);
}

static int
table_disconnect (sqlite3_vtab *vtab)
{
  np_table_close (((Table *) vtab)->table);
  g_free (vtab);
  return SQLITE_OK;
}

static int
table_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
               char **error)
{
  NpSqlProfile *p = aux;
  guint32 number = argc > 3 ? (guint32) g_ascii_strtoull (argv[3], NULL, 10) : G_MAXUINT32;
  NpTable *table = np_stored_table_new (p->store, &p->query, number);
  if (!table) {
    *error = sqlite3_mprintf ("the store is damaged: read the profile again from its source");
    return SQLITE_CORRUPT_VTAB;
  }
  Table *t = g_new0 (Table, 1);
  t->p = p;
  t->table = table;
  *vtab = &t->base;
  g_autofree char *sql = declaration (table);
  return sqlite3_declare_vtab (db, sql);
}

/* -- Rows ----------------------------------------------------------------------------------------- */

static int
table_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  info->estimatedRows = (sqlite3_int64) ((Table *) vtab)->table->n_rows + 1;
  info->estimatedCost = (double) info->estimatedRows;
  return SQLITE_OK;
}

static int
table_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
  Cursor *c = g_new0 (Cursor, 1);
  c->p = ((Table *) vtab)->p;
  c->table = ((Table *) vtab)->table;
  *cursor = &c->base;
  return SQLITE_OK;
}

static int
table_close (sqlite3_vtab_cursor *cursor)
{
  g_free (cursor);
  return SQLITE_OK;
}

static int
table_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n, sqlite3_value **values)
{
  (void) num, (void) plan, (void) n, (void) values;
  ((Cursor *) cursor)->row = 0;
  return SQLITE_OK;
}

static int
table_next (sqlite3_vtab_cursor *cursor)
{
  ((Cursor *) cursor)->row++;
  return SQLITE_OK;
}

static int
table_eof (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->row >= ((Cursor *) cursor)->table->n_rows;
}

static int
table_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
  *rowid = (sqlite3_int64) ((Cursor *) cursor)->row;
  return SQLITE_OK;
}

static int
table_column (sqlite3_vtab_cursor *cursor, sqlite3_context *out, int number)
{
  Cursor *c = (Cursor *) cursor;
  struct nprof_cell cell;
  *c->p->query.error = 0;
  if (!c->table->read (c->table, c->row, (guint) number, &cell))
    sqlite3_result_error (out, *c->p->query.error ? c->p->query.error : "the store is damaged", -1);
  else if (cell.type != NPROF_NULL)
    np_sql_result_value (c->p, cell.type, cell.v.u, cell.v.text, cell.len, out);
  return SQLITE_OK;
}

/* -- All of them --------------------------------------------------------------------------------------- */

static int
make_table (sqlite3 *db, NpSqlProfile *p, GHashTable *names, guint32 number)
{
  const struct nprof_store_table *table = nprof_store_table_at (p->store, number);
  if (!table)
    return SQLITE_CORRUPT;
  const char *text = np_sql_string (p, table->name).text;
  g_autofree char *name = np_sql_column_name (names, text ? text : "unnamed");
  g_autoptr (GString) sql = g_string_new ("CREATE VIRTUAL TABLE ");
  np_sql_quote (sql, name);
  g_string_append_printf (sql, " USING np_table (%u)", number);
  return sqlite3_exec (db, sql->str, NULL, NULL, NULL);
}

int
np_sql_tables (sqlite3 *db, NpSqlProfile *p)
{
  static const sqlite3_module module = {
    .xCreate = table_connect,
    .xConnect = table_connect,
    .xBestIndex = table_best,
    .xDisconnect = table_disconnect,
    .xDestroy = table_disconnect,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column,
    .xRowid = table_rowid,
  };
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (names, g_strdup ("events"));
  int rc = sqlite3_create_module (db, "np_table", &module, p);
  for (guint32 k = 0; !rc && k < nprof_store_n (p->store, NPROF_STORE_S_TABLES); k++)
    rc = make_table (db, p, names, k);
  return rc;
}
