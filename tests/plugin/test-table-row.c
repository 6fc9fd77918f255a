/* SPDX-License-Identifier: Apache-2.0 */
/* test-table-row.c - rows of nprof/table.h, of each kind and of each table of the plugins: a cell
 * stands in the column of its member, and one that is left out is unknown, as no other is. */
#include "all-columns.h"

#include <glib.h>

#define KINDS(C)                                                                                   \
  C (KEY, key, "a")                                                                                \
  C (TEXT_KEY, text_key, "b")                                                                      \
  C (INT_KEY, int_key, "c")                                                                        \
  C (UINT_KEY, uint_key, "d")                                                                      \
  C (DOUBLE_KEY, double_key, "e")                                                                  \
  C (BOOL_KEY, bool_key, "f")                                                                      \
  C (PS_KEY, ps_key, "g")                                                                          \
  C (BYTES_KEY, bytes_key, "h")                                                                    \
  C (ID_KEY, id_key, "i")                                                                          \
  C (LEVEL, level, "j")                                                                            \
  C (STRING, string, "k")                                                                          \
  C (TEXT, words, "l")                                                                             \
  C (JSON, json, "m")                                                                              \
  C (NOTE, reason, "n")                                                                            \
  C (BOOL, truth, "o")                                                                             \
  C (PS, time, "p")                                                                                \
  C (COUNT, calls, "q")                                                                            \
  C (UINT, count, "r")                                                                             \
  C (BYTES, size, "s")                                                                             \
  C (UINT_BYTES, large, "t")                                                                       \
  C (FLOPS, flops, "u")                                                                            \
  C (RATIO, share, "v")                                                                            \
  C (RATE, rate, "w")                                                                              \
  C (NUMBER, number, "x")                                                                          \
  C (DOUBT, lost, "y")                                                                             \
  C (BOOL_DOUBT, cut, "z")                                                                         \
  C (UINT_KEY_IN, at, "byte", "A")                                                                 \
  C (INT_IN, cycles, "cycle", "B")                                                                 \
  C (UINT_IN, ticks, "ps", "C")                                                                    \
  C (DOUBLE_IN, intensity, "flop/byte", "D")                                                       \
  C (INT_AS, least, "Min (ns)", "ns", "E")                                                         \
  C (DOUBLE_AS, mean, "Mean (ns)", "ns", "F")
NPROF_TABLE_ROW (kinds, KINDS)
NPROF_TABLE (kinds, "Kinds", NULL, KINDS)

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

static const uint8_t id[16] = { 1 };
#define MEMBER(kind, m, ...) { offsetof (Row, m), sizeof (((Row *) 0)->m) },
#define KNOWN(kind, m, ...) .m = KNOWN_OF (((Row *) 0)->m),
/* clang-format off */
#define KNOWN_OF(m)                                                                                \
  _Generic ((m),                                                                                   \
      struct nprof_maybe_int: nprof_some_int (0),                                                  \
      struct nprof_maybe_uint: nprof_some_uint (0),                                                \
      struct nprof_maybe_double: nprof_some_double (0),                                            \
      struct nprof_maybe_str: nprof_any_str (0),                                                   \
      struct nprof_maybe_bool: nprof_some_bool (false),                                            \
      struct nprof_maybe_text: nprof_some_text (""),                                               \
      struct nprof_maybe_json: nprof_some_json ("{}"),                                             \
      struct nprof_maybe_id: nprof_some_id (id))
/* clang-format on */

#define LEAVES_OUT_EACH(name, COLUMNS)                                                             \
  static void test_##name (void)                                                                   \
  {                                                                                                \
    typedef struct name##_row Row;                                                                 \
    static const Member members[] = { COLUMNS (MEMBER) };                                          \
    const Row full = { COLUMNS (KNOWN) };                                                          \
    const struct name##_cells cells = name##_cells (nprof_cell_str (1), &full);                    \
    guint n = G_N_ELEMENTS (cells.cells);                                                          \
    g_assert_cmpuint (n, ==, G_N_ELEMENTS (members) + 1);                                          \
    g_assert_cmpuint (count_unknown (cells.cells, n), ==, 0);                                      \
    for (guint i = 0; i < n; i++)                                                                  \
      g_assert_cmpuint (cells.cells[i].type, ==, name##_table.columns[i]->type);                   \
    g_assert_null (name##_table.columns[n]);                                                       \
    for (guint i = 0; i < G_N_ELEMENTS (members); i++) {                                           \
      Row row = full;                                                                              \
      memset ((char *) &row + members[i].at, 0, members[i].size);                                  \
      const struct name##_cells left = name##_cells (nprof_cell_str (1), &row);                    \
      g_assert_cmpuint (count_unknown (left.cells, n), ==, 1);                                     \
      g_assert_cmpuint (left.cells[i + 1].type, ==, NPROF_NULL);                                   \
    }                                                                                              \
  }
#define DEFINE(name, COLUMNS) NPROF_TABLE (name, #name, NULL, COLUMNS)

LEAVES_OUT_EACH (kinds, KINDS)
EACH_TABLE (DEFINE)
EACH_TABLE (LEAVES_OUT_EACH)

static void
test_columns (void)
{
  static const struct {
    const char *name, *unit;
    guint type, role;
  } want[] = { { "input", "", NPROF_STRING, NPROF_ROLE_KEY },
               { "key", "", NPROF_STRING, NPROF_ROLE_KEY },
               { "text_key", "", NPROF_TEXT, NPROF_ROLE_KEY },
               { "int_key", "", NPROF_INT64, NPROF_ROLE_KEY },
               { "uint_key", "", NPROF_UINT64, NPROF_ROLE_KEY },
               { "double_key", "", NPROF_DOUBLE, NPROF_ROLE_KEY },
               { "bool_key", "", NPROF_BOOL, NPROF_ROLE_KEY },
               { "ps_key_ns", "ps", NPROF_INT64, NPROF_ROLE_KEY },
               { "bytes_key", "byte", NPROF_INT64, NPROF_ROLE_KEY },
               { "id_key", "", NPROF_ID128, NPROF_ROLE_KEY },
               { "level", "", NPROF_STRING, NPROF_ROLE_LEVEL },
               { "string", "", NPROF_STRING, NPROF_ROLE_VALUE },
               { "words", "", NPROF_TEXT, NPROF_ROLE_VALUE },
               { "json", "", NPROF_JSON, NPROF_ROLE_VALUE },
               { "reason", "", NPROF_TEXT, NPROF_ROLE_NOTE },
               { "truth", "", NPROF_BOOL, NPROF_ROLE_VALUE },
               { "time_ns", "ps", NPROF_INT64, NPROF_ROLE_VALUE },
               { "calls", "", NPROF_INT64, NPROF_ROLE_VALUE },
               { "count", "", NPROF_UINT64, NPROF_ROLE_VALUE },
               { "size", "byte", NPROF_INT64, NPROF_ROLE_VALUE },
               { "large", "byte", NPROF_UINT64, NPROF_ROLE_VALUE },
               { "flops", "flop", NPROF_INT64, NPROF_ROLE_VALUE },
               { "share", "1", NPROF_DOUBLE, NPROF_ROLE_VALUE },
               { "rate", "byte/s", NPROF_DOUBLE, NPROF_ROLE_VALUE },
               { "number", "", NPROF_DOUBLE, NPROF_ROLE_VALUE },
               { "lost", "", NPROF_INT64, NPROF_ROLE_DOUBT },
               { "cut", "", NPROF_BOOL, NPROF_ROLE_DOUBT },
               { "at", "byte", NPROF_UINT64, NPROF_ROLE_KEY },
               { "cycles", "cycle", NPROF_INT64, NPROF_ROLE_VALUE },
               { "ticks", "ps", NPROF_UINT64, NPROF_ROLE_VALUE },
               { "intensity", "flop/byte", NPROF_DOUBLE, NPROF_ROLE_VALUE },
               { "Min (ns)", "ns", NPROF_INT64, NPROF_ROLE_VALUE },
               { "Mean (ns)", "ns", NPROF_DOUBLE, NPROF_ROLE_VALUE } };
  g_assert_cmpstr (kinds_table.name, ==, "kinds");
  g_assert_cmpstr (kinds_table.title, ==, "Kinds");
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    const struct nprof_table_column *column = kinds_table.columns[i];
    g_assert_cmpstr (column->name, ==, want[i].name);
    g_assert_cmpstr (column->unit, ==, want[i].unit);
    g_assert_cmpuint (column->type, ==, want[i].type);
    g_assert_cmpuint (column->role, ==, want[i].role);
  }
  g_assert_null (kinds_table.columns[G_N_ELEMENTS (want)]);
  g_assert_cmpstr (kinds_table.columns[14]->help, ==, "n");
}

static void
test_values (void)
{
  const struct kinds_row row = { .key = nprof_some_str (3),
                                 .bool_key = nprof_some_bool (true),
                                 .id_key = nprof_some_id (id),
                                 .json = nprof_some_json ("[1]"),
                                 .count = nprof_some_uint (UINT64_MAX),
                                 .calls = nprof_some_int (INT64_MIN),
                                 .number = nprof_some_double (-0.5) };
  const struct kinds_cells made = kinds_cells (nprof_cell_str (1), &row);
  const struct nprof_cell *cells = made.cells;
  g_assert_cmpuint (cells[0].v.s, ==, 1);
  g_assert_cmpuint (nprof_find_cell (&kinds_table, cells, "key")->v.s, ==, 3);
  g_assert_cmpuint (nprof_find_cell (&kinds_table, cells, "bool_key")->v.u, ==, 1);
  g_assert_cmpuint (nprof_find_cell (&kinds_table, cells, "id_key")->len, ==, 16);
  g_assert_true (nprof_find_cell (&kinds_table, cells, "id_key")->v.text == (const char *) id);
  g_assert_cmpuint (nprof_find_cell (&kinds_table, cells, "json")->len, ==, 3);
  g_assert_cmpuint (nprof_find_cell (&kinds_table, cells, "count")->v.u, ==, UINT64_MAX);
  g_assert_cmpint (nprof_find_cell (&kinds_table, cells, "calls")->v.i, ==, INT64_MIN);
  g_assert_cmpfloat (nprof_find_cell (&kinds_table, cells, "number")->v.f, ==, -0.5);
  g_assert_cmpuint (count_unknown (cells, G_N_ELEMENTS (made.cells)), ==, 33 - 8);
}

static void
test_unknown (void)
{
  g_assert_false (nprof_int_if (false, 5).known);
  g_assert_cmpint (nprof_int_if (false, 5).value, ==, 0);
  g_assert_cmpint (nprof_int_if (true, 5).value, ==, 5);
  g_assert_false (nprof_uint_if (false, 5).known);
  g_assert_false (nprof_double_if (false, 5).known);
  g_assert_false (nprof_double_if (true, NAN).known);
  g_assert_cmpfloat (nprof_double_if (true, 5).value, ==, 5);
  g_assert_false (nprof_some_double (NAN).known);
  g_assert_false (nprof_some_str (0).known);
  g_assert_true (nprof_any_str (0).known);
  g_assert_false (nprof_str_if (false, 5).known);
  g_assert_true (nprof_str_if (true, 0).known);
  g_assert_false (nprof_bool_if (false, true).known);
  g_assert_false (nprof_some_text (NULL).known);
  g_assert_false (nprof_text_if (false, "").known);
  g_assert_false (nprof_some_json (NULL).known);
  g_assert_false (nprof_some_id (NULL).known);
}

#define ADD_TEST(name, COLUMNS) g_test_add_func ("/table-row/" #name, test_##name);

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table-row/each-kind", test_kinds);
  g_test_add_func ("/table-row/columns", test_columns);
  g_test_add_func ("/table-row/values", test_values);
  g_test_add_func ("/table-row/unknown", test_unknown);
  EACH_TABLE (ADD_TEST)
  return g_test_run ();
}
