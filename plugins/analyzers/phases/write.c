/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes table phases. */
#include "phases.h"

#include "devicekit/cells.h"

NPROF_TABLE (phases, "Phases of inference",
             "Steps by the annotations of vLLM, SGLang, TensorRT-LLM, ATOM and xDiT. tpot: the median step of "
             "decoding, which gives each request a token.",
             PHASES)

typedef struct {
  gint64 steps, span, whole;           /* the latter not cut at the window */
  gint64 requests, context, generated, context_keys, generation_keys; /* -1: not told of all */
  bool a_token_each;
  Dist durations;
} Sum;

static void
add (gint64 *sum, gint64 value)
{
  *sum = *sum < 0 || value < 0 ? -1 : *sum + value;
}

static void
add_step (Sum *s, const Step *step, gint64 duration, gint64 inside)
{
  s->steps++;
  s->span += inside;
  s->whole += duration;
  add (&s->requests, step->said.requests);
  add (&s->context, step->said.context);
  add (&s->generated, step->said.generated);
  add (&s->context_keys, step->said.context_keys);
  add (&s->generation_keys, step->said.generation_keys);
  s->a_token_each &= step->said.requests > 0 && step->said.requests == step->said.generated;
  dist_add (&s->durations, duration);
}

static const char *
reason (Phase phase, const Sum *s)
{
  if (phase == PHASE_NONE)
    return NULL;
  if (phase == PHASE_DIFFUSION)
    return "steps of diffusion have no tokens";
  if (phase == PHASE_DRAFT)
    return "a draft of tokens of which nobody knows how many are taken";
  if (phase == PHASE_VERIFY)
    return "a step gives each request several tokens; how many it does not say";
  if (phase == PHASE_DECODE && !s->a_token_each)
    return "the annotations do not say that each request got one token a step";
  return s->context < 0 || s->generated < 0 ? "the annotations do not say how many tokens" : NULL;
}

static nprof_status
write_phase (const Phases *p, const Device *d, Phase phase, const Sum *s, gint64 busy)
{
  static const guint milles[] = { 500, 900, 990 };
  gint64 rank[G_N_ELEMENTS (milles)];
  if (s->steps)
    dist_percentiles (&s->durations, milles, G_N_ELEMENTS (milles), false, rank);
  bool tokens = s->steps && s->context >= 0 && s->generated >= 0;
  double rate
      = tokens && s->whole ? (double) (s->context + s->generated) * 1e12 / (double) s->whole : -1;
  const char *why = reason (phase, s);
  const struct phases_row row = {
    .device = nprof_any_str (d->label),
    .phase = nprof_any_str (nprof_intern (p->host, inference_phase_name (phase))),
    .steps = an_count (s->steps ? s->steps : -1),
    .span = an_count (s->steps ? s->span : -1),
    .busy = nprof_some_int (busy),
    .requests = an_count (s->steps ? s->requests : -1),
    .context_tokens = an_count (s->steps ? s->context : -1),
    .generation_tokens = an_count (s->steps ? s->generated : -1),
    .context_keys = an_count (s->steps ? s->context_keys : -1),
    .generation_keys = an_count (s->steps ? s->generation_keys : -1),
    .tokens_per_s = nprof_double_if (rate >= 0, rate),
    .p50 = an_count (s->steps ? rank[0] : -1),
    .p90 = an_count (s->steps ? rank[1] : -1),
    .p99 = an_count (s->steps ? rank[2] : -1),
    .tpot = an_count (s->steps && phase == PHASE_DECODE && s->a_token_each ? rank[0] : -1),
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
find_window (const Phases *p, const Device *d, Step *step, guint number, gint64 *before)
{
  const Launched none = { 0 }, *l = number < d->launched->len
                                        ? &g_array_index (d->launched, Launched, number)
                                        : &none;
  step->start = MAX (step->start, *before);
  step->end = MAX (step->end, step->start);
  step->end = l->any ? MAX (step->end, l->last) : step->end;
  step->shown
      = p->clip.cuts ? nprof_touches (&p->clip, step->start, step->end) : step->shown || l->shown;
  *before = step->end;
}

static nprof_status
write_device (const Phases *p, const Device *d)
{
  bool own = g_hash_table_contains (p->annotated, GUINT_TO_POINTER (d->input));
  const GArray *steps = own ? d->steps : ph_host_steps (p, d->input);
  const Busy *busy = own ? &d->by_start : &d->by_launch;
  Sum sums[N_PHASES] = { 0 };
  nprof_status status = NPROF_OK;
  for (guint k = 0; k < N_PHASES; k++)
    sums[k].a_token_each = true;
  gint64 before = G_MININT64;
  for (guint i = 0; steps && i < steps->len; i++) {
    Step step = g_array_index (steps, Step, i);
    if (!own)
      find_window (p, d, &step, i, &before);
    gint64 duration = step.end - step.start;
    if (step.shown)
      add_step (&sums[step.said.phase], &step, duration,
                nprof_inside (&p->clip, step.start, duration));
  }
  for (guint k = 0; k < N_PHASES && steps && steps->len && status == NPROF_OK; k++)
    if (sums[k].steps || (k == PHASE_NONE && busy->busy[k]))
      status = write_phase (p, d, (Phase) k, &sums[k], busy->busy[k]);
  for (guint k = 0; k < N_PHASES; k++)
    dist_clear (&sums[k].durations);
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
  g_ptr_array_sort_with_data (p->devices, by_place, (gpointer) p->host);
  find_annotated (p);
  for (guint i = 0; i < p->devices->len && status == NPROF_OK; i++)
    if (((const Device *) g_ptr_array_index (p->devices, i))->work->len)
      status = write_device (p, g_ptr_array_index (p->devices, i));
  return status;
}
