/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - the third walk: turns the packets of a part into rows, with what note.c found of other
 * packets. */
#include "perfetto.h"

#include "producers/rebellions.h"

#include <math.h>

#define REPORT_ROWS 50000u /* rows between two reports of progress */

static PfPartState *
part_of (PfWalk *w)
{
  return (PfPartState *) w; /* its first member */
}

static guint64
id_of (guint64 place)
{
  return place + 1;
}

/* -- Rows -------------------------------------------------------------------------------------- */

bool
pf_ps (const Perfetto *pf, gint64 ns, gint64 *ps)
{
  return !__builtin_sub_overflow (ns, pf->base, ps) && !__builtin_mul_overflow (*ps, 1000, ps);
}

static nprof_status
begin_row (PfPartState *part, uint8_t kind, guint32 place, nprof_str name, gint64 start,
           gint64 duration)
{
  part->unreported++;
  return nprof_row (part->w, kind, pf_track (part->walk.pf, place)->track, name, start, duration);
}

static void
far_off (PfPartState *part, const PfPacket *k)
{
  part->host->skip (part->host, "row", pf_byte (part->walk.pf, k->place),
                    "its time is months from those of the other rows");
}

/* Finds the ps of a span; false: they are beyond what rows hold. */
static bool
span_ps (const Perfetto *pf, gint64 time, gint64 ns, gint64 *start, gint64 *duration)
{
  gint64 end;
  *duration = -1;
  if (!pf_ps (pf, time, start))
    return false;
  return ns < 0
         || (!__builtin_mul_overflow (ns, 1000, duration)
             && !__builtin_add_overflow (*start, *duration, &end));
}

/* -- Arrows ------------------------------------------------------------------------------------ */

static nprof_status
flow_row (PfPartState *part, guint32 track, gint64 time, guint64 number, guint phase,
          guint64 parent)
{
  const Perfetto *pf = part->walk.pf;
  gint64 start;
  if (!number || !pf_ps (pf, time, &start))
    return NPROF_OK;
  nprof_status status = begin_row (part, NPROF_FLOW, track, pf->flow_name, start, 0);
  if (status)
    return status;
  nprof_set_category (part->w, pf->flow_name);
  nprof_set_flow (part->w, number);
  nprof_set_parent (part->w, parent);
  return nprof_attr_str (part->w, pf->key_phase, pf->phases[phase]);
}

static nprof_status
add_flow (PfWalk *w, const PfPacket *k, const PfEvent *e, guint64 id, guint how, gpointer user)
{
  const guint64 *parent = user;
  const PfFlow *flow = &g_array_index (w->pf->flows, PfFlow, w->n_flows++);
  (void) k, (void) id, (void) how;
  return flow_row (part_of (w), e->track_place, e->time, flow->number, flow->phase, *parent);
}

/* Writes an arrow between a row and the work of a GPU that it names. */
static nprof_status
link_stage (PfPartState *part, const PfStage *here, guint64 id, bool leads)
{
  const PfStage *there = pf_stage_of (part->walk.pf, id);
  if (!there)
    return NPROF_OK; /* an id that never comes is no arrow */
  const PfStage *from = leads ? here : there, *to = leads ? there : here;
  const guint64 number = (from->place * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ to->place) | 1;
  nprof_status status
      = flow_row (part, from->track, from->time, number, PHASE_BEGIN, id_of (from->place));
  return status ? status
                : flow_row (part, to->track, to->time, number, PHASE_END, id_of (to->place));
}

static nprof_status
link_stages (PfPartState *part, const PfStage *here, PbSpan body, guint32 field, bool leads)
{
  guint64 id;
  nprof_status status = NPROF_OK;
  for (PfNumbers it = pf_numbers (body, field, false); !status && pf_next_number (&it, &id);)
    status = link_stage (part, here, id, leads);
  return status;
}

static nprof_status
link_event (PfPartState *part, const PfPacket *k, const PfEvent *e)
{
  const PfStage here = { 0, k->place, e->time, e->track_place };
  const PbSpan body = pf_bytes (e->body, EVENT_GPU_CORRELATION);
  nprof_status status = link_stages (part, &here, body, 1, true);
  return status ? status : link_stages (part, &here, body, 2, false);
}

/* -- What a row is ----------------------------------------------------------------------------- */

enum { COMPUTE, COMMUNICATION, COPY };

/* source: names of the kernels of NCCL and RCCL */
static bool
is_collective (const char *name)
{
  return g_str_has_prefix (name, "nccl") || g_str_has_prefix (name, "rccl");
}

/* Returns the category that the args of an event of PyTorch's first form say; 0: none. */
static nprof_str
category_by_args (const Perfetto *pf, const PfTrack *t, const PfFacts *facts)
{
  if (t->on_device && facts->says & 1u << RULE_COPY_KIND)
    return pf->category_copy;
  if (t->on_device && facts->says & 1u << RULE_MEMORY_KIND)
    return pf->category_set;
  if (t->on_device && facts->says & 1u << RULE_GRID)
    return pf->category_kernel;
  return facts->says & 1u << RULE_CALL_ID ? pf->category_call : 0;
}

/* Says what work of rocprofiler-systems' streams is, where one category holds kernels and copies.
 * */
static void
set_work (PfPartState *part, const PfFacts *facts, nprof_str name)
{
  const Perfetto *pf = part->walk.pf;
  const bool is_copy = !(facts->says & 1u << RULE_KERNEL) && facts->says & 1u << RULE_TO;
  const nprof_set work = pf->works[is_copy                                         ? COPY
                                   : is_collective (nprof_text (part->host, name)) ? COMMUNICATION
                                                                                   : COMPUTE];
  if (work)
    nprof_set_shared (part->w, work);
}

static void
classify (PfPartState *part, const PfPacket *k, const PfEvent *e, const PfTrack *t,
          nprof_str category)
{
  const Perfetto *pf = part->walk.pf;
  const bool is_stream = t->on_device && category == pf->category_stream;
  PfFacts facts = { .says = 0 };
  if (!category || is_stream)
    pf_facts (&part->walk, k->state->generation, e, PF_SAYS_FACT, &facts);
  if (!category)
    category = category_by_args (pf, t, &facts);
  nprof_set_category (part->w, category);
  if (is_stream)
    set_work (part, &facts, part->w->name[part->w->n_rows - 1]);
}

/* -- Attributes -------------------------------------------------------------------------------- */

static bool
find_uint (const struct nprof_writer *w, nprof_str key, guint64 *value)
{
  for (uint32_t j = w->attr_at[w->n_rows - 1]; j < w->n_attrs; j++)
    if (w->attr_key[j] == key) {
      *value = w->attr_value[j].u;
      return true;
    }
  return false;
}

/* Adds the step, by the correlation that the row was given, or by `event` where it has none. */
static nprof_status
add_links (PfPartState *part, const PfTrack *t, guint64 correlation, gint64 time)
{
  const Perfetto *pf = part->walk.pf;
  guint64 stated;
  gint64 number;
  nprof_status status = NPROF_OK;
  if (find_uint (part->w, pf->key_correlation, &stated))
    correlation = stated;
  else if (correlation && pf->want_correlation)
    status = nprof_attr_uint (part->w, pf->key_correlation, correlation);
  if (status || !pf->want_step || find_uint (part->w, pf->key_step, &stated))
    return status;
  const char *name = nprof_text (part->host, part->w->name[part->w->n_rows - 1]);
  if (t->in_npu && rebellions_sequence (name, &number))
    return nprof_attr_int (part->w, pf->key_step, number);
  return pf_step_of (pf, t, correlation, time, &number)
             ? nprof_attr_int (part->w, pf->key_step, number)
             : NPROF_OK;
}

static nprof_status
add_end_args (PfPartState *part, const PfHalf *begin)
{
  const Perfetto *pf = part->walk.pf;
  const PfHalf *end = begin->partner ? pf_half (pf, begin->partner - 1) : NULL;
  PfPacket packet;
  if (!end || !end->args || !(pf->want_end_args || pf->want_rules))
    return NPROF_OK;
  if (!pf_packet_at (pf, end->place, &part->other, &packet)) /* it was read before */
    return nprof_fail (part->host, NPROF_E_NOMEM, "no memory for compressed packets");
  return pf_add_args (part, end->generation, (PfArgs){ packet.body, end->args, end->telling },
                      pf->want_end_args ? pf->key_end_args : 0, &packet);
}

static PfArgs
args_of (const PfEvent *e)
{
  return (PfArgs){ e->body, e->args, e->telling };
}

static nprof_status
add_attributes (PfPartState *part, const PfPacket *k, const PfEvent *e, const PfHalf *half)
{
  const Perfetto *pf = part->walk.pf;
  const guint32 generation = k->state->generation;
  nprof_status status = NPROF_OK;
  if (e->args & pf_row_says (pf, pf->want_args) && (pf->want_args || pf->want_rules || pf->own.is))
    status = pf_add_args (part, generation, args_of (e), pf->want_args ? pf->key_args : 0, k);
  if (!status && half)
    status = add_end_args (part, half);
  if (!status && e->has_stack && pf->want_stack)
    status = pf_add_stack (part, generation, e->body);
  if (!status && e->has_source && pf->want_source)
    status = pf_add_source (part, generation, e->body);
  const guint64 submitted
      = e->has_gpu_correlation ? pf_number (pf_bytes (e->body, EVENT_GPU_CORRELATION), 1, 0) : 0;
  return status ? status : add_links (part, pf_track (pf, e->track_place), submitted, e->time);
}

/* -- Track events ------------------------------------------------------------------------------ */

static nprof_status
event_row (PfPartState *part, const PfPacket *k, const PfEvent *e, uint8_t kind, gint64 ns,
           const PfHalf *half)
{
  const Perfetto *pf = part->walk.pf;
  const PfHalf *end = half && half->partner ? pf_half (pf, half->partner - 1) : NULL;
  gint64 start, duration;
  if (!span_ps (pf, e->time, ns, &start, &duration)) {
    far_off (part, k);
    return NPROF_OK;
  }
  const bool noted = half && !(half->what & HALF_HAS_MORE);
  const nprof_str name = noted ? half->name : pf_event_name (pf, part->host, k->state, e);
  nprof_status status
      = begin_row (part, kind, e->track_place, name, start, kind == NPROF_INSTANT ? 0 : duration);
  if (status)
    return status;
  const bool linked = pf_has_flow (e) || e->direction || e->has_gpu_correlation
                      || (end && end->what & HALF_HAS_FLOWS);
  if (linked)
    nprof_set_id (part->w, id_of (k->place));
  classify (part, k, e, pf_track (pf, e->track_place),
            noted ? half->category : pf_event_category (pf, part->host, k->state, e));
  status = add_attributes (part, k, e, half);
  if (pf->own.is)
    pf_own_gap (part);
  if (linked)
    part->linked = part->w->id[part->w->n_rows - 1];
  return status || !e->has_gpu_correlation ? status : link_event (part, k, e);
}

static nprof_status
count_row (PfPartState *part, const PfPacket *k, guint32 track, gint64 time, double value,
           const PfCount *exact)
{
  const Perfetto *pf = part->walk.pf;
  const PfTrack *t = pf_track (pf, track);
  char text[NPROF_MAX_NUMBER];
  gint64 start;
  if (!pf_ps (pf, time, &start) || !isfinite (value)) {
    if (k)
      part->host->skip (part->host, "counter", pf_byte (pf, k->place),
                        "its time is months from those of the other rows, or its value no number");
    return NPROF_OK;
  }
  nprof_status status = begin_row (part, NPROF_COUNTER, track, t->name, start, 0);
  if (status)
    return status;
  nprof_set_value (part->w, value);
  if (t->unit_set)
    nprof_set_shared (part->w, t->unit_set);
  if (!exact || exact->type != NPROF_INT64
      || (exact->value.i <= G_GINT64_CONSTANT (1) << 53
          && exact->value.i >= -(G_GINT64_CONSTANT (1) << 53)))
    return NPROF_OK;
  const char *end = nprof_format_i64 (text, exact->value.i);
  return nprof_attr_bytes (part->w, pf->key_value, NPROF_JSON, text, (uint32_t) (end - text));
}

static nprof_status
add_count (PfWalk *w, const PfPacket *k, const PfEvent *e, const PfCount *count, gpointer user)
{
  const PfTrack *t = pf_track (w->pf, count->track);
  PfCount exact = *count;
  double value = count->type == NPROF_INT64 ? (double) count->value.i : count->value.f;
  (void) user;
  if (t->is_incremental) {
    value = g_array_index (w->pf->counts, double, w->n_counts++);
    exact.type = NPROF_DOUBLE;
  } else if (t->multiplier > 1) {
    value *= (double) t->multiplier;
    if (__builtin_mul_overflow (exact.value.i, t->multiplier, &exact.value.i))
      exact.type = NPROF_DOUBLE;
  }
  const guint rows = part_of (w)->unreported;
  nprof_status status = count_row (part_of (w), k, count->track, e->time, value, &exact);
  if (status || part_of (w)->unreported == rows) /* it was skipped */
    return status;
  if (e->phase == 'c')
    nprof_set_category (part_of (w)->w, pf_event_category (w->pf, w->host, k->state, e));
  return status || !w->pf->own.is || !e->args
             ? status
             : pf_add_args (part_of (w), k->state->generation, args_of (e),
                            w->pf->want_args ? w->pf->key_args : 0, k);
}

static nprof_status
by_phase (PfPartState *part, const PfPacket *k, const PfEvent *e, guint64 *parent)
{
  PfWalk *w = &part->walk;
  const Perfetto *pf = w->pf;
  *parent = id_of (k->place);
  switch (e->phase) {
  case 'b': {
    const guint32 half = w->n_halves++;
    return event_row (part, k, e, NPROF_SPAN, pf_half_duration (pf, half), pf_half (pf, half));
  }
  case 'e': {
    const PfHalf *half = pf_half (pf, w->n_halves++);
    *parent = half->partner ? id_of (pf_half (pf, half->partner - 1)->place) : 0;
    return NPROF_OK;
  }
  case 'X':
    return event_row (part, k, e, NPROF_SPAN, e->duration, NULL);
  case 'i':
    return event_row (part, k, e, NPROF_INSTANT, 0, NULL);
  case 's': {
    const PfMoment *state = &g_array_index (pf->states, PfMoment, w->n_states++);
    const bool named = pf_event_name (pf, part->host, k->state, e);
    const gint64 ns = state->other == PF_NO_TIME ? -1 : state->other - state->time;
    return named ? event_row (part, k, e, NPROF_SPAN, ns, NULL) : NPROF_OK;
  }
  case 'f':
    *parent = 0;
    return NPROF_OK;
  default:
    return NPROF_OK;
  }
}

/* Returns what note.c noted of a begin or an end; NULL: it is something else. */
static const PfHalf *
noted_half (const PfWalk *w, guint64 place)
{
  const PfHalf *half = w->n_halves < w->pf->halves->len ? pf_half (w->pf, w->n_halves) : NULL;
  return half && half->place == place ? half : NULL;
}

static nprof_status
decode_half (PfPartState *part, const PfPacket *k, const PfHalf *half)
{
  PfEvent e = { .body = k->body, .time = half->time, .track_place = half->track };
  guint64 parent;
  e.phase = half->what & HALF_ENDS ? 'e' : 'b';
  e.args = half->what & HALF_TAKES_ARGS ? half->args : 0;
  e.telling = half->telling;
  return by_phase (part, k, &e, &parent);
}

static nprof_status
decode_event (PfPartState *part, PfPacket *k, gint64 time)
{
  PfWalk *w = &part->walk;
  PfEvent e;
  guint64 parent;
  const PfHalf *half = noted_half (w, k->place);
  if (half && !(half->what & HALF_HAS_MORE))
    return decode_half (part, k, half);
  const PfArgs known = { .say = half ? half->args : 0, .telling = half ? half->telling : 0 };
  if (!pf_event_read (w, k->state->generation, k->body, half ? &known : NULL, &e))
    return NPROF_OK;
  e.time = time;
  if (w->pf->own.is && k->place == w->pf->own.place)
    return NPROF_OK;
  const char *why = pf_event_settle (w, k, &e, false);
  nprof_status status = e.is_settled ? pf_each_count (w, k, &e, false, add_count, NULL) : NPROF_OK;
  if (status || why)
    return status;
  part->linked = 0;
  status = by_phase (part, k, &e, &parent);
  if (part->linked)
    parent = part->linked;
  return status ? status : pf_each_flow (w, k, &e, add_flow, &parent);
}

/* -- GPUs -------------------------------------------------------------------------------------- */

static nprof_str
stage_name (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
            const PfStageEvent *e)
{
  if (e->has_name_iid)
    return pf_interned (pf, state->generation, INTERNED_NAME, e->name_iid);
  if (e->name.p)
    return pf_text (host, e->name);
  return e->has_stage ? pf_interned (pf, state->generation, INTERNED_GPU_SPEC, e->stage) : 0;
}

static nprof_status
decode_stage (PfPartState *part, PfPacket *k, gint64 time)
{
  Perfetto *pf = part->walk.pf;
  PfStageEvent e;
  gint64 start, duration;
  if (!pf_stage_read (pf, part->host, k->state, k->body, &e) || !e.has_event || !k->has_time)
    return NPROF_OK;
  const guint32 place = pf_stage_track (pf, &e, false);
  if (place == PF_NONE)
    return NPROF_OK;
  if (e.duration > G_MAXINT64 || !span_ps (pf, time, (gint64) e.duration, &start, &duration)) {
    far_off (part, k);
    return NPROF_OK;
  }
  nprof_status status = begin_row (part, NPROF_SPAN, place,
                                   stage_name (pf, part->host, k->state, &e), start, duration);
  if (status)
    return status;
  const PfEntry *stage
      = e.has_stage ? pf_entry (pf, k->state->generation, INTERNED_GPU_SPEC, e.stage) : NULL;
  nprof_set_category (part->w, stage ? stage->category : 0);
  if (pf->n_references)
    nprof_set_id (part->w, id_of (k->place));
  if (pf->want_args || pf->want_rules)
    status = pf_add_stage_args (part, k, &e);
  if (!status)
    status = add_links (part, pf_track (pf, place),
                        e.correlation      ? e.correlation
                        : pf->n_references ? e.event
                                           : 0,
                        time);
  const PfStage here = { e.event, k->place, time, place };
  return status ? status : link_stages (part, &here, e.body, 18, false);
}

/* A sample tells of the time since the one before it, unless its counter says otherwise. */
static bool
looks_back (const Perfetto *pf, const PfTrack *t)
{
  return !t->forward && !pf->samples_hold;
}

static nprof_status
add_sample (PfWalk *w, const PfPacket *k, const PfCount *count, gpointer user)
{
  const PfMoment *sample = &g_array_index (w->pf->samples, PfMoment, w->n_samples++);
  const bool back = looks_back (w->pf, pf_track (w->pf, count->track));
  const gint64 time = back ? sample->other : sample->time;
  (void) user;
  if (time == PF_NO_TIME)
    return NPROF_OK;
  return count_row (part_of (w), k, count->track, time,
                    count->type == NPROF_INT64 ? (double) count->value.i : count->value.f, count);
}

/* From the last sample on nothing is known to happen: Perfetto shows 0. */
nprof_status
pf_last_samples (Perfetto *pf, PfPartState *part)
{
  g_autofree gint64 *last = g_new (gint64, pf->tracks->len + 1);
  nprof_status status = NPROF_OK;
  for (guint32 t = 0; t < pf->tracks->len; t++)
    last[t] = PF_NO_TIME;
  for (guint32 i = 0; i < pf->samples->len; i++) {
    const PfMoment *sample = &g_array_index (pf->samples, PfMoment, i);
    last[sample->track] = MAX (last[sample->track], sample->time);
  }
  for (guint32 t = 0; t < pf->tracks->len && !status; t++)
    if (last[t] != PF_NO_TIME && looks_back (pf, pf_track (pf, t)))
      status = count_row (part, NULL, t, last[t], 0, NULL);
  return status;
}

/* -- Packets ----------------------------------------------------------------------------------- */

static nprof_status
gap (PfPartState *part, const PfPacket *k)
{
  const Perfetto *pf = part->walk.pf;
  g_autofree char *name = g_strdup_printf ("lost packets of sequence %u", k->sequence);
  gint64 start = 0;
  if (k->state->last != PF_NO_TIME && !pf_ps (pf, k->state->last, &start))
    start = 0;
  nprof_log (part->host, NPROF_WARNING,
             "byte %" G_GUINT64_FORMAT ": its recorder lost packets of sequence %u before this "
             "one: events are missing",
             pf_byte (pf, k->place), k->sequence);
  return nprof_row (part->w, NPROF_GAP, pf->input->root, nprof_intern (part->host, name), start, 0);
}

static nprof_status
progress (PfPartState *part, const PfPacket *k)
{
  const guint64 at = pf_byte (part->walk.pf, k->place);
  if (part->unreported < REPORT_ROWS)
    return NPROF_OK;
  part->unreported = 0;
  return part->host->progress (part->host, at, at);
}

const PfHalf *
pf_noted (const PfWalk *w, guint64 place)
{
  const PfHalf *half = noted_half (w, place);
  return half && half->what & HALF_IS_ALL ? half : NULL;
}

nprof_status
pf_decode_noted (PfWalk *w, PfPacket *k, const PfHalf *half)
{
  GArray *states = w->states;
  for (guint i = 0, at = w->last; i < states->len && !k->state; i++, at = (at + 1) % states->len)
    if (g_array_index (states, PfState, at).generation == half->generation)
      k->state = &g_array_index (states, PfState, at);
  if (!k->state) /* the packet is not the first of its sequence */
    return nprof_fail (w->host, NPROF_E_FORMAT, "the file changed while it was read");
  k->state->last = half->time;
  nprof_status status = progress (part_of (w), k);
  return status ? status : decode_half (part_of (w), k, half);
}

nprof_status
pf_decode_packet (PfWalk *w, PfPacket *k)
{
  PfPartState *part = part_of (w);
  nprof_status status = k->state->had_loss ? gap (part, k) : progress (part, k);
  if (k->has_clocks) {
    pf_snapshot (w, k->state, k->clocks, false);
    return status;
  }
  const gint64 time = k->has_time ? pf_packet_time (w, k) : 0;
  if (status || time == PF_NO_TIME || ((k->flags & FLAG_NEEDS_STATE) && !k->state->valid))
    return status;
  if (k->field == PACKET_EVENT)
    return decode_event (part, k, time);
  if (k->field == PACKET_STAGE)
    return decode_stage (part, k, time);
  return k->field == PACKET_GPU_COUNTER ? pf_each_sample (w, k, false, add_sample, NULL) : NPROF_OK;
}
