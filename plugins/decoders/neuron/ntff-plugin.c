/* SPDX-License-Identifier: Apache-2.0 */
/* ntff-plugin.c - the decoder ntff: device profiles of AWS Neuron, by their fields where these are
 * known, else by their structure. Declarations, and the order in which the other files work. */
#include "ntff/fields.h"
#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "profile/semaphore-keys.h"
#include "tools/tools.h"

/* -- What is said ---------------------------------------------------------------------------- */

static nprof_status
not_ntff (const Ntff *n, const char *what)
{
  return nprof_fail (
      n->host, NPROF_E_FORMAT,
      "%s: NTFF is an unpublished format, decoded by structure, and this file has no run of "
      "notification records that pair; the certain way is the vendor's own output: "
      "neuron-profile view --output-format json, or the parquet of neuron-explorer",
      what);
}

/* Counts the bytes that mean something to this decoder. */
static uint64_t
understood (const Ntff *n)
{
  const NtffMessage *m = &n->message;
  uint64_t bytes = 1 + (m->by_header ? 8 : 0) + n->found.records * NTFF_RECORD;
  for (guint i = 0; i < n->streams->len; i++)
    bytes += g_array_index (n->streams, NtffStream, i).n * NTFF_SLOT;
  for (guint i = 0; i < m->fields->len; i++)
    if (ntff_field (m, i)->kind == NTFF_TEXT)
      bytes += ntff_field (m, i)->to - ntff_field (m, i)->from;
  return MIN (bytes, m->len);
}

static void
first_words (const Ntff *n)
{
  nprof_log (
      n->host, NPROF_INFO,
      "NTFF is an unpublished format; decoded by structure from public notes; %" G_GUINT64_FORMAT
      " records recognised, %" G_GUINT64_FORMAT " bytes not understood",
      n->found.records, n->message.len - understood (n));
  if (n->message.data[0] < 1 || n->message.data[0] > 6)
    nprof_log (n->host, NPROF_WARNING,
               "NTFF version %u: versions 1 to 6 are known; read as if it were one of them",
               n->message.data[0]);
  if (n->message.cut)
    nprof_log (n->host, NPROF_WARNING, "the message has more fields than are looked at");
  if (n->late)
    nprof_log (n->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT " records are out of order by more than 1 us", n->late);
}

static void
last_words (const Ntff *n)
{
  if (n->overflows)
    nprof_log (n->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " records say that notifications before them were lost (overflow)",
               n->overflows);
  if (n->errors)
    nprof_log (n->host, NPROF_WARNING, "%" G_GUINT64_FORMAT " records are errors of the device",
               n->errors);
}

/* -- Properties and facts ---------------------------------------------------------------------- */

static nprof_status
text_property (const Ntff *n, const char *key, const NtffField *f)
{
  if (!f || f->kind != NTFF_TEXT)
    return NPROF_OK;
  g_autofree char *text = g_strndup ((const char *) n->message.data + f->from, f->to - f->from);
  return n->host->property (n->host, key, text);
}

static nprof_status
graph_property (const Ntff *n)
{
  const NtffMessage *m = &n->message;
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < m->nodes->len; i++) {
    const NtffField *f = ntff_node (m, i)->subgraph ? ntff_find (m, i, 1) : NULL;
    if (!f || f->kind != NTFF_TEXT)
      continue;
    g_string_append (names, names->len ? "," : "");
    g_string_append_len (names, (const char *) m->data + f->from, (gssize) (f->to - f->from));
  }
  return names->len ? n->host->property (n->host, "graphs", names->str) : NPROF_OK;
}

/* format: ntff.md, ntff_info */
static nprof_status
properties (Ntff *n)
{
  static const struct {
    uint32_t number;
    const char *key;
  } texts[] = { { 8, "runtime_version" }, { 11, "driver_version" }, { 12, "collectives_version" } };
  char version[4];
  g_snprintf (version, sizeof version, "%u", n->message.data[0]);
  nprof_status status = n->host->property (n->host, "version", version);
  for (gsize i = 0; i < G_N_ELEMENTS (texts) && !status; i++)
    status = text_property (n, texts[i].key, ntff_find (&n->message, 0, texts[i].number));
  return status ? status : graph_property (n);
}

static nprof_status
facts (Ntff *n)
{
  if (!n->neff.has_macs || n->neff.macs > INT64_MAX / 2)
    return NPROF_OK;
  nprof_str key = nprof_intern (n->host, NPROF_KEY_MODEL_FLOPS);
  nprof_track last = 0;
  for (guint i = 0; i < n->cores->len; i++) {
    const NtffCore *core = ntff_core (n->cores, i);
    if (!core->used || core->device_track == last)
      continue;
    last = core->device_track;
    nprof_status status = nprof_row (n->w, NPROF_FACT, core->device_track, key, 0, 0);
    if (status)
      return status;
    nprof_set_category (n->w, nprof_intern (n->host, "hlo_stats.json"));
    status = nprof_attr_int (n->w, key, 2 * n->neff.macs);
    if (status)
      return status;
  }
  return NPROF_OK;
}

/* -- Decoding ---------------------------------------------------------------------------------- */

/* Reads what there is, and tells of it. */
static nprof_status
survey (Ntff *n, const uint8_t *data, uint64_t len)
{
  if (len < NTFF_HEADER + NTFF_FEWEST * NTFF_RECORD)
    return not_ntff (n, "the file is too short for an NTFF");
  ntff_message_read (&n->message, data, len);
  nprof_status status = ntff_find_arrays (n->host, &n->message, &n->found);
  if (status)
    return status;
  if (n->found.strong == 0)
    return not_ntff (n, "this is no NTFF that can be read");
  if (n->found.high - n->found.low > INT64_MAX)
    return not_ntff (n, "the records spread over more than 106 days");
  ntff_cores (n);
  status = ntff_measure (n);
  if (status)
    return status;
  if (!ntff_streams (&n->message, &n->found, n->cores, n->streams) && n->cores->len == 1)
    ntff_shapes (&n->message, n->found.arrays, n->streams);
  first_words (n);
  n->origin = n->found.first_explicit != UINT64_MAX ? n->found.first_explicit : n->found.earliest;
  return NPROF_OK;
}

static nprof_status
begin_rows (Ntff *n)
{
  n->w = n->host->writer (n->host);
  if (!n->w)
    return NPROF_E_NOMEM;
  ntff_rows_begin (n);
  return ntff_core_tracks (n);
}

#define NTFF_HEAD 65536u /* what probe sees: the same file is the same shape with and without -d */

/* Says of the input how sure its rows are, in a word for programs and a sentence for people. */
static nprof_status
state_certainty (const Ntff *n, const char *certainty, const char *how)
{
  const struct nprof_host *h = n->host;
  g_autofree char *notice = g_strdup_printf ("NTFF is not a published format: %s", how);
  nprof_status status = h->property (h, "certainty", certainty);
  return status ? status : h->property (h, "notice", notice);
}

/* Real files have shown these versions; of 4 nobody has published what the vendor makes of one. */
static nprof_status
certainty_of_fields (const Ntff *n)
{
  guint version = n->message.data[0];
  g_autofree char *how
      = g_strdup_printf ("version %u is read by the fields that real files have shown%s; opcodes "
                         "that none of them has "
                         "are marked (likely)",
                         version, version == 4 ? ", not compared with the vendor's rows" : "");
  return state_certainty (n, "checked", how);
}

static nprof_status
by_fields (Ntff *n, NtffFields *f)
{
  n->w = n->host->writer (n->host);
  if (!n->w)
    return NPROF_E_NOMEM;
  ntff_rows_begin (n);
  nprof_log (n->host, NPROF_INFO, "NTFF version %u, read by its fields", n->message.data[0]);
  nprof_status status = certainty_of_fields (n);
  status = status ? status : ntff_fields_align (n, f);
  status = status ? status : n->host->table (n->host, &neuron_details_table);
  n->uuid_len = f->uuid_len;
  memcpy (n->uuid, f->uuid, sizeof n->uuid);
  n->neff_name = g_strndup ((const char *) n->message.data + f->neff_at, f->neff_len);
  status = status ? status : ntff_neff (n);
  status = status ? status : ntff_fields_rows (n, f);
  return status ? status : ntff_fields_memory (n, f);
}

static nprof_status
by_structure (Ntff *n, const uint8_t *data, uint64_t len, const char *why)
{
  static nprof_status (*const steps[]) (Ntff *)
      = { begin_rows, properties,        ntff_neff,       facts,
          ntff_merge, ntff_lanes_finish, ntff_dma_finish, ntff_executions };
  nprof_status status = survey (n, data, len);
  status = status ? status
                  : state_certainty (n, "structure",
                                     "decoded by its structure, opcodes marked (likely)");
  status = status ? status : n->host->property (n->host, "certainty_reason", why);
  for (gsize i = 0; i < G_N_ELEMENTS (steps) && !status; i++)
    status = steps[i](n);
  if (status)
    return status;
  ntff_semaphores_finish (n);
  last_words (n);
  return NPROF_OK;
}

static nprof_status
ntff_decode (void *self, const void *data, uint64_t len)
{
  Ntff *n = self;
  int shape, sure = nt_shape (data, (size_t) MIN (len, NTFF_HEAD), &shape);
  if (sure < NT_SURE && len > NTFF_HEAD) /* one long section may hide all others */
    sure = nt_shape (data, (size_t) len, &shape);
  if (sure)
    return nt_decode (n, shape, data, (size_t) len);
  if (n->time_unit)
    nprof_log (n->host, NPROF_WARNING, "unit= is not used: records of an NTFF are in ps");
  NtffFields fields = { 0 };
  const char *why = ntff_fields_read (n, &fields, data, len);
  nprof_status status = NPROF_OK;
  if (!why) {
    n->message.data = data;
    n->message.len = len;
    status = by_fields (n, &fields);
  } else {
    nprof_log (n->host, NPROF_WARNING,
               "%s: it is decoded by its structure, and clocks of engines "
               "are taken for one",
               why);
    status = by_structure (n, data, len, why);
  }
  ntff_fields_clear (&fields);
  return status;
}

/* -- Life -------------------------------------------------------------------------------------- */

static nprof_status
ntff_open (void *self, const struct nprof_host *host)
{
  Ntff *n = self;
  n->host = host;
  n->input = host->own_input;
  n->input_label = host->input (host, n->input)->label;
  n->cores = g_array_new (FALSE, FALSE, sizeof (NtffCore));
  n->streams = g_array_new (FALSE, FALSE, sizeof (NtffStream));
  n->segments = g_array_new (FALSE, FALSE, sizeof (NtffSegment));
  n->lanes = g_ptr_array_new_with_free_func (ntff_lane_free);
  return meaning_say (host);
}

static nprof_status
ntff_finish (void *self)
{
  (void) self;
  return NPROF_OK;
}

static void
ntff_close (void *self)
{
  Ntff *n = self;
  ntff_message_clear (&n->message);
  ntff_found_clear (&n->found);
  for (guint i = 0; i < n->cores->len; i++)
    g_array_unref (ntff_core (n->cores, i)->queues);
  g_array_unref (n->cores);
  g_array_unref (n->streams);
  g_array_unref (n->segments);
  g_ptr_array_unref (n->lanes);
  ntff_dma_clear (n);
  g_clear_pointer (&n->semaphores, g_hash_table_unref);
  g_clear_pointer (&n->names, g_hash_table_unref);
  g_free (n->pcs);
  g_free (n->neff.model);
  g_free (n->neff.compiler);
  g_clear_pointer (&n->neff.queue_types, g_hash_table_unref);
  g_clear_pointer (&n->neff.code, g_hash_table_unref);
  g_free (n->neff_name);
}

/* -- Declarations ------------------------------------------------------------------------------ */

static const struct nprof_component ntff = {
  .size = sizeof ntff,
  .kind = NPROF_DECODER,
  .name = "ntff",
  .summary = "profiles of AWS Neuron: NTFF, and what the vendor's tools write",
  .formats = "NTFF of neuron-profile: versions 4 to 6 by their fields, others by their structure; "
             "neuron-profile json, summary-json, summary-text; system profile json; "
             "nrt_sys_trace_fetch_events json",
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (Ntff, neff_path, "neff", "",
                         "the NEFF that was profiled; else it is looked for beside the file"),
      NPROF_BOOL_OPTION (Ntff, private, "private", "no",
                         "print instance and process ids, host names and addresses of the file"),
      NPROF_CHOICE_OPTION (Ntff, time_unit, "unit", "auto", "auto|ns|ps",
                           "of times in neuron-profile json; auto: ns, unless total_time says ps")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_ENGINE, "",
                       "tensor, scalar, gpsimd, vector, sync, cc-core"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_OPCODE, "", "first byte of the instruction, in hex"),
      NPROF_ATTRIBUTE (NPROF_STRING, "likely_opcode", "",
                       "the same, of a stream whose engine was guessed"),
      NPROF_ATTRIBUTE (NPROF_INT64, "pc", "", "number of the instruction in its stream"),
      NPROF_ATTRIBUTE (NPROF_INT64, "event_wait_cycles", "cycle", "wait before the instruction"),
      NPROF_ATTRIBUTE (NPROF_INT64, "hint", "", "hint of the instruction, unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "soft_reset", "", "unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc_in", "", "unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc_out", "", "unless 0"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_QUEUE, "", "queue of a transfer"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "of a transfer"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc", "", "of a transfer, unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "update_mode", "", "of a semaphore or event, as a number"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "double_update", "", "set or cleared twice"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin (set), end (wait)"),
      NPROF_ATTRIBUTE (NPROF_INT64, "metadata", "",
                       "bytes 0-2 of a record whose content is not known"),
      NPROF_ATTRIBUTE (NPROF_INT64, "metadata2", "", "bytes 4-7 of such a record"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop",
                       "of the NEFF: 2 * HloMacCount; of a summary"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_OP, "", "tools: name of the HLO instruction"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_TEXT, "", "tools: the whole HLO instruction"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_LAYER, "", "tools: layer of the framework"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "", "tools: file:line of the kernel"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE_STACK, "",
                       "tools: that, and the line of the application"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_TENSOR, "", "tools: tensor that is moved"),
      NPROF_ATTRIBUTE (NPROF_STRING, "queue_type", "", "of a transfer"),
      NPROF_ATTRIBUTE (NPROF_STRING, "queue_use", "",
                       "of a transfer: what its queue is for, as the NEFF or the file states it"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "left_out", "", "the vendor's tools leave this packet out"),
      SEMAPHORE_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", "type of the instance"),
      NPROF_ATTRIBUTE (NPROF_INT64, "event_wait", "ps", "tools: wait before the instruction"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", "tools: of the instruction"),
      NPROF_ATTRIBUTE (NPROF_INT64, "adjusted_flops", "flop", "tools: as if it were BF16"),
      NPROF_ATTRIBUTE (NPROF_INT64, "flops_transpose", "flop", "of a transpose"),
      NPROF_ATTRIBUTE (NPROF_INT64, "adjusted_flops_transpose", "flop", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "hbm_read_bytes", "byte", "tools: by the instruction"),
      NPROF_ATTRIBUTE (NPROF_INT64, "hbm_write_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "sbuf_read_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "sbuf_write_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "psum_read_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "psum_write_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "psum_read_sbuf_write_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "spill_save_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "spill_reload_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "input_queue_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "output_queue_bytes", "byte", "tools"),
      NPROF_ATTRIBUTE (NPROF_INT64, "weight_queue_bytes", "byte", "tools"),
      COLLECTIVE_GROUP_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_COMMUNICATOR, "",
                       "tools: stream of a collective"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_ELEMENTS_IN, "", "tools: of a collective"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_INPUT_SIZE, "byte", "tools: of a collective"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_OUTPUT_SIZE, "byte", "tools: of a collective"),
      NPROF_ATTRIBUTE (NPROF_STRING, "tensor_instruction_type", "", "tools: REGULAR, TRANSPOSE"),
      NPROF_ATTRIBUTE (NPROF_INT64, "limit_k", "", "throttling: k in n cycles"),
      NPROF_ATTRIBUTE (NPROF_INT64, "limit_n", "", "throttling: k in n cycles"),
      NPROF_ATTRIBUTE (NPROF_INT64, "limit_type", "",
                       "throttling: the device's number of the cause"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s",
                       "tools: 2 * rows * columns * clock of the tensor engine"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_BANDWIDTH, "byte/s", "tools: of the HBM"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz", "tools: of the tensor engine"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MEMORY_SIZE, "byte", "tools: HBM of a core"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte", "tools: HBM, of a summary"),
      NPROF_ATTRIBUTE (NPROF_JSON, "stop_data", "", "tools: data of the stop of an event"),
      NPROF_ATTRIBUTE (NPROF_JSON, "stop_args", "",
                       "tools: all else of a stop that its start has not"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "tools: all else, as the file writes it")),
  .tables
  = (const struct nprof_table *const[]){ &ntff_engines_table, &neuron_metrics_table, &tensors_table,
                                         &neuron_details_table, &neuron_memory_table, NULL },
  .instance_size = sizeof (Ntff),
  .probe = ntff_probe,
  .open = ntff_open,
  .decode = ntff_decode,
  .finish = ntff_finish,
  .close = ntff_close,
};

NPROF_PLUGIN ("ntff", NPROF_VERSION, "Apache-2.0", &ntff)
