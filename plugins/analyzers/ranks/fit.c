/* SPDX-License-Identifier: Apache-2.0 */
/* fit.c - offsets of clocks, and drifts where they help: the first ends of a collective on each
 * clock are one moment, but for noise that short messages have less of. Collectives count by how
 * well clocks agree on them, again until nothing moves. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 50
#define STILL 1000.0      /* ps */
#define LEAST_NOISE 1e6   /* ps: nobody's ends agree better */
#define LONG_CAPTURE 1e12 /* ps: clocks drift apart by more than ends tell */
#define LEAST_FOR_DRIFT 8

typedef struct {
  guint32 clock;
  double at; /* the first end on that clock */
} End;

/* A call that several clocks tell: from..to of the ends. */
typedef struct {
  guint from, to;
  double shortest, moment, weight;
} Tie;

typedef struct {
  Whole *w;
  GArray *ends, *ties;
  double *room; /* for one tie */
} Fit;

/* -- What is fitted to ------------------------------------------------------------------------- */

static void
add_tie (Fit *f, const GArray *moments, guint from, guint to)
{
  Tie tie = { .from = f->ends->len, .shortest = INFINITY };
  for (guint i = from; i < to; i++) {
    const Moment *m = &g_array_index (moments, Moment, i);
    const End end = { m->clock, m->end }; /* of one clock the first end comes first */
    tie.shortest = MIN (tie.shortest, m->end - m->start);
    if (i == from || m->clock != g_array_index (moments, Moment, i - 1).clock)
      g_array_append_val (f->ends, end);
  }
  tie.to = f->ends->len;
  if (tie.to - tie.from > 1)
    g_array_append_val (f->ties, tie);
  else
    g_array_set_size (f->ends, tie.from);
}

static int
by_shortest (gconstpointer pa, gconstpointer pb)
{
  const Tie *a = pa, *b = pb;
  if (a->shortest != b->shortest)
    return a->shortest < b->shortest ? -1 : 1;
  return a->from < b->from ? -1 : a->from > b->from;
}

static inline Tie *
tie_at (const Fit *f, guint i)
{
  return &g_array_index (f->ties, Tie, i);
}

static inline End *
end_at (const Fit *f, guint i)
{
  return &g_array_index (f->ends, End, i);
}

static inline Clock *
clock_at (const Fit *f, guint i)
{
  return &g_array_index (f->w->clocks, Clock, i);
}

/* -- The first guess --------------------------------------------------------------------------- */

/* Clocks that share a collective with one that is known.  Returns whether any was. */
static bool
spread_from_known (Fit *f, const Tie *tie)
{
  const End *known = NULL;
  bool any = false;
  for (guint i = tie->from; i < tie->to && !known; i++)
    known = clock_at (f, end_at (f, i)->clock)->component ? end_at (f, i) : NULL;
  for (guint i = tie->from; known && i < tie->to; i++) {
    const End *end = end_at (f, i);
    Clock *clock = clock_at (f, end->clock);
    const Clock *from = clock_at (f, known->clock);
    if (clock->component)
      continue;
    clock->component = from->component;
    clock->offset = known->at + from->offset - end->at;
    any = true;
  }
  return any;
}

/* The clock of the lowest rank is the reference of its component. */
static void
guess (Fit *f)
{
  guint component = 0;
  for (guint c = 0; c < f->w->clocks->len; c++) {
    Clock *clock = clock_at (f, c);
    clock->offset = clock->drift = 0;
    clock->component = 0;
  }
  for (guint c = 0; c < f->w->clocks->len; c++) {
    if (clock_at (f, c)->component)
      continue;
    clock_at (f, c)->component = ++component;
    for (bool any = true; any;) {
      any = false;
      for (guint i = 0; i < f->ties->len; i++)
        any |= spread_from_known (f, tie_at (f, i));
    }
  }
}

/* -- Rounds ------------------------------------------------------------------------------------ */

static double
aligned_end (const Fit *f, guint i)
{
  const End *end = end_at (f, i);
  return aligned_by (f->w, clock_at (f, end->clock), end->at);
}

/* The offset on which the clocks agree, and how well they do. */
static void
agree (Fit *f, Tie *tie, bool first)
{
  guint n = tie->to - tie->from;
  for (guint i = 0; i < n; i++)
    f->room[i] = aligned_end (f, tie->from + i);
  tie->moment = quantile_of (f->room, n, 500);
  for (guint i = 0; i < n; i++)
    f->room[i] = fabs (f->room[i] - tie->moment);
  double noise = first ? tie->shortest / 10 : quantile_of (f->room, n, 500);
  noise = MAX (noise, LEAST_NOISE);
  tie->weight = 1 / (noise * noise);
}

/* Weighted sums of what a clock is behind by, x being its time from the middle. */
typedef struct {
  double w, x, y, xx, xy;
  guint n;
} Line;

static Line *
lines (const Fit *f)
{
  Line *line = g_new0 (Line, f->w->clocks->len + 1);
  for (guint t = 0; t < f->ties->len; t++) {
    const Tie *tie = tie_at (f, t);
    for (guint i = tie->from; i < tie->to; i++) {
      Line *l = &line[end_at (f, i)->clock];
      double x = end_at (f, i)->at - f->w->middle, y = tie->moment - aligned_end (f, i);
      l->n++;
      l->w += tie->weight;
      l->x += tie->weight * x;
      l->y += tie->weight * y;
      l->xx += tie->weight * x * x;
      l->xy += tie->weight * x * y;
    }
  }
  return line;
}

/* Returns the farthest that an offset moved. */
static double
move (Fit *f, bool drift)
{
  g_autofree Line *line = lines (f);
  double farthest = 0;
  for (guint c = 0; c < f->w->clocks->len; c++) {
    const Line *l = &line[c];
    Clock *clock = clock_at (f, c);
    if (!l->n)
      continue;
    double base = l->w * l->xx - l->x * l->x;
    double slope
        = drift && l->n >= LEAST_FOR_DRIFT && base > 0 ? (l->w * l->xy - l->x * l->y) / base : 0;
    double offset = (l->y - slope * l->x) / l->w;
    clock->offset += offset;
    clock->drift += slope;
    farthest = MAX (farthest, fabs (offset));
  }
  return farthest;
}

static void
rounds (Fit *f, bool drift)
{
  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < f->ties->len; i++)
      agree (f, tie_at (f, i), round == 0 && !drift);
    if (move (f, drift) < STILL)
      break;
  }
}

static double
residual (const Fit *f)
{
  double sum = 0, weights = 0;
  for (guint t = 0; t < f->ties->len; t++) {
    const Tie *tie = tie_at (f, t);
    for (guint i = tie->from; i < tie->to; i++) {
      sum += tie->weight * fabs (aligned_end (f, i) - tie->moment);
      weights += tie->weight;
    }
  }
  return weights > 0 ? sum / weights : 0;
}

/* Clocks that only seem to drift are worse off for it, so it must pay. */
static void
try_drift (Fit *f, double length)
{
  g_autoptr (GArray) before = g_array_copy (f->w->clocks);
  g_autoptr (GArray) ties = g_array_copy (f->ties);
  double was = residual (f);
  rounds (f, true);
  /* by the weights of before: those of after may be larger alone because it fits better */
  for (guint i = 0; i < f->ties->len; i++)
    tie_at (f, i)->weight = g_array_index (ties, Tie, i).weight;
  double is = residual (f);
  if (is > was * (length > LONG_CAPTURE ? 0.95 : 0.5))
    memcpy (f->w->clocks->data, before->data, before->len * sizeof (Clock));
}

/* -- The result -------------------------------------------------------------------------------- */

/* All of a component moves so that its first clock is right. */
static void
refer (Fit *f)
{
  for (guint c = 0; c < f->w->clocks->len; c++) {
    const Clock reference = *clock_at (f, c);
    bool first = true;
    for (guint k = 0; k < c && first; k++)
      first = clock_at (f, k)->component != reference.component;
    for (guint k = c; first && k < f->w->clocks->len; k++) {
      Clock *clock = clock_at (f, k);
      if (clock->component != reference.component)
        continue;
      clock->offset -= reference.offset;
      clock->drift -= reference.drift;
    }
  }
}

typedef struct {
  guint32 clock;
  double far;
} Residual;

static int
by_clock (gconstpointer pa, gconstpointer pb)
{
  const Residual *a = pa, *b = pb;
  if (a->clock != b->clock)
    return a->clock < b->clock ? -1 : 1;
  return a->far < b->far ? -1 : a->far > b->far;
}

static void
note_residuals (Fit *f)
{
  g_autofree Residual *all = g_new (Residual, f->ends->len + 1);
  guint n = 0;
  for (guint t = 0; t < f->ties->len; t++)
    agree (f, tie_at (f, t), false);
  for (guint t = 0; t < f->ties->len; t++)
    for (guint i = tie_at (f, t)->from; i < tie_at (f, t)->to; i++)
      all[n++]
          = (Residual){ end_at (f, i)->clock, fabs (aligned_end (f, i) - tie_at (f, t)->moment) };
  qsort (all, n, sizeof *all, by_clock);
  for (guint i = 0, next; i < n; i = next) {
    for (next = i; next < n && all[next].clock == all[i].clock;)
      next++;
    clock_at (f, all[i].clock)->used = next - i;
    clock_at (f, all[i].clock)->spread = all[i + (next - i) / 2].far;
  }
}

/* Sets the middle to that of the first clock, and returns how long the longest capture is: by each
 * clock alone, because clocks may be further apart than captures are long. */
static double
measure (Fit *f)
{
  guint n = f->w->clocks->len;
  g_autofree double *first = g_new (double, n + 1), *last = g_new (double, n + 1);
  double longest = 0;
  for (guint c = 0; c < n; c++) {
    first[c] = INFINITY;
    last[c] = -INFINITY;
  }
  for (guint i = 0; i < f->ends->len; i++) {
    const End *end = end_at (f, i);
    first[end->clock] = MIN (first[end->clock], end->at);
    last[end->clock] = MAX (last[end->clock], end->at);
  }
  f->w->middle = 0;
  for (guint c = n; c > 0; c--)
    if (last[c - 1] >= first[c - 1]) {
      f->w->middle = (first[c - 1] + last[c - 1]) / 2;
      longest = MAX (longest, last[c - 1] - first[c - 1]);
    }
  return longest;
}

void
fit_clocks (Whole *w, const GArray *moments)
{
  Fit f = { .w = w,
            .ends = g_array_new (FALSE, FALSE, sizeof (End)),
            .ties = g_array_new (FALSE, FALSE, sizeof (Tie)),
            .room = g_new (double, w->clocks->len + 1) };
  for (guint i = 0, next; i < moments->len; i = next) {
    next = next_call (moments, i);
    add_tie (&f, moments, i, next);
  }
  g_array_sort (f.ties, by_shortest);
  double length = measure (&f);
  guess (&f);
  rounds (&f, false);
  if (f.ties->len >= LEAST_FOR_DRIFT)
    try_drift (&f, length);
  note_residuals (&f);
  refer (&f);
  g_array_unref (f.ends);
  g_array_unref (f.ties);
  g_free (f.room);
}
