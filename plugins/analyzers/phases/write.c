/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes table phases. */
#include "phases.h"

#include "devicekit/cells.h"

#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define COUNT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)

/* clang-format off */
const struct nprof_table ph_table = {
  .size = sizeof ph_table,
  .name = "phases",
  .title = "Phases of inference",
  .note = "Steps by the annotations of vLLM, SGLang and ATOM. tpot: the median step of decoding, which gives each "
          "request a token.",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_STRING, "device", "", "device or core"),
      NPROF_KEY_COLUMN (NPROF_STRING, "phase", "", "prefill, decode, mixed, verify; none: work in no step"),
      COUNT ("steps", "of the phase"),
      PS ("span_ns", "sum of its steps"),
      PS ("busy_ns", "work in them"),
      COUNT ("requests", "in its steps"),
      COUNT ("context_tokens", "tokens"),
      COUNT ("generation_tokens", "tokens"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "tokens_per_s", "", "of both"),
      PS ("p50_ns", "median step"),
      PS ("p99_ns", "99th percentile"),
      PS ("tpot_ns", "time per output token: median decode step"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "reason", "", "why something is unknown")),
};
/* clang-format on */

static const char *const names[N_PHASES] = { "prefill", "decode", "mixed", "verify", "none" };

typedef struct {
  gint64 steps, span, whole;           /* the latter not cut at the window */
  gint64 requests, context, generated; /* -1: not told of all */
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
  s->a_token_each &= step->said.requests > 0 && step->said.requests == step->said.generated;
  dist_add (&s->durations, duration);
}

static const char *
reason (Phase phase, const Sum *s)
{
  if (phase == PHASE_NONE)
    return NULL;
  if (phase == PHASE_VERIFY)
    return "a step gives each request several tokens; how many it does not say";
  if (phase == PHASE_DECODE && !s->a_token_each)
    return "the annotations do not say that each request got one token a step";
  return s->context < 0 || s->generated < 0 ? "the annotations do not say how many tokens" : NULL;
}

static nprof_status
write_phase (const Phases *p, const Device *d, Phase phase, const Sum *s, gint64 busy)
{
  static const guint milles[] = { 500, 990 };
  gint64 rank[G_N_ELEMENTS (milles)];
  if (s->steps)
    dist_percentiles (&s->durations, milles, G_N_ELEMENTS (milles), false, rank);
  bool tokens = s->steps && s->context >= 0 && s->generated >= 0;
  double rate
      = tokens && s->whole ? (double) (s->context + s->generated) * 1e12 / (double) s->whole : -1;
  const char *why = reason (phase, s);
  const struct nprof_cell cells[] = {
    nprof_cell_str (p->host->input (p->host, d->input)->label),
    nprof_cell_str (d->label),
    nprof_cell_str (nprof_intern (p->host, names[phase])),
    an_count_cell (s->steps ? s->steps : -1),
    an_count_cell (s->steps ? s->span : -1),
    nprof_cell_int (busy),
    an_count_cell (s->steps ? s->requests : -1),
    an_count_cell (s->steps ? s->context : -1),
    an_count_cell (s->steps ? s->generated : -1),
    rate >= 0 ? nprof_cell_double (rate) : nprof_cell_null (),
    an_count_cell (s->steps ? rank[0] : -1),
    an_count_cell (s->steps ? rank[1] : -1),
    an_count_cell (s->steps && phase == PHASE_DECODE && s->a_token_each ? rank[0] : -1),
    why ? nprof_cell_text (why) : nprof_cell_null (),
  };
  return p->host->row (p->host, &ph_table, cells);
}

/* Tells whether the host annotates: its annotations count only where no device of the input has
 * any. */
static bool
annotates (const Phases *p, guint32 input)
{
  for (guint i = 0; i < p->devices->len; i++) {
    const Device *d = g_ptr_array_index (p->devices, i);
    if (d->input == input && d->steps->len)
      return true;
  }
  return false;
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
  bool own = annotates (p, d->input);
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
  nprof_status status = p->host->table (p->host, &ph_table);
  g_ptr_array_sort_with_data (p->devices, by_place, (gpointer) p->host);
  for (guint i = 0; i < p->devices->len && status == NPROF_OK; i++)
    if (((const Device *) g_ptr_array_index (p->devices, i))->work->len)
      status = write_device (p, g_ptr_array_index (p->devices, i));
  return status;
}
