/* SPDX-License-Identifier: Apache-2.0 */
/* test-table.c - declarations that make no sense, and copies of rows. */

#include "rows/table.h"

#include <nprof/sdk.h>

#define STRING(name) NPROF_KEY_COLUMN (NPROF_STRING, name, "", "")

#define TABLE(name_, ...)                                                                          \
  (&(const struct nprof_table){ .size = sizeof (struct nprof_table),                               \
                                .name = (name_),                                                   \
                                .columns                                                           \
                                = (const struct nprof_table_column *const[]){ __VA_ARGS__ } })

static void
assert_problem (const struct nprof_table *table, const char *expected)
{
  g_autofree char *problem = np_table_problem (table);
  g_assert_cmpstr (problem, ==, expected);
}

static void
test_problems (void)
{
  const struct nprof_table *good = TABLE ("good_1", STRING ("input"), STRING ("a"), NULL);
  assert_problem (good, NULL);
  g_assert_cmpuint (np_table_columns (good), ==, 2);
  assert_problem (TABLE ("one", STRING ("input"), NULL), NULL);

  struct nprof_table table = *good;
  table.size = 0;
  assert_problem (&table, "a table has no size");
  table = *good;
  table.name = NULL;
  assert_problem (&table,
                  "the name of table \"\" is not of [a-z0-9_], with one dot behind its vendor");
  table.name = "../x";
  assert_problem (&table,
                  "the name of table \"../x\" is not of [a-z0-9_], with one dot behind its vendor");
  table.name = "Good";
  assert_problem (&table,
                  "the name of table \"Good\" is not of [a-z0-9_], with one dot behind its vendor");
  table = *good;
  table.columns = NULL;
  assert_problem (&table, "table \"good_1\" has no columns");
  assert_problem (TABLE ("t", NULL), "table \"t\" has no columns");
  const char *first = "table \"t\": the first column must be \"input\", a string";
  assert_problem (TABLE ("t", STRING ("a"), NULL), first);
  assert_problem (TABLE ("t", NPROF_KEY_COLUMN (NPROF_TEXT, "input", "", ""), NULL), first);
  assert_problem (TABLE ("t", STRING ("input"), STRING ("a"), STRING ("A"), NULL),
                  "table \"t\": two columns are named \"A\"");
  assert_problem (TABLE ("t", STRING ("input"), STRING (""), NULL),
                  "table \"t\": column 2 has no name");
  assert_problem (TABLE ("t", STRING ("input"), NPROF_VALUE_COLUMN (NPROF_NULL, "x", "", ""), NULL),
                  "table \"t\": column \"x\" has the unknown type 0");
  assert_problem (TABLE ("t", STRING ("input"), NPROF_VALUE_COLUMN (9, "x", "", ""), NULL),
                  "table \"t\": column \"x\" has the unknown type 9");
  assert_problem (TABLE ("t", STRING ("input"), &(const struct nprof_table_column){ 0 }, NULL),
                  "table \"t\": column 2 has no size");
}

static const struct nprof_table wide = {
  .size = sizeof wide,
  .name = "wide",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "text", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "n", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_ID128, "id", "", "")),
};

static void
add (NpChunk *chunk, const struct nprof_cell cells[4])
{
  char *problem = NULL;
  g_assert_cmpint (np_chunk_add (chunk, cells, &problem), ==, NPROF_OK);
  g_assert_null (problem);
}

/* Text stays right although it moved while rows came in. */
static void
test_text (void)
{
  NpChunk *chunk = np_chunk_new (&wide);
  for (guint i = 0; i < NP_CHUNK_ROWS; i++) {
    g_assert_false (np_chunk_full (chunk));
    g_autofree char *text = g_strdup_printf ("row %u", i);
    struct nprof_cell cells[4]
        = { nprof_cell_str (i),
            nprof_cell_text (text),
            nprof_cell_int (-(gint64) i),
            { .type = NPROF_ID128, .len = 16, .v.text = "0123456789abcde" } };
    if (i % 3 == 0)
      cells[1] = cells[2] = nprof_cell_null ();
    add (chunk, cells);
  }
  g_assert_true (np_chunk_full (chunk));
  np_chunk_seal (chunk);
  for (guint i = 0; i < NP_CHUNK_ROWS; i++) {
    const struct nprof_cell *row = chunk->cells + i * 4;
    g_autofree char *text = g_strdup_printf ("row %u", i);
    g_assert_cmpuint (row[0].v.s, ==, i);
    if (i % 3 == 0) {
      g_assert_cmpuint (row[1].type | row[2].type, ==, NPROF_NULL);
      continue;
    }
    g_assert_cmpstr (row[1].v.text, ==, text);
    g_assert_cmpint (row[2].v.i, ==, -(gint64) i);
    g_assert_cmpmem (row[3].v.text, row[3].len, "0123456789abcde", 16);
  }
  np_chunk_unref (chunk);
}

static void
test_empty_text (void)
{
  NpChunk *chunk = np_chunk_new (&wide);
  const struct nprof_cell cells[4]
      = { nprof_cell_str (1), { .type = NPROF_TEXT }, nprof_cell_int (1), nprof_cell_null () };
  add (chunk, cells);
  np_chunk_seal (chunk);
  g_assert_cmpstr (chunk->cells[1].v.text, ==, "");
  np_chunk_unref (np_chunk_ref (chunk));
  np_chunk_unref (chunk);
  np_chunk_unref (NULL);
}

/* Much text fills a chunk as well as many rows do. */
static void
test_much_text (void)
{
  NpChunk *chunk = np_chunk_new (&wide);
  g_autofree char *text = g_strnfill (NP_CHUNK_TEXT / 2, 'x');
  const struct nprof_cell cells[4]
      = { nprof_cell_str (1), nprof_cell_text (text), nprof_cell_int (1), nprof_cell_null () };
  add (chunk, cells);
  g_assert_false (np_chunk_full (chunk));
  add (chunk, cells);
  g_assert_true (np_chunk_full (chunk));
  np_chunk_seal (chunk);
  g_assert_cmpstr (chunk->cells[5].v.text, ==, text);
  np_chunk_unref (chunk);
}

static void
test_wrong_type (void)
{
  static const struct {
    guint at;
    struct nprof_cell cell;
    const char *problem;
  } cases[] = {
    { 0,
      { .type = NPROF_TEXT, .len = 1, .v.text = "x" },
      "table \"wide\": a cell of column \"input\" is text, declared is string" },
    { 2,
      { .type = NPROF_UINT64 },
      "table \"wide\": a cell of column \"n\" is uint64, declared is int64" },
    { 2, { .type = 77 }, "table \"wide\": a cell of column \"n\" is unknown, declared is int64" },
    { 3,
      { .type = NPROF_ID128, .len = 15, .v.text = "123456789012345" },
      "table \"wide\": a cell of column \"id\" has 15 bytes, an id128 has 16" },
    { 1,
      { .type = NPROF_TEXT, .len = 4 },
      "table \"wide\": a cell of column \"text\" has a length but no text" },
  };
  NpChunk *chunk = np_chunk_new (&wide);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    struct nprof_cell cells[4]
        = { nprof_cell_str (1), nprof_cell_null (), nprof_cell_null (), nprof_cell_null () };
    cells[cases[i].at] = cases[i].cell;
    g_autofree char *problem = NULL;
    g_assert_cmpint (np_chunk_add (chunk, cells, &problem), ==, NPROF_E_CONTRACT);
    g_assert_cmpstr (problem, ==, cases[i].problem);
  }
  g_assert_cmpuint (chunk->n_rows, ==, 0);
  np_chunk_unref (chunk);
}

static void
test_same (void)
{
  const struct nprof_table one
      = { .size = sizeof one,
          .name = "one",
          .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "n", "ps", "a")) };
  struct nprof_table other = one;
  other.title = "what people read may differ";
  other.columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "n", "ps", "b"));
  g_assert_true (np_table_same (&one, &other));
  other.name = "other";
  g_assert_false (np_table_same (&one, &other));
  const struct nprof_table_column *const *const differ[]
      = { NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "m", "ps", "")),
          NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_UINT64, "n", "ps", "")),
          NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "n", "ns", "")),
          NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "n", "ps", "")),
          NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "n", "ps", ""),
                         NPROF_KEY_COLUMN (NPROF_INT64, "m", "ps", "")) };
  other.name = "one";
  for (guint i = 0; i < G_N_ELEMENTS (differ); i++) {
    other.columns = differ[i];
    g_assert_false (np_table_same (&one, &other));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/same", test_same);
  g_test_add_func ("/table/problems", test_problems);
  g_test_add_func ("/table/text", test_text);
  g_test_add_func ("/table/empty-text", test_empty_text);
  g_test_add_func ("/table/much-text", test_much_text);
  g_test_add_func ("/table/wrong-type", test_wrong_type);
  return g_test_run ();
}
