/* SPDX-License-Identifier: Apache-2.0 */
/* operators.c - what operators take on the ranks of a role: each rank is one number, so percentiles are
 * exact, and ranks that differ from the others are told apart. */
#include "ranks.h"

#include "devicekit/cells.h"

#include <math.h>

enum { PERCENTILES = 3 };

/* An item names one operator of one rank: there are as many as all ranks have operators. */
typedef struct {
  guint32 rank, number;
} Item;

static inline const RankOperator *
item_at (const Whole *w, const Item *item)
{
  return &g_array_index (job_rank (w->job, item->rank)->operators, RankOperator, item->number);
}

/* By role, operator and rank, those that have calls in the window: ranks are gone through in their order, so that each has its place at once.  *ends:
 * where the items of each role and operator end; transfer full. */
static GArray *
gather (const Whole *w, const guint32 *places, guint **ends)
{
  guint n_operators = w->job->operator_keys.n, n = 0;
  guint *at = *ends = g_new0 (guint, (gsize) w->n_roles * n_operators + 1);
  for (guint i = 0; i < w->job->ranks->len; i++) {
    const GArray *all = job_rank (w->job, i)->operators;
    for (guint k = 0; k < all->len; k++) {
      const RankOperator *o = &g_array_index (all, RankOperator, k);
      at[(gsize) w->roles[i] * n_operators + places[o->operator]] += o->calls > 0;
      n += o->calls > 0;
    }
  }
  GArray *items = g_array_sized_new (FALSE, FALSE, sizeof (Item), n);
  g_array_set_size (items, n);
  for (gsize i = 0, next = 0; i < (gsize) w->n_roles * n_operators; i++) {
    guint count = at[i];
    at[i] = (guint) next;
    next += count;
  }
  for (guint i = 0; i < w->job->ranks->len; i++) {
    guint32 rank = w->ranks[i];
    const GArray *all = job_rank (w->job, rank)->operators;
    for (guint k = 0; k < all->len; k++) {
      const RankOperator *o = &g_array_index (all, RankOperator, k);
      gsize bucket = (gsize) w->roles[rank] * n_operators + places[o->operator];
      if (o->calls)
        g_array_index (items, Item, at[bucket]++) = (Item){ rank, k };
    }
  }
  return items;
}

/* Beyond 2 % of the median and five times what ranks usually differ by. */
static guint
count_outliers (const double *totals, guint n, double median)
{
  g_autofree double *far = g_new (double, n);
  for (guint i = 0; i < n; i++)
    far[i] = fabs (totals[i] - median);
  double limit = MAX (0.02 * median, 5 * quantile_of (far, n, 500));
  guint found = 0;
  for (guint i = 0; i < n; i++)
    found += fabs (totals[i] - median) > limit;
  return found;
}

/* Finds those of rank ceil (n x q) when they are sorted.  Behind one that was found lie only such as are no
 * less, among which the next one is looked for. */
static void
find_percentiles (double *totals, guint n, double found[PERCENTILES])
{
  static const guint mille[PERCENTILES] = { 500, 900, 990 };
  guint from = 0;
  for (guint i = 0; i < PERCENTILES; i++) {
    guint at = (guint) (((guint64) n * mille[i] + 999) / 1000 - 1);
    found[i] = nth_of (totals + from, n - from, at - from);
    from = at;
  }
}

static nprof_status
write_operator (Ranks *r, const Whole *w, nprof_str input, const Item *items, guint n)
{
  g_autofree double *totals = g_new (double, n);
  double longest = -1;
  guint32 longest_rank = 0;
  guint64 count = 0;
  DistSum sum = 0;
  for (guint i = 0; i < n; i++) {
    const RankOperator *o = item_at (w, &items[i]);
    totals[i] = (double) o->total;
    count += o->calls;
    sum += o->total;
    longest_rank = totals[i] > longest ? items[i].rank : longest_rank;
    longest = MAX (longest, totals[i]);
  }
  const guint32 *key = an_key_table_key (&w->job->operator_keys, item_at (w, items)->operator);
  g_autofree char *role = g_strdup_printf ("role %u", w->roles[items->rank]);
  double percentile[PERCENTILES];
  find_percentiles (totals, n, percentile);
  const struct nprof_cell cells[] = {
    nprof_cell_str (input),
    nprof_cell_str (nprof_intern (r->host, role)),
    nprof_cell_str (key[0]),
    an_str_cell (key[1]),
    nprof_cell_int (n),
    nprof_cell_int ((gint64) count),
    sum_cell (sum),
    ps_cell (percentile[0]),
    ps_cell (percentile[1]),
    ps_cell (percentile[2]),
    ps_cell (longest),
    nprof_cell_int (w->numbers[longest_rank]),
    ps_cell (longest - percentile[0]),
    nprof_cell_int (count_outliers (totals, n, percentile[0])),
    nprof_cell_text ("exact"),
  };
  return r->host->row (r->host, &rank_operators_table, cells);
}

nprof_status
write_operators (Ranks *r, const Whole *w, nprof_str input)
{
  guint n_operators = w->job->operator_keys.n;
  g_autofree guint32 *sorted = job_sorted (w->job, n_operators, job_compare_operators),
                     *places = job_places (sorted, n_operators);
  g_autofree guint *ends = NULL;
  g_autoptr (GArray) items = gather (w, places, &ends);
  nprof_status status = r->host->table (r->host, &rank_operators_table);
  guint from = 0;
  for (gsize i = 0; i < (gsize) w->n_roles * n_operators && !status; i++) {
    if (ends[i] > from)
      status = write_operator (r, w, input, &g_array_index (items, Item, from), ends[i] - from);
    from = ends[i];
  }
  return status;
}
