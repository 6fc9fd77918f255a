/* SPDX-License-Identifier: Apache-2.0 */
/* diff-judge.c - pairs operators by name and judges each pair. */

#include "cli/diff-judge.h"
#include "cli/diff-stats.h"

#include <math.h>
#include <string.h>

const char *
np_change_name (NpChange change)
{
  static const char *const names[]
      = { "slower", "faster", "same", "inconclusive", "added", "removed" };
  return names[change];
}

static gint64 *
sorted (const NpOperator *op)
{
  gint64 *values = (gint64 *) (void *) op->durations->data;
  np_sort_values (values, op->durations->len);
  return values;
}

static NpChange
judge_pair (NpDifference *d, const gint64 *base, guint n_base, const gint64 *new, guint n_new)
{
  double away = d->new_median - d->base_median;
  d->change = d->base_median > 0 ? away / d->base_median : away == 0 ? 0 : NAN;
  if (n_base < NP_DIFF_LEAST || n_new < NP_DIFF_LEAST)
    return NP_INCONCLUSIVE;
  d->p = np_mann_whitney (base, n_base, new, n_new);
  double least
      = fmax (NP_DIFF_SHARE * d->base_median, NP_DIFF_MADS * np_mad (base, n_base, d->base_median));
  if (d->p >= NP_DIFF_P || fabs (away) <= least)
    return NP_SAME;
  return away > 0 ? NP_SLOWER : NP_FASTER;
}

static NpDifference
judge (const NpOperator *base, const NpOperator *new)
{
  NpDifference d = { .name = base ? base->name : new->name,
                     .base = base,
                     .new = new,
                     .base_median = NAN,
                     .new_median = NAN,
                     .change = NAN,
                     .p = NAN,
                     .verdict = base ? NP_REMOVED : NP_ADDED };
  const gint64 *of_base = base ? sorted (base) : NULL, *of_new = new ? sorted (new) : NULL;
  if (base)
    d.base_median = np_median (of_base, base->durations->len);
  if (new)
    d.new_median = np_median (of_new, new->durations->len);
  if (base && new)
    d.verdict = judge_pair (&d, of_base, base->durations->len, of_new, new->durations->len);
  return d;
}

static gint64
change_of_self (const NpDifference *d)
{
  return (d->new ? d->new->self : 0) - (d->base ? d->base->self : 0);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const NpDifference *x = a, *y = b;
  gint64 of_x = ABS (change_of_self (x)), of_y = ABS (change_of_self (y));
  return of_x != of_y ? (of_x < of_y ? 1 : -1) : strcmp (x->name, y->name);
}

GArray *
np_diff_judge (const NpSample *base, const NpSample *new)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (NpDifference));
  GHashTableIter iter;
  gpointer name, op;
  g_hash_table_iter_init (&iter, base->by_name);
  while (g_hash_table_iter_next (&iter, &name, &op)) {
    NpDifference d = judge (op, g_hash_table_lookup (new->by_name, name));
    g_array_append_val (all, d);
  }
  g_hash_table_iter_init (&iter, new->by_name);
  while (g_hash_table_iter_next (&iter, &name, &op))
    if (!g_hash_table_contains (base->by_name, name)) {
      NpDifference d = judge (NULL, op);
      g_array_append_val (all, d);
    }
  g_array_sort (all, compare);
  return all;
}

gboolean
np_diff_fails (const NpDifference *d, double limit)
{
  if (d->verdict == NP_SAME || d->verdict == NP_FASTER)
    return FALSE;
  return d->verdict != NP_SLOWER || isnan (d->change) || d->change > limit;
}
