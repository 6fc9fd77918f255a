/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes table phases. */
#include "phases.h"

#include "devicekit/cells.h"

#include <nprof/units.h>

NPROF_TABLE (
    phases, "Phases of inference",
    "Steps by the annotations of vLLM, SGLang, TensorRT-LLM, ATOM and xDiT. tpot: the median "
    "period of decoding, which gives each request a token.",
    PHASES)

typedef struct {
  gint64 steps, span;
  gint64 requests, context, generated, context_keys, generation_keys; /* -1: not told of all */
  gint64 tokens, in_periods; /* of steps with a period: tokens, -1: not told of all; ps */
  bool a_token_each, speculates;
  Dist durations, periods, between;
} Sum;

struct nprof_maybe_double
ph_in_graph (const Phases *p, const Busy *busy)
{
  return nprof_double_if (p->graphs && busy->work,
                          (double) busy->replayed / (double) MAX (1, busy->work));
}

static void
add (gint64 *sum, gint64 value)
{
  *sum = *sum < 0 || value < 0 ? -1 : *sum + value;
}

static gint64
tokens_of (const Said *said)
{
  return said->context_tokens < 0 || said->generation_tokens < 0
             ? -1
             : said->context_tokens + said->generation_tokens;
}

static void
add_step (Sum *s, const AnServerStep *step, gint64 duration, gint64 inside)
{
  s->steps++;
  s->span += inside;
  add (&s->requests, step->said.requests);
  add (&s->context, step->said.context_tokens);
  add (&s->generated, step->said.generation_tokens);
  add (&s->context_keys, step->said.context_keys);
  add (&s->generation_keys, step->said.generation_keys);
  s->a_token_each &= step->said.requests > 0 && step->said.requests == step->said.generation_tokens;
  s->speculates |= step->said.requests > 0 && step->said.generation_tokens > step->said.requests;
  dist_add (&s->durations, duration);
}

static void
add_period (Sum *s, const AnServerStep *step, const Period *period)
{
  if (period->between >= 0)
    dist_add (&s->between, period->between);
  if (period->duration < 0)
    return;
  dist_add (&s->periods, period->duration);
  add (&s->tokens, tokens_of (&step->said));
  s->in_periods += period->duration;
}

static double
rate_of (const Sum *s)
{
  return s->tokens >= 0 && s->in_periods ? (double) s->tokens * 1e12 / (double) s->in_periods : -1;
}

/* Returns why the number of tokens of a step is unknown; NULL: it is known. */
static const char *
tokens_reason (Phase phase, const Sum *s)
{
  if (phase == PHASE_DIFFUSION)
    return "steps of diffusion have no tokens";
  if (phase == PHASE_DRAFT)
    return "a draft of tokens of which it is unknown how many are taken";
  if (phase == PHASE_VERIFY)
    return "speculation: a step gives each request several tokens; how many it does not say";
  if (phase == PHASE_DECODE && s->speculates)
    return "speculation: the annotations count proposed tokens; how many were taken they do not "
           "say";
  if (phase == PHASE_DECODE && !s->a_token_each)
    return "the annotations do not say that each request got one token a step";
  return s->context < 0 || s->generated < 0 ? "the annotations do not say how many tokens" : NULL;
}

/* Returns why something is unknown; NULL: nothing is; transfer full. */
static char *
reason (Phase phase, const Sum *s, gint64 busy)
{
  const char *tokens = phase == PHASE_NONE ? NULL : tokens_reason (phase, s);
  if (phase == PHASE_NONE)
    return NULL;
  if (s->speculates && rate_of (s) >= 0)
    return g_strdup_printf ("%s; at most %" G_GINT64_FORMAT " tokens/s", tokens,
                            (gint64) (rate_of (s) + 0.5));
  if (tokens)
    return g_strdup (tokens);
  if (s->periods.count)
    return NULL;
  if (s->steps > 1)
    return g_strdup ("no two of its steps with work follow each other: no period");
  return g_strdup_printf ("one step: %s or more, the work in it", nprof_time ((double) busy).text);
}

typedef struct {
  gint64 p50, p90, p99; /* -1: there are none */
} Percentiles;

static Percentiles
percentiles_of (const Dist *dist)
{
  static const guint milles[] = { 500, 900, 990 };
  gint64 rank[G_N_ELEMENTS (milles)];
  if (!dist->count)
    return (Percentiles){ -1, -1, -1 };
  dist_percentiles (dist, milles, G_N_ELEMENTS (milles), false, rank);
  return (Percentiles){ rank[0], rank[1], rank[2] };
}

static nprof_status
write_phase (const Phases *p, const Device *d, Phase phase, const Sum *s, const Busy *work)
{
  const gint64 busy = work->busy;
  const bool decode = phase == PHASE_DECODE, each = decode && s->a_token_each;
  const double rate = s->speculates ? -1 : rate_of (s);
  const Percentiles step = percentiles_of (&s->durations), period = percentiles_of (&s->periods),
                    between = percentiles_of (&s->between);
  g_autofree char *why = reason (phase, s, busy);
  const struct phases_row row = {
    .device = nprof_any_str (d->label),
    .phase = nprof_any_str (nprof_intern (p->host, inference_phase_name (phase))),
    .steps = an_count (s->steps ? s->steps : -1),
    .span = an_count (s->steps ? s->span : -1),
    .busy = nprof_some_int (busy),
    .in_graph = ph_in_graph (p, work),
    .requests = an_count (s->steps ? s->requests : -1),
    .context_tokens = an_count (s->steps ? s->context : -1),
    .generation_tokens = an_count (s->steps ? s->generated : -1),
    .context_keys = an_count (s->steps ? s->context_keys : -1),
    .generation_keys = an_count (s->steps ? s->generation_keys : -1),
    .tokens_per_s = nprof_double_if (rate >= 0, rate),
    .p50 = an_count (step.p50),
    .p90 = an_count (step.p90),
    .p99 = an_count (step.p99),
    .periods = an_count (s->steps ? (gint64) s->periods.count : -1),
    .period_p50 = an_count (period.p50),
    .period_p90 = an_count (period.p90),
    .period_p99 = an_count (period.p99),
    .tpot = an_count (each ? period.p50 : -1),
    .tpot_least = an_count (each && s->steps == 1 ? busy : -1),
    .itl_p50 = an_count (each ? between.p50 : -1),
    .itl_p99 = an_count (each ? between.p99 : -1),
    .reason = nprof_text_if (why, why),
  };
  return p->host->row (
      p->host, &phases_table,
      phases_cells (nprof_cell_str (p->host->input (p->host, d->input)->label), &row).cells);
}

/* Annotations of the host count only where no device of the input has any. */
static void
find_annotated (Phases *p)
{
  for (guint i = 0; i < p->devices->len; i++) {
    const Device *d = g_ptr_array_index (p->devices, i);
    if (d->steps->len)
      g_hash_table_add (p->annotated, GUINT_TO_POINTER (d->input));
  }
}

/* Makes the step of a host its window on the device: a host only launches what it annotates, so a
 * step lasts until its work ends, and does not begin before the one before has ended.  Where sums
 * are cut, the one that has a part inside is shown, not the one that the host annotated then. */
static void
find_window (const Phases *p, const Device *d, AnServerStep *step, guint number, gint64 *before)
{
  const Done none = { 0 },
             *l = number < d->launched->len ? &g_array_index (d->launched, Done, number) : &none;
  step->start = MAX (step->start, *before);
  step->end = MAX (step->end, step->start);
  step->end = l->all.any ? MAX (step->end, l->all.last) : step->end;
  step->shown
      = p->clip.cuts ? nprof_touches (&p->clip, step->start, step->end) : step->shown || l->shown;
  *before = step->end;
}

/* Returns the steps of the device that the selection shows, as Stepped; transfer full. */
static GArray *
find_stepped (const Phases *p, const Device *d, bool own, const GArray *steps)
{
  const GArray *done = own ? d->begun : d->launched;
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Stepped));
  g_autofree Period *periods = ph_periods (steps, done);
  gint64 before = G_MININT64;
  guint number = 0;
  for (guint i = 0; i < steps->len; i++) {
    Stepped s = { .step = g_array_index (steps, AnServerStep, i), .period = periods[i] };
    if (s.step.around)
      continue;
    s.number = number++;
    if (i < done->len)
      s.busy = g_array_index (done, Done, i).busy;
    if (!own)
      find_window (p, d, &s.step, i, &before);
    if (s.step.shown)
      g_array_append_val (found, s);
  }
  return found;
}

/* Adds the steps to their phases. */
static void
sum_up (const Phases *p, const GArray *stepped, Sum *sums)
{
  for (guint i = 0; i < stepped->len; i++) {
    const Stepped *s = &g_array_index (stepped, Stepped, i);
    const gint64 duration = s->step.end - s->step.start;
    Sum *sum = &sums[s->step.said.phase];
    add_step (sum, &s->step, duration, nprof_inside (&p->clip, s->step.start, duration));
    add_period (sum, &s->step, &s->period);
  }
}

static void
sum_clear (Sum *s)
{
  dist_clear (&s->durations);
  dist_clear (&s->periods);
  dist_clear (&s->between);
}

static nprof_status
write_device (const Phases *p, const Device *d)
{
  bool own = g_hash_table_contains (p->annotated, GUINT_TO_POINTER (d->input));
  const GArray *steps = own ? d->steps : an_server_steps_find (p->host_steps, d->input);
  const Busy *busy = own ? d->by_start : d->by_launch;
  Sum sums[N_PHASES] = { 0 };
  if (!steps || !steps->len)
    return NPROF_OK;
  for (guint k = 0; k < N_PHASES; k++)
    sums[k].a_token_each = true;
  g_autoptr (GArray) stepped = find_stepped (p, d, own, steps);
  sum_up (p, stepped, sums);
  nprof_status status = ph_write_steps (p, d, stepped);
  for (guint k = 0; k < N_PHASES && status == NPROF_OK; k++)
    if (sums[k].steps || (k == PHASE_NONE && busy[k].busy))
      status = write_phase (p, d, (Phase) k, &sums[k], &busy[k]);
  for (guint k = 0; k < N_PHASES; k++)
    sum_clear (&sums[k]);
  return status;
}

static int
by_place (gconstpointer a, gconstpointer b, gpointer user)
{
  const Device *x = *(const Device *const *) a, *y = *(const Device *const *) b;
  return an_place_compare (user, x->track, y->track);
}

nprof_status
ph_write (Phases *p)
{
  nprof_status status = p->host->table (p->host, &phases_table);
  if (!status)
    status = p->host->table (p->host, &server_steps_table);
  g_ptr_array_sort_with_data (p->devices, by_place, (gpointer) p->host);
  find_annotated (p);
  for (guint i = 0; i < p->devices->len && status == NPROF_OK; i++)
    if (((const Device *) g_ptr_array_index (p->devices, i))->work->len)
      status = write_device (p, g_ptr_array_index (p->devices, i));
  return status;
}
