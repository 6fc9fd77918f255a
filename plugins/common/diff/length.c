/* SPDX-License-Identifier: Apache-2.0 */
/* length.c - whether one recording is longer than the other. A recording that ends earlier has
 * fewer calls of nearly all that it has; a program that was changed calls a few operators more or
 * less often, others are new or gone, and the rest is called as often as before. */

#include "diff/length.h"
#include "diff/rule.h"

#include <math.h>

#define LEAST_OPERATORS 3u /* of fewer it is unknown what most of them do          */
#define MOST 0.75          /* of the operators                                      */
#define SHARED 0.5         /* of them are on both sides, or these are two programs  */
#define APART 2.0          /* what the end of a recording may leave of one, not all */
#define LEAST 0.02         /* the sums differ by no more than what is told anyway   */

typedef struct {
  double base, new;
} Calls;

static double
calls_of (const NpDiffSeries *series)
{
  double calls = 0;
  for (guint p = 0; series && p < series->places->len; p++)
    calls += g_array_index (series->places, NpDiffPlace, p).calls;
  return calls;
}

/* Returns Calls by operator; work under none counts by its kernel.  Transfer full. */
static GHashTable *
calls_by_operator (const GArray *pairs)
{
  GHashTable *all = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < pairs->len; i++) {
    const NpDiffPair *pair = &g_array_index (pairs, NpDiffPair, i);
    const NpDiffSeries *s = pair->base ? pair->base : pair->new;
    gpointer key = (gpointer) (s->operator? s->operator: s->kernel);
    Calls *calls = g_hash_table_lookup (all, key);
    if (!calls)
      g_hash_table_insert (all, key, calls = g_new0 (Calls, 1));
    calls->base += calls_of (pair->base);
    calls->new += calls_of (pair->new);
  }
  return all;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Returns ln (new / base) of the calls of each operator that both have, sorted; transfer full.  n:
 * how many operators any of them has. */
static GArray *
ratios_of (const GArray *pairs, guint *n)
{
  GArray *ratios = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GHashTable) all = calls_by_operator (pairs);
  GHashTableIter iter;
  gpointer value;
  *n = g_hash_table_size (all);
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Calls *calls = value;
    double ratio = log (calls->new / calls->base);
    if (calls->base > 0 && calls->new > 0)
      g_array_append_val (ratios, ratio);
  }
  g_array_sort (ratios, compare_doubles);
  return ratios;
}

gboolean
np_diff_is_of_other_length (const GArray *pairs)
{
  guint n, alike = 0;
  g_autoptr (GArray) ratios = ratios_of (pairs, &n);
  if (ratios->len < LEAST_OPERATORS || ratios->len < SHARED * n)
    return FALSE;
  double middle = g_array_index (ratios, double, ratios->len / 2);
  for (guint i = 0; i < ratios->len; i++) {
    double ratio = g_array_index (ratios, double, i);
    alike
        += ratio != 0 && (ratio > 0) == (middle > 0) && fabs (ratio - middle) <= log (APART) + 1e-9;
  }
  return fabs (middle) > log1p (LEAST) && alike >= MOST * ratios->len;
}
