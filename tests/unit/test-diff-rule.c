/* SPDX-License-Identifier: Apache-2.0 */
/* test-diff-rule.c - Student's t, the verdicts of sums, and which kernels are one. */

#include "diff/compare.h"
#include "diff/student.h"

#include <math.h>

static const NpDiffLimits limits = { NP_DIFF_THRESHOLD, NP_DIFF_FLOOR, 1 };

static gboolean
near (double a, double b, double away)
{
  return fabs (a - b) <= away;
}

/* source: tables of Student's t, two-sided, as in Abramowitz and Stegun, 26.10 */
static void
test_student (void)
{
  static const struct {
    double p, df, t;
  } known[] = { { 0.05, 1, 12.7062 },  { 0.05, 2, 4.30265 },    { 0.05, 5, 2.57058 },
                { 0.05, 30, 2.04227 }, { 0.01, 10, 3.16927 },   { 0.001, 3, 12.9240 },
                { 0.2, 4, 1.53321 },   { 0.05, 1e7, 1.959964 }, { 0.001, 120, 3.37345 } };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    g_assert_true (
        near (np_student_quantile (known[i].p, known[i].df), known[i].t, 2e-5 * known[i].t));
    g_assert_true (near (np_student_tail (known[i].t, known[i].df), known[i].p, 2e-5));
  }
  g_assert_cmpfloat (np_student_tail (INFINITY, 3), ==, 0);
  g_assert_true (near (np_student_tail (0, 3), 1, 1e-12));
}

/* -- Sides ---------------------------------------------------------------------------- */

static GHashTable *names;

static NpDiffSide *
side_new (guint steps)
{
  NpDiffSide *side = np_diff_side_new ("GPU 0", names);
  const guint one = 1;
  side->by = g_intern_string ("launch");
  side->samples = steps;
  side->rows = side->linked = 1;
  for (guint i = 0; i < steps; i++)
    g_array_append_val (side->blocks, one);
  return side;
}

/* One call a step, with a time for each. */
static void
add (NpDiffSide *side, const char *kernel, const char *operator, guint among, const double *ps)
{
  NpDiffSeries *series = np_diff_series (side, kernel, operator, NULL, TRUE);
  NpDiffPlace place = { .ordinal = series->places->len, .among = among, .calls = 1 };
  g_array_set_size (series->sums, side->samples);
  for (guint i = 0; i < side->samples; i++) {
    place.mean += ps[i] / side->samples;
    g_array_index (series->sums, double, i) += ps[i];
  }
  for (guint i = 0; i < side->samples; i++)
    place.variance += (ps[i] - place.mean) * (ps[i] - place.mean) / (side->samples - 1.0);
  if (side->samples < 2)
    place.variance = NAN;
  g_array_append_val (series->places, place);
}

static void
add_windows (NpDiffSide *side, const double *windows)
{
  for (guint i = 0; i < side->samples; i++) {
    const NpDiffStep step = { .window = windows[i], .parts = { [NP_PART_COMPUTE] = windows[i] } };
    g_array_append_val (side->steps, step);
  }
}

static const NpDiffLine *
line (const NpDiffComparison *c, const char *name)
{
  for (guint i = 0; i < c->lines->len; i++)
    if (g_str_equal (g_array_index (c->lines, NpDiffLine, i).name, name))
      return &g_array_index (c->lines, NpDiffLine, i);
  g_assert_not_reached ();
}

/* -- Verdicts --------------------------------------------------------------------------- */

/* Two steps a side: V = 2 each, so the error is sqrt (2 / 2 / 100^2 + 2 / 2 / 110^2). */
static void
test_error (void)
{
  g_autoptr (NpDiffSide) base = side_new (2), new = side_new (2);
  add (base, "k", "op", 0, (const double[]){ 99, 101 });
  add (new, "k", "op", 0, (const double[]){ 109, 111 });
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  const NpDiffResult *r = &line (c, "k")->result;
  double a = 1e-4, b = 1 / (110.0 * 110);
  g_assert_true (near (r->error, sqrt (a + b), 1e-12));
  g_assert_true (near (r->df, (a + b) * (a + b) / (a * a + b * b), 1e-9));
  g_assert_true (near (r->delta, 0.1, 1e-12));
  /* t = ln 1.1 / 0.0135 = 7 with 2 degrees of freedom: p = 0.02, not below 0.008 / 2 */
  g_assert_cmpint (r->verdict, ==, NP_DIFF_NOT_TOLD);
}

/* 400 calls that vary by 7 %, and whose sums do not, as two steps agree by chance; 19 other
 * kernels. */
static NpDiffVerdict
verdict_of_short_calls (double factor)
{
  g_autoptr (NpDiffSide) base = side_new (2), new = side_new (2);
  for (guint i = 0; i < 400; i++) {
    double a = i % 2 ? 93 : 107, b = i % 2 ? 107 : 93;
    add (base, "short", "op", i, (const double[]){ a, b });
    add (new, "short", "op", i, (const double[]){ a * factor, b * factor });
  }
  for (guint i = 0; i < 19; i++) {
    g_autofree char *name = g_strdup_printf ("other %u", i);
    add (base, name, name, 0, (const double[]){ 40000, 40000 });
    add (new, name, name, 0, (const double[]){ 40000, 40000 });
  }
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  return line (c, "short")->result.verdict;
}

/* The error is 0.5 %, and t of 20 lines 3.5: 2.2 % would be told if two steps showed what rows of a
 * step have in common. */
static void
test_what_two_steps_hide (void)
{
  g_assert_cmpint (verdict_of_short_calls (1.022), ==, NP_DIFF_SAME);
  g_assert_cmpint (verdict_of_short_calls (1.03), ==, NP_DIFF_SLOWER);
}

/* The places vary by nothing in common, so their variances add up; and all move together. */
static void
test_larger_variance (void)
{
  g_autoptr (NpDiffSide) base = side_new (2), new = side_new (2);
  for (guint i = 0; i < 2; i++) {
    add (base, "apart", "op", i, i ? (const double[]){ 90, 110 } : (const double[]){ 110, 90 });
    add (base, "alike", "up", i, (const double[]){ 90, 110 });
  }
  for (guint i = 0; i < 2; i++) {
    add (new, "apart", "op", i, (const double[]){ 100, 100 });
    add (new, "alike", "up", i, (const double[]){ 100, 100 });
  }
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  /* between sums 0 and 800, of places 2 * 200 */
  g_assert_true (near (line (c, "apart")->result.error, sqrt (400 / 2.0) / 200, 1e-12));
  g_assert_true (near (line (c, "alike")->result.error, sqrt (800 / 2.0) / 200, 1e-12));
}

static void
test_borrowed (void)
{
  g_autoptr (NpDiffSide) base = side_new (3), new = side_new (1);
  add (base, "k", "op", 0, (const double[]){ 99, 100, 101 });
  add (new, "k", "op", 0, (const double[]){ 200 });
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  const NpDiffResult *r = &line (c, "k")->result;
  g_assert_true (
      near (r->error, sqrt (1 / 3.0 + 1) / 100, 1e-12)); /* 1 % of a step on both sides */
  g_assert_cmpint (r->verdict, ==, NP_DIFF_SLOWER);
}

static void
test_sides_alone (void)
{
  g_autoptr (NpDiffSide) base = side_new (2), new = side_new (2);
  add (base, "gone", "op", 0, (const double[]){ 10, 10 });
  add (base, "both", "op", 1, (const double[]){ 10, 10 });
  add (new, "both", "up", 0, (const double[]){ 10, 10 });
  add (new, "come", "up", 1, (const double[]){ 10, 10 });
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  g_assert_cmpint (line (c, "gone")->result.verdict, ==, NP_DIFF_REMOVED);
  g_assert_cmpint (line (c, "come")->result.verdict, ==, NP_DIFF_ADDED);
  g_assert_cmpint (line (c, "both")->result.verdict, ==, NP_DIFF_SAME);
  g_assert_cmpuint (np_diff_count_over (c, &limits), ==, 0);
}

static void
test_step (void)
{
  g_autoptr (NpDiffSide) base = side_new (3), new = side_new (3);
  add (base, "k", "op", 0, (const double[]){ 10, 10, 10 });
  add (new, "k", "op", 0, (const double[]){ 10, 10, 10 });
  add_windows (base, (const double[]){ 100, 101, 99 });
  add_windows (new, (const double[]){ 120, 121, 119 });
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  g_assert_true (c->has_step);
  g_assert_cmpint (c->step.verdict, ==, NP_DIFF_SLOWER);
  g_assert_true (near (c->parts[1][NP_PART_COMPUTE] - c->parts[0][NP_PART_COMPUTE], 20, 1e-9));
  g_assert_cmpuint (np_diff_count_over (c, &limits), ==, 1);
  const NpDiffLimits wide = { 0.25, NP_DIFF_FLOOR, 1 };
  g_assert_cmpuint (np_diff_count_over (c, &wide), ==, 0);
}

/* A threshold below 2 % is the floor as well. */
static void
test_floor (void)
{
  g_autoptr (NpDiffSide) base = side_new (3), new = side_new (3);
  add (base, "k", "op", 0, (const double[]){ 1000, 1000.1, 999.9 });
  add (new, "k", "op", 0, (const double[]){ 1015, 1015.1, 1014.9 });
  g_autoptr (NpDiffComparison) usual = np_diff_compare (base, new, &limits);
  g_assert_cmpint (line (usual, "k")->result.verdict, ==, NP_DIFF_SAME);
  const NpDiffLimits fine = { 0.01, 0.01, 1 };
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &fine);
  g_assert_cmpint (line (c, "k")->result.verdict, ==, NP_DIFF_SLOWER);
}

/* -- Blocks of steps ---------------------------------------------------------------------- */

/* 600 steps in blocks of 4: variance of one step is that of block sums / 4; the last block, of 2,
 * is left out. */
static void
test_blocks (void)
{
  g_autoptr (NpDiffSide) base = np_diff_side_new ("GPU 0", names), new = side_new (2);
  base->by = g_intern_string ("launch");
  base->samples = 10;
  NpDiffSeries *series = np_diff_series (base, "k", "op", NULL, TRUE);
  static const guint widths[] = { 4, 4, 2 };
  static const double sums[] = { 400, 440, 210 };
  const NpDiffPlace place = { .mean = 105, .variance = 1, .calls = 1 };
  g_array_append_vals (base->blocks, widths, 3);
  g_array_append_vals (series->sums, sums, 3);
  g_array_append_val (series->places, place);
  add (new, "k", "op", 0, (const double[]){ 105, 105 });
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  g_assert_true (near (line (c, "k")->result.error, sqrt (800 / 4.0 / 10) / 105, 1e-12));
}

/* -- Runs ------------------------------------------------------------------------------------ */

static void
test_runs (void)
{
  NpDiffSide *runs[] = { side_new (2), side_new (3), side_new (1) };
  add (runs[0], "k", "op", 0, (const double[]){ 8, 12 });
  add (runs[1], "k", "op", 0, (const double[]){ 11, 11, 14 });
  add (runs[2], "other", "op", 0, (const double[]){ 5 });
  g_autoptr (NpDiffSide) all = np_diff_side_of_runs (runs, 3);
  const NpDiffSeries *k = np_diff_series (all, "k", "op", NULL, FALSE);
  const NpDiffPlace *place = np_diff_place (k, 0);
  g_assert_cmpuint (all->samples, ==, 3);
  g_assert_true (near (place->mean, (10 + 12 + 0) / 3.0, 1e-12));
  g_assert_true (near (place->variance, (100 + 144 - 22 * 22 / 3.0) / 2, 1e-9));
  g_assert_true (near (g_array_index (k->sums, double, 1), 12, 1e-12));
  g_assert_true (near (g_array_index (k->sums, double, 2), 0, 0));
  for (guint i = 0; i < 3; i++)
    np_diff_side_free (runs[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  names = np_diff_names_new ();
  g_test_add_func ("/diff/student", test_student);
  g_test_add_func ("/diff/error", test_error);
  g_test_add_func ("/diff/larger-variance", test_larger_variance);
  g_test_add_func ("/diff/what-two-steps-hide", test_what_two_steps_hide);
  g_test_add_func ("/diff/borrowed", test_borrowed);
  g_test_add_func ("/diff/sides-alone", test_sides_alone);
  g_test_add_func ("/diff/step", test_step);
  g_test_add_func ("/diff/floor", test_floor);
  g_test_add_func ("/diff/blocks", test_blocks);
  g_test_add_func ("/diff/runs", test_runs);
  const int status = g_test_run ();
  g_hash_table_unref (names);
  return status;
}
