/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - who was waited for, by durations alone: where all must come, whoever comes last has the
 * shortest one, and what the others have more they waited.  No clocks are needed. */
#include "ranks.h"

#include <stdlib.h>

#define LEAST_WAIT (50 * G_GINT64_CONSTANT (1000000)) /* ps */
#define MOST_STRAGGLERS 3u

static bool
is_waited_in (const Call *call)
{
  return call->longest > 2 * (DistSum) call->shortest[0]
         && call->longest - call->shortest[0] > LEAST_WAIT;
}

static int
by_cost (gconstpointer pa, gconstpointer pb)
{
  const DistSum *a = pa, *b = pb;
  return *a > *b ? -1 : *a < *b;
}

/* A tenth of the steps is waited; the fewest ranks that half of it was for are one to three, and
 * not all but one. */
static const char *
code_of (const Waits *waits, guint n, double step_time)
{
  g_autofree DistSum *costs = g_memdup2 (waits->of_rank, n * sizeof *costs);
  DistSum sum = 0;
  guint few = 0;
  if (waits->all <= 0 || 10 * (double) waits->all < n * step_time)
    return NULL;
  qsort (costs, n, sizeof *costs, by_cost);
  while (few < n && 2 * sum < waits->all)
    sum += costs[few++];
  return few <= MOST_STRAGGLERS && few < MAX (2, n - 1) ? "straggler" : "imbalance";
}

void
find_waited (Whole *w)
{
  Waits *waits = &w->waits;
  const guint n = w->job->ranks->len;
  waits->of_rank = g_new0 (DistSum, n + 1);
  waits->last = g_new0 (guint64, n + 1);
  for (guint i = 0; i < w->job->calls->len; i++) {
    const Call *call = job_call (w->job, i);
    if (!w->verdicts[i].complete || !call_counts (w, i))
      continue;
    waits->collectives++;
    if (!w->verdicts[i].barrier || !is_waited_in (call))
      continue;
    const DistSum cost = call->total - call->n * (DistSum) call->shortest[0];
    waits->told++;
    waits->last[call->first[0]]++;
    waits->of_rank[call->first[0]] += cost;
    waits->all += cost;
  }
  waits->code = code_of (waits, n, w->step_time);
}
