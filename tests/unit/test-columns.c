/* SPDX-License-Identifier: Apache-2.0 */
/* test-columns.c - names and types of the columns of a run. */

#include "rows/columns.h"

#include <nprof/sdk.h>

static void
assert_column (const struct nprof_column *column, const char *name, guint type)
{
  g_assert_nonnull (column);
  g_assert_cmpuint (column->size, ==, sizeof *column);
  g_assert_cmpstr (column->name, ==, name);
  g_assert_cmpuint (column->type, ==, type);
}

static void
test_order (void)
{
  NpStrings *strings = np_strings_new ();
  NpColumns *columns = np_columns_new (strings);
  g_assert_null (np_columns_list (columns)[0]);
  np_columns_declare (columns, NULL);
  np_columns_declare (columns,
                      NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", "work"),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "op", "", "")));
  np_columns_declare (columns, NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, "op", "", ""),
                                                 NPROF_ATTRIBUTE (NPROF_BOOL, "cut", NULL, NULL)));
  const struct nprof_column *const *list = np_columns_list (columns);
  assert_column (list[0], "flops", NPROF_INT64);
  assert_column (list[1], "op", NPROF_STRING);
  assert_column (list[2], "cut", NPROF_BOOL);
  g_assert_null (list[3]);
  g_assert_cmpstr (np_strings_get (strings, list[0]->key, NULL), ==, "flops");
  g_assert_cmpstr (list[0]->unit, ==, "flop");
  g_assert_cmpstr (list[0]->help, ==, "work");
  g_assert_cmpstr (list[2]->unit, ==, "");
  np_columns_free (columns);
  np_columns_free (NULL);
  np_strings_free (strings);
}

static void
test_clashes (void)
{
  NpStrings *strings = np_strings_new ();
  NpColumns *columns = np_columns_new (strings);
  np_columns_declare (columns,
                      NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, "Name", "", ""),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "time", "", ""),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "op", "", ""),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "OP", "", ""),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "attr_name", "", ""),
                                        NPROF_ATTRIBUTE (NPROF_STRING, "start_ps", "", "")));
  const struct nprof_column *const *list = np_columns_list (columns);
  const char *const names[]
      = { "attr_Name", "attr_time", "op", "attr_OP", "attr_attr_name", "attr_start_ps" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    assert_column (list[i], names[i], NPROF_STRING);
  g_assert_cmpstr (np_strings_get (strings, list[0]->key, NULL), ==, "Name");
  np_columns_free (columns);
  np_strings_free (strings);
}

static void
test_types (void)
{
  static const guint cases[][3] = {
    { NPROF_INT64, NPROF_INT64, NPROF_INT64 },   { NPROF_INT64, NPROF_UINT64, NPROF_DOUBLE },
    { NPROF_DOUBLE, NPROF_INT64, NPROF_DOUBLE }, { NPROF_BOOL, NPROF_INT64, NPROF_TEXT },
    { NPROF_STRING, NPROF_TEXT, NPROF_TEXT },    { NPROF_STRING, NPROF_DOUBLE, NPROF_TEXT },
    { NPROF_JSON, NPROF_ID128, NPROF_TEXT },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    NpStrings *strings = np_strings_new ();
    NpColumns *columns = np_columns_new (strings);
    np_columns_declare (columns, NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (cases[i][0], "k", "", "")));
    np_columns_declare (columns, NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (cases[i][1], "k", "", "")));
    assert_column (np_columns_list (columns)[0], "k", cases[i][2]);
    g_assert_null (np_columns_list (columns)[1]);
    np_columns_free (columns);
    np_strings_free (strings);
  }
}

static void
test_wanted (void)
{
  NpStrings *strings = np_strings_new ();
  NpColumns *columns = np_columns_new (strings);
  g_assert_false (np_columns_wanted (columns, "flops"));
  np_columns_want (columns, NULL);
  np_columns_want (columns, (const char *const[]){ "flops", "op", NULL });
  np_columns_want (columns, (const char *const[]){ "flops", NULL });
  g_assert_true (np_columns_wanted (columns, "flops"));
  g_assert_true (np_columns_wanted (columns, "op"));
  g_assert_false (np_columns_wanted (columns, "step"));
  np_columns_want (columns, (const char *const[]){ "*", NULL });
  g_assert_true (np_columns_wanted (columns, "step"));
  np_columns_free (columns);
  np_strings_free (strings);
}

static void
test_wanted_of_rows (void)
{
  static const struct nprof_row_want instants
      = { .size = sizeof instants, .kinds = 1u << NPROF_INSTANT, .key = "args" };
  static const struct nprof_row_want fused
      = { .size = sizeof fused, .key = "args", .member = "fused" };
  NpStrings *strings = np_strings_new ();
  NpColumns *columns = np_columns_new (strings);
  np_columns_want_of_rows (columns, NULL);
  g_assert_null (np_columns_row_want (columns, "args", 0));
  np_columns_want_of_rows (columns, (const struct nprof_row_want *const[]){ &instants, NULL });
  np_columns_want_of_rows (columns, (const struct nprof_row_want *const[]){ &fused, NULL });
  g_assert_true (np_columns_row_want (columns, "args", 0) == &instants);
  g_assert_true (np_columns_row_want (columns, "args", 1) == &fused);
  g_assert_null (np_columns_row_want (columns, "args", 2));
  g_assert_null (np_columns_row_want (columns, "step", 0));
  g_assert_false (np_columns_wanted (columns, "args"));
  np_columns_free (columns);
  np_strings_free (strings);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/columns/order", test_order);
  g_test_add_func ("/columns/clashes", test_clashes);
  g_test_add_func ("/columns/types", test_types);
  g_test_add_func ("/columns/wanted-of-rows", test_wanted_of_rows);
  g_test_add_func ("/columns/wanted", test_wanted);
  return g_test_run ();
}
