/* SPDX-License-Identifier: Apache-2.0 */
/* ntff-plugin.c - the decoder ntff: device profiles of AWS Neuron, and what its tools write of
 * them.  Declarations, and the order in which the other files work. */
#include "ntff/file.h"
#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "profile/semaphore-keys.h"
#include "tools/tools.h"

/* -- Decoding ---------------------------------------------------------------------------------- */

#define NTFF_HEAD 65536u /* what probe sees: the same file is the same shape with and without -d */

/* Real files have shown these versions; of 4 nobody has published what the vendor makes of one. */
static nprof_status
state_certainty (const Ntff *n)
{
  const struct nprof_host *h = n->host;
  g_autofree char *notice = g_strdup_printf (
      "NTFF is not a published format: version %u is read by the fields that "
      "real files have shown%s; opcodes that none of them has are marked (likely)",
      n->data[0], n->data[0] == 4 ? ", not compared with the vendor's rows" : "");
  nprof_status status = h->property (h, "certainty", "checked");
  return status ? status : h->property (h, "notice", notice);
}

static nprof_status
write_rows (Ntff *n, NtffFile *f)
{
  n->w = n->host->writer (n->host);
  if (!n->w)
    return NPROF_E_NOMEM;
  ntff_rows_begin (n);
  nprof_log (n->host, NPROF_INFO, "NTFF version %u, read by its fields", n->data[0]);
  nprof_status status = state_certainty (n);
  status = status ? status : ntff_align (n, f);
  status = status ? status : n->host->table (n->host, &neuron_details_table);
  n->uuid_len = f->uuid_len;
  memcpy (n->uuid, f->uuid, sizeof n->uuid);
  n->neff_name = g_strndup ((const char *) n->data + f->neff_at, f->neff_len);
  status = status ? status : ntff_neff (n);
  status = status ? status : ntff_rows (n, f);
  return status ? status : ntff_memory (n, f);
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
  NtffFile file = { 0 };
  n->data = data;
  nprof_status status = ntff_read (n, &file, data, len);
  status = status ? status : write_rows (n, &file);
  ntff_clear (&file);
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
  .formats = "NTFF of neuron-profile, versions 4 to 6; neuron-profile json, summary-json, "
             "summary-text; system profile json; "
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
      NPROF_ATTRIBUTE (NPROF_INT64, "pc", "", "number of the instruction in its stream"),
      NPROF_ATTRIBUTE (NPROF_INT64, "event_wait_cycles", "cycle", "wait before the instruction"),
      NPROF_ATTRIBUTE (NPROF_INT64, "hint", "", "hint of the instruction, unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc_in", "", "unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc_out", "", "unless 0"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_QUEUE, "", "queue of a transfer"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "of a transfer"),
      NPROF_ATTRIBUTE (NPROF_INT64, "crc", "", "of a transfer, unless 0"),
      NPROF_ATTRIBUTE (NPROF_INT64, "update_mode", "", "of a semaphore or event, as a number"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "double_update", "", "set or cleared twice"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin (set), end (wait)"),
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
  = (const struct nprof_table *const[]){ &neuron_metrics_table, &tensors_table,
                                         &neuron_details_table, &neuron_memory_table, NULL },
  .instance_size = sizeof (Ntff),
  .probe = ntff_probe,
  .open = ntff_open,
  .decode = ntff_decode,
  .finish = ntff_finish,
  .close = ntff_close,
};

NPROF_PLUGIN ("ntff", NPROF_VERSION, "Apache-2.0", &ntff)
