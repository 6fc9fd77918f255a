/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - steps over ranks: how long they are, and how far apart ranks begin and end them. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>

static bool
touches (const Whole *w, const RankStep *s)
{
  return nprof_touches (&w->clip, s->start, s->end);
}

static double
median_step (const Rank *rank)
{
  g_autofree double *all = g_new (double, rank->steps->len + 1);
  for (guint i = 0; i < rank->steps->len; i++) {
    const RankStep *s = &g_array_index (rank->steps, RankStep, i);
    all[i] = (double) (s->end - s->start);
  }
  return quantile_of (all, rank->steps->len, 500);
}

/* Few steps of a window are whole: their parts are summed. */
static double
time_of_steps (const Whole *w, const Rank *rank, double median)
{
  DistSum inside = 0;
  for (guint i = 0; i < rank->steps->len; i++) {
    const RankStep *s = &g_array_index (rank->steps, RankStep, i);
    inside += nprof_inside (&w->clip, s->start, s->end - s->start);
  }
  return w->clip.cuts ? (double) inside : median * rank->steps->len;
}

/* A capture without steps is one. */
void
find_step_time (Whole *w)
{
  guint n = w->job->ranks->len, stepped = 0;
  g_autofree double *time = g_new (double, n + 1), *one = g_new (double, n + 1),
                    *span = g_new (double, n + 1);
  for (guint i = 0; i < n; i++) {
    const Rank *rank = job_rank (w->job, i);
    span[i] = (double) rank->span;
    if (!rank->steps->len)
      continue;
    one[stepped] = median_step (rank);
    time[stepped] = time_of_steps (w, rank, one[stepped]);
    stepped++;
  }
  if (!n)
    return;
  w->one_step = stepped ? quantile_of (one, stepped, 500) : quantile_of (span, n, 500);
  w->step_time = stepped ? quantile_of (time, stepped, 500) : w->one_step;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* One step of one rank, by the common clock. */
typedef struct {
  guint32 rank;
  const RankStep *step;
  double start, end; /* ps since the epoch */
} Place;

static int
by_step (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const Place *a = pa, *b = pb;
  const Whole *w = user;
  if (a->step->number != b->step->number)
    return a->step->number < b->step->number ? -1 : 1;
  return w->rank_place[a->rank] < w->rank_place[b->rank] ? -1 : 1;
}

static GArray *
places (const Whole *w)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Place));
  for (guint i = 0; i < w->job->ranks->len; i++) {
    guint32 number = w->ranks[i];
    const Rank *rank = job_rank (w->job, number);
    for (guint k = 0; k < rank->steps->len; k++) {
      const RankStep *s = &g_array_index (rank->steps, RankStep, k);
      const Place p = { number, s, aligned (w, number, s->start), aligned (w, number, s->end) };
      g_array_append_val (all, p);
    }
  }
  return all;
}

static double
first_start (const GArray *all)
{
  double first = INFINITY;
  for (guint i = 0; i < all->len; i++)
    first = MIN (first, g_array_index (all, Place, i).start);
  return first;
}

static nprof_status
write_rank_steps (Ranks *r, const Whole *w, nprof_str input, const GArray *all)
{
  nprof_status status = r->host->table (r->host, &rank_steps_table);
  double first = first_start (all);
  for (guint i = 0; i < all->len && !status; i++) {
    const Place *p = &g_array_index (all, Place, i);
    gint64 start = nprof_cut (&w->clip, p->step->start), end = nprof_cut (&w->clip, p->step->end);
    if (!touches (w, p->step))
      continue;
    const struct rank_steps_row row = {
      .rank = nprof_some_int (w->numbers[p->rank]),
      .step = nprof_some_int (p->step->number),
      .start = nprof_some_int ((gint64) llround (aligned (w, p->rank, start) - first)),
      .duration = nprof_some_int (end - start),
      .compute = nprof_some_int (p->step->compute),
      .exposed = nprof_some_int (p->step->exposed),
      .copy = nprof_some_int (p->step->copy),
      .idle = nprof_some_int (p->step->idle),
    };
    status = r->host->row (r->host, &rank_steps_table,
                           rank_steps_cells (nprof_cell_str (input), &row).cells);
  }
  return status;
}

/* Begins and ends by clocks that nothing joins say nothing of skew. */
static bool
one_component (const Whole *w, const GArray *all, guint from, guint to)
{
  guint component = clock_of (w, g_array_index (all, Place, from).rank)->component;
  guint32 clock = job_rank (w->job, g_array_index (all, Place, from).rank)->clock;
  for (guint i = from + 1; i < to; i++) {
    guint32 other = g_array_index (all, Place, i).rank;
    if (clock_of (w, other)->component != component
        || (!component && job_rank (w->job, other)->clock != clock))
      return false;
  }
  return true;
}

static nprof_status
write_skew (Ranks *r, const Whole *w, nprof_str input, const GArray *all, guint from, guint to)
{
  double start[2] = { INFINITY, -INFINITY }, end[2] = { INFINITY, -INFINITY };
  g_autofree double *length = g_new (double, to - from);
  const Place *slowest = &g_array_index (all, Place, from);
  for (guint i = from; i < to; i++) {
    const Place *p = &g_array_index (all, Place, i);
    start[0] = MIN (start[0], p->start);
    start[1] = MAX (start[1], p->start);
    end[0] = MIN (end[0], p->end);
    end[1] = MAX (end[1], p->end);
    length[i - from] = (double) (p->step->end - p->step->start);
    if (p->step->end - p->step->start > slowest->step->end - slowest->step->start)
      slowest = p;
  }
  bool told = one_component (w, all, from, to);
  const struct step_skew_row row = {
    .step = nprof_some_int (slowest->step->number),
    .ranks = nprof_some_int (to - from),
    .begin_skew = nprof_int_if (told, told ? llround (start[1] - start[0]) : 0),
    .end_skew = nprof_int_if (told, told ? llround (end[1] - end[0]) : 0),
    .slowest = nprof_some_int (w->numbers[slowest->rank]),
    .longest = nprof_some_int (slowest->step->end - slowest->step->start),
    .median = whole_ps (quantile_of (length, to - from, 500)),
  };
  return r->host->row (r->host, &step_skew_table,
                       step_skew_cells (nprof_cell_str (input), &row).cells);
}

static bool
any_touches (const Whole *w, const GArray *all, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    if (touches (w, g_array_index (all, Place, i).step))
      return true;
  return false;
}

nprof_status
write_steps (Ranks *r, const Whole *w, nprof_str input)
{
  g_autoptr (GArray) all = places (w);
  nprof_status status = write_rank_steps (r, w, input, all);
  g_array_sort_with_data (all, by_step, (gpointer) w);
  if (!status)
    status = r->host->table (r->host, &step_skew_table);
  for (guint i = 0, next; i < all->len && !status; i = next) {
    gint64 number = g_array_index (all, Place, i).step->number;
    for (next = i; next < all->len && g_array_index (all, Place, next).step->number == number;)
      next++;
    if (any_touches (w, all, i, next))
      status = write_skew (r, w, input, all, i, next);
  }
  return status;
}
