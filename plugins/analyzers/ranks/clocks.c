/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - one time for all ranks, from the ends of collectives, which are one moment: what it is
 * found from, how far ends differ, and what cannot be true of any clock. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>

#define AGREE 15e6       /* ps: clocks that are no further apart need no correction */
#define LEAST_DOUBT 10e6 /* ps */
#define MOST_FAILED 100  /* one of so many anchors of a group may contradict the others */

/* -- Which clocks there are -------------------------------------------------------------------- */

static void
add_clocks (Whole *w)
{
  const Job *job = w->job;
  for (guint i = 0; i < job->ranks->len; i++) {
    guint32 rank = w->ranks[i], found = G_MAXUINT32;
    for (guint k = w->clocks->len; k > 0 && found == G_MAXUINT32; k--)
      if (job_same_clock (job, g_array_index (w->clocks, Clock, k - 1).rank, rank))
        found = k - 1;
    if (found == G_MAXUINT32) {
      const Clock clock = { .rank = rank, .low = -INFINITY, .high = INFINITY, .spread = NAN };
      found = w->clocks->len;
      g_array_append_val (w->clocks, clock);
    }
    job_rank (job, rank)->clock = found;
    g_array_index (w->clocks, Clock, found).n++;
  }
}

double
aligned_by (const Whole *w, const Clock *clock, double at)
{
  return at + clock->offset + clock->drift * (at - w->middle);
}

double
aligned (const Whole *w, guint32 rank, gint64 at)
{
  return aligned_by (w, clock_of (w, rank), since_epoch (w, rank, at));
}

/* -- Moments of calls -------------------------------------------------------------------------- */

static int
by_clock (gconstpointer pa, gconstpointer pb)
{
  const Moment *a = pa, *b = pb;
  if (a->clock != b->clock)
    return a->clock < b->clock ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

/* Calls that are surely one: of all ranks, or by their own number. */
static bool
is_sure (const Whole *w, guint32 call)
{
  const guint32 *key = call_key (w->job, call);
  return (w->verdicts[call].complete || key[C_HOW] == BY_SEQUENCE)
         && !w->groups[key[C_GROUP]].left_out;
}

/* Returns where the moments of each call begin, by its place; the last entry is their number.
 * Transfer full. */
static guint *
places_of_moments (const Whole *w)
{
  guint n_calls = w->job->calls->len, n = 0;
  guint *begin = g_new0 (guint, (gsize) n_calls + 1);
  for (guint i = 0; i < w->job->ranks->len; i++) {
    const GArray *anchors = job_rank (w->job, i)->anchors;
    for (guint k = 0; k < anchors->len; k++) {
      guint32 call = g_array_index (anchors, Anchor, k).call;
      begin[w->call_place[call]] += is_sure (w, call);
    }
  }
  for (guint i = 0; i <= n_calls; i++) {
    guint count = begin[i];
    begin[i] = n;
    n += count;
  }
  return begin;
}

/* In order of calls; they are too many to be sorted all at once. */
static GArray *
gather (const Whole *w)
{
  guint n_calls = w->job->calls->len;
  g_autofree guint *next = places_of_moments (w);
  GArray *moments = g_array_sized_new (FALSE, FALSE, sizeof (Moment), next[n_calls]);
  g_array_set_size (moments, next[n_calls]);
  for (guint i = 0; i < w->job->ranks->len; i++) {
    const Rank *rank = job_rank (w->job, w->ranks[i]);
    for (guint k = 0; k < rank->anchors->len; k++) {
      const Anchor *a = &g_array_index (rank->anchors, Anchor, k);
      guint32 place = w->call_place[a->call];
      if (is_sure (w, a->call))
        g_array_index (moments, Moment, next[place]++)
            = (Moment){ place, rank->clock, w->ranks[i], since_epoch (w, w->ranks[i], a->start),
                        since_epoch (w, w->ranks[i], a->end) };
    }
  }
  for (guint from = 0, to; from < moments->len; from = to) {
    to = next_call (moments, from);
    qsort (&g_array_index (moments, Moment, from), to - from, sizeof (Moment), by_clock);
  }
  return moments;
}

guint
next_call (const GArray *moments, guint from)
{
  guint to = from;
  guint32 call = g_array_index (moments, Moment, from).call;
  while (to < moments->len && g_array_index (moments, Moment, to).call == call)
    to++;
  return to;
}

/* -- What follows from clocks ------------------------------------------------------------------ */

/* The two largest of starts, or smallest of ends, each of another clock. */
typedef struct {
  double first, second;
  guint32 clock;
} Extreme;

static void
take (Extreme *e, guint32 clock, double value)
{
  if (value > e->first) {
    if (e->clock != clock)
      e->second = e->first;
    e->first = value;
    e->clock = clock;
  } else if (e->clock != clock && value > e->second) {
    e->second = value;
  }
}

/* How far a clock may be off by what its residuals are. */
static double
doubt (const Whole *w, const GArray *moments, guint from, guint to)
{
  double most = 0;
  for (guint i = from; i < to; i++) {
    const Clock *clock
        = &g_array_index (w->clocks, Clock, g_array_index (moments, Moment, i).clock);
    if (clock->used)
      most = MAX (most, clock->spread);
  }
  return LEAST_DOUBT + 3 * most;
}

/* Nobody ends before everybody has begun: that bounds each clock from both sides. */
static void
bound (Whole *w, const GArray *moments, guint from, guint to)
{
  const Extreme none = { -INFINITY, -INFINITY, G_MAXUINT32 };
  Extreme begun = none, ended = none;
  for (guint i = from; i < to; i++) {
    const Moment *m = &g_array_index (moments, Moment, i);
    const Clock *clock = &g_array_index (w->clocks, Clock, m->clock);
    take (&begun, m->clock, aligned_by (w, clock, m->start));
    take (&ended, m->clock, -aligned_by (w, clock, m->end));
  }
  for (guint i = from; i < to; i++) {
    const Moment *m = &g_array_index (moments, Moment, i);
    Clock *clock = &g_array_index (w->clocks, Clock, m->clock);
    double first_end = -(ended.clock == m->clock ? ended.second : ended.first);
    double last_begin = begun.clock == m->clock ? begun.second : begun.first;
    clock->high = MIN (clock->high, first_end - aligned_by (w, clock, m->start));
    clock->low = MAX (clock->low, last_begin - aligned_by (w, clock, m->end));
  }
  GroupSum *g
      = &w->groups[call_key (w->job,
                             w->calls[g_array_index (moments, Moment, from).call])[C_GROUP]];
  bool failed = -ended.first < begun.first - doubt (w, moments, from, to);
  g->anchors++;
  g->failed += failed;
}

static void
bound_all (Whole *w, const GArray *moments)
{
  for (guint i = 0; i < w->job->group_keys.n; i++)
    w->groups[i].anchors = w->groups[i].failed = 0;
  for (guint i = 0; i < w->clocks->len; i++) {
    g_array_index (w->clocks, Clock, i).high = INFINITY;
    g_array_index (w->clocks, Clock, i).low = -INFINITY;
  }
  for (guint i = 0, next; i < moments->len; i = next) {
    next = next_call (moments, i);
    if (next > i + 1)
      bound (w, moments, i, next);
  }
}

/* Groups whose calls cannot have been one call: records were lost, or they were counted wrong. */
static bool
leave_out_groups (Whole *w)
{
  bool any = false;
  for (guint i = 0; i < w->job->group_keys.n; i++) {
    GroupSum *g = &w->groups[i];
    g->invalid = MAX (g->invalid, (gint64) g->failed);
    g->checked = MAX (g->checked, (gint64) g->anchors);
    if (g->left_out || g->failed * MOST_FAILED <= g->anchors)
      continue;
    g_autofree char *name = group_text (w->job, i);
    g->left_out = any = true;
    nprof_log (
        w->job->host, NPROF_WARNING,
        "group %s: in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " collectives somebody ends before all have begun: records were lost, and nothing is "
        "said of who was late in it",
        name, g->failed, g->anchors);
  }
  return any;
}

/* By how much the ends of one call differ: on one clock where it has two ranks, else across
 * clocks. */
static double
spread_of (const Whole *w, const GArray *moments, guint from, guint to)
{
  double within = -1, least = INFINITY, most = -INFINITY;
  for (guint i = from; i < to; i++) {
    const Moment *m = &g_array_index (moments, Moment, i);
    double end = aligned_by (w, &g_array_index (w->clocks, Clock, m->clock), m->end);
    guint k = i;
    while (k + 1 < to && g_array_index (moments, Moment, k + 1).clock == m->clock)
      k++;
    if (k > i)
      within = MAX (within, g_array_index (moments, Moment, k).end - m->end);
    least = MIN (least, end);
    most = MAX (most, end);
    if (k > i)
      most = MAX (most, end + g_array_index (moments, Moment, k).end - m->end);
    i = k;
  }
  return within >= 0 ? within : most - least;
}

typedef struct {
  guint32 signature;
  double spread;
} Ends;

static int
by_signature (gconstpointer pa, gconstpointer pb)
{
  const Ends *a = pa, *b = pb;
  if (a->signature != b->signature)
    return a->signature < b->signature ? -1 : 1;
  return a->spread < b->spread ? -1 : a->spread > b->spread;
}

static void
find_end_spread (Whole *w, const GArray *moments)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (Ends));
  g_autofree double *all = g_new (double, moments->len + 1);
  w->end_spread = g_new (double, w->job->signature_keys.n + 1);
  for (guint i = 0; i < w->job->signature_keys.n; i++)
    w->end_spread[i] = NAN;
  for (guint i = 0, next; i < moments->len; i = next) {
    next = next_call (moments, i);
    guint32 call = w->calls[g_array_index (moments, Moment, i).call];
    const Ends e = { call_key (w->job, call)[C_SIGNATURE], spread_of (w, moments, i, next) };
    if (next > i + 1)
      g_array_append_val (ends, e);
  }
  g_array_sort (ends, by_signature);
  for (guint i = 0, next; i < ends->len; i = next) {
    guint32 signature = g_array_index (ends, Ends, i).signature;
    for (next = i; next < ends->len && g_array_index (ends, Ends, next).signature == signature;)
      next++;
    w->end_spread[signature]
        = g_array_index (ends, Ends, i + MIN (next - i - 1, (next - i) * 9 / 10)).spread;
  }
  for (guint i = 0; i < ends->len; i++)
    all[i] = g_array_index (ends, Ends, i).spread;
  w->end_spread_of_all = quantile_of (all, ends->len, 500);
}

/* Clocks that nearly agree are those of one machine, or kept by a protocol that knows better than
 * ends of collectives do. */
static void
keep_clocks_that_agree (Whole *w)
{
  w->one_clock = w->clocks->len > 0;
  for (guint i = 0; i < w->clocks->len; i++) {
    const Clock *clock = &g_array_index (w->clocks, Clock, i);
    w->one_clock &= fabs (clock->offset) <= AGREE && clock->drift == 0
                    && clock->component == g_array_index (w->clocks, Clock, 0).component;
  }
  for (guint i = 0; i < w->clocks->len && w->one_clock; i++)
    g_array_index (w->clocks, Clock, i).offset = 0;
}

void
find_clocks (Whole *w)
{
  add_clocks (w);
  w->newest = g_new0 (const Start *, w->clocks->len + 1);
  w->started = g_new (guint32, w->clocks->len + 1);
  g_autoptr (GArray) moments = gather (w);
  for (;;) {
    fit_clocks (w, moments);
    keep_clocks_that_agree (w);
    bound_all (w, moments);
    if (!leave_out_groups (w))
      break;
    g_array_unref (moments);
    moments = gather (w);
  }
  find_end_spread (w, moments);
}
