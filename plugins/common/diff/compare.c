/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - the lines of a comparison and the sums above them. */

#include "diff/compare.h"
#include "diff/length.h"
#include "diff/pair.h"

#include <math.h>
#include <string.h>

#define CLOCKS_SHARE 0.8 /* of the work that changed alike */
#define CLOCKS_AWAY 0.01
#define CLOCKS_LEAST 0.005
#define CLOCKS_KERNELS 5u

/* -- Pairs ----------------------------------------------------------------------------- */

static const NpDiffSeries *
series_like (const GPtrArray *series, const NpDiffSeries *like)
{
  for (guint i = 0; i < series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (series, i);
    if (s->operator== like->operator&& s->module == like->module)
      return s;
  }
  return NULL;
}

static NpDiffLine
add_pairs (GArray *pairs, const NpDiffKernel *kernel)
{
  NpDiffLine line = { .name = kernel->base ? kernel->base : kernel->new, .first = pairs->len };
  if (kernel->base && kernel->new && kernel->base != kernel->new)
    line.renamed = kernel->new;
  for (guint i = 0; i < kernel->base_series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (kernel->base_series, i);
    const NpDiffPair pair = { s, series_like (kernel->new_series, s) };
    g_array_append_val (pairs, pair);
  }
  for (guint i = 0; i < kernel->new_series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (kernel->new_series, i);
    const NpDiffPair pair = { NULL, s };
    if (!series_like (kernel->base_series, s))
      g_array_append_val (pairs, pair);
  }
  const NpDiffPair *first = &g_array_index (pairs, NpDiffPair, line.first);
  line.kind = first->base ? first->base->kind : first->new->kind;
  line.n = pairs->len - line.first;
  return line;
}

static double
work_of (const NpDiffSide *side)
{
  double work = 0;
  for (guint i = 0; i < side->series->len; i++)
    work += np_diff_series_mean (g_ptr_array_index (side->series, i));
  return work;
}

/* The share is that of a step's work, on the side where it is larger. */
static double
share_of (const NpDiffComparison *c, const NpDiffPair *pairs, guint n)
{
  double base = 0, new = 0;
  for (guint i = 0; i < n; i++) {
    base += pairs[i].base ? np_diff_series_mean (pairs[i].base) : 0;
    new += pairs[i].new ? np_diff_series_mean (pairs[i].new) : 0;
  }
  return fmax (c->base_work > 0 ? base / c->base_work : 0, c->new_work > 0 ? new / c->new_work : 0);
}

/* -- Lines ----------------------------------------------------------------------------- */

typedef struct {
  NpDiffComparison *c;
  const NpDiffNoise *noise;
  const NpDiffLimits *limits;
} Judge;

static void
explain (NpDiffLine *line, const NpDiffLimits *limits)
{
  const NpDiffResult *r = &line->result;
  if ((r->verdict != NP_DIFF_SLOWER && r->verdict != NP_DIFF_FASTER)
      || r->base_calls == r->new_calls)
    return;
  double call = r->new / r->new_calls / (r->base / r->base_calls) - 1;
  line->why = fabs (call) < limits->floor ? "calls" : "calls and time";
}

/* Returns whether such a verdict can be given of a sum of work, whatever its noise. */
static gboolean
may_be_told (const NpDiffComparison *c, NpDiffVerdict verdict)
{
  if (verdict == NP_DIFF_ADDED || verdict == NP_DIFF_REMOVED)
    return TRUE;
  if (c->untold)
    return FALSE;
  return !np_diff_is_of_two_kinds (c)
         || verdict == (c->base->closed ? NP_DIFF_SLOWER : NP_DIFF_FASTER);
}

static void
judge_line (const Judge *j, NpDiffLine *line, const NpDiffPair *pairs, guint n, double alpha)
{
  NpDiffComparison *c = j->c;
  gboolean noisy = line->kind == NP_DIFF_COMMUNICATION;
  line->result = c->per_call
                     ? np_diff_test_calls (pairs, n, alpha, j->limits)
                     : np_diff_test (c->base, c->new, pairs, n, j->noise, noisy, alpha, j->limits);
  if (!may_be_told (c, line->result.verdict))
    line->result.verdict = NP_DIFF_NOT_TOLD;
  if (!c->per_call)
    explain (line, j->limits);
}

/* Gathers the pairs of several lines side by side. */
static GArray *
gather (const NpDiffComparison *c, const GArray *lines, int only)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (NpDiffPair));
  for (guint i = 0; i < lines->len; i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    if (only < 0 || line->kind == (NpDiffClass) only)
      g_array_append_vals (pairs, &g_array_index (c->pairs, NpDiffPair, line->first), line->n);
  }
  return pairs;
}

static gboolean
is_on_both (const GArray *pairs)
{
  gboolean base = FALSE, new = FALSE;
  for (guint i = 0; i < pairs->len; i++) {
    base |= g_array_index (pairs, NpDiffPair, i).base != NULL;
    new |= g_array_index (pairs, NpDiffPair, i).new != NULL;
  }
  return base && new;
}

static NpDiffLine
judge_group (const Judge *j, const char *name, const GArray *pairs, NpDiffClass kind, double alpha)
{
  NpDiffLine line = { .name = name, .kind = kind };
  judge_line (j, &line, (const NpDiffPair *) (void *) pairs->data, pairs->len, alpha);
  line.share = share_of (j->c, (const NpDiffPair *) (void *) pairs->data, pairs->len);
  return line;
}

static int
by_change (gconstpointer a, gconstpointer b)
{
  const NpDiffLine *x = a, *y = b;
  double of_x = fabs (x->result.new - x->result.base), of_y = fabs (y->result.new - y->result.base);
  if (of_x != of_y)
    return of_x < of_y ? 1 : -1;
  return x->share != y->share ? (x->share < y->share ? 1 : -1) : g_strcmp0 (x->name, y->name);
}

static void
judge_sums (Judge *j, const GArray *all, const GArray *small)
{
  NpDiffComparison *c = j->c;
  g_autoptr (GArray) of_all = gather (c, all, -1), of_small = gather (c, small, -1),
                     of_collectives = gather (c, all, NP_DIFF_COMMUNICATION);
  if ((c->has_rest = small->len > 0)) {
    c->rest = judge_group (j, "the rest", of_small, NP_DIFF_COMPUTE,
                           NP_DIFF_ALPHA_REST / (c->n_large + 1));
    c->rest.kernels = small->len;
  }
  if ((c->has_work = is_on_both (of_all)))
    c->work = judge_group (j, "all work", of_all, NP_DIFF_COMPUTE, NP_DIFF_ALPHA_WORK);
  if ((c->has_communication = is_on_both (of_collectives)))
    c->communication = judge_group (j, "communication", of_collectives, NP_DIFF_COMMUNICATION,
                                    NP_DIFF_ALPHA_COMMUNICATION);
}

/* -- The step ---------------------------------------------------------------------------- */

static void
judge_step (Judge *j)
{
  NpDiffComparison *c = j->c;
  if (!c->base->steps->len || !c->new->steps->len)
    return;
  c->has_step = TRUE;
  c->step = np_diff_test_step (c->base, c->new, c->per_call, NP_DIFF_ALPHA_STEP, j->limits);
  for (guint s = 0; s < 2; s++) {
    const GArray *steps = s ? c->new->steps : c->base->steps;
    for (guint i = 0; i < steps->len; i++)
      for (guint p = 0; p < NP_PARTS; p++)
        c->parts[s][p] += g_array_index (steps, NpDiffStep, i).parts[p] / steps->len;
  }
}

/* -- Clocks -------------------------------------------------------------------------------- */

static int
compare_deltas (gconstpointer a, gconstpointer b)
{
  double x = ((const NpDiffLine *) a)->result.delta, y = ((const NpDiffLine *) b)->result.delta;
  return (x > y) - (x < y);
}

/* Returns the delta that the most of the work is near to; NAN: most of it is near none. No clock
 * removes a kernel. */
static double
common_delta (const NpDiffComparison *c)
{
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  double work = 0, best = 0, delta = NAN;
  guint kernels = 0;
  for (guint i = 0; i < c->lines->len; i++) {
    const NpDiffLine *line = &g_array_index (c->lines, NpDiffLine, i);
    if (!isnan (line->result.delta) && line->result.verdict != NP_DIFF_REMOVED)
      g_array_append_val (lines, *line);
  }
  g_array_sort (lines, compare_deltas);
  for (guint from = 0, to = 0; to < lines->len; to++) {
    const NpDiffResult *last = &g_array_index (lines, NpDiffLine, to).result;
    work += last->base;
    while (last->delta - g_array_index (lines, NpDiffLine, from).result.delta > CLOCKS_AWAY)
      work -= g_array_index (lines, NpDiffLine, from++).result.base;
    if (work > best) {
      best = work;
      kernels = to - from + 1;
      delta = (last->delta + g_array_index (lines, NpDiffLine, from).result.delta) / 2;
    }
  }
  gboolean most = best >= CLOCKS_SHARE * c->base_work && kernels >= CLOCKS_KERNELS;
  return most && fabs (delta) >= CLOCKS_LEAST ? delta : NAN;
}

/* -- All of it ------------------------------------------------------------------------------ */

static guint64
count_calls (const NpDiffSide *side)
{
  double calls = 0;
  for (guint i = 0; i < side->series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (side->series, i);
    for (guint p = 0; p < s->places->len; p++)
      calls += g_array_index (s->places, NpDiffPlace, p).calls;
  }
  return (guint64) llround (calls);
}

static gboolean
has_steps (const NpDiffSide *side)
{
  return !g_str_equal (side->by, "recording");
}

/* Returns whether rows can only be compared call by call: one side has steps and the other is a
 * whole recording; or neither has any, and one recorded longer; or nothing says where in the
 * program a row is, so as many rows are taken for the same, others are not. */
static gboolean
is_per_call (const NpDiffComparison *c)
{
  const NpDiffSide *base = c->base, *new = c->new;
  if (has_steps (base) != has_steps (new))
    return TRUE;
  if (has_steps (base) || base->runs || new->runs)
    return FALSE;
  gboolean linked = base->linked || new->linked;
  return linked ? np_diff_is_of_other_length (c->pairs) : count_calls (base) != count_calls (new);
}

/* Is it of one side alone?  Then its name is what changed. */
static gboolean
is_of_one_side (const NpDiffComparison *c, const NpDiffLine *line)
{
  gboolean base = FALSE, new = FALSE;
  for (guint i = 0; i < line->n; i++) {
    const NpDiffPair *pair = &g_array_index (c->pairs, NpDiffPair, line->first + i);
    base |= pair->base != NULL;
    new |= pair->new != NULL;
  }
  return base != new;
}

static void
sort_lines (NpDiffComparison *c, GArray *all, GArray *small)
{
  g_autoptr (GPtrArray) kernels = np_diff_pair_kernels (c->base, c->new);
  for (guint i = 0; i < kernels->len; i++) {
    NpDiffLine line = add_pairs (c->pairs, g_ptr_array_index (kernels, i));
    line.share = share_of (c, &g_array_index (c->pairs, NpDiffPair, line.first), line.n);
    g_array_append_val (all, line);
    gboolean large = line.share >= NP_DIFF_SHARE;
    c->n_large += large;
    g_array_append_val (large || is_of_one_side (c, &line) ? c->lines : small, line);
    if (line.renamed)
      g_array_append_val (c->renamed, line);
  }
}

NpDiffComparison *
np_diff_compare (const NpDiffSide *base, const NpDiffSide *new, const NpDiffLimits *limits)
{
  NpDiffComparison *c = g_new0 (NpDiffComparison, 1);
  *c = (NpDiffComparison){ .base = base, .new = new };
  c->pairs = g_array_new (FALSE, FALSE, sizeof (NpDiffPair));
  c->lines = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  c->renamed = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  c->base_work = work_of (base);
  c->new_work = work_of (new);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  g_autoptr (GArray) small = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  sort_lines (c, all, small);
  c->per_call = is_per_call (c);
  gboolean one = base->samples < 2 && new->samples < 2;
  g_autoptr (NpDiffNoise) noise = one ? np_diff_noise_new (c->pairs) : NULL;
  Judge j = { c, noise, limits };
  double alpha = (one ? NP_DIFF_ALPHA_ASSUMED : NP_DIFF_ALPHA_LINES) / (c->n_large + 1);
  for (guint i = 0; i < c->lines->len; i++) {
    NpDiffLine *line = &g_array_index (c->lines, NpDiffLine, i);
    judge_line (&j, line, &g_array_index (c->pairs, NpDiffPair, line->first), line->n, alpha);
  }
  judge_sums (&j, all, small);
  judge_step (&j);
  c->clocks = common_delta (c);
  g_array_sort (c->lines, by_change);
  return c;
}

void
np_diff_comparison_free (NpDiffComparison *c)
{
  if (!c)
    return;
  g_array_unref (c->pairs);
  g_array_unref (c->lines);
  g_array_unref (c->renamed);
  g_free (c);
}

/* -- By something else ------------------------------------------------------------------------ */

static const char *
group_of (const NpDiffPair *pair, NpDiffBy by)
{
  const NpDiffSeries *s = pair->base ? pair->base : pair->new;
  return by == NP_DIFF_BY_OPS ? s->operator: s->module;
}

static NpDiffLine
judge_named (const Judge *j, const char *name, NpDiffBy by, guint n_groups)
{
  const NpDiffComparison *c = j->c;
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (NpDiffPair));
  gboolean collectives = TRUE;
  for (guint i = 0; i < c->pairs->len; i++) {
    const NpDiffPair *pair = &g_array_index (c->pairs, NpDiffPair, i);
    if (group_of (pair, by) != name)
      continue;
    collectives &= (pair->base ? pair->base : pair->new)->kind == NP_DIFF_COMMUNICATION;
    g_array_append_val (pairs, *pair);
  }
  NpDiffLine line
      = judge_group (j, name, pairs, collectives ? NP_DIFF_COMMUNICATION : NP_DIFF_COMPUTE,
                     NP_DIFF_ALPHA_ASSUMED / n_groups);
  return line;
}

GArray *
np_diff_regroup (const NpDiffComparison *c, NpDiffBy by, const NpDiffLimits *limits)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (NpDiffLine));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gboolean one = c->base->samples < 2 && c->new->samples < 2;
  g_autoptr (NpDiffNoise) noise = one ? np_diff_noise_new (c->pairs) : NULL;
  const Judge j = { (NpDiffComparison *) c, noise, limits };
  for (guint i = 0; i < c->pairs->len; i++) {
    gpointer name = (gpointer) group_of (&g_array_index (c->pairs, NpDiffPair, i), by);
    if (!g_ptr_array_find (names, name, NULL))
      g_ptr_array_add (names, name);
  }
  for (guint i = 0; i < names->len; i++) {
    const NpDiffLine line = judge_named (&j, g_ptr_array_index (names, i), by, names->len);
    g_array_append_val (lines, line);
  }
  g_array_sort (lines, by_change);
  return lines;
}

/* -- What follows from it ---------------------------------------------------------------------- */

gboolean
np_diff_is_of_steps (const NpDiffComparison *c)
{
  return !g_str_equal (c->base->by, "recording") && !g_str_equal (c->new->by, "recording");
}

gboolean
np_diff_is_of_two_kinds (const NpDiffComparison *c)
{
  return c->base->closed != c->new->closed;
}

gboolean
np_diff_is_over (const NpDiffResult *r, const NpDiffLimits *limits)
{
  return r->verdict == NP_DIFF_SLOWER && r->delta > limits->threshold;
}

static void
forget_verdict (NpDiffResult *r)
{
  if (r->verdict != NP_DIFF_ADDED && r->verdict != NP_DIFF_REMOVED)
    r->verdict = NP_DIFF_NOT_TOLD;
}

void
np_diff_forget_verdicts (NpDiffComparison *c)
{
  c->untold = TRUE;
  NpDiffResult *sums[] = { &c->rest.result, &c->work.result, &c->communication.result, &c->step };
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    forget_verdict (sums[i]);
  for (guint i = 0; i < c->lines->len; i++)
    forget_verdict (&g_array_index (c->lines, NpDiffLine, i).result);
}

guint
np_diff_count_over (const NpDiffComparison *c, const NpDiffLimits *limits)
{
  guint over = 0;
  for (guint i = 0; i < c->lines->len; i++)
    over += np_diff_is_over (&g_array_index (c->lines, NpDiffLine, i).result, limits);
  over += c->has_rest && np_diff_is_over (&c->rest.result, limits);
  over += c->has_work && np_diff_is_over (&c->work.result, limits);
  over += c->has_communication && np_diff_is_over (&c->communication.result, limits);
  over += c->has_step && np_diff_is_over (&c->step, limits);
  return over;
}

static int
compare_guints (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return (x > y) - (x < y);
}

/* Returns the samples that would tell; the interval shrinks with the root of their number, and of
 * one sample nothing is known. */
static guint
samples_for (const NpDiffComparison *c, const NpDiffResult *r, const NpDiffLimits *limits)
{
  guint have = MIN (c->base->samples, c->new->samples);
  double ratio = r->interval / limits->threshold;
  return have < 2 ? 5 : (guint) fmin (1000, fmax (have + 1, ceil (have * ratio * ratio)));
}

static void
count_untold (NpDiffUntold *u, const NpDiffComparison *c, const NpDiffLine *line, guint kernels,
              GArray *samples, const NpDiffLimits *limits)
{
  if (line->result.verdict != NP_DIFF_NOT_TOLD)
    return;
  guint needed = samples_for (c, &line->result, limits);
  u->kernels += kernels;
  u->share += c->base_work > 0 ? line->result.base / c->base_work : 0;
  g_array_append_val (samples, needed);
}

NpDiffUntold
np_diff_untold (const NpDiffComparison *c, const NpDiffLimits *limits)
{
  NpDiffUntold u = { .step = c->has_step && c->step.verdict == NP_DIFF_NOT_TOLD,
                     .work = c->has_work && c->work.result.verdict == NP_DIFF_NOT_TOLD,
                     .communication = c->has_communication
                                      && c->communication.result.verdict == NP_DIFF_NOT_TOLD };
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < c->lines->len; i++)
    count_untold (&u, c, &g_array_index (c->lines, NpDiffLine, i), 1, samples, limits);
  if (c->has_rest)
    count_untold (&u, c, &c->rest, c->rest.kernels, samples, limits);
  if (u.step) {
    guint needed = samples_for (c, &c->step, limits);
    g_array_append_val (samples, needed);
  }
  if (c->untold || np_diff_is_of_two_kinds (c))
    return u; /* No number of samples would tell. */
  g_array_sort (samples, compare_guints);
  u.samples = samples->len ? MAX (5, g_array_index (samples, guint, samples->len / 2)) : 5;
  return u;
}

gboolean
np_diff_is_untold (const NpDiffComparison *c, const NpDiffLimits *limits)
{
  const NpDiffUntold u = np_diff_untold (c, limits);
  return u.kernels || u.step || u.work || u.communication;
}
