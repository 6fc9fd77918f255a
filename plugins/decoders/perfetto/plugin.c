/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder perfetto: the protobuf traces of Perfetto, as PyTorch, ROCm's profilers and
 * others write them.  The entry, the attributes, where time begins, and the life of an instance. */
#include "perfetto.h"

#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "profile/program-keys.h"

#define NEAR_NS (G_GINT64_CONSTANT (46) * 86400 * PF_NS_PER_S) /* times this small stay */
#define UNIX_NS                                                                                    \
  (G_GINT64_CONSTANT (1) << 60) /* later than this (2006): Unix time, if no clock is known */

/* -- Where time begins ------------------------------------------------------------------------- */

static int
by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

/* Returns the first time, unless that is far from most, which is damage: then one amid them. */
static gint64
first_of_most (Perfetto *pf)
{
  if (pf->first == PF_NO_TIME)
    return 0;
  g_array_sort (pf->times, by_time);
  const gint64 middle = g_array_index (pf->times, gint64, pf->times->len / 2);
  return middle - pf->first > NEAR_NS ? middle : pf->first;
}

static gint64
floor_second (gint64 ns)
{
  const gint64 rest = ns % PF_NS_PER_S;
  return ns - (rest < 0 ? rest + PF_NS_PER_S : rest);
}

static nprof_status
settle_times (Perfetto *pf)
{
  const gint64 first = first_of_most (pf);
  gint64 unix_ns, origin = NPROF_NO_EPOCH;
  if (pf->own.is) {
    origin = pf->own.has_origin ? pf->own.origin : NPROF_NO_EPOCH;
    pf->base = pf->own.zero > G_MININT64 ? -pf->own.zero : 0;
  } else if (pf_unix (pf, first, &unix_ns)) {
    origin = floor_second (unix_ns);
    pf->base = first - (unix_ns - origin);
  } else if (!pf->has_snapshots && first >= UNIX_NS) {
    origin = pf->base = floor_second (first);
  } else {
    pf->base = first > NEAR_NS ? floor_second (first) : 0;
  }
  g_autofree char *zero = g_strdup_printf ("%" G_GINT64_FORMAT, pf->base);
  nprof_status status = pf->host->property (pf->host, "trace_zero_ns", zero);
  if (!status && pf->has_uuid) {
    g_autofree char *uuid = g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                                             pf->uuid[0], pf->uuid[1]);
    status = pf->host->property (pf->host, "trace_uuid", uuid);
  }
  return status ? status : pf->host->origin (pf->host, origin);
}

/* -- Life -------------------------------------------------------------------------------------- */

static void
part_free (gpointer data)
{
  PfPart *part = data;
  g_array_unref (part->walk.states);
  g_free (part);
}

static void
learn_keys (Perfetto *pf)
{
  static const char *const phases[] = { "", "begin", "step", "end" };
  const struct nprof_host *host = pf->host;
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    pf->phases[i] = nprof_intern (host, phases[i]);
  pf->key_phase = nprof_intern (host, NPROF_KEY_FLOW_PHASE);
  pf->key_args = nprof_intern (host, "args");
  pf->key_end_args = nprof_intern (host, "end_args");
  pf->key_step = nprof_intern (host, NPROF_KEY_STEP);
  pf->key_source = nprof_intern (host, NPROF_KEY_SOURCE);
  pf->key_stack = nprof_intern (host, NPROF_KEY_SOURCE_STACK);
  pf->key_value = nprof_intern (host, NPROF_KEY_VALUE);
  pf->key_correlation = nprof_intern (host, NPROF_KEY_CORRELATION_ID);
  pf->flow_name = nprof_intern (host, "flow");
  pf->category_copy = nprof_intern (host, "gpu_memcpy");
  pf->category_set = nprof_intern (host, "gpu_memset");
  pf->category_kernel = nprof_intern (host, "kernel");
  pf->category_call = nprof_intern (host, "cuda_runtime");
  pf->category_stream = nprof_intern (host, "rocm_hip_stream");
  pf->want_args = host->wanted (host, "args") || host->row_want (host, "args", 0);
  pf->want_end_args = host->wanted (host, "end_args");
  pf->want_step = host->wanted (host, NPROF_KEY_STEP);
  pf->want_correlation = host->wanted (host, NPROF_KEY_CORRELATION_ID);
  pf->want_stack = host->wanted (host, NPROF_KEY_SOURCE_STACK);
  pf->want_source = host->wanted (host, NPROF_KEY_SOURCE);
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static nprof_status
pf_open (void *data, const struct nprof_host *host)
{
  Perfetto *pf = data;
  pf->host = host;
  pf->kept = g_string_chunk_new (4096);
  pf->old_queues = g_ptr_array_new ();
  pf->blocks = g_array_new (FALSE, FALSE, sizeof (PbSpan));
  pf->clocks = pf_clocks_new ();
  pf->tracks = g_ptr_array_new_with_free_func (g_free);
  pf->by_key = g_hash_table_new (pf_key_hash, pf_key_equal);
  pf->pids = new_table ();
  pf->tids = new_table ();
  pf->processes = new_table ();
  pf->gpus = new_table ();
  pf->gpu_names = new_table ();
  pf->halves = np_large_array_new (sizeof (PfHalf));
  pf->sequences = g_array_new (FALSE, TRUE, sizeof (guint32));
  pf->said = g_array_new (FALSE, FALSE, sizeof (PfSaid));
  pf->flows = np_large_array_new (sizeof (PfFlow));
  pf->counts = np_large_array_new (sizeof (double));
  pf->samples = np_large_array_new (sizeof (PfMoment));
  pf->states = np_large_array_new (sizeof (PfMoment));
  pf->stages = np_large_array_new (sizeof (PfStage));
  pf->parts = g_ptr_array_new_with_free_func (part_free);
  pf->first = PF_NO_TIME;
  pf->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  pf->step_spans = g_array_new (FALSE, FALSE, sizeof (PfStepSpan));
  pf->steps = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  pf->launches = g_array_new (FALSE, FALSE, sizeof (StepLaunch));
  learn_keys (pf);
  pf_own_init (pf);
  nprof_status status = pf_rules_init (pf);
  return status ? status : meaning_say (host);
}

static void
pf_close (void *data)
{
  Perfetto *pf = data;
  GHashTable *const tables[] = { pf->specs, pf->by_key, pf->pids, pf->tids,     pf->processes,
                                 pf->gpus,  pf->steps,  pf->sums, pf->gpu_names };
  GArray *const arrays[]
      = { pf->blocks, pf->said, pf->times, pf->step_spans, pf->launches, pf->sequences };
  GPtrArray *const lists[] = { pf->old_queues, pf->tracks, pf->parts, pf->defaults };
  NpLargeArray *const large[]
      = { pf->halves, pf->flows, pf->counts, pf->samples, pf->states, pf->stages };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (tables[i])
      g_hash_table_unref (tables[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    if (lists[i])
      g_ptr_array_unref (lists[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
    np_large_array_free (large[i]);
  g_string_chunk_free (pf->kept);
  pf_clocks_free (pf->clocks);
  pf_interned_clear (&pf->interned);
  pf_rules_clear (pf);
  pf_own_clear (pf);
}

/* -- Plan and parts ---------------------------------------------------------------------------- */

/* Says of what a trace is that has no rows of programs or accelerators. */
static void
say_if_empty (const Perfetto *pf)
{
  if (pf->first == PF_NO_TIME)
    nprof_log (pf->host, NPROF_WARNING,
               "this trace has no rows that nprof reads: what it holds is counted in table "
               "`skipped`");
}

static nprof_status
write_facts (Perfetto *pf, struct nprof_writer *w)
{
  nprof_status status = NPROF_OK;
  g_autoptr (GList) numbers = g_list_sort (g_hash_table_get_keys (pf->gpu_names), by_time);
  for (const GList *at = numbers; at && !status; at = at->next) {
    const gpointer text = g_hash_table_lookup (pf->gpu_names, at->data);
    const nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (pf->gpus, at->data));
    const nprof_str key = nprof_intern (pf->host, NPROF_KEY_DEVICE_TYPE);
    if (!track || (status = nprof_row (w, NPROF_FACT, track, key, 0, 0)))
      continue;
    nprof_set_category (w, nprof_intern (pf->host, "gpu_info"));
    status = nprof_attr_str (w, key, GPOINTER_TO_UINT (text));
  }
  return status;
}

static nprof_status
write_head (Perfetto *pf)
{
  struct nprof_writer *w = pf->host->writer (pf->host);
  nprof_status status = w ? write_facts (pf, w) : NPROF_E_NOMEM;
  return status ? status : pf_own_facts (pf, w);
}

static nprof_status
pf_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Perfetto *pf = self;
  pf->data = data;
  pf->end = pf->data + len;
  pf->input = pf->host->input (pf->host, pf->host->own_input);
  nprof_status status = pf_survey (pf);
  if (!status)
    status = pf_note (pf);
  if (!status)
    status = pf_pair (pf);
  if (status)
    return status;
  pf_link (pf);
  status = settle_times (pf);
  if (!status)
    status = pf_tracks_settle (pf);
  pf_steps_settle (pf);
  if (!status)
    status = write_head (pf);
  say_if_empty (pf);
  *n_parts = status ? 0 : pf->parts->len;
  return status;
}

static nprof_status
pf_decode_part (void *self, uint32_t number, void *state, const struct nprof_host *host)
{
  Perfetto *pf = self;
  PfPartState *part = state;
  const PfPart *at = g_ptr_array_index (pf->parts, number);
  const bool last = number + 1 == pf->parts->len;
  const guint64 to = last ? (guint64) (pf->end - pf->data)
                          : ((PfPart *) g_ptr_array_index (pf->parts, number + 1))->at;
  part->host = host;
  part->w = host->writer (host);
  if (!part->w)
    return NPROF_E_NOMEM;
  pf_walk_init (&part->walk, PF_ROWS, pf, host, pf_decode_packet);
  pf_walk_resume (&part->walk, &at->walk);
  guint64 place = at->at;
  nprof_status status = pf_walk (&part->walk, &place, to);
  if (!status && last)
    status = pf_last_samples (pf, part);
  pf_walk_clear (&part->walk);
  nprof_buf_clear (&part->json);
  nprof_buf_clear (&part->word);
  g_clear_pointer (&part->other.data, g_free);
  return status ? status : host->progress (host, at->at, to);
}

static const struct nprof_component decoder;

const struct nprof_attribute *const *
pf_attributes (void)
{
  return decoder.attributes;
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "perfetto",
  .summary = "protobuf traces of Perfetto: PyTorch, ROCm's profilers, injections, Rust",
  .formats = "Perfetto's TracePacket (*.pftrace, *.perfetto-trace, *.pb), also compressed packets",
  .options = NPROF_OPTIONS (NPROF_SIZE_OPTION (
      Perfetto, part_bytes, "part", "4M", "1..1G",
      "bytes of packets that a thread decodes in one go; the rows are the same")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "",
                       "joins a launch and its execution"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the device"),
      NPROF_ATTRIBUTE (NPROF_INT64, "device", "", "number of the device"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "size of a transfer"),
      NPROF_ATTRIBUTE (NPROF_UINT64, "external_id", "", "joins an operator and its launches"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"), XLA_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_KERNEL, "",
                       "registers, shared memory, grid in blocks, block"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "",
                       "communication between devices that the row says it is"),
      COLLECTIVE_CALL_ATTRIBUTES, COLLECTIVE_GROUP_ATTRIBUTES, COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "", "file:line of the event"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE_STACK, "", "one frame a line"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step or end of an arrow"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", "of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s",
                       "of a device (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_BANDWIDTH, "byte/s",
                       "of a device's main memory (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MEMORY_SIZE, "byte",
                       "of a device (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz",
                       "of a device (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_CORE_COUNT, "", "of a device (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "annotations of the event, in their order"),
      NPROF_ATTRIBUTE (NPROF_JSON, "end_args", "", "annotations of the end of a span"),
      NPROF_ATTRIBUTE (NPROF_JSON, NPROF_KEY_VALUE, "",
                       "a counter's value that is no exact double")),
  .instance_size = sizeof (Perfetto),
  .part_size = sizeof (PfPartState),
  .probe = pf_probe,
  .open = pf_open,
  .plan = pf_plan,
  .decode_part = pf_decode_part,
  .close = pf_close,
};

NPROF_PLUGIN ("perfetto-decoder", NPROF_VERSION, "Apache-2.0", &decoder)
