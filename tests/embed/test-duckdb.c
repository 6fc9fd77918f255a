/* SPDX-License-Identifier: Apache-2.0 */
/* test-duckdb.c - an independent reader of Arrow takes libnprof's stream: DuckDB's library, opened
 * at run time (from the npm packages in NPROF_NPM), must find what the batches hold, to the last
 * picosecond. DuckDB ships no header with it, so what is called is declared here. */

#include <dlfcn.h>
#include <glib.h>
#include <nprof/nprof.h>
#include <string.h>

/* duckdb_arrow_scan never releases the schemas that it asks for. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:np_arrow_rows_schema\nleak:np_arrow_cells_schema\n";
}

typedef void *Handle;
typedef struct {
  guint64 a, b, c; /* deprecated members */
  void *columns;
  char *error;
  void *internal;
} Result;

typedef struct {
  int (*open) (const char *path, Handle *database);
  int (*connect) (Handle database, Handle *connection);
  int (*query) (Handle connection, const char *sql, Result *result);
  const char *(*error) (Result *result);
  char *(*value) (Result *result, guint64 column, guint64 row);
  int (*scan) (Handle connection, const char *name, struct ArrowArrayStream *stream);
  void (*destroy) (Result *result);
  void (*free) (void *memory);
  void (*disconnect) (Handle *connection);
  void (*close) (Handle *database);
} Duck;

static void *
symbol (void *library, const char *name)
{
  void *found = dlsym (library, name);
  if (!found)
    g_error ("libduckdb has no %s", name);
  return found;
}

static gboolean
load (Duck *duck)
{
  const char *folder = g_getenv ("NPROF_NPM");
  g_autofree char *path = g_build_filename (folder ? folder : "/nowhere", "node_modules", "@duckdb",
                                            "node-bindings-linux-x64", "libduckdb.so", NULL);
  void *library = folder ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    g_test_skip ("NPROF_NPM holds no libduckdb.so");
    return FALSE;
  }
  *(void **) &duck->open = symbol (library, "duckdb_open");
  *(void **) &duck->connect = symbol (library, "duckdb_connect");
  *(void **) &duck->query = symbol (library, "duckdb_query");
  *(void **) &duck->error = symbol (library, "duckdb_result_error");
  *(void **) &duck->value = symbol (library, "duckdb_value_varchar");
  *(void **) &duck->scan = symbol (library, "duckdb_arrow_scan");
  *(void **) &duck->destroy = symbol (library, "duckdb_destroy_result");
  *(void **) &duck->free = symbol (library, "duckdb_free");
  *(void **) &duck->disconnect = symbol (library, "duckdb_disconnect");
  *(void **) &duck->close = symbol (library, "duckdb_close");
  return TRUE;
}

static nprof_run *
open_run (void)
{
  static const char *const analyzers[] = { "operators", NULL };
  g_autofree char *path = g_build_filename (g_getenv ("SAMPLES"), "synthetic_tpu.xplane.pb", NULL);
  const char *inputs[] = { path, NULL };
  struct nprof_request request
      = { .size = sizeof request, .inputs = inputs, .analyzers = analyzers, .keep_tables = 1 };
  return nprof_run_open (&request);
}

/* Row 0 of the answer, its columns with a space between them. */
static char *
ask (const Duck *duck, Handle connection, const char *sql, guint columns)
{
  Result result;
  if (duck->query (connection, sql, &result))
    g_error ("%s: %s", sql, duck->error (&result));
  GString *row = g_string_new (NULL);
  for (guint c = 0; c < columns; c++) {
    char *value = duck->value (&result, c, 0);
    g_string_append_printf (row, "%s%s", c ? " " : "", value ? value : "NULL");
    duck->free (value);
  }
  duck->destroy (&result);
  return g_string_free (row, FALSE);
}

/* Sums up the batches in the words of the question below. */
static char *
count_batches (void)
{
  nprof_run *run = open_run ();
  struct nprof_run_item item = { .size = sizeof item };
  gint64 rows = 0, spans = 0, sum = 0, starts = 0;
  guint64 text = 0;
  while (nprof_run_next (run, &item) > 0)
    for (guint i = 0; item.batch && i < item.batch->n_rows; i++, rows++) {
      size_t len;
      nprof_run_string (run, item.batch->name[i], &len);
      text += len;
      if (item.batch->kind[i] != NPROF_SPAN)
        continue;
      spans++;
      sum += item.batch->duration[i];
      starts ^= item.batch->start[i];
    }
  g_assert_cmpint (nprof_run_close (run), ==, 0);
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                          " %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT,
                          rows, spans, sum, starts, text);
}

static Handle
connect_duck (const Duck *duck, Handle *database)
{
  Handle connection;
  g_assert_cmpint (duck->open (NULL, database), ==, 0);
  g_assert_cmpint (duck->connect (*database, &connection), ==, 0);
  return connection;
}

static void
test_rows (void)
{
  Duck duck;
  if (!load (&duck))
    return;
  Handle database, connection = connect_duck (&duck, &database);
  struct ArrowArrayStream stream;
  nprof_run_arrow (open_run (), &stream);
  g_assert_cmpint (duck.scan (connection, "nprof_rows", &stream), ==, 0);
  /* a stream is read once */
  g_free (ask (&duck, connection, "create table r as select * from nprof_rows", 0));
  g_autofree char *expected = count_batches ();
  g_autofree char *found
      = ask (&duck, connection,
             "select count(*), count(*) filter (kind = 'span'),"
             " sum(duration_ps) filter (kind = 'span'), bit_xor(start_ps) filter (kind = 'span'),"
             " sum(strlen(name)) from r",
             5);
  g_assert_cmpstr (found, ==, expected);
  g_autofree char *fusion
      = ask (&duck, connection,
             "select thread, hlo_category, flops, start_ps, input, category from r"
             " where name = 'fusion.11' order by row limit 1",
             6);
  g_assert_cmpstr (fusion, ==,
                   "XLA Ops convolution fusion 51539607552 3000000900 synthetic_tpu.xplane.pb "
                   "convolution fusion");
  g_autofree char *facts = ask (&duck, connection,
                                "select count(*), count(start_ps), count(distinct device_type)"
                                " from r where kind = 'fact'",
                                3);
  g_assert_cmpstr (facts, ==, "6 0 1");
  g_autofree char *none
      = ask (&duck, connection, "select count(*) from r where category is null and kind <> 'fact'",
             1);
  g_assert_cmpstr (none, !=, "0");
  if (stream.release)
    stream.release (&stream);
  duck.disconnect (&connection);
  duck.close (&database);
}

/* -- Tables ---------------------------------------------------------------- */

/* Sums up the cells of a table: rows, the sum of a column, the length of its texts, its nulls. */
typedef struct {
  gint64 rows, sum, nulls;
  guint64 text;
} Sums;

static void
add_row (nprof_run *run, const struct nprof_run_item *item, guint row, guint n, Sums *sums)
{
  for (guint c = 0; c < n; c++) {
    const struct nprof_cell *cell = &item->cells[row * n + c];
    size_t len = cell->len;
    if (cell->type == NPROF_STRING)
      nprof_run_string (run, cell->v.s, &len);
    if (cell->type == NPROF_STRING || cell->type == NPROF_TEXT)
      sums->text += len;
    if (cell->type == NPROF_INT64 && g_str_equal (item->table->columns[c]->name, "total_ns"))
      sums->sum += cell->v.i;
    sums->nulls += cell->type == NPROF_NULL;
  }
  sums->rows++;
}

static nprof_run *
count_operators (Sums *sums)
{
  nprof_run *run = open_run ();
  struct nprof_run_item item = { .size = sizeof item };
  while (nprof_run_next (run, &item) > 0) {
    guint n = 0;
    if (!item.table || !g_str_equal (item.table->name, "operators"))
      continue;
    while (item.table->columns[n])
      n++;
    for (guint i = 0; i < item.n_rows; i++)
      add_row (run, &item, i, n, sums);
  }
  return run;
}

/* "sum(A) + sum(B) + ..." over the columns of these types. */
static char *
over_columns (const struct nprof_table *table, const char *what, gboolean texts_only)
{
  GString *sql = g_string_new ("0");
  for (guint c = 0; table->columns[c]; c++) {
    guint type = table->columns[c]->type;
    const char *name = table->columns[c]->name;
    gboolean ps = g_strcmp0 (table->columns[c]->unit, "ps") == 0 && g_str_has_suffix (name, "_ns");
    if (texts_only && type != NPROF_STRING && type != NPROF_TEXT)
      continue;
    g_string_append (sql, " + ");
    g_string_append_printf (sql, what, (int) strlen (name) - (ps ? 3 : 0), name, ps ? "_ps" : "");
  }
  return g_string_free (sql, FALSE);
}

static const struct nprof_table *
table_of (nprof_run *run, const char *name)
{
  for (const struct nprof_table *const *t = nprof_run_tables (run); *t; t++)
    if (g_str_equal ((*t)->name, name))
      return *t;
  g_error ("no table %s", name);
}

static void
test_table (void)
{
  Duck duck;
  if (!load (&duck))
    return;
  Handle database, connection = connect_duck (&duck, &database);
  Sums sums = { 0 };
  nprof_run *run = count_operators (&sums);
  const struct nprof_table *table = table_of (run, "operators");
  g_autofree char *texts = over_columns (table, "coalesce(sum(strlen(\"%.*s%s\")), 0)", TRUE);
  g_autofree char *nulls = over_columns (table, "count(*) filter (\"%.*s%s\" is null)", FALSE);
  g_autofree char *sql
      = g_strdup_printf ("select count(*), sum(total_ps), %s, %s from o", texts, nulls);
  struct ArrowArrayStream stream;
  g_assert_cmpint (nprof_run_table_arrow (run, "operators", &stream), ==, 0);
  g_assert_cmpint (nprof_run_close (run), ==, 0);
  g_assert_cmpint (duck.scan (connection, "nprof_operators", &stream), ==, 0);
  g_free (ask (&duck, connection, "create table o as select * from nprof_operators", 0));
  g_autofree char *found = ask (&duck, connection, sql, 4);
  g_autofree char *expected = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                                               " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT,
                                               sums.rows, sums.sum, sums.text, sums.nulls);
  g_assert_cmpstr (found, ==, expected);
  g_assert_true (sums.rows > 0 && sums.sum > 0 && sums.text > 0 && sums.nulls > 0);
  if (stream.release)
    stream.release (&stream);
  duck.disconnect (&connection);
  duck.close (&database);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nprof/duckdb/rows", test_rows);
  g_test_add_func ("/nprof/duckdb/table", test_table);
  return g_test_run ();
}
