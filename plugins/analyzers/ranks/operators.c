/* SPDX-License-Identifier: Apache-2.0 */
/* operators.c - what operators take on the ranks of a role: each rank is one number, so percentiles
 * are exact, and ranks that differ from the others are told apart. */
#include "ranks.h"

#include "devicekit/cells.h"
#include "devicekit/nth-element.h"

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

/* By role, operator and rank, those that have calls in the window: ranks are gone through in their
 * order, so that each has its place at once. *ends: where the items of each role and operator end;
 * transfer full. */
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

/* Returns the total of a rank; one that no column holds counts as the longest that there is. */
static gint64
total_of (const RankOperator *o)
{
  return (gint64) MIN (o->total, (guint64) G_MAXINT64);
}

static struct nprof_maybe_int
whole_total (gint64 total)
{
  return nprof_int_if (total < G_MAXINT64, total);
}

/* Beyond 2 % of the median and five times what ranks usually differ by. `far` and `spare` have room
 * for n. */
static guint
count_outliers (const gint64 *totals, gint64 *far, gint64 *spare, guint n, gint64 median)
{
  const guint64 half = n / 2;
  for (guint i = 0; i < n; i++)
    far[i] = ABS (totals[i] - median);
  an_nth_elements (far, spare, n, &half, 1);
  const DistSum usual = (DistSum) far[half];
  guint found = 0;
  for (guint i = 0; i < n; i++)
    found += far[i] > median / 50 && (DistSum) far[i] > 5 * usual;
  return found;
}

/* Finds those of rank ceil (n x q) when they are sorted, in whole numbers: a double would lose ps
 * of totals above 2^53 of them. `spare` has room for n. */
static void
find_percentiles (gint64 *totals, gint64 *spare, guint n, gint64 found[PERCENTILES])
{
  static const guint mille[PERCENTILES] = { 500, 900, 990 };
  guint64 rank[PERCENTILES];
  for (guint i = 0; i < PERCENTILES; i++)
    rank[i] = ((guint64) n * mille[i] + 999) / 1000 - 1;
  an_nth_elements (totals, spare, n, rank, PERCENTILES);
  for (guint i = 0; i < PERCENTILES; i++)
    found[i] = totals[rank[i]];
}

static nprof_status
write_operator (Ranks *r, const Whole *w, nprof_str input, const Item *items, guint n)
{
  g_autofree gint64 *totals = g_new (gint64, 3 * (gsize) n);
  gint64 longest = -1, percentile[PERCENTILES];
  guint32 longest_rank = 0;
  guint64 count = 0;
  DistSum sum = 0;
  for (guint i = 0; i < n; i++) {
    const RankOperator *o = item_at (w, &items[i]);
    totals[i] = total_of (o);
    count += o->calls;
    sum += o->total;
    longest_rank = totals[i] > longest ? items[i].rank : longest_rank;
    longest = MAX (longest, totals[i]);
  }
  const guint32 *key = an_key_table_key (&w->job->operator_keys, item_at (w, items)->operator);
  g_autofree char *role = g_strdup_printf ("role %u", w->roles[items->rank]);
  find_percentiles (totals, totals + n, n, percentile);
  guint outliers = count_outliers (totals, totals + n, totals + 2 * (gsize) n, n, percentile[0]);
  const struct rank_operators_row row = {
    .role = nprof_any_str (nprof_intern (r->host, role)),
    .operator= nprof_any_str (key[0]),
    .category = nprof_some_str (key[1]),
    .ranks = nprof_some_int (n),
    .count = nprof_some_int ((gint64) count),
    .total = sum_if (true, sum),
    .p50 = whole_total (percentile[0]),
    .p90 = whole_total (percentile[1]),
    .p99 = whole_total (percentile[2]),
    .max = whole_total (longest),
    .max_rank = nprof_some_int (w->numbers[longest_rank]),
    .spread = nprof_int_if (longest < G_MAXINT64, longest - percentile[0]),
    .outliers = nprof_some_int (outliers),
    .method = nprof_some_text ("exact"),
  };
  return r->host->row (r->host, &rank_operators_table,
                       rank_operators_cells (nprof_cell_str (input), &row).cells);
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
