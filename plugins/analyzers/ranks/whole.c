/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c - the job once all its ranks are together: their order, and what is looked at in which
 * turn. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>

static void
culprit_clear (gpointer data)
{
  g_hash_table_unref (((Culprit *) data)->steps);
  g_hash_table_unref (((Culprit *) data)->groups);
}

/* Ranks that nobody numbered follow the others, by host and device. */
static void
number_ranks (Whole *w)
{
  guint n = w->job->ranks->len;
  gint64 next = 0;
  w->numbers = g_new (gint64, n + 1);
  for (guint i = 0; i < n; i++) {
    const Rank *rank = job_rank (w->job, w->ranks[i]);
    gint64 number = rank->number == NO_RANK ? next : rank->number;
    w->numbers[w->ranks[i]] = number;
    next = MAX (next, number + 1);
  }
}

static void
find_epoch (Whole *w)
{
  w->epoch = G_MAXINT64;
  for (guint i = 0; i < w->job->ranks->len; i++) {
    gint64 origin = job_rank (w->job, i)->origin;
    if (origin != NPROF_NO_EPOCH)
      w->epoch = MIN (w->epoch, origin);
  }
  if (w->epoch == G_MAXINT64)
    w->epoch = 0;
}

double
since_epoch (const Whole *w, guint32 rank, gint64 at)
{
  gint64 origin = job_rank (w->job, rank)->origin;
  double offset = origin == NPROF_NO_EPOCH ? 0 : (double) (((__int128) origin - w->epoch) * 1000);
  return offset + (double) at;
}

Whole *
whole_new (const Job *job, const struct nprof_window *clip)
{
  Whole *w = g_new0 (Whole, 1);
  w->job = job;
  w->clip = *clip;
  w->ranks = job_sorted (job, job->ranks->len, job_compare_ranks);
  w->rank_place = job_places (w->ranks, job->ranks->len);
  w->calls = job_sorted (job, job->calls->len, job_compare_calls);
  w->call_place = job_places (w->calls, job->calls->len);
  w->groups = g_new0 (GroupSum, job->group_keys.n + 1);
  w->verdicts = g_new0 (Verdict, job->calls->len + 1);
  w->clocks = g_array_new (FALSE, TRUE, sizeof (Clock));
  w->culprits = g_array_new (FALSE, TRUE, sizeof (Culprit));
  g_array_set_clear_func (w->culprits, culprit_clear);
  an_key_table_init (&w->kinds, 3);
  number_ranks (w);
  find_epoch (w);
  find_step_time (w);
  match_calls (w);
  find_clocks (w);
  find_last (w);
  find_causes (w);
  find_roles (w);
  find_gains (w);
  find_waited (w);
  return w;
}

void
whole_free (Whole *w)
{
  g_free (w->ranks);
  g_free (w->rank_place);
  g_free (w->calls);
  g_free (w->call_place);
  g_free (w->numbers);
  g_free (w->newest);
  g_free (w->started);
  g_free (w->end_spread);
  g_free (w->kind);
  g_free (w->usual);
  g_free (w->usual_more);
  g_free (w->groups);
  g_free (w->verdicts);
  g_free (w->roles);
  g_free (w->representative);
  g_free (w->gains.of_rank);
  g_free (w->waits.of_rank);
  g_free (w->waits.last);
  g_array_unref (w->clocks);
  g_array_unref (w->culprits);
  an_key_table_clear (&w->kinds);
  g_free (w);
}

/* Puts the one there that would be there if all were sorted: Hoare's selection, with the middle of
 * three to part by. */
static void
select_nth (double *v, guint n, guint wanted)
{
  guint low = 0, high = n - 1;
  while (low < high) {
    double a = v[low], b = v[low + (high - low) / 2], c = v[high];
    double part = MAX (MIN (a, b), MIN (MAX (a, b), c));
    guint i = low, k = high;
    for (;;) {
      while (v[i] < part)
        i++;
      while (v[k] > part)
        k--;
      if (i >= k)
        break;
      double swapped = v[i];
      v[i++] = v[k];
      v[k--] = swapped;
    }
    guint end = v[k] <= part ? k : k - 1;
    if (wanted <= end)
      high = MIN (end, high - 1);
    else
      low = end + 1;
  }
}

static int
compare_doubles (gconstpointer pa, gconstpointer pb)
{
  double a = *(const double *) pa, b = *(const double *) pb;
  return a < b ? -1 : a > b;
}

void
sort_doubles (double *values, guint n)
{
  qsort (values, n, sizeof *values, compare_doubles);
}

double
quantile_of (double *values, guint n, guint mille)
{
  if (!n)
    return NAN;
  return nth_of (values, n, MIN (n - 1, (guint) ((guint64) n * mille / 1000)));
}

double
nth_of (double *values, guint n, guint nth)
{
  select_nth (values, n, nth);
  return values[nth];
}
