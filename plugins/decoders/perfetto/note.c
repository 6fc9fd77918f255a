/* SPDX-License-Identifier: Apache-2.0 */
/* note.c - the second walk: notes of each event what crosses packets, begins and ends, arrows,
 * counters that add up, and on which device a track is; and where parts of the file begin. */
#include "perfetto.h"

#include "producers/pytorch.h"
#include "producers/rebellions.h"

#define MOST_TRIES 64   /* events of a track that are asked for their device */
#define MOST_TIMES 4096 /* times that are kept to find out which are far off */

static gpointer
append (NpLargeArray *array)
{
  np_large_array_extend (array, array->len + 1);
  return array->data + (gsize) (array->len - 1) * array->element;
}

/* Keeps every n-th time, so that they are of the whole file. */
static void
note_time (Perfetto *pf, gint64 time)
{
  const guint64 n = pf->n_times++;
  pf->first = pf->first == PF_NO_TIME ? time : MIN (pf->first, time);
  if (pf->times->len < 4 * MOST_TIMES && n % (1 + n / MOST_TIMES) == 0)
    g_array_append_val (pf->times, time);
}

/* -- Track events ------------------------------------------------------------------------------ */

static guint
sum_hash (gconstpointer p)
{
  return g_int64_hash (p);
}

/* Adds to what the counter had in this generation of its sequence. */
static double
add_up (Perfetto *pf, guint32 generation, guint32 track, double value)
{
  const guint64 key = (guint64) generation << 32 | track;
  double *sum = g_hash_table_lookup (pf->sums, &key);
  if (!sum) {
    sum = g_new0 (double, 1);
    g_hash_table_insert (pf->sums, g_memdup2 (&key, sizeof key), sum);
  }
  return *sum += value;
}

static nprof_status
note_count (PfWalk *w, const PfPacket *k, const PfEvent *e, const PfCount *count, gpointer user)
{
  PfTrack *t = pf_track (w->pf, count->track);
  (void) user;
  t->used = true;
  note_time (w->pf, e->time);
  if (!t->is_incremental)
    return NPROF_OK;
  const double value = (count->type == NPROF_INT64 ? (double) count->value.i : count->value.f)
                       * (double) (t->multiplier > 0 ? t->multiplier : 1);
  *(double *) append (w->pf->counts) = add_up (w->pf, k->state->generation, count->track, value);
  w->n_counts++;
  return NPROF_OK;
}

static nprof_status
note_flow (PfWalk *w, const PfPacket *k, const PfEvent *e, guint64 id, guint how, gpointer user)
{
  PfFlow *flow = append (w->pf->flows);
  (void) k, (void) user;
  *flow = (PfFlow){ .id = id, .time = e->time, .how = (guint8) how };
  w->n_flows++;
  return NPROF_OK;
}

static void
note_device (Perfetto *pf, PfTrack *t, const PfFacts *facts)
{
  t->tries++;
  if (facts->agent >= 0 || (facts->device >= 0 && facts->stream >= 0)) {
    t->has_device = true;
    t->device = facts->agent >= 0 ? facts->agent : facts->device;
    t->has_stream = facts->stream >= 0 && facts->agent < 0;
    t->stream = facts->stream;
    return;
  }
  /* source: names of rocprofiler-systems and rocprofv3, where args do not say it */
  const char *name = t->name ? nprof_text (pf->host, t->name) : "";
  const char *bracket = strchr (name, '[');
  if (g_str_has_prefix (name, "GPU Kernel Dispatch [")
      || (g_str_has_prefix (name, "COMPUTE ") && strstr (name, "GPU"))) {
    t->has_device = bracket && g_ascii_isdigit (bracket[1]);
    t->device = t->has_device ? (gint64) g_ascii_strtoull (bracket + 1, NULL, 10) : 0;
  } else if (t->tries == MOST_TRIES && g_str_has_prefix (name, "HIP Activity Stream")) {
    t->has_device = true;
    t->device = -1;
  }
}

/* Learns from the first span of a track whether it is an engine of an NPU. */
static void
note_npu (PfWalk *w, const PfPacket *k, const PfEvent *e)
{
  PfTrack *t = pf_track (w->pf, e->track_place);
  if (t->began)
    return;
  const nprof_str category = pf_event_category (w->pf, w->host, k->state, e);
  t->began = true;
  t->shows_npu
      = category && rebellions_shows (pf_track_name (w->pf, t), nprof_text (w->host, category));
}

static void
note_begin (PfWalk *w, const PfPacket *k, const PfEvent *e, PfHalf *half)
{
  Perfetto *pf = w->pf;
  PfTrack *t = pf_track (pf, e->track_place);
  PfFacts facts;
  const bool has_place = t->has_device || t->tries >= MOST_TRIES;
  const guint8 says = has_place && !pf->want_step ? PF_SAYS_END : PF_SAYS_FACT;
  if (!e->args || (has_place && !(e->args & says)))
    return;
  pf_facts (w, k->state->generation, e, says, &facts);
  if (!has_place)
    note_device (pf, t, &facts);
  if (facts.begin_ns == e->time && facts.end_ns >= e->time) {
    const PfSaid said = { pf->halves->len - 1, facts.end_ns };
    half->what |= HALF_SAID;
    g_array_append_val (pf->said, said);
  }
  if (pf->want_step && facts.correlation) {
    const StepLaunch launch = { facts.correlation, e->time, e->track_place };
    g_array_append_val (pf->launches, launch);
  }
}

/* Spans of PyTorch's steps are known by their names. */
static void
note_step (PfWalk *w, const PfPacket *k, const PfEvent *e)
{
  Perfetto *pf = w->pf;
  size_t len;
  const char *name = w->host->string (w->host, pf_event_name (pf, w->host, k->state, e), &len);
  PfStepSpan span = { .half = pf->halves->len - 1 };
  if (pytorch_step_of_name (name, len, &span.number))
    g_array_append_val (pf->step_spans, span);
}

/* Returns whether an event does more than begin or end a span by its name and category, and have
 * args. */
static bool
has_more (const PfEvent *e)
{
  if (e->legacy.p || e->has_delta || e->absolute_us || pf_has_flow (e) || e->has_more
      || e->has_thread_counts)
    return true;
  if (e->phase == 'e')
    return false;
  return e->name.p || e->has_gpu_correlation || e->has_stack || e->has_source || e->n_categories > 1
         || (e->n_categories && e->category.tag != PB_VARINT (EVENT_CATEGORY_IID));
}

/* Notes what a row has of a begin, and whether args say more, as they do where they say its
 * category.  That nprof wrote the trace may be found out at its end. */
static void
note_row (PfWalk *w, const PfPacket *k, const PfEvent *e, PfHalf *half)
{
  const Perfetto *pf = w->pf;
  half->name = pf_event_name (pf, w->host, k->state, e);
  half->category = pf_event_category (pf, w->host, k->state, e);
  guint8 says = pf->want_args ? PF_SAYS_ANY : PF_SAYS_ROW | PF_SAYS_OWN;
  if (!half->category || half->category == pf->category_stream)
    says |= PF_SAYS_FACT;
  if (e->args & says)
    half->what |= HALF_TAKES_ARGS;
}

static void
note_sequence (Perfetto *pf, const PfPacket *k)
{
  const guint32 generation = k->state->generation;
  if (generation >= pf->sequences->len)
    g_array_set_size (pf->sequences, generation + 1);
  g_array_index (pf->sequences, guint32, generation) = k->sequence;
}

/* Returns whether the walk is as it was behind a packet, but for the time of its sequence. */
static bool
leaves_state (const PfPacket *k)
{
  return k->state->n > 1 && !k->cleared && !k->lost && !k->has_defaults && !k->adds;
}

static void
note_half (PfWalk *w, const PfPacket *k, const PfEvent *e)
{
  PfHalf *half = append (w->pf->halves);
  const bool ends = e->phase == 'e';
  w->n_halves++;
  note_sequence (w->pf, k);
  *half = (PfHalf){
    .time = e->time, .place = k->place, .track = e->track_place, .generation = k->state->generation
  };
  half->what = ends ? HALF_ENDS : 0;
  if (ends && (e->name.p || e->has_name_iid || e->legacy_name || e->n_categories))
    half->what |= HALF_CLOSES_NAMED;
  half->args = e->args;
  half->telling = e->telling;
  if (e->has_flows || e->has_last_flows || e->has_old_flows || e->direction)
    half->what |= HALF_HAS_FLOWS;
  if (has_more (e))
    half->what |= HALF_HAS_MORE;
  else if (!ends)
    note_row (w, k, e, half);
  if (!(half->what & HALF_HAS_MORE) && leaves_state (k))
    half->what |= HALF_IS_ALL;
  if (!ends) {
    note_npu (w, k, e);
    note_begin (w, k, e, half);
  }
  if (!ends && w->pf->want_step)
    note_step (w, k, e);
}

static void
note_state (PfWalk *w, const PfEvent *e)
{
  PfMoment *state = append (w->pf->states);
  w->n_states++;
  *state = (PfMoment){ e->time, PF_NO_TIME, e->track_place };
}

static void
count_unknown (PfWalk *w, const PfPacket *k, const PfEvent *e)
{
  PbField f;
  for (PbSpan rest = e->body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag >> 3 < EVENT_EXTENSIONS || f.tag >> 3 == EVENT_GPU_CORRELATION)
      continue;
    g_autofree char *what
        = g_strdup_printf ("track_event extension %" G_GUINT64_FORMAT, (guint64) f.tag >> 3);
    w->host->skip (w->host, what, pf_byte (w->pf, k->place), "it is not known");
  }
}

/* Returns whether it is the instant by which nprof says what it wrote. */
static bool
note_own (Perfetto *pf, const PfPacket *k, const PfEvent *e)
{
  static const char name[] = "nprof";
  const bool is = e->phase == 'i' && e->args && e->name.end - e->name.p == sizeof name - 1
                  && memcmp (e->name.p, name, sizeof name - 1) == 0 && !pf->own.has_place;
  if (!is)
    return false;
  pf->own.has_place = true;
  pf->own.place = k->place;
  pf_own_read (pf);
  return pf->own.is;
}

static nprof_status
note_event (PfWalk *w, PfPacket *k, gint64 time)
{
  PfEvent e;
  if (!pf_event_read (w, k->state->generation, k->body, NULL, &e))
    return pf_damaged (w, PF_NOTING, k, "track_event: a field is cut off");
  e.time = time;
  if (e.has_unknown)
    count_unknown (w, k, &e);
  const char *why = pf_event_settle (w, k, &e, true);
  nprof_status status = e.is_settled ? pf_each_count (w, k, &e, true, note_count, NULL) : NPROF_OK;
  if (status || why) {
    if (why)
      w->host->skip (w->host, "track_event", pf_byte (w->pf, k->place), why);
    return status;
  }
  if (note_own (w->pf, k, &e))
    return NPROF_OK;
  note_time (w->pf, e.time);
  pf_track (w->pf, e.track_place)->used = true;
  w->pf->n_references += e.has_gpu_correlation;
  if (e.phase == 'b' || e.phase == 'e')
    note_half (w, k, &e);
  else if (e.phase == 's')
    note_state (w, &e);
  return pf_each_flow (w, k, &e, note_flow, NULL);
}

/* -- GPUs -------------------------------------------------------------------------------------- */

static nprof_status
note_stage (PfWalk *w, PfPacket *k, gint64 time)
{
  Perfetto *pf = w->pf;
  PfStageEvent e;
  if (!pf_stage_read (pf, w->host, k->state, k->body, &e))
    return pf_damaged (w, PF_NOTING, k, "gpu_render_stage_event: a field is cut off");
  if (!e.has_event)
    return NPROF_OK;
  const guint32 place = pf_stage_track (pf, &e, true);
  if (place == PF_NONE || !k->has_time) {
    w->host->skip (w->host, "gpu_render_stage_event", pf_byte (pf, k->place),
                   k->has_time ? "nothing describes its queue" : "it has no time");
    return NPROF_OK;
  }
  pf->n_queues++;
  pf->n_pytorch_queues += e.queue_name && pf_is_pytorch_queue (nprof_text (pf->host, e.queue_name));
  pf_track (pf, place)->used = true;
  note_time (pf, time);
  PfNumbers waits = pf_numbers (k->body, 18, false);
  guint64 id;
  pf->n_references += pf_next_number (&waits, &id);
  *(PfStage *) append (pf->stages) = (PfStage){ e.event, k->place, time, place };
  return NPROF_OK;
}

static nprof_status
note_sample (PfWalk *w, const PfPacket *k, const PfCount *value, gpointer user)
{
  const gint64 *time = user;
  (void) k;
  note_time (w->pf, *time);
  pf_track (w->pf, value->track)->used = true;
  *(PfMoment *) append (w->pf->samples) = (PfMoment){ *time, PF_NO_TIME, value->track };
  w->n_samples++;
  return NPROF_OK;
}

/* -- What else there is ------------------------------------------------------------------------ */

static void
count_ftrace (PfWalk *w, const PfPacket *k)
{
  PbField f;
  for (PbSpan rest = k->body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag == PB_BYTES (2))
      w->host->skip (w->host, "ftrace_event", pf_byte (w->pf, k->place),
                     "events of the kernel are not read");
    if (f.tag != PB_BYTES (4))
      continue;
    for (guint field = 1; field <= 7; field += 6) {
      guint64 time;
      for (PfNumbers it = pf_numbers (f.span, field, false); pf_next_number (&it, &time);)
        w->host->skip (w->host,
                       field == 1 ? "ftrace compact_sched switch" : "ftrace compact_sched waking",
                       pf_byte (w->pf, k->place), "events of the kernel are not read");
    }
  }
}

/* Returns what a packet of a field that is not read is called; NULL: it is not known.
 * names: trace_packet.proto of Perfetto */
static const char *
name_of_other (guint field)
{
  static const struct {
    guint field;
    const char *name;
  } others[] = {
    { 4, "inode_file_map" },
    { 5, "chrome_events" },
    { 7, "sys_stats" },
    { 9, "process_stats" },
    { 37, "profile_packet" },
    { 38, "battery" },
    { 39, "android_log" },
    { 40, "power_rails" },
    { 46, "trigger" },
    { 47, "packages_list" },
    { 49, "perfetto_metatrace" },
    { 51, "chrome_metadata" },
    { 54, "streaming_profile_packet" },
    { 56, "heap_graph" },
    { 57, "graphics_frame_event" },
    { 61, "module_symbols" },
    { 63, "gpu_log" },
    { 64, "deobfuscation_mapping" },
    { 65, "vulkan_api_event" },
    { 66, "perf_sample" },
    { 67, "cpu_info" },
    { 68, "smaps_packet" },
    { 70, "initial_display_state" },
    { 71, "gpu_mem_total_event" },
    { 72, "extension_descriptor" },
    { 73, "memory_tracker_snapshot" },
    { 74, "streaming_allocation" },
    { 75, "streaming_free" },
    { 76, "frame_timeline_event" },
    { 82, "translation_table" },
    { 84, "statsd_atom" },
    { 88, "network_packet" },
    { 90, "track_event_range_of_interest" },
    { 91, "entity_state_residency" },
    { 95, "etw_events" },
    { 99, "v8_js_code" },
    { 107, "remote_clock_sync" },
    { 117, "generic_kernel_task_state_event" },
    { 118, "generic_kernel_cpu_freq_event" },
    { 124, "trace_provenance" },
    { 125, "protovms" },
    { 129, "generic_gpu_frequency_event" },
    { 130, "interrupt_info" },
    { 132, "journald_event" },
    { 135, "stack_sample" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].field == field)
      return others[i].name;
  return NULL;
}

static void
count_other (PfWalk *w, const PfPacket *k)
{
  static const guint known[] = { 0,
                                 PACKET_PROCESS_TREE,
                                 33,
                                 34,
                                 35,
                                 36,
                                 PACKET_PROCESS,
                                 PACKET_THREAD,
                                 45,
                                 PACKET_TRACK,
                                 69,
                                 PACKET_UUID,
                                 126,
                                 PACKET_GPU_INFO };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i] == k->field)
      return;
  g_autofree char *what
      = k->field == 62 ? g_strdup ("vulkan_memory_event") : g_strdup_printf ("packet %u", k->field);
  const char *name = name_of_other (k->field);
  g_autofree char *why
      = g_strdup_printf ("%s%snprof reads no rows of its kind", name ? name : "", name ? ": " : "");
  w->host->skip (w->host, what, pf_byte (w->pf, k->place), why);
}

/* Notes where a part of the file begins: before this packet, which is not in a block. */
static void
note_part (PfWalk *w, const PfWalk *before, guint64 at)
{
  Perfetto *pf = w->pf;
  PfPart *part = g_new0 (PfPart, 1);
  part->at = at;
  part->walk.states = g_array_new (FALSE, FALSE, sizeof (PfState));
  pf_walk_resume (&part->walk, before);
  g_ptr_array_add (pf->parts, part);
}

static nprof_status
note_packet (PfWalk *w, PfPacket *k)
{
  if (k->has_clocks) { /* its time says nothing */
    pf_snapshot (w, k->state, k->clocks, false);
    return NPROF_OK;
  }
  const gint64 time = k->has_time ? pf_packet_time (w, k) : 0;
  if (k->field == PACKET_FTRACE) {
    count_ftrace (w, k);
    return NPROF_OK;
  }
  if ((k->flags & FLAG_NEEDS_STATE) && !k->state->valid && k->field) {
    w->host->skip (w->host, "packet whose state was lost", pf_byte (w->pf, k->place),
                   "what it refers to was dropped before it");
    return NPROF_OK;
  }
  if (k->field == PACKET_EVENT || k->field == PACKET_STAGE || k->field == PACKET_GPU_COUNTER) {
    if (time == PF_NO_TIME) {
      w->host->skip (w->host, "packet of another clock", pf_byte (w->pf, k->place),
                     "no snapshot ties its clock to that of the trace");
      return NPROF_OK;
    }
    if (k->field == PACKET_EVENT)
      return note_event (w, k, time);
    gint64 at = time;
    return k->field == PACKET_STAGE ? note_stage (w, k, time)
                                    : pf_each_sample (w, k, true, note_sample, &at);
  }
  count_other (w, k);
  return NPROF_OK;
}

static nprof_status
note_in_parts (PfWalk *w)
{
  Perfetto *pf = w->pf;
  const guint64 len = (guint64) (pf->end - pf->data);
  nprof_status status = NPROF_OK;
  for (guint64 at = 0; at < (guint64) (pf->end - pf->data) && !status;) { /* damage may cut it */
    note_part (w, w, at);
    status = pf_walk (w, &at, at + MIN (pf->part_bytes, len - at));
  }
  return status;
}

nprof_status
pf_note (Perfetto *pf)
{
  PfWalk w;
  pf->sums = g_hash_table_new_full (sum_hash, g_int64_equal, g_free, g_free);
  pf_walk_init (&w, PF_NOTING, pf, pf->host, note_packet);
  nprof_status status = note_in_parts (&w);
  pf_walk_clear (&w);
  g_clear_pointer (&pf->sums, g_hash_table_unref);
  pf->samples_hold = pf->n_queues && pf->n_queues == pf->n_pytorch_queues;
  return status;
}
