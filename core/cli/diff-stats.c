/* SPDX-License-Identifier: Apache-2.0 */
/* diff-stats.c - medians and Mann and Whitney's test.  source: Mann, Whitney 1947; the tie
 * correction as in Lehmann, Nonparametrics, 1.4. */

#include "cli/diff-stats.h"

#include <math.h>
#include <stdlib.h>

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

void
np_sort_values (gint64 *values, guint n)
{
  qsort (values, n, sizeof *values, compare);
}

double
np_median (const gint64 *sorted, guint n)
{
  return n % 2 ? (double) sorted[n / 2] : ((double) sorted[n / 2 - 1] + (double) sorted[n / 2]) / 2;
}

double
np_mad (const gint64 *sorted, guint n, double median)
{
  g_autofree gint64 *away = g_new (gint64, n);
  for (guint i = 0; i < n; i++)
    away[i] = llround (fabs ((double) sorted[i] - median));
  np_sort_values (away, n);
  return np_median (away, n);
}

/* -- Mann-Whitney -------------------------------------------------------------- */

typedef struct {
  double u;    /* pairs in which a's value is the larger, equal ones half */
  double ties; /* sum of t^3 - t over groups of t equal values            */
} Ranks;

/* One merge of both; the rank of equal values is the mean of theirs. */
static Ranks
rank (const gint64 *a, guint n_a, const gint64 *b, guint n_b)
{
  double rank_sum = 0, ties = 0;
  for (guint i = 0, j = 0; i < n_a || j < n_b;) {
    gint64 value = j == n_b || (i < n_a && a[i] <= b[j]) ? a[i] : b[j];
    guint before = i + j, of_a = 0;
    for (; i < n_a && a[i] == value; i++)
      of_a++;
    while (j < n_b && b[j] == value)
      j++;
    double t = i + j - before;
    rank_sum += of_a * (before + (t + 1) / 2);
    ties += t * t * t - t;
  }
  return (Ranks){ rank_sum - (double) n_a * (n_a + 1) / 2, ties };
}

/* How many of the ways to draw n_a of the ranks give each U: ways[u], by the recurrence of
 * Mann and Whitney, f(n, m, u) = f(n - 1, m, u - m) + f(n, m - 1, u). */
static double
exact_p (guint n_a, guint n_b, double u)
{
  guint most = n_a * n_b;
  double ways[NP_EXACT + 1][NP_EXACT * NP_EXACT + 1] = { { 0 } }; /* for the current m, by n */
  for (guint n = 0; n <= n_a; n++)
    ways[n][0] = 1;
  for (guint m = 1; m <= n_b; m++)
    for (guint n = 1; n <= n_a; n++)
      for (guint k = n * m; k >= m; k--)
        ways[n][k] += ways[n - 1][k - m];
  double low = 0, all = 0, least = fmin (u, most - u);
  for (guint k = 0; k <= most; k++) {
    all += ways[n_a][k];
    low += k <= least ? ways[n_a][k] : 0;
  }
  return fmin (1, 2 * low / all);
}

static double
normal_p (guint n_a, guint n_b, Ranks ranks)
{
  double n = (double) n_a + n_b, pairs = (double) n_a * n_b;
  double variance = pairs / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
  double away = fabs (ranks.u - pairs / 2) - 0.5;
  if (variance <= 0 || away <= 0)
    return 1;
  return erfc (away / sqrt (2 * variance));
}

double
np_mann_whitney (const gint64 *a, guint n_a, const gint64 *b, guint n_b)
{
  Ranks ranks = rank (a, n_a, b, n_b);
  if (ranks.ties == 0 && n_a <= NP_EXACT && n_b <= NP_EXACT)
    return exact_p (n_a, n_b, ranks.u);
  return normal_p (n_a, n_b, ranks);
}
