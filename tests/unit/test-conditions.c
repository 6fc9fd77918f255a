/* SPDX-License-Identifier: Apache-2.0 */
/* test-conditions.c - whole numbers beyond 2^53 in conditions on cells of tables, on rows of stores
 * and on rows of runs: the same question, asked of all three. */

#include "select/condition.h"
#include "view/conditions.h"

#include <glib.h>
#include <string.h>

#include <store/match.h>

/* A number of a cell beside a text: below, at or above; UNORDERED: the text is no number. */
enum { UNORDERED = 9 };
static const struct {
  guint type;
  guint64 value;
  const char *text;
  int order;
} cases[] = {
  { NPROF_INT64, 9007199254740993, "9007199254740992", 1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993", 0 },
  { NPROF_INT64, 9007199254740993, "9007199254740994", -1 },
  { NPROF_INT64, 9007199254740994, "9007199254740993.5", 1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993.5", -1 },
  { NPROF_INT64, 9007199254740993, "9007199254740993.000", 0 },
  { NPROF_INT64, 9007199254740993, "9.007199254740993e15", 0 },
  { NPROF_INT64, 9007199254740993, "90071992547409930e-1", 0 },
  { NPROF_INT64, 9007199254740993, "0009007199254740993", 0 },
  { NPROF_INT64, 9007199254740993, "1e400", -1 },
  { NPROF_INT64, 9007199254740993, "1e99999999999999999999", -1 },
  { NPROF_INT64, 9007199254740993, "1e-99999999999999999999", 1 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740992", -1 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740993", 0 },
  { NPROF_INT64, (guint64) -9007199254740993, "-9007199254740993.5", 1 },
  { NPROF_INT64, (guint64) -9007199254740993, "9007199254740993", -1 },
  { NPROF_INT64, G_MAXINT64, "9223372036854775806", 1 },
  { NPROF_INT64, G_MAXINT64, "9223372036854775808", -1 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775808", 0 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775807", -1 },
  { NPROF_INT64, (guint64) G_MININT64, "-9223372036854775809", 1 },
  { NPROF_INT64, 0, "-0", 0 },
  { NPROF_INT64, 0, "-0.5", 1 },
  { NPROF_INT64, 0, ".5", -1 },
  { NPROF_INT64, 5, "5.", 0 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551614", 1 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551615", 0 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551616", -1 },
  { NPROF_UINT64, G_MAXUINT64, "-1", 1 },
  { NPROF_UINT64, G_MAXUINT64, "18446744073709551615.1", -1 },
  { NPROF_INT64, 5, "five", UNORDERED },
  { NPROF_INT64, 5, "5us", UNORDERED },
  { NPROF_INT64, 0, "", UNORDERED },
  { NPROF_INT64, 0, "-", UNORDERED },
  { NPROF_INT64, 0, ".", UNORDERED },
  { NPROF_INT64, 5, "5e", UNORDERED },
};

static const struct {
  const char *op;
  enum np_op search;
  NpOp rows;
} ops[] = { { "<", NP_LESS, NP_LT },
            { "<=", NP_LESS_EQUAL, NP_LE },
            { ">", NP_MORE, NP_GT },
            { ">=", NP_MORE_EQUAL, NP_GE },
            { "=", NP_EQUAL, NP_EQ } };

static gboolean
expected (int order, const char *op)
{
  if (order == UNORDERED)
    return FALSE;
  return (strchr (op, '=') && order == 0) || (*op == '<' && order < 0) || (*op == '>' && order > 0);
}

static void
test_cells (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ops); k++) {
      const struct nprof_cell cell = { .type = cases[i].type, .v.u = cases[i].value };
      NpCellCondition c = { .value = (char *) cases[i].text };
      g_strlcpy (c.op, ops[k].op, sizeof c.op);
      g_test_message ("%s %s", c.op, c.value);
      g_assert_cmpint (np_cell_condition_fits (&cell, &c), ==,
                       expected (cases[i].order, c.op));
      if (*c.op != '=')
        continue;
      strcpy (c.op, "!=");
      g_assert_cmpint (np_cell_condition_fits (&cell, &c), ==,
                       !expected (cases[i].order, "="));
    }
}

static struct np_want
want_of (enum np_op op, const char *text)
{
  struct np_want want = { .op = op, .text = (char *) text, .n = 1 };
  char *end;
  want.number = g_ascii_strtod (text, &end);
  want.is_number = end > text && !*end;
  want.is_decimal = np_decimal_read (text, strlen (text), &want.decimal);
  return want;
}

/* Attributes may be numbers in texts, too. */
static void
test_search (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ops); k++) {
      struct np_want want = want_of (ops[k].search, cases[i].text);
      bool is_int = cases[i].type == NPROF_INT64;
      g_autofree char *text = is_int
                                  ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) cases[i].value)
                                  : g_strdup_printf ("%" G_GUINT64_FORMAT, cases[i].value);
      g_test_message ("%s %s %s", text, ops[k].op, want.text);
      gboolean fits = expected (cases[i].order, ops[k].op);
      g_assert_cmpint (is_int ? np_match_int (&want, (gint64) cases[i].value)
                              : np_match_uint (&want, cases[i].value),
                       ==, fits);
      g_assert_cmpint (np_match_number (&want, text, strlen (text)), ==, fits);
    }
}

/* Doubles are compared as they are: a text is read as one. */
static void
test_doubles (void)
{
  double value = 0.1;
  struct nprof_cell cell = { .type = NPROF_DOUBLE, .v.f = value };
  NpCellCondition c = { .op = "=", .value = (char *) "0.1" };
  g_assert_true (np_cell_condition_fits (&cell, &c));
  c.value = (char *) "nan";
  g_assert_false (np_cell_condition_fits (&cell, &c));
  strcpy (c.op, "<");
  c.value = (char *) "inf";
  g_assert_true (np_cell_condition_fits (&cell, &c));
  cell = (struct nprof_cell){ .type = NPROF_INT64, .v.i = G_MAXINT64 };
  g_assert_true (np_cell_condition_fits (&cell, &c));
  cell = (struct nprof_cell){ .type = NPROF_BOOL, .v.u = 1 };
  c = (NpCellCondition){ .op = "=", .value = (char *) "true" };
  g_assert_true (np_cell_condition_fits (&cell, &c));
  c.value = (char *) "1";
  g_assert_true (np_cell_condition_fits (&cell, &c));
  c.value = (char *) "yes";
  g_assert_false (np_cell_condition_fits (&cell, &c));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conditions/cells", test_cells);
  g_test_add_func ("/conditions/search", test_search);
  g_test_add_func ("/conditions/doubles", test_doubles);
  return g_test_run ();
}
