/* SPDX-License-Identifier: Apache-2.0 */
/* test-store-tables.c - tables whose rows come interleaved are read as they were given, whatever
 * their length, by the store and by NpTable over it. */
#include "make-store.h"
#include "stored/stored-table.h"

enum { MIDDLE, LONG, SHORT, SECOND_LONG, TABLES };

static const struct {
  guint columns, rows;
} shape[TABLES] = {
  [MIDDLE] = { 3, 20000 },
  [LONG] = { 11, 120000 },
  [SHORT] = { 2, 5 },
  [SECOND_LONG] = { 10, 115000 },
};

static guint64
value_of (guint table, guint row, guint column)
{
  return ((guint64) table << 40 | row) * 16 + column;
}

/* Some are unknown, and one column wholly. */
static struct nprof_store_cell
cell_of (guint table, guint row, guint column)
{
  if (row % 7 == 3 || column == 8)
    return (struct nprof_store_cell){ NPROF_NULL, 0 };
  return (struct nprof_store_cell){ column % 2 ? NPROF_DOUBLE : NPROF_INT64,
                                    value_of (table, row, column) };
}

/* Puts some rows of a table, from `*row` on. */
static void
put_rows (struct store_writer *w, guint table, guint *row, guint n)
{
  struct nprof_store_cell cells[11 * 64];
  n = MIN (n, shape[table].rows - *row);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < shape[table].columns; c++)
      cells[i * shape[table].columns + c] = cell_of (table, *row + i, c);
  *row += n;
  g_assert_true (store_writer_cells (w, table, cells, n));
}

static void
announce (struct store_writer *w, guint table)
{
  struct nprof_store_table_column columns[11] = { 0 };
  struct nprof_store_table t = { .n_columns = shape[table].columns };
  guint32 number;
  for (guint c = 0; c < t.n_columns; c++)
    columns[c].type = NPROF_INT64;
  g_assert_true (store_writer_table (w, &t, columns, &number));
  g_assert_cmpuint (number, ==, table);
}

static void
write_store (Made *made)
{
  struct store_fault fault = { 0 };
  guint rows[TABLES] = { 0 };
  guint32 zero = 0;
  struct store_writer *w
      = store_writer_new (made->root, "n_0123456789012345678901234567890123456789", &fault);
  g_assert_nonnull (w);
  for (guint t = 0; t < TABLES; t++)
    announce (w, t);
  for (guint i = 0; i < 200; i++)
    put_rows (w, MIDDLE, &rows[MIDDLE], 64);
  for (guint i = 0; i < 4000; i++)
    for (guint t = 0; t < TABLES; t++)
      put_rows (w, t, &rows[t], 1 + (i * 7 + t) % 64);
  for (guint t = 0; t < TABLES; t++)
    g_assert_cmpuint (rows[t], ==, shape[t].rows);
  struct nprof_store_input input = { .origin_unix_ns = INT64_MIN };
  g_assert_true (store_writer_section (w, NPROF_STORE_S_TRACKS, NULL, 0));
  g_assert_true (store_writer_section (w, NPROF_STORE_S_INPUTS, &input, 1));
  g_assert_true (store_writer_section (w, NPROF_STORE_S_ORIGINS, &zero, 1));
  struct store_facts facts = { .generation = 1, .origin_unix_ns = INT64_MIN };
  if (!store_writer_finish (w, &facts) || !store_writer_commit (w, &made->path))
    g_error ("%s", store_writer_fault (w)->text);
  store_writer_free (w);
}

static void
check_table (struct nprof_query *query, guint table)
{
  const struct nprof_store_table *t = nprof_store_table_at (query->store, table);
  g_assert_cmpuint (t->rows, ==, shape[table].rows);
  struct nprof_store_cell cells[11], cell;
  for (guint row = 0; row < t->rows; row++) {
    g_assert_true (nprof_store_cells (query, t, row, cells));
    for (guint c = 0; c < t->n_columns; c++) {
      struct nprof_store_cell want = cell_of (table, row, c);
      g_assert_cmpuint (cells[c].type, ==, want.type);
      g_assert_cmpuint (cells[c].value, ==, want.value);
    }
    g_assert_true (nprof_store_cell (query, t, row, row % t->n_columns, &cell));
    g_assert_cmpuint (cell.value, ==, cells[row % t->n_columns].value);
  }
  g_assert_false (nprof_store_cells (query, t, t->rows, cells));
  g_assert_false (nprof_store_cell (query, t, 0, t->n_columns, &cell));
}

static void
check_same (struct nprof_query *query, guint number)
{
  NpTable *table = np_stored_table_new (query->store, query, number);
  g_assert_cmpuint (table->n_columns, ==, shape[number].columns);
  g_assert_cmpuint (table->n_rows, ==, shape[number].rows);
  for (guint64 row = 0; row < table->n_rows; row += 97)
    for (guint c = 0; c < table->n_columns; c++) {
      struct nprof_store_cell want = cell_of (number, (guint) row, c);
      struct nprof_cell cell = np_table_cell (table, row, (int) c);
      g_assert_cmpuint (cell.type, ==, want.type);
      g_assert_cmpuint (cell.v.u, ==, want.value);
    }
  struct nprof_cell cell = { .type = NPROF_BOOL };
  g_assert_cmpuint (np_table_cell (table, 0, -1).type, ==, NPROF_NULL);
  g_assert_false (table->read (table, table->n_rows, 0, &cell));
  g_assert_false (table->read (table, 0, table->n_columns, &cell));
  g_assert_cmpuint (cell.type, ==, NPROF_BOOL);
  np_table_close (table);
}

static void
test_interleaved (void)
{
  char error[600];
  struct nprof_query query;
  Made *made = g_new0 (Made, 1);
  made->root = g_dir_make_tmp ("nprof-store-XXXXXX", NULL);
  made->rows = g_array_new (FALSE, TRUE, sizeof (Given));
  write_store (made);
  struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
  if (!store)
    g_error ("%s", error);
  g_assert_true (nprof_query_init (&query, store));
  for (guint t = 0; t < TABLES; t++) {
    check_table (&query, t);
    check_same (&query, t);
  }
  g_assert_null (np_stored_table_new (store, &query, TABLES));
  nprof_query_clear (&query);
  nprof_store_close (store);
  made_free (made);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store-tables/interleaved", test_interleaved);
  return g_test_run ();
}
