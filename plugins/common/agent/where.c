/* SPDX-License-Identifier: Apache-2.0 */
/* where.c - the condition of tool table, in the language of --where: a function of SQL asks it of
 * each row that has what SQL itself can demand for it, of the columns that it names. */
#include "agent/agent.h"

#include "table/condition.h"

#include <nprof/sdk.h>
#include <string.h>

/* A row as SQLite gives it to the function, behind the text of the condition. */
typedef struct {
  NpTable table; /* of the columns that terms name, one a term */
  NpTableCondition condition;
  sqlite3_value **values;
} Where;

static gboolean
read_value (const NpTable *table, guint64 row G_GNUC_UNUSED, guint column, struct nprof_cell *cell)
{
  sqlite3_value *value = ((const Where *) table)->values[1 + column];
  switch (sqlite3_value_type (value)) {
  case SQLITE_NULL:
    return TRUE;
  case SQLITE_INTEGER:
    *cell = nprof_cell_int (sqlite3_value_int64 (value));
    return TRUE;
  case SQLITE_FLOAT:
    *cell = nprof_cell_double (sqlite3_value_double (value));
    return TRUE;
  default:
    *cell = nprof_cell_text ((const char *) sqlite3_value_text (value));
    cell->len = (guint32) sqlite3_value_bytes (value);
    return TRUE;
  }
}

static void
row_fits (sqlite3_context *out, int n, sqlite3_value **values)
{
  Where *w = sqlite3_user_data (out);
  if (n != 1 + (int) w->condition.filter.n_terms) { /* a statement of tool sql calls it */
    sqlite3_result_error (out, "row_fits is of tool table alone", -1);
    return;
  }
  w->values = values;
  sqlite3_result_int (out, np_table_condition_fits (&w->condition, &w->table, 0));
}

static void
where_free (gpointer data)
{
  Where *w = data;
  np_table_condition_clear (&w->condition);
  g_free (w);
}

/* -- What the columns are ---------------------------------------------------------------------- */

static guint32
type_of (const char *declared)
{
  return !g_strcmp0 (declared, "REAL")   ? NPROF_DOUBLE
         : !g_strcmp0 (declared, "TEXT") ? NPROF_TEXT
                                         : NPROF_INT64;
}

static void
column_free (gpointer data)
{
  struct nprof_table_column *column = data;
  if (!column)
    return;
  g_free ((char *) column->name);
  g_free ((char *) column->unit);
  g_free (column);
}

/* Returns the unit of a column of the profile's table, transfer full; "": none. */
static char *
unit_of (const NpCall *call, const struct nprof_store_table *table, const char *name)
{
  struct nprof_store *store = call->profile->store;
  size_t len;
  for (guint32 i = 0; table && i < table->n_columns; i++) {
    const struct nprof_store_table_column *column
        = nprof_store_table_column_at (store, table->columns + i);
    if (column && !strcmp (nprof_store_string (store, column->name, &len), name))
      return g_strdup (nprof_store_string (store, column->unit, &len));
  }
  return g_strdup (g_str_has_suffix (name, "_ps") ? "ps" : "");
}

/* Returns the columns as SQL has them, of nprof_table_column; a NULL ends them. */
static GPtrArray *
columns_of (NpCall *call)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (column_free);
  const char *name = call->args.name;
  const struct nprof_store_table *table = np_stored_table (call, name);
  sqlite3_stmt *stmt = np_ask (call, "select name, type from pragma_table_info(%Q)", name);
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    struct nprof_table_column *column = g_new0 (struct nprof_table_column, 1);
    column->name = g_strdup (np_column (stmt, 0));
    column->type = type_of (np_column (stmt, 1));
    column->unit = unit_of (call, table, column->name);
    g_ptr_array_add (all, column);
  }
  sqlite3_finalize (stmt);
  g_ptr_array_add (all, NULL);
  return all;
}

/* -- The condition ----------------------------------------------------------------------------- */

static gboolean
parse (NpCall *call, const GPtrArray *columns, NpTableCondition *condition)
{
  const struct nprof_table schema
      = { .columns = (const struct nprof_table_column *const *) columns->pdata };
  char why[160];
  guint32 at;
  if (np_table_condition_parse (condition, &schema, NP_BARE_AS_HELD, call->args.where, why, &at))
    return TRUE;
  const char *wrong = call->args.where + at;
  g_autofree char *word = g_strndup (wrong, strcspn (wrong, " \"=!~<>"));
  np_call_fail (call, "bad_condition", "expected %s", why);
  call->error.at = at;
  np_nearest_columns (call, call->args.name, word);
  return FALSE;
}

static gboolean
is_whole (const char *number)
{
  const char *digits = number + (*number == '-');
  const gsize len = strlen (digits);
  return len > 0 && len < 19 && strspn (digits, "0123456789") == len;
}

/* Returns how many bytes a pattern of LIKE may have; SQLite refuses a longer one. */
static gsize
longest_like (const NpCall *call)
{
  return (gsize) sqlite3_limit (np_sql_db (call->sql), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
}

/* Puts what every row that meets a part has, in words of SQL, and the word and; nothing where SQL
 * has none for it. */
static void
put_needed (NpCall *call, GString *text, const struct nprof_table_column *column,
            const struct np_want *want)
{
  static const char *const operators[]
      = { [NP_LESS] = "<", [NP_LESS_EQUAL] = "<=", [NP_MORE] = ">", [NP_MORE_EQUAL] = ">=" };
  const gboolean is_text = column->type == NPROF_TEXT, is_size = want->op >= NP_LESS;
  char *needed = NULL;
  if (want->deny || want->n != 1 || want->regex || !*want->text || is_text == want->is_number)
    return;
  if (is_size && !is_text && is_whole (want->text))
    needed = sqlite3_mprintf ("\"%w\" %s %s and ", column->name, operators[want->op], want->text);
  else if (want->op == NP_EQUAL && is_text && strcmp (want->text, "true")
           && strcmp (want->text, "false"))
    needed = sqlite3_mprintf ("\"%w\" = %Q and ", column->name, want->text);
  else if (want->op == NP_LIKE && is_text && !strpbrk (want->text, "*?%_\\")
           && strlen (want->text) + strlen ("%%") <= longest_like (call))
    needed = sqlite3_mprintf ("\"%w\" like '%%%q%%' and ", column->name, want->text);
  if (needed)
    g_string_append (text, needed);
  sqlite3_free (needed);
}

/* Puts what all rows of a condition without alternatives have, which the indices of table events
 * answer: row_fits is asked of those alone. */
static void
put_all_needed (NpCall *call, GString *text, const NpTableCondition *c, const GPtrArray *columns)
{
  for (guint32 i = 0; c->filter.n == 1 && i < np_filter_parts (&c->filter); i++) {
    const struct np_filter_part *part = &c->filter.parts[i];
    const struct np_want want = np_filter_want (&c->filter, part);
    put_needed (call, text, columns->pdata[c->columns[part->term]], &want);
  }
}

gboolean
np_put_where (NpCall *call, GString *text)
{
  g_autoptr (GPtrArray) columns = columns_of (call);
  NpTableCondition condition;
  if (!parse (call, columns, &condition))
    return FALSE;
  put_all_needed (call, text, &condition, columns);
  Where *w = g_new (Where, 1);
  *w = (Where){ { .read = read_value }, condition, NULL };
  char *whole = sqlite3_mprintf ("row_fits (%Q", call->args.where);
  g_string_append (text, whole);
  sqlite3_free (whole);
  for (guint32 i = 0; i < condition.filter.n_terms; i++) {
    const struct nprof_table_column *column = columns->pdata[condition.columns[i]];
    g_string_append (text, ", ");
    np_put_identifier (text, column->name);
    condition.columns[i] = i;
  }
  g_string_append_c (text, ')');
  sqlite3_create_function_v2 (np_sql_db (call->sql), "row_fits", -1, SQLITE_UTF8, w, row_fits, NULL,
                              NULL, where_free);
  return TRUE;
}
