/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the decoder ntff: device profiles of AWS Neuron, by their structure, since the
 * format is not published.  Declarations, and the order in which the other files work. */
#include "ntff.h"

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

/* Bytes that mean something to this decoder. */
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

/* -- Decoding ------------------------------------------------------------------------------------- */

/* Reads what there is, and says it. */
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

static nprof_status
ntff_decode (void *self, const void *data, uint64_t len)
{
  static nprof_status (*const steps[]) (Ntff *)
      = { begin_rows, properties,        ntff_neff,       facts,
          ntff_merge, ntff_lanes_finish, ntff_dma_finish, ntff_executions };
  Ntff *n = self;
  nprof_status status = survey (n, data, len);
  for (gsize i = 0; i < G_N_ELEMENTS (steps) && !status; i++)
    status = steps[i](n);
  if (status)
    return status;
  ntff_semaphores_finish (n);
  last_words (n);
  return NPROF_OK;
}

/* -- Life -------------------------------------------------------------------------------------------- */

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
  return NPROF_OK;
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
}

/* -- Declarations ---------------------------------------------------------------------------------------- */

static const struct nprof_component ntff = {
  .size = sizeof ntff,
  .kind = NPROF_DECODER,
  .name = "ntff",
  .summary = "device profiles of AWS Neuron, by structure: the format is not published",
  .formats
  = "NTFF of neuron-profile, versions 1 to 6 (unpublished; never checked against a real file)",
  .options = NPROF_OPTIONS (
      NPROF_STRING_OPTION (Ntff, neff_path, "neff", "",
                           "the NEFF that was profiled; else it is looked for beside the file")),
  .attributes = NPROF_ATTRIBUTES (
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
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop", "of the NEFF: 2 * HloMacCount")),
  .tables = (const struct nprof_table *const[]){ &ntff_engines_table, NULL },
  .instance_size = sizeof (Ntff),
  .probe = ntff_probe,
  .open = ntff_open,
  .decode = ntff_decode,
  .finish = ntff_finish,
  .close = ntff_close,
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  static const struct nprof_component *const components[] = { &ntff, NULL };
  static const struct nprof_plugin plugin = {
    .size = sizeof plugin,
    .contract = NPROF_CONTRACT,
    .name = "ntff",
    .version = NPROF_VERSION,
    .license = "Apache-2.0",
    .homepage = "",
    .components = components,
  };
  return &plugin;
}
