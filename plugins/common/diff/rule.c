/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c - the standard error of a ratio of sums, and the verdict that follows from it. */

#include "diff/rule.h"
#include "diff/student.h"

#include <math.h>

/* These noises are assumed where both sides have one step. */
#define ONE_COLLECTIVE 0.5 /* of the sum of collectives: nothing is known of their noise */
#define ONE_COMMON 0.01    /* common to all rows of a run, as its clock                  */
#define ONE_LEAST 0.10     /* from where a verdict is given; of few calls:               */
#define ONE_LEAST_FEW 0.25
#define ONE_FEW 8u

#define SURE_DF 1e7 /* nothing was estimated */

/* So few say too little of noise: what calls changed unlike each other counts as well. */
#define FEW_SAMPLES 2
#define FEW_COMMON 0.005 /* common to all rows of a step: two steps can hide it                */

const char *
np_diff_verdict_name (NpDiffVerdict verdict)
{
  static const char *const names[]
      = { "same", "slower", "faster", "added", "removed", "inconclusive" };
  return names[verdict];
}

/* -- The verdict ---------------------------------------------------------------------- */

/* Returns whether this is more than chance would have changed, also by what few steps may hide. */
static gboolean
is_sure (const NpDiffResult *r, double alpha)
{
  double away = fabs (log (r->new / r->base));
  if (r->error > 0 && away <= r->error * np_student_quantile (alpha, r->df))
    return FALSE;
  return away > hypot (r->error, r->common) * np_student_quantile (alpha, SURE_DF);
}

static NpDiffVerdict
verdict_of (const NpDiffResult *r, double alpha, const NpDiffLimits *limits)
{
  if (r->new == r->base)
    return NP_DIFF_SAME;
  if (r->base == 0)
    return NP_DIFF_ADDED;
  if (r->new == 0)
    return NP_DIFF_REMOVED;
  if (fabs (r->delta) >= r->least && is_sure (r, alpha))
    return r->delta > 0 ? NP_DIFF_SLOWER : NP_DIFF_FASTER;
  gboolean near = fabs (r->delta) + r->interval <= limits->threshold,
           small = fabs (r->delta) < limits->floor && r->interval <= limits->threshold;
  return near || small ? NP_DIFF_SAME : NP_DIFF_NOT_TOLD;
}

static void
set_verdict (NpDiffResult *r, double alpha, const NpDiffLimits *limits)
{
  r->delta = r->base > 0 ? (r->new - r->base) / r->base : NAN;
  r->df = fmin (r->df > 0 ? r->df : SURE_DF, SURE_DF);
  r->interval = r->error * np_student_quantile (0.05, r->df);
  r->least = fmax (r->least, limits->floor);
  r->verdict = verdict_of (r, alpha / limits->parts, limits);
}

/* -- Noise of several samples ----------------------------------------------------------- */

/* This is the variance of the sum of one sample. */
typedef struct {
  double variance, df;
} Spread;

static Spread
spread_of (const double *x, guint n)
{
  double mean = 0, squares = 0;
  for (guint i = 0; i < n; i++)
    mean += x[i] / n;
  for (guint i = 0; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  return (Spread){ squares / (n - 1.0), n - 1.0 };
}

static const NpDiffSeries *
series_at (const NpDiffPair *pair, gboolean new)
{
  return new ? pair->new : pair->base;
}

/* Returns the variance between the sums of samples, which holds what is common to all rows of one.
 * Blocks hold several steps; the last may hold fewer, and does not count then. */
static double
variance_of_sums (const NpDiffSide *side, const NpDiffPair *pairs, guint n, gboolean new)
{
  guint width = 0, count = 0;
  for (guint b = 0; b < side->blocks->len; b++)
    width = MAX (width, g_array_index (side->blocks, guint, b));
  g_autofree double *sums = g_new0 (double, side->blocks->len);
  for (guint b = 0; b < side->blocks->len; b++) {
    if (g_array_index (side->blocks, guint, b) != width)
      continue;
    for (guint i = 0; i < n; i++) {
      const NpDiffSeries *series = series_at (&pairs[i], new);
      if (series && b < series->sums->len)
        sums[count] += g_array_index (series->sums, double, b);
    }
    count++;
  }
  return count < 2 ? 0 : spread_of (sums, count).variance / width;
}

/* Returns the larger of that and of what places vary by on their own. */
static Spread
spread_of_samples (const NpDiffSide *side, const NpDiffPair *pairs, guint n, gboolean new)
{
  double places = 0, squares = 0;
  for (guint i = 0; i < n; i++) {
    const NpDiffSeries *series = series_at (&pairs[i], new);
    for (guint p = 0; series && p < series->places->len; p++) {
      double v = g_array_index (series->places, NpDiffPlace, p).variance;
      places += v;
      squares += v * v;
    }
  }
  double sums = variance_of_sums (side, pairs, n, new);
  double df = squares > 0 ? places * places / squares * (side->samples - 1.0) : SURE_DF;
  return (Spread){ fmax (sums, places), sums > places && !(places > 0) ? side->samples - 1.0 : df };
}

/* Gives a side with one sample the other's noise, relative to its sum. */
static void
borrow (Spread *spread, guint samples, const Spread *other, double sum, double other_sum)
{
  if (samples > 1)
    return;
  double ratio = other_sum > 0 ? sum / other_sum : 0;
  *spread = (Spread){ other->variance * ratio * ratio, other->df };
}

/* Sets the standard error of ln (new / base), with the degrees of freedom of Satterthwaite. */
static void
set_error (NpDiffResult *r, Spread base, guint n_base, Spread new, guint n_new)
{
  borrow (&base, n_base, &new, r->base, r->new);
  borrow (&new, n_new, &base, r->new, r->base);
  double a = r->base > 0 ? base.variance / n_base / r->base / r->base : 0,
         b = r->new > 0 ? new.variance / n_new / r->new / r->new : 0;
  double q = a * a / fmax (base.df, 1) + b * b / fmax (new.df, 1);
  r->error = sqrt (a + b);
  r->df = q > 0 ? (a + b) * (a + b) / q : SURE_DF;
}

/* -- One sample on both sides ------------------------------------------------------------- */

/* This adds up what single calls may vary by. */
typedef struct {
  double squares, linear; /* ps^2; ps: of collectives, which may all move alike */
  GArray *ratios;         /* of double: of matched calls, around 1             */
} Calls;

static void
add_calls (Calls *calls, const NpDiffPair *pair, const NpDiffNoise *noise, gboolean noisy,
           double scale)
{
  for (guint p = 0; pair->base && p < pair->base->places->len; p++) {
    const NpDiffPlace *place = &g_array_index (pair->base->places, NpDiffPlace, p);
    const NpDiffPlace *other = pair->new ? np_diff_place (pair->new, place->ordinal) : NULL;
    double ps = place->mean;
    if (noisy || pair->base->kind == NP_DIFF_COMMUNICATION)
      calls->linear += ONE_COLLECTIVE * ps;
    else {
      double away = np_diff_noise_of (noise, pair->base->kind, ps) * ps;
      calls->squares += away * away;
    }
    double ratio = ps > 0 && other && other->mean > 0 ? other->mean / ps * scale : 0;
    if (ratio > 0)
      g_array_append_val (calls->ratios, ratio);
  }
}

static void
set_assumed_error (NpDiffResult *r, const NpDiffPair *pairs, guint n, const NpDiffNoise *noise,
                   gboolean noisy)
{
  g_autoptr (GArray) ratios = g_array_new (FALSE, FALSE, sizeof (double));
  Calls calls = { .ratios = ratios };
  double scale = r->new > 0 ? r->base / r->new : 1, own = 0;
  for (guint i = 0; i < n; i++)
    add_calls (&calls, &pairs[i], noise, noisy, scale);
  double of_calls = r->base > 0 ? sqrt (calls.squares) / r->base + calls.linear / r->base : 0;
  gboolean few = ratios->len < ONE_FEW;
  if (ratios->len > 1) {
    const double *x = (const double *) (void *) ratios->data;
    own = sqrt (spread_of (x, ratios->len).variance / ratios->len);
  }
  r->error = hypot (fmax (of_calls, own), ONE_COMMON);
  r->df = few && own <= of_calls ? 5 : fmax (1, ratios->len - 1.0);
  r->least = few ? ONE_LEAST_FEW : ONE_LEAST;
  r->assumed = TRUE;
}

/* -- Tests ----------------------------------------------------------------------------------- */

static void
add_means (NpDiffResult *r, const NpDiffPair *pair)
{
  for (guint p = 0; pair->base && p < pair->base->places->len; p++) {
    r->base += g_array_index (pair->base->places, NpDiffPlace, p).mean;
    r->base_calls += g_array_index (pair->base->places, NpDiffPlace, p).calls;
  }
  for (guint p = 0; pair->new &&p < pair->new->places->len; p++) {
    r->new += g_array_index (pair->new->places, NpDiffPlace, p).mean;
    r->new_calls += g_array_index (pair->new->places, NpDiffPlace, p).calls;
  }
}

NpDiffResult
np_diff_test (const NpDiffSide *base, const NpDiffSide *new, const NpDiffPair *pairs, guint n,
              const NpDiffNoise *noise, gboolean noisy, double alpha, const NpDiffLimits *limits)
{
  NpDiffResult r = { 0 };
  for (guint i = 0; i < n; i++)
    add_means (&r, &pairs[i]);
  if (base->samples < 2 && new->samples < 2)
    set_assumed_error (&r, pairs, n, noise, noisy);
  else
    set_error (&r, spread_of_samples (base, pairs, n, FALSE), base->samples,
               spread_of_samples (new, pairs, n, TRUE), new->samples);
  if (!r.assumed && MIN (base->samples, new->samples) <= FEW_SAMPLES) {
    np_diff_widen (&r, pairs, n);
    r.common = FEW_COMMON * sqrt (1.0 / base->samples + 1.0 / new->samples);
  }
  set_verdict (&r, alpha, limits);
  return r;
}

static Spread
spread_of_windows (const NpDiffSide *side, double *mean)
{
  guint n = side->steps->len;
  g_autofree double *windows = g_new (double, n);
  *mean = 0;
  for (guint i = 0; i < n; i++)
    *mean += windows[i] = g_array_index (side->steps, NpDiffStep, i).window;
  *mean /= n;
  return n > 1 ? spread_of (windows, n) : (Spread){ 0 };
}

NpDiffResult
np_diff_test_step (const NpDiffSide *base, const NpDiffSide *new, gboolean per_call, double alpha,
                   const NpDiffLimits *limits)
{
  NpDiffResult r = { .base_calls = NAN, .new_calls = NAN };
  Spread of_base = spread_of_windows (base, &r.base), of_new = spread_of_windows (new, &r.new);
  const gboolean alone = base->steps->len < 2 && new->steps->len < 2;
  if (!alone)
    set_error (&r, of_base, base->steps->len, of_new, new->steps->len);
  set_verdict (&r, alpha, limits);
  if (alone)
    r.interval = (double) NAN;                /* nothing says how much one step varies */
  if ((alone || per_call) && r.base != r.new) /* or one recorded longer than the other */
    r.verdict = NP_DIFF_NOT_TOLD;
  return r;
}

/* -- Means of a call --------------------------------------------------------------------------- */

typedef struct {
  double sum, squares, n;
} Moments;

static void
add_moments (Moments *m, const NpDiffSeries *series)
{
  for (guint p = 0; series && p < series->places->len; p++) {
    const NpDiffPlace *place = &g_array_index (series->places, NpDiffPlace, p);
    double call = place->calls > 0 ? place->mean / place->calls : 0;
    m->sum += place->mean;
    m->squares += place->calls * call * call;
    m->n += place->calls;
  }
}

static Spread
spread_of_calls (const Moments *m)
{
  if (m->n < 2)
    return (Spread){ 0 };
  double variance = (m->squares - m->sum * m->sum / m->n) / (m->n - 1);
  return (Spread){ fmax (variance, 0), m->n - 1 };
}

/* Sets the means of a call, each pair with the weight that it has in base, for the end of a
 * recording leaves more calls of one than of the other; what one side alone has says nothing of
 * both. */
static void
set_means (NpDiffResult *r, const NpDiffPair *pairs, guint n)
{
  double base = 0, new = 0, calls = 0;
  for (guint i = 0; i < n; i++) {
    Moments of_base = { 0 }, of_new = { 0 };
    add_moments (&of_base, pairs[i].base);
    add_moments (&of_new, pairs[i].new);
    if (!(of_base.n > 0 && of_new.n > 0))
      continue;
    base += of_base.sum;
    new += of_new.sum / of_new.n *of_base.n;
    calls += of_base.n;
  }
  if (!(calls > 0))
    return;
  r->base = base / calls;
  r->new = new / calls;
}

NpDiffResult
np_diff_test_calls (const NpDiffPair *pairs, guint n, double alpha, const NpDiffLimits *limits)
{
  Moments base = { 0 }, new = { 0 };
  for (guint i = 0; i < n; i++) {
    add_moments (&base, pairs[i].base);
    add_moments (&new, pairs[i].new);
  }
  NpDiffResult r = { .base = base.n > 0 ? base.sum / base.n : 0,
                     .new = new.n > 0 ? new.sum / new.n : 0,
                     .base_calls = base.n,
                     .new_calls = new.n,
                     .assumed = TRUE };
  set_means (&r, pairs, n);
  if (fabs (r.new - r.base) <= 1e-12 * r.base)
    r.new = r.base; /* means of as many steps are equal but for rounding */
  if (base.n < 2 && new.n < 2)
    r.error = ONE_COLLECTIVE; /* two single calls tell nothing */
  else
    set_error (&r, spread_of_calls (&base), (guint) fmax (base.n, 1), spread_of_calls (&new),
               (guint) fmax (new.n, 1));
  r.error = hypot (r.error, ONE_COMMON);
  r.least = fmin (base.n, new.n) < ONE_FEW ? ONE_LEAST_FEW : ONE_LEAST;
  set_verdict (&r, alpha, limits);
  return r;
}
