/* SPDX-License-Identifier: Apache-2.0 */
/* test-device-parts.c - bins against spreading each amount ps by ps, and totals against the
 * definition of each. */
#include "bins.h"
#include "totals.h"

#include <math.h>

#define WIDTH 7
#define BINS 9
#define FIRST 100
#define MOST 40

static void
row_columns (double *sums, guint n, gint64 start, gint64 end, double amount)
{
  for (gint64 t = start; t < end; t++)
    sums[MIN ((t - FIRST) / WIDTH, (gint64) n - 1)] += amount / (double) (end - start);
}

/* The last bin holds what lies beyond it. */
static void
one_case (guint n)
{
  DvBins bins = { 0 };
  double expected[BINS] = { 0 };
  dv_bins_init (&bins, FIRST, WIDTH, n);
  int adds = g_test_rand_int_range (1, MOST);
  for (int k = 0; k < adds; k++) {
    gint64 start = FIRST + g_test_rand_int_range (0, (gint32) n * WIDTH);
    gint64 end = MIN (start + g_test_rand_int_range (0, 3 * WIDTH), FIRST + (gint64) n * WIDTH);
    double amount = g_test_rand_double_range (0, 10);
    dv_bins_add (&bins, start, end, amount);
    row_columns (expected, n, start, end, amount);
  }
  g_autofree double *found = dv_bins_sums (&bins);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (found ? found[i] : 0, expected[i], 1e-9);
  dv_bins_clear (&bins);
}

static void
test_bins (void)
{
  for (int i = 0; i < 5000; i++)
    one_case ((guint) g_test_rand_int_range (1, BINS + 1));
}

/* Intervals that begin before the first or end behind the last are clamped. */
static void
test_clamped (void)
{
  DvBins bins = { 0 };
  dv_bins_init (&bins, FIRST, WIDTH, 2);
  for (int k = 0; k < 2; k++) {
    dv_bins_add (&bins, FIRST - 5, FIRST - 2, 1);
    dv_bins_add (&bins, FIRST + 2 * WIDTH + 3, FIRST + 2 * WIDTH + 5, 10);
    dv_bins_add (&bins, FIRST + WIDTH - 1, FIRST + WIDTH + 1, 100);
    dv_bins_add (&bins, FIRST, FIRST, 1000); /* takes no time */
  }
  g_autofree double *found = dv_bins_sums (&bins);
  g_assert_cmpfloat (found[0], ==, 2 * (1 + 50));
  g_assert_cmpfloat (found[1], ==, 2 * (10 + 50));
  dv_bins_clear (&bins);
}

static AnActive
make (void)
{
  AnActive a = { 0 };
  for (int c = 0; c < AN_N_CLASSES; c++) {
    a.work[c] = (guint32) g_test_rand_int_range (0, 3);
    a.linked[c] = a.work[c] / 2;
    a.apart[c] = (guint32) g_test_rand_int_range (0, 2);
    a.any_work |= (guint32) (a.work[c] > 0) << c;
    a.any_linked |= (guint32) (a.linked[c] > 0) << c;
    a.any_apart |= (guint32) (a.apart[c] > 0) << c;
  }
  return a;
}

static void
add_plainly (DvTotals *t, gint64 d, const guint32 *work, const guint32 *apart)
{
  gboolean now[AN_N_CLASSES], busy = FALSE;
  for (int c = 0; c < AN_N_CLASSES; c++) {
    now[c] = work[c] || (apart && apart[c]);
    busy |= work[c] > 0;
    t->of[c] += now[c] ? d : 0;
  }
  gboolean data = now[AN_COMMUNICATION] || now[AN_MEMORY];
  t->busy += busy ? d : 0;
  t->exposed += data && !now[AN_COMPUTE] ? d : 0;
  t->overlap += data && now[AN_COMPUTE] ? d : 0;
  t->exposed_communication += now[AN_COMMUNICATION] && !now[AN_COMPUTE] ? d : 0;
  t->exposed_copy += now[AN_MEMORY] && !now[AN_COMPUTE] && !now[AN_COMMUNICATION] ? d : 0;
}

static void
test_totals (void)
{
  DvMoments all = { 0 }, linked = { 0 };
  DvTotals expected = { 0 }, expected_linked = { 0 };
  for (int i = 0; i < 10000; i++) {
    AnActive a = make ();
    gint64 d = g_test_rand_int_range (1, 1000);
    dv_moments_add (&all, d, &a);
    dv_moments_add_linked (&linked, d, &a);
    add_plainly (&expected, d, a.work, a.apart);
    add_plainly (&expected_linked, d, a.linked, NULL);
  }
  DvTotals found = dv_moments_sum (&all), found_linked = dv_moments_sum (&linked);
  g_assert_cmpmem (&found, sizeof found, &expected, sizeof expected);
  g_assert_cmpmem (&found_linked, sizeof found_linked, &expected_linked, sizeof expected_linked);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device-parts/bins", test_bins);
  g_test_add_func ("/device-parts/clamped", test_clamped);
  g_test_add_func ("/device-parts/totals", test_totals);
  return g_test_run ();
}
