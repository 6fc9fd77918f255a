/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-sql.c - questions to the table events of nprof sql, composed from the bytes, beside the same
 * questions to an ordinary table of SQLite that holds the same rows. Whatever the table answers by
 * lanes, labels, halves or groups, the answers must be those of SQLite, which tries row by row. */
#include "make-store.h"
#include "sql/sql.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define ROWS 1200 /* so that lanes have more than one block */
#define TERMS 4

typedef struct {
  Made *made;
  struct nprof_store *store;
  NpSql *sql;
} World;

static World *kept;

static void
end (void)
{
  np_sql_close (kept->sql);
  nprof_store_close (kept->store);
  made_free (kept->made);
  g_free (kept);
}

static void
run (NpSql *sql, const char *text)
{
  if (sqlite3_exec (np_sql_db (sql), text, NULL, NULL, NULL))
    g_error ("%s: %s", text, sqlite3_errmsg (np_sql_db (sql)));
}

static World *
world (void)
{
  g_autoptr (GError) error = NULL;
  char why[600];
  if (kept)
    return kept;
  kept = g_new0 (World, 1);
  kept->made = make_store (5, ROWS);
  kept->store = nprof_store_open (kept->made->path, why, sizeof why);
  if (!kept->store)
    g_error ("%s", why);
  kept->sql = np_sql_open (kept->store, NULL, &(NpSqlCaller){ 0 }, &error);
  if (!kept->sql)
    g_error ("%s", error->message);
  run (kept->sql,
       "CREATE TEMP TABLE same AS SELECT rowid AS r, *, row_is_slice, row_lane FROM events");
  atexit (end);
  return kept;
}

/* -- Questions ------------------------------------------------------------------------ */

/* The bytes, and 0 behind their end. */
typedef struct {
  const uint8_t *data;
  size_t size;
} Bytes;

static guint
next (Bytes *b, guint n)
{
  if (!b->size)
    return 0;
  b->size--;
  return *b->data++ % n;
}

static const char *const columns[]
    = { "name",  "category", "track",        "start_ps",    "thread",  "process", "kind",
        "input", "ROW",      "row_is_slice", "duration_ps", "id",      "parent",  "flow",
        "value", "key0",     "key1",         "key2",        "row_lane" };
static const char *const operators[] = { "=",  "<",  "<=", ">",       ">=",     "GLOB",    "LIKE",
                                         "IS", "<>", "IN", "BETWEEN", "IS NOT", "NOT LIKE" };
static const char *const constants[] = { "NULL",
                                         "'op1_gemm'",
                                         "'op%'",
                                         "'op1*'",
                                         "'*'",
                                         "''",
                                         "'OP3_COPY'",
                                         "x'6f70315f67656d6d'",
                                         "'5'",
                                         "1",
                                         "2",
                                         "0",
                                         "-1",
                                         "1.5",
                                         "2.0",
                                         "1e300",
                                         "-1e300",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "'span'",
                                         "'value1'",
                                         "'[!a-m]p*'",
                                         "'_p_\\_%'",
                                         "'1'",
                                         "x''",
                                         "'Text of Value 0'",
                                         "3000.5",
                                         "'counter'" };

static void
put_column (GString *to, guint k, gboolean own)
{
  const char *name = columns[k];
  g_string_append (to, strcmp (name, "ROW") ? name : own ? "events.rowid" : "r");
}

static void
put_constant (GString *to, Bytes *b)
{
  guint k = next (b, 2 * G_N_ELEMENTS (constants));
  if (k < G_N_ELEMENTS (constants))
    g_string_append (to, constants[k]);
  else
    g_string_append_printf (to, "%d", (gint) (next (b, 256) << 8 | next (b, 256)) * 997 - 5000);
}

static void
put_term (GString *to, Bytes *b, gboolean own)
{
  guint column = next (b, G_N_ELEMENTS (columns)), op = next (b, 2 * G_N_ELEMENTS (operators));
  const char *name = operators[op % G_N_ELEMENTS (operators)];
  put_column (to, column, own);
  g_string_append_printf (to, " %s ", name);
  if (!strcmp (name, "IN"))
    g_string_append_c (to, '(');
  put_constant (to, b);
  if (!strcmp (name, "IN") || !strcmp (name, "BETWEEN")) {
    g_string_append (to, name[0] == 'I' ? ", " : " AND ");
    put_constant (to, b);
  }
  if (!strcmp (name, "IN"))
    g_string_append_c (to, ')');
  if (!strcmp (name, "=") && op >= G_N_ELEMENTS (operators))
    g_string_append (to, " COLLATE NOCASE");
}

static void
put_where (GString *to, Bytes *b, gboolean own)
{
  guint n = next (b, TERMS + 1), how = next (b, 256);
  for (guint k = 0; k < n; k++) {
    g_string_append (to, !k ? " WHERE " : how >> k & 1 && how & 128 ? " OR " : " AND ");
    put_term (to, b, own);
  }
}

/* Values beside whose rows the table is asked once each. */
static void
put_join (GString *to, Bytes *b, gboolean own)
{
  static const char *const joins[] = { "=", "=", "<", ">=", "LIKE" };
  guint column = next (b, G_N_ELEMENTS (columns));
  g_string_append (to, " AND ");
  put_column (to, column, own);
  g_string_append_printf (to, " %s v.column1", joins[next (b, G_N_ELEMENTS (joins))]);
}

/* All of a question but the name of its table comes from the bytes. */
static char *
question (Bytes b, gboolean own)
{
  GString *q = g_string_new ("SELECT ");
  guint what = next (&b, 6), column = next (&b, G_N_ELEMENTS (columns));
  const char *table = own ? "events" : "temp.same";
  if (what == 0) {
    g_string_append_printf (q, "count(*), min(name), max(start_ps), sum(%s) FROM %s",
                            own ? "events.rowid" : "r", table);
  } else if (what == 1) {
    g_string_append (q, "DISTINCT ");
    put_column (q, column, own);
    g_string_append_printf (q, " FROM %s", table);
  } else if (what == 2 || what == 3) {
    put_column (q, column, own);
    g_string_append_printf (
        q, ", count(*), sum(%s), max(duration_ps), min(start_ps), count(key0) FROM %s",
        own ? "events.rowid" : "r", table);
  } else if (what == 4) {
    g_string_append_printf (q, "%s, name, start_ps, duration_ps, key1 FROM %s",
                            own ? "events.rowid" : "r", table);
  } else {
    g_string_append (q, "v.column1, count(*), sum(");
    put_column (q, column, own);
    g_string_append (q, " IS NULL) FROM (VALUES (");
    put_constant (q, &b);
    g_string_append (q, "), (");
    put_constant (q, &b);
    g_string_append_printf (q, "), (NULL), ('op2_gemm')) v CROSS JOIN %s", table);
  }
  put_where (q, &b, own);
  if (what == 5) {
    if (!strstr (q->str, " WHERE "))
      g_string_append (q, " WHERE 1");
    put_join (q, &b, own);
    g_string_append (q, " GROUP BY v.column1");
  } else if (what == 2 || what == 3) {
    g_string_append (q, " GROUP BY ");
    put_column (q, column, own);
    if (what == 3)
      g_string_append_printf (q, " HAVING count(*) > %u", next (&b, 20));
  } else if (what == 4) {
    g_string_append (q, " ORDER BY ");
    put_column (q, column, own);
    g_string_append_printf (q, "%s, %s LIMIT %u", next (&b, 2) ? " DESC" : "",
                            own ? "events.rowid" : "r", next (&b, 50));
  }
  return g_string_free (q, FALSE);
}

/* -- Answers -------------------------------------------------------------------------- */

static void
put_value (GString *to, sqlite3_stmt *stmt, int k)
{
  const char *text = (const char *) sqlite3_column_text (stmt, k);
  g_string_append_printf (to, "%d:%s|", sqlite3_column_type (stmt, k), text ? text : "");
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Returns the rows in their order where the question states one, else sorted. */
static char *
answer (NpSql *sql, const char *q)
{
  sqlite3_stmt *stmt;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  np_sql_begin (sql, 0);
  if (sqlite3_prepare_v2 (np_sql_db (sql), q, -1, &stmt, NULL))
    return g_strdup_printf ("not understood: %s", sqlite3_errmsg (np_sql_db (sql)));
  int rc;
  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW) {
    GString *row = g_string_new (NULL);
    for (int k = 0; k < sqlite3_column_count (stmt); k++)
      put_value (row, stmt, k);
    g_ptr_array_add (rows, g_string_free (row, FALSE));
  }
  sqlite3_finalize (stmt);
  np_sql_end (sql);
  if (rc != SQLITE_DONE)
    return g_strdup ("failed");
  if (!strstr (q, " ORDER BY "))
    g_ptr_array_sort (rows, compare);
  g_ptr_array_add (rows, NULL);
  return g_strjoinv ("\n", (char **) rows->pdata);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  World *w = world ();
  const Bytes b = { data, size };
  g_autofree char *own = question (b, TRUE), *other = question (b, FALSE);
  g_autofree char *ours = answer (w->sql, own), *theirs = answer (w->sql, other);
  if (strcmp (ours, theirs))
    g_error ("%s\ngives\n%s\nand %s\n%s", own, ours, other, theirs);
  return 0;
}
