/* SPDX-License-Identifier: Apache-2.0 */
/* test-table-store.c - tables that outlive the run and the plugin that they came from. */

#include "table/table-store.h"

#include <nprof/sdk.h>
#include <string.h>

static const char *
fake_string (const struct nprof_host *host, nprof_str str, size_t *len)
{
  static const char *const texts[] = { "", "one", "two", "a\0b" };
  (void) host;
  *len = str == 3 ? 3 : strlen (texts[str]);
  return texts[str];
}

static const struct nprof_host host = { .string = fake_string };

/* Adds rows of a table whose declaration is gone when it returns. */
static void
add_rows (NpTableStore *store, const char *name, guint n_rows)
{
  g_autofree char *own_name = g_strdup (name), *column_name = g_strdup ("text");
  struct nprof_table_column column
      = { .size = sizeof column, .type = NPROF_TEXT, .name = column_name, .unit = "" };
  struct nprof_table table
      = { .size = sizeof table,
          .name = own_name,
          .columns = NPROF_COLUMNS (&column, NPROF_VALUE_COLUMN (NPROF_INT64, "n", "", "")) };
  for (guint i = 0; i < n_rows; i++) {
    g_autofree char *text = g_strdup_printf ("row %u", i);
    const struct nprof_cell cells[]
        = { nprof_cell_str (1 + i % 3), nprof_cell_text (text), nprof_cell_int (i) };
    np_table_store_add (store, &host, &table, cells, 1);
  }
  if (!n_rows)
    np_table_store_add (store, &host, &table, NULL, 0);
  memset (column_name, 'x', strlen (column_name));
  memset (own_name, 'x', strlen (own_name));
}

static void
test_copies (void)
{
  g_autoptr (NpTableStore) store = np_table_store_new (NULL);
  add_rows (store, "first", 2000);
  const NpTable *stored = np_table_store_find (store, "first");
  g_assert_cmpuint (stored->n_rows, ==, 2000);
  g_assert_cmpstr (stored->schema->columns[0]->name, ==, "input");
  int text = np_table_column (stored, "text"), n = np_table_column (stored, "n");
  g_assert_cmpint (np_table_column (stored, "none"), ==, -1);
  for (guint i = 0; i < stored->n_rows; i++) {
    g_autofree char *expected = g_strdup_printf ("row %u", i);
    g_assert_cmpstr (np_table_text (stored, i, text), ==, expected);
    g_assert_null (np_table_text (stored, i, n));
    g_assert_cmpint (np_table_cell (stored, i, n).v.i, ==, i);
  }
  g_assert_cmpstr (np_table_text (stored, 0, 0), ==, "one");
  g_assert_true (np_table_text (stored, 0, 0) == np_table_text (stored, 3, 0)); /* kept once */
  const struct nprof_cell nul = np_table_cell (stored, 2, 0);
  g_assert_cmpmem (nul.v.text, nul.len, "a\0b", 3);
}

/* Tables that nobody wanted are listed, but their rows are not kept. */
static void
test_wanted (void)
{
  const char *const wanted[] = { "second", "missing", NULL };
  g_autoptr (NpTableStore) store = np_table_store_new (wanted);
  g_assert_null (np_table_store_list (store)[0]);
  add_rows (store, "first", 3);
  add_rows (store, "second", 0);
  add_rows (store, "second", 4);
  g_assert_cmpstr (np_table_store_list (store)[0]->name, ==, "first");
  g_assert_cmpstr (np_table_store_list (store)[1]->name, ==, "second");
  g_assert_null (np_table_store_list (store)[2]);
  g_assert_null (np_table_store_find (store, "first"));
  g_assert_null (np_table_store_find (store, "missing"));
  g_assert_cmpuint (np_table_store_find (store, "second")->n_rows, ==, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table-store/copies", test_copies);
  g_test_add_func ("/table-store/wanted", test_wanted);
  return g_test_run ();
}
