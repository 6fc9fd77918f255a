/* SPDX-License-Identifier: Apache-2.0 */
/* table-module.c - the module of SQLite that reads tables. */
#include "sqlite/table-module.h"
#include "sqlite/names.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  sqlite3_vtab base;
  const NpSqlTables *tables;
  NpTable *table;
} Table;

typedef struct {
  sqlite3_vtab_cursor base;
  const NpSqlTables *tables;
  const NpTable *table;
  guint64 place, end; /* in the order of the scan */
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

char *
np_sql_plain_name (const struct nprof_table_column *column)
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
    g_autofree char *plain = np_sql_plain_name (column);
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
  Table *t = (Table *) vtab;
  if (t->tables->close)
    t->tables->close (t->table);
  g_free (t);
  return SQLITE_OK;
}

static int
connect_table (sqlite3 *db, const NpSqlTables *tables, guint number, sqlite3_vtab **vtab,
               char **error)
{
  NpTable *table = tables->open (tables->user, number);
  if (!table) {
    *error = sqlite3_mprintf ("the store is damaged: read the profile again from its source");
    return SQLITE_CORRUPT_VTAB;
  }
  Table *t = g_new0 (Table, 1);
  t->tables = tables;
  t->table = table;
  *vtab = &t->base;
  g_autofree char *sql = declaration (table);
  return sqlite3_declare_vtab (db, sql);
}

static int
table_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
               char **error)
{
  guint number = argc > 3 ? (guint) g_ascii_strtoull (argv[3], NULL, 10) : G_MAXUINT;
  return connect_table (db, aux, number, vtab, error);
}

typedef struct {
  const NpSqlTables *tables;
  guint number;
} Named;

static int
named_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
               char **error)
{
  const Named *named = aux;
  (void) argc, (void) argv;
  return connect_table (db, named->tables, named->number, vtab, error);
}

/* -- Rows -------------------------------------------------------------------------------------- */

enum { ALL_ROWS, ONE_ROW }; /* that a scan gives */

/* Finds `rowid = ?`. */
static int
rowid_constraint (const sqlite3_index_info *info)
{
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].usable && info->aConstraint[i].iColumn < 0
        && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
      return i;
  return -1;
}

static int
table_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  int rowid = rowid_constraint (info);
  info->estimatedRows = (sqlite3_int64) ((Table *) vtab)->table->n_rows + 1;
  if (rowid >= 0) {
    info->idxNum = ONE_ROW;
    info->aConstraintUsage[rowid].argvIndex = 1;
    info->estimatedRows = 1;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  info->estimatedCost = (double) info->estimatedRows;
  return SQLITE_OK;
}

static int
table_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
  Cursor *c = g_new0 (Cursor, 1);
  c->tables = ((Table *) vtab)->tables;
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

/* The place of a row in the order of the scan is as its row in the order of places. */
static guint64
turned (const Cursor *c, guint64 place)
{
  return c->tables->backwards ? c->table->n_rows - 1 - place : place;
}

static int
table_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n, sqlite3_value **values)
{
  Cursor *c = (Cursor *) cursor;
  (void) plan, (void) n;
  c->place = 0;
  c->end = c->table->n_rows;
  if (num != ONE_ROW)
    return SQLITE_OK;
  const sqlite3_int64 row = sqlite3_value_int64 (values[0]);
  const bool there = sqlite3_value_type (values[0]) == SQLITE_INTEGER && row >= 0
                     && (guint64) row < c->table->n_rows;
  c->place = there ? turned (c, (guint64) row) : c->end;
  c->end = there ? c->place + 1 : c->end;
  return SQLITE_OK;
}

static int
table_next (sqlite3_vtab_cursor *cursor)
{
  ((Cursor *) cursor)->place++;
  return SQLITE_OK;
}

static int
table_eof (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->place >= ((Cursor *) cursor)->end;
}

static int
table_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
  *rowid = (sqlite3_int64) turned ((const Cursor *) cursor, ((const Cursor *) cursor)->place);
  return SQLITE_OK;
}

/* SQLite's integers end at 2^63 - 1, so a larger one becomes its digits. */
static void
result_unsigned (guint64 u, sqlite3_context *out)
{
  char text[24];
  if (u <= G_MAXINT64) {
    sqlite3_result_int64 (out, (gint64) u);
    return;
  }
  int n = g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, u);
  sqlite3_result_text (out, text, n, SQLITE_TRANSIENT);
}

static void
result_id (const char *bytes, sqlite3_context *out)
{
  char hex[33];
  for (guint i = 0; i < 16; i++)
    g_snprintf (hex + 2 * i, 3, "%02x", (guint8) bytes[i]);
  sqlite3_result_text (out, hex, 32, SQLITE_TRANSIENT);
}

void
np_sql_result_cell (const struct nprof_cell *cell, sqlite3_context *out)
{
  switch (cell->type) {
  case NPROF_INT64:
    sqlite3_result_int64 (out, cell->v.i);
    return;
  case NPROF_BOOL:
  case NPROF_UINT64:
    result_unsigned (cell->v.u, out);
    return;
  case NPROF_DOUBLE:
    sqlite3_result_double (out, cell->v.f);
    return;
  case NPROF_ID128:
    result_id (cell->v.text, out);
    return;
  case NPROF_TEXT:
  case NPROF_JSON:
    sqlite3_result_text64 (out, cell->v.text, cell->len, SQLITE_STATIC, SQLITE_UTF8);
    return;
  default:
    sqlite3_result_null (out);
  }
}

static int
table_column (sqlite3_vtab_cursor *cursor, sqlite3_context *out, int number)
{
  const Cursor *c = (const Cursor *) cursor;
  struct nprof_cell cell = { .type = NPROF_NULL };
  if (c->table->read (c->table, turned (c, c->place), (guint) number, &cell))
    np_sql_result_cell (&cell, out);
  else
    sqlite3_result_error (out, c->tables->damage (c->tables->user), -1);
  return SQLITE_OK;
}

#define TABLE_METHODS(connect)                                                                     \
  .xConnect = connect, .xBestIndex = table_best, .xDisconnect = table_disconnect,                  \
  .xDestroy = table_disconnect, .xOpen = table_open, .xClose = table_close,                        \
  .xFilter = table_filter, .xNext = table_next, .xEof = table_eof, .xColumn = table_column,        \
  .xRowid = table_rowid

int
np_sql_add_table_module (sqlite3 *db, const NpSqlTables *tables)
{
  static const sqlite3_module module = { .xCreate = table_connect, TABLE_METHODS (table_connect) };
  return sqlite3_create_module (db, "np_table", &module, (void *) tables);
}

int
np_sql_make_table (sqlite3 *db, const char *name, guint number)
{
  g_autoptr (GString) sql = g_string_new ("CREATE VIRTUAL TABLE ");
  np_sql_quote (sql, name);
  g_string_append_printf (sql, " USING np_table (%u)", number);
  return sqlite3_exec (db, sql->str, NULL, NULL, NULL);
}

int
np_sql_name_table (sqlite3 *db, const NpSqlTables *tables, const char *name, guint number)
{
  static const sqlite3_module module = { TABLE_METHODS (named_connect) };
  Named *named = g_new (Named, 1);
  *named = (Named){ tables, number };
  return sqlite3_create_module_v2 (db, name, &module, named, g_free);
}
