/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - the lists that views need beside the tables: row_strings, the texts by number, and
 * row_args, the attributes of rows one by one. */
#include "sql/profile.h"

#include <string.h>

typedef struct {
  sqlite3_vtab base;
  NpSqlProfile *p;
} List;

typedef struct {
  sqlite3_vtab_cursor base;
  NpSqlProfile *p;
  guint64 at, end;                  /* strings; of args: rowids */
  struct nprof_store_field *fields; /* of the row at `at`; own     */
  guint32 field, n_fields;
} Cursor;

static int
list_connect (sqlite3 *db, void *aux, sqlite3_vtab **vtab, const char *sql)
{
  List *list = g_new0 (List, 1);
  list->p = aux;
  *vtab = &list->base;
  return sqlite3_declare_vtab (db, sql);
}

static int
list_disconnect (sqlite3_vtab *vtab)
{
  g_free (vtab);
  return SQLITE_OK;
}

static int
list_open (sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
  Cursor *c = g_new0 (Cursor, 1);
  c->p = ((List *) vtab)->p;
  *cursor = &c->base;
  return SQLITE_OK;
}

static int
list_close (sqlite3_vtab_cursor *cursor)
{
  g_free (((Cursor *) cursor)->fields);
  g_free (cursor);
  return SQLITE_OK;
}

/* Plans a search by the key (column `key`), else a walk over all n. */
static int
best_by (sqlite3_index_info *info, int key, double n)
{
  info->estimatedCost = n;
  for (int i = 0; i < info->nConstraint; i++) {
    int column = info->aConstraint[i].iColumn;
    if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ
        || column != key)
      continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = 1;
    info->estimatedCost = 10;
    break;
  }
  info->estimatedRows = (sqlite3_int64) info->estimatedCost;
  return SQLITE_OK;
}

static void
begin (Cursor *c, int by_key, sqlite3_value **values, guint64 n)
{
  c->at = 0;
  c->end = n;
  if (!by_key)
    return;
  gint64 key
      = sqlite3_value_type (values[0]) == SQLITE_INTEGER ? sqlite3_value_int64 (values[0]) : -1;
  c->at = key < 0 ? n : (guint64) key;
  c->end = MIN (n, c->at + 1);
}

/* -- row_strings (id, value) ------------------------------------------------------------------- */

static guint64
n_strings (const NpSqlProfile *p)
{
  return nprof_store_n (p->store, NPROF_STORE_S_STRING_AT);
}

static int
strings_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
                 char **error)
{
  (void) argc, (void) argv, (void) error;
  return list_connect (db, aux, vtab, "CREATE TABLE x (id INTEGER, value TEXT)");
}

static int
strings_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  return best_by (info, 0, (double) n_strings (((List *) vtab)->p));
}

static int
strings_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n,
                sqlite3_value **values)
{
  (void) plan, (void) n;
  begin ((Cursor *) cursor, num, values, n_strings (((Cursor *) cursor)->p));
  return SQLITE_OK;
}

static int
strings_next (sqlite3_vtab_cursor *cursor)
{
  ((Cursor *) cursor)->at++;
  return SQLITE_OK;
}

static int
list_eof (sqlite3_vtab_cursor *cursor)
{
  return ((Cursor *) cursor)->at >= ((Cursor *) cursor)->end;
}

static int
list_rowid (sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
  *rowid = (sqlite3_int64) ((Cursor *) cursor)->at << 16 | ((Cursor *) cursor)->field;
  return SQLITE_OK;
}

static int
strings_column (sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
  Cursor *c = (Cursor *) cursor;
  size_t len;
  if (column == 0) {
    sqlite3_result_int64 (out, (gint64) c->at);
    return SQLITE_OK;
  }
  const char *text = nprof_store_string (c->p->store, (guint32) c->at, &len);
  sqlite3_result_text64 (out, text, len, SQLITE_STATIC, SQLITE_UTF8);
  return SQLITE_OK;
}

/* -- row_args (arg_set_id, key, value, type) --------------------------------------------------- */

static guint64
n_rowids (const NpSqlProfile *p)
{
  return (guint64) p->n_blocks * NP_SQL_ROWS;
}

static int
args_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
              char **error)
{
  (void) argc, (void) argv, (void) error;
  return list_connect (db, aux, vtab,
                       "CREATE TABLE x (arg_set_id INTEGER, key TEXT, value, type TEXT)");
}

static int
args_best (sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  return best_by (info, 0, 10.0 * (double) n_rowids (((List *) vtab)->p));
}

static int
load_fields (Cursor *c)
{
  NpSqlRow row;
  struct nprof_event event;
  const struct nprof_store_field *fields;
  c->field = c->n_fields = 0;
  if (!np_sql_row (c->p, (gint64) c->at, &row))
    return SQLITE_OK;
  if (!np_sql_event (c->p, &row, &event)
      || !nprof_store_fields (&c->p->query, &event, false, &fields, &c->n_fields))
    return SQLITE_CORRUPT_VTAB;
  g_free (c->fields);
  c->fields = g_new (struct nprof_store_field, c->n_fields + 1);
  const guint32 n = c->n_fields;
  c->n_fields = 0;
  for (guint32 i = 0; i < n; i++)
    if (!np_sql_leaves (c->p, fields + i))
      c->fields[c->n_fields++] = fields[i];
  return SQLITE_OK;
}

/* Goes to the next row that has any. */
static int
find_fields (Cursor *c)
{
  int rc = SQLITE_OK;
  for (; c->at < c->end; c->at++)
    if ((rc = load_fields (c)) || c->n_fields)
      return rc;
  return rc;
}

static int
args_filter (sqlite3_vtab_cursor *cursor, int num, const char *plan, int n, sqlite3_value **values)
{
  (void) plan, (void) n;
  begin ((Cursor *) cursor, num, values, n_rowids (((Cursor *) cursor)->p));
  return find_fields ((Cursor *) cursor);
}

static int
args_next (sqlite3_vtab_cursor *cursor)
{
  Cursor *c = (Cursor *) cursor;
  if (++c->field < c->n_fields)
    return SQLITE_OK;
  c->at++;
  return find_fields (c);
}

static const char *
type_of (guint32 type)
{
  static const char *const names[] = { [NPROF_INT64] = "int",
                                       [NPROF_UINT64] = "uint",
                                       [NPROF_DOUBLE] = "real",
                                       [NPROF_BOOL] = "bool",
                                       [NPROF_JSON] = "json" };
  return type < G_N_ELEMENTS (names) && names[type] ? names[type] : "string";
}

static int
args_column (sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
  const Cursor *c = (const Cursor *) cursor;
  const struct nprof_store_field *f = c->fields + c->field;
  NpSqlText key;
  switch (column) {
  case 0:
    sqlite3_result_int64 (out, (gint64) c->at);
    break;
  case 1:
    key = np_sql_string (c->p, f->key);
    sqlite3_result_text64 (out, key.text ? key.text : "", key.len, SQLITE_STATIC, SQLITE_UTF8);
    break;
  case 2:
    np_sql_result_value (c->p, f->type, f->type == NPROF_STRING ? f->v.s : f->v.u, f->v.text,
                         f->len, out);
    break;
  default:
    sqlite3_result_text (out, type_of (f->type), -1, SQLITE_STATIC);
  }
  return SQLITE_OK;
}

/* -- Both -------------------------------------------------------------------------------------- */

#define LIST(what)                                                                                 \
  {                                                                                                \
    .xCreate = what##_connect, .xConnect = what##_connect, .xBestIndex = what##_best,              \
    .xDisconnect = list_disconnect, .xDestroy = list_disconnect, .xOpen = list_open,               \
    .xClose = list_close, .xFilter = what##_filter, .xNext = what##_next, .xEof = list_eof,        \
    .xColumn = what##_column, .xRowid = list_rowid,                                                \
  }

int
np_sql_lists (sqlite3 *db, NpSqlProfile *p)
{
  static const sqlite3_module strings = LIST (strings), args = LIST (args);
  int rc = sqlite3_create_module (db, "np_strings", &strings, p);
  rc = rc ? rc : sqlite3_create_module (db, "np_args", &args, p);
  return rc ? rc
            : sqlite3_exec (db,
                            "CREATE VIRTUAL TABLE row_strings USING np_strings;"
                            "CREATE VIRTUAL TABLE row_args USING np_args",
                            NULL, NULL, NULL);
}
