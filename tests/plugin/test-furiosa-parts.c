/* SPDX-License-Identifier: Apache-2.0 */
/* test-furiosa-parts.c - Furiosa's tables without nprof: exact statistics, operators and their
 * executions against a quadratic search, and how pandas, polars and the vendor print numbers. */
#include "arith.h"
#include "grid.h"
#include "join.h"
#include "summary.h"

#include <math.h>
#include <string.h>

/* -- Statistics --------------------------------------------------------------------------- */

static void
test_quantiles (void)
{
  static const gint64 guide[] = { 258540, 270625, 365199, 650018 }, one[] = { 7 },
                      far[] = { G_MININT64 + 1, G_MAXINT64 };
  g_assert_cmpfloat (fu_quantile (guide, 4, 500), ==, 317912);
  g_assert_cmpfloat (fu_quantile (guide, 4, 900), ==, 564572.3);
  g_assert_cmpfloat (fu_quantile (guide, 4, 0), ==, 258540);
  g_assert_cmpfloat (fu_quantile (guide, 4, 1000), ==, 650018);
  g_assert_cmpfloat (fu_quantile (one, 1, 999), ==, 7);
  g_assert_cmpfloat (fu_quantile (far, 2, 500), ==, 0);
  g_assert_cmpfloat (fu_mean ((FuWide) 3 * G_MAXINT64, 3), ==, (double) G_MAXINT64);
  g_assert_cmpfloat (fu_mean (10, 3), ==, 10. / 3);
  g_assert_cmpint (fu_narrow ((FuWide) G_MAXINT64 + 1), ==, FU_UNKNOWN);
  g_assert_cmpint (fu_narrow (-5), ==, -5);
  g_assert_cmpint (fu_ns (1499), ==, 1);
  g_assert_cmpint (fu_ns (1500), ==, 2);
  g_assert_cmpint (fu_ns (G_MAXINT64), ==, G_MAXINT64 / 1000 + 1);
}

/* By weighing the integers around the place. */
static void
test_random_quantiles (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (guint round = 0; round < 2000; round++) {
    gint64 v[20];
    guint n = (guint) g_rand_int_range (rand, 1, 21), q = (guint) g_rand_int_range (rand, 0, 1001);
    for (guint i = 0; i < n; i++)
      v[i] = g_rand_int_range (rand, 0, 1000000);
    fu_sort (v, n);
    guint place = (n - 1) * q, at = place / 1000, part = place % 1000;
    gint64 sum = v[at] * (1000 - (gint64) part) + (part ? v[at + 1] * part : 0);
    g_assert_cmpfloat (fu_quantile (v, n, q), ==, (double) sum / 1000);
    g_assert_cmpfloat_with_epsilon (summary_numpy (v, n, q / 1000.), (double) sum / 1000, 1e-6);
    g_assert_cmpfloat_with_epsilon (summary_polars (v, n, q / 1000.), (double) sum / 1000, 1e-6);
  }
}

/* -- Joining ---------------------------------------------------------------------------------- */

typedef struct {
  FuKey key;
  gint64 ns;
} Op;

/* The number of the execution that the operator ran in, or n. */
static guint
quadratic (const FuKey *executions, guint n, const FuKey *op)
{
  guint best = n;
  for (guint i = 0; i < n; i++) {
    const FuKey *e = &executions[i];
    if (e->id || e->pe != op->pe || e->execution != op->execution || e->start > op->start
        || e->end < op->end)
      continue;
    if (best == n || e->start >= executions[best].start)
      best = i;
  }
  return best;
}

static FuKey
random_key (GRand *rand, gboolean ids)
{
  FuKey key = { ids ? (guint64) g_rand_int_range (rand, 1, 6) : 0, g_rand_int_range (rand, 0, 2),
                g_rand_int_range (rand, 0, 2), g_rand_int_range (rand, 0, 30), 0 };
  key.end = key.start + g_rand_int_range (rand, 0, 15);
  return key;
}

static void
add_sum (FuWide sums[12][2][2], gboolean any[12][2][2], guint e, const Op *op)
{
  sums[e][op->key.pe][op->key.execution] += op->ns;
  any[e][op->key.pe][op->key.execution] = TRUE;
}

static void
join_once (GRand *rand)
{
  FuWide sums[12][2][2] = { 0 };
  gboolean any[12][2][2] = { 0 };
  FuKey executions[12];
  guint n = (guint) g_rand_int_range (rand, 0, 12), n_runs = 0;
  guint64 strays = 0, found;
  FuJoin *join = fu_join_new ();
  for (guint i = 0; i < n; i++)
    executions[i] = random_key (rand, g_rand_boolean (rand));
  for (guint i = 0, n_ops = (guint) g_rand_int_range (rand, 0, 40); i < n_ops; i++) {
    Op op = { random_key (rand, g_rand_boolean (rand)), g_rand_int_range (rand, 0, 1000) };
    guint hits = 0;
    fu_join_operator (join, &op.key, op.ns);
    guint around = op.key.id ? n : quadratic (executions, n, &op.key);
    for (guint e = 0; e < n; e++)
      if (op.key.id ? executions[e].id == op.key.id : e == around) {
        add_sum (sums, any, e, &op);
        hits++;
      }
    strays += hits == 0;
  }
  for (guint i = 0; i < n; i++)
    fu_join_execution (join, &executions[i]);
  const GArray *runs = fu_join_finish (join, &found);
  g_assert_cmpuint (found, ==, strays);
  for (guint e = 0; e < n; e++)
    for (guint pe = 0; pe < 2; pe++)
      for (guint x = 0; x < 2; x++)
        if (any[e][pe][x]) {
          g_assert_cmpuint (n_runs, <, runs->len);
          const FuRun *run = &g_array_index (runs, FuRun, n_runs++);
          g_assert_cmpuint (run->execution, ==, e);
          g_assert_cmpint (run->pe, ==, pe);
          g_assert_cmpint (run->index, ==, x);
          g_assert_true (run->run == sums[e][pe][x]);
        }
  g_assert_cmpuint (n_runs, ==, runs->len);
  fu_join_free (join);
}

static void
test_join (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint round = 0; round < 5000; round++)
    join_once (rand);
}

/* -- Numbers ----------------------------------------------------------------------------------- */

static void
assert_pandas (const char *expected, const double *values, guint n)
{
  g_auto (GStrv) texts = grid_pandas_doubles (values, n);
  g_autofree char *found = g_strjoinv (" ", texts);
  g_assert_cmpstr (found, ==, expected);
}

#define PANDAS(expected, ...)                                                                      \
  assert_pandas (expected, (const double[]){ __VA_ARGS__ },                                        \
                 sizeof (const double[]){ __VA_ARGS__ } / sizeof (double))

/* As pandas 2.1 prints these columns. */
static void
test_pandas_numbers (void)
{
  PANDAS ("1226.187500 757.333333 3.000000", 1226.1875, 757.0 + 1. / 3, 3);
  PANDAS ("1226.1875 3.0000", 1226.1875, 3);
  PANDAS ("757.333333 116.500000", 757.0 + 1. / 3, 116.5);
  PANDAS ("2.5 3.0", 2.5, 3);
  PANDAS ("2.0", 2);
  PANDAS ("NaN 1.5", NAN, 1.5);
  PANDAS ("1234567.5 1.0", 1234567.5, 1);
  PANDAS ("1.234567e+06 1.000000e+00", 1234567 + 1. / 3, 1);
  PANDAS ("123456.333333", 123456 + 1. / 3);
  PANDAS ("1.000000e-07 1.000000e+00", 1e-7, 1);
}

static void
test_polars_numbers (void)
{
  static const struct {
    double value;
    const char *text;
  } cases[] = {
    { 5327.8, "5327.8" }, { 250, "250.0" }, { 1412.2857142857, "1412.285714" }, { 0, "0.0" }
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = grid_polars_double (cases[i].value);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

/* -- Pages ------------------------------------------------------------------------------------- */

static GridCell
known_int (gint64 i)
{
  return (GridCell){ .known = TRUE, .i = i };
}

static Grid *
make_grid (void)
{
  static const GridColumn columns[]
      = { { "row", GRID_INT }, { "id", GRID_TEXT }, { "dur", GRID_INT } };
  Grid *grid = grid_new (columns, G_N_ELEMENTS (columns));
  grid_add (grid, known_int (9));
  grid_add (grid, (GridCell){ .known = TRUE, .text = g_strdup ("ab") });
  grid_add (grid, known_int (-12));
  grid_add (grid, known_int (100));
  grid_add (grid, (GridCell){ 0 });
  grid_add (grid, known_int (5));
  return grid;
}

static void
test_pages (void)
{
  Grid *grid = make_grid ();
  g_autoptr (GString) pandas = g_string_new (NULL), polars = g_string_new (NULL);
  grid_pandas (grid, NULL, pandas);
  g_assert_cmpstr (pandas->str, ==, "      id  dur\n9     ab  -12\n100  NaN    5\n");
  grid_polars (grid, 1, polars);
  g_assert_cmpstr (polars->str, ==,
                   "┌──────┬─────┐\n│ id   ┆ dur │\n╞══════╪═════╡\n│ ab   ┆ -12 │\n"
                   "│ null ┆ 5   │\n└──────┴─────┘\n");
  g_array_set_size (grid->cells, 0);
  g_string_truncate (pandas, 0);
  grid_pandas (grid, NULL, pandas);
  g_assert_cmpstr (pandas->str, ==, "Empty DataFrame\nColumns: [id, dur]\nIndex: []\n");
  grid_free (grid);
}

/* The numbers of the vendor's guides for 0.9 and 0.10. */
static void
test_summaries (void)
{
  gint64 old[] = { 650018, 365199, 258540, 270625 }, new[] = { 3027309, 2111363, 1824769, 1584494 };
  g_autoptr (GString) out = g_string_new (NULL);
  summary_print (STYLE_0_9, old, 4, 1544382 / 4., 317912, out);
  g_assert_nonnull (strstr (out->str, "Mean latency (ns)               : 386095\n"));
  g_assert_nonnull (strstr (out->str, "97.0 percentile latency (ns)    : 624384\n"));
  g_assert_nonnull (strstr (out->str, "99.9 percentile latency (ns)    : 649163\n"));
  g_string_truncate (out, 0);
  summary_print (STYLE_0_10, new, 4, 8547935 / 4., 1968066, out);
  g_assert_nonnull (strstr (out->str, "Mean latency (ns)               : 2136984\n"));
  g_assert_nonnull (strstr (out->str, "90.0 percentile Latency (ns)    : 2752525\n"));
  g_assert_nonnull (strstr (out->str, "99.9 percentile Latency (ns)    : 3024561\n"));
  g_string_truncate (out, 0);
  summary_print (STYLE_0_9, old, 0, 0, 0, out);
  g_assert_true (g_str_has_suffix (out->str, "Inference counts                : 0\n"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/furiosa-parts/quantiles", test_quantiles);
  g_test_add_func ("/furiosa-parts/random-quantiles", test_random_quantiles);
  g_test_add_func ("/furiosa-parts/join", test_join);
  g_test_add_func ("/furiosa-parts/pandas-numbers", test_pandas_numbers);
  g_test_add_func ("/furiosa-parts/polars-numbers", test_polars_numbers);
  g_test_add_func ("/furiosa-parts/pages", test_pages);
  g_test_add_func ("/furiosa-parts/summaries", test_summaries);
  return g_test_run ();
}
