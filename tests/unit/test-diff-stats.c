/* SPDX-License-Identifier: Apache-2.0 */
/* test-diff-stats.c - Mann and Whitney's p against counting every arrangement, and against
 * published and hand-worked figures. */

#include "cli/diff-stats.h"

#include <math.h>

/* All ways to give n_a of the n values to a, by the bits of a mask: how many are at least as far
 * from the middle as what was seen. */
static double
p_by_counting (const gint64 *a, guint n_a, const gint64 *b, guint n_b)
{
  guint n = n_a + n_b, extreme = 0, all = 0;
  gint64 value[16];
  for (guint i = 0; i < n; i++)
    value[i] = i < n_a ? a[i] : b[i - n_a];
  double seen = 0;
  for (guint pass = 0; pass < 2; pass++)
    for (guint mask = 0; mask < 1u << n; mask++) {
      if ((guint) __builtin_popcount (mask) != n_a || (pass == 0 && mask != (1u << n_a) - 1))
        continue;
      double u = 0;
      for (guint i = 0; i < n; i++)
        for (guint j = 0; j < n; j++)
          if ((mask >> i & 1) && !(mask >> j & 1))
            u += value[i] > value[j] ? 1 : value[i] == value[j] ? 0.5 : 0;
      double away = fabs (u - n_a * n_b / 2.0);
      if (pass == 0)
        seen = away;
      else {
        all++;
        extreme += away >= seen - 1e-9;
      }
    }
  return (double) extreme / all;
}

static void
fill (GRand *dice, gint64 *values, guint n, gint64 shift)
{
  for (guint i = 0; i < n; i++) /* no two alike, with high probability: checked by the caller */
    values[i] = shift + g_rand_int_range (dice, 0, 1000000);
  np_sort_values (values, n);
}

static void
test_exact (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  for (guint round = 0; round < 200; round++) {
    gint64 a[6], b[6];
    guint n_a = (guint) g_rand_int_range (dice, 1, 7), n_b = (guint) g_rand_int_range (dice, 1, 7);
    fill (dice, a, n_a, 0);
    fill (dice, b, n_b, g_rand_int_range (dice, 0, 1000000));
    double p = np_mann_whitney (a, n_a, b, n_b);
    g_assert_cmpfloat_with_epsilon (p, p_by_counting (a, n_a, b, n_b), 1e-12);
    g_assert_cmpfloat_with_epsilon (p, np_mann_whitney (b, n_b, a, n_a), 1e-12);
  }
}

/* 5 against 5, all apart: 2 of 252 arrangements. */
static void
test_least (void)
{
  const gint64 a[] = { 1, 2, 3, 4, 5 }, b[] = { 6, 7, 8, 9, 10 };
  g_assert_cmpfloat_with_epsilon (np_mann_whitney (a, 5, b, 5), 2.0 / 252, 1e-15);
  g_assert_cmpfloat (np_mann_whitney (a, 5, a, 5), >, 0.99);
}

/* With many values, and with ties, it is the normal approximation: u and its variance by hand. */
static void
test_normal (void)
{
  const gint64 a[] = { 1, 2, 2, 3 }, b[] = { 2, 3, 4 };
  /* u of a: (3 > 2) + half of 2 = 2, 2 = 2, 3 = 3: 1 + 0.5 + 0.5 + 0.5; ties 3 of 2, 2 of 3 */
  double u = 2.5, variance = 12 / 12.0 * (8 - (24 + 6) / 42.0);
  double expected = erfc ((fabs (u - 6) - 0.5) / sqrt (2 * variance));
  g_assert_cmpfloat_with_epsilon (np_mann_whitney (a, 4, b, 3), expected, 1e-12);

  gint64 many[4000], more[4000];
  for (guint i = 0; i < 4000; i++) {
    many[i] = i;
    more[i] = i + 400;
  }
  g_assert_cmpfloat (np_mann_whitney (many, 4000, more, 4000), <, 1e-10);
  g_assert_cmpfloat (np_mann_whitney (many, 4000, many, 4000), >, 0.99);
  for (guint i = 0; i < 4000; i++)
    many[i] = more[i] = 5;
  g_assert_cmpfloat (np_mann_whitney (many, 4000, more, 4000), ==, 1);
}

static void
test_medians (void)
{
  gint64 odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 };
  np_sort_values (odd, 3);
  np_sort_values (even, 4);
  g_assert_cmpfloat (np_median (odd, 3), ==, 5);
  g_assert_cmpfloat (np_median (even, 4), ==, 2.5);
  g_assert_cmpfloat (np_mad (odd, 3, 5), ==, 4);
  const gint64 one[] = { G_MAXINT64 };
  g_assert_cmpfloat (np_median (one, 1), ==, (double) G_MAXINT64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diff-stats/exact", test_exact);
  g_test_add_func ("/diff-stats/least", test_least);
  g_test_add_func ("/diff-stats/normal", test_normal);
  g_test_add_func ("/diff-stats/medians", test_medians);
  return g_test_run ();
}
