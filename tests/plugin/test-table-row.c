/* SPDX-License-Identifier: Apache-2.0 */
/* test-table-row.c - a row of a table of nprof/table.h: each cell stands in the column of its member,
 * and each that is left out is unknown, which all the others are not. */
#include "devices-table.h"

#include <glib.h>

#define ALL(C)                                                                                     \
  C (KEY, name, "a")                                                                               \
  C (PS, time, "b")                                                                                \
  C (COUNT, calls, "c")                                                                            \
  C (BYTES, size, "d")                                                                             \
  C (RATIO, share, "e")                                                                            \
  C (TEXT, words, "f")                                                                             \
  C (NOTE, reason, "g")
NPROF_TABLE_ROW (all, ALL)
NPROF_TABLE (all, "All", NULL, ALL)
NPROF_TABLE (devices, "Devices", NULL, DEVICES)

#define SIZE(kind, m, help) { offsetof (ROW, m), sizeof (((ROW *) 0)->m) },
#define KNOWN(kind, m, help) .m = KNOWN_##kind,
#define KNOWN_KEY nprof_some_str (7)
#define KNOWN_PS nprof_some_int (0)
#define KNOWN_COUNT nprof_some_int (-1)
#define KNOWN_BYTES nprof_some_int (INT64_MAX)
#define KNOWN_RATIO nprof_some_double (0)
#define KNOWN_TEXT nprof_some_text ("")
#define KNOWN_NOTE nprof_some_text ("why")

typedef struct {
  size_t at, size; /* of a member in the struct of a row */
} Member;

static guint
count_unknown (const struct nprof_cell *cells, guint n)
{
  guint unknown = 0;
  for (guint i = 0; i < n; i++)
    unknown += cells[i].type == NPROF_NULL;
  return unknown;
}

#define LEAVES_OUT_EACH(name)                                                                      \
  const struct name##_row full = { FULL };                                                         \
  const struct name##_cells cells = name##_cells (nprof_cell_str (1), &full);                      \
  guint n = G_N_ELEMENTS (cells.cells);                                                            \
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (members) + 1);                                            \
  g_assert_cmpuint (count_unknown (cells.cells, n), ==, 0);                                        \
  for (guint i = 0; i < n; i++)                                                                    \
    g_assert_cmpuint (cells.cells[i].type, ==, name##_table.columns[i]->type);                     \
  g_assert_null (name##_table.columns[n]);                                                         \
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {                                             \
    struct name##_row row = full;                                                                  \
    memset ((char *) &row + members[i].at, 0, members[i].size);                                    \
    const struct name##_cells left = name##_cells (nprof_cell_str (1), &row);                      \
    g_assert_cmpuint (count_unknown (left.cells, n), ==, 1);                                       \
    g_assert_cmpuint (left.cells[i + 1].type, ==, NPROF_NULL);                                     \
  }

static void
test_each_kind (void)
{
#define ROW struct all_row
#define FULL ALL (KNOWN)
  static const Member members[] = { ALL (SIZE) };
  LEAVES_OUT_EACH (all)
#undef ROW
#undef FULL
}

static void
test_devices (void)
{
#define ROW struct devices_row
#define FULL DEVICES (KNOWN)
  static const Member members[] = { DEVICES (SIZE) };
  LEAVES_OUT_EACH (devices)
#undef ROW
#undef FULL
}

static void
test_columns (void)
{
  static const struct {
    const char *name, *unit;
    guint type, role;
  } want[] = { { "input", "", NPROF_STRING, NPROF_ROLE_KEY },
               { "name", "", NPROF_STRING, NPROF_ROLE_KEY },
               { "time_ns", "ps", NPROF_INT64, NPROF_ROLE_VALUE },
               { "calls", "", NPROF_INT64, NPROF_ROLE_VALUE },
               { "size", "byte", NPROF_INT64, NPROF_ROLE_VALUE },
               { "share", "1", NPROF_DOUBLE, NPROF_ROLE_VALUE },
               { "words", "", NPROF_TEXT, NPROF_ROLE_VALUE },
               { "reason", "", NPROF_TEXT, NPROF_ROLE_NOTE } };
  g_assert_cmpstr (all_table.name, ==, "all");
  g_assert_cmpstr (all_table.title, ==, "All");
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    const struct nprof_table_column *column = all_table.columns[i];
    g_assert_cmpstr (column->name, ==, want[i].name);
    g_assert_cmpstr (column->unit, ==, want[i].unit);
    g_assert_cmpuint (column->type, ==, want[i].type);
    g_assert_cmpuint (column->role, ==, want[i].role);
  }
  g_assert_cmpstr (all_table.columns[7]->help, ==, "g");
}

static void
test_unknown (void)
{
  g_assert_false (nprof_int_if (false, 5).known);
  g_assert_cmpint (nprof_int_if (false, 5).value, ==, 0);
  g_assert_cmpint (nprof_int_if (true, 5).value, ==, 5);
  g_assert_false (nprof_some_double (NAN).known);
  g_assert_false (nprof_some_str (0).known);
  g_assert_false (nprof_some_text (NULL).known);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table-row/each-kind", test_each_kind);
  g_test_add_func ("/table-row/devices", test_devices);
  g_test_add_func ("/table-row/columns", test_columns);
  g_test_add_func ("/table-row/unknown", test_unknown);
  return g_test_run ();
}
