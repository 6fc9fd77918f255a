/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder chrome: the trace-event JSON of Chrome, V8, Kineto (PyTorch), TensorFlow
 * and others.  The entry, the attributes, and the life of an instance. */
#include "graphs/captures.h"
#include "graphs/lost.h"
#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "profile/product-names.h"
#include "profile/program-keys.h"
#include "trace-event/plan.h"

static const char *const scanners[] = { NULL, "scalar", "sse2", "avx2", "avx512" };

static nprof_status
chrome_open (void *self, const struct nprof_host *host)
{
  Chrome *c = self;
  ch_open (c, host, te_scanner_named (scanners[c->scan]));
  if (!c->scanner)
    return nprof_fail (host, NPROF_E_OPTION,
                       "scan=%s: this processor does not have it; use scan=auto",
                       scanners[c->scan]);
  te_keys_add (&c->device_key, 0, "device");
  return meaning_say (host);
}

static void
chrome_close (void *self)
{
  Chrome *c = self;
  ch_queues_free (c->queues);
  ch_steps_free (c->steps);
  g_clear_pointer (&c->runs, g_ptr_array_unref);
  ch_unitrace_free (c);
  ch_graphs_free (c->graphs);
  ch_close (c);
}

static nprof_status
chrome_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Chrome *c = self;
  ch_begin (c, data, len);
  ch_steps_begin (c);
  ch_onnx_begin (c);
  ch_unitrace_begin (c);
  nprof_status status = ch_plan (c);
  if (!status)
    status = ch_ranks_tell (c);
  ch_labels_compare (c);
  if (!status)
    status = ch_steps_find (c);
  if (!status)
    status = ch_graphs_find (c);
  if (!status)
    status = ch_unitrace_find (c);
  if (!status)
    status = ch_plan_rows (c);
  ch_queues_begin (c);
  *n_parts = status ? 0 : c->parts->len - 1;
  return status;
}

static nprof_status
chrome_decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  nprof_status status = ch_part_init (part, self, host, host->worker);
  return status ? status : ch_part_decode (part, number);
}

static nprof_status
chrome_join (void *self, uint32_t number, void *state, int failed)
{
  Chrome *c = self;
  ChPart *part = state;
  const bool is_last = number + 2 >= c->parts->len;
  nprof_status status = failed ? NPROF_OK : ch_take_part (c, part, is_last);
  if (part->c) {
    ch_take_controls (c, &part->controls);
    ch_part_clear (part);
  }
  if (failed || status || !is_last)
    return status;
  ch_say_controls (c);
  return ch_pairs (c);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "chrome",
  .summary = "trace-event JSON: Chrome, V8, PyTorch Kineto, TensorFlow, JAX",
  .formats = "trace-event JSON (array and object form), also truncated",
  .tables = (const struct nprof_table *const[]){ &graph_captures_table, &graph_lost_table, NULL },
  .flags = NPROF_DECODER_FOLDER,
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (Chrome, scan, "scan", "auto", "auto|scalar|sse2|avx2|avx512",
                           "instructions that read the text; all give the same rows"),
      NPROF_LIST_OPTION (Chrome, eager, "eager", "",
                         "recordings of captures of graphs, or of runs without graphs"),
      NPROF_BOOL_OPTION (Chrome, companions, "companions", "yes",
                         "read those beside the file that execution_details.json or their names "
                         "tell"),
      NPROF_PATH_OPTION (Chrome, annotations, "annotations", "",
                         "PyTorch's annotations of nodes of graphs, as JSON"),
      NPROF_SIZE_OPTION (Chrome, part_bytes, "part", "2M", "1..1G",
                         "bytes of events that a thread decodes in one go")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_STRING, "phase", "", "ph of the event; of its begin for a pair"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "",
                       "joins a launch and its execution"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the device"),
      NPROF_ATTRIBUTE (NPROF_INT64, "device", "", "number of the device"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "size of a transfer or an allocation"),
      NPROF_ATTRIBUTE (NPROF_UINT64, "external_id", "", "joins an operator and its launches"),
      NPROF_ATTRIBUTE (NPROF_INT64, "wait_on_stream", "",
                       "queue whose event a stream or a call waits for"),
      NPROF_ATTRIBUTE (NPROF_INT64, "wait_on_cuda_event_record_corr_id", "",
                       "correlation id of the call that recorded it"),
      NPROF_ATTRIBUTE (NPROF_STRING, "rid", "", "request of SGLang's"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "",
                       "number of the step; else of the ProfilerStep that it begins in"),
      NPROF_ATTRIBUTE (NPROF_STRING, "text", "",
                       "what the file calls a step that args number, or a call of a node"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_LAYER, "",
                       "module of a kernel of a graph, or node of ONNX Runtime"),
      XLA_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "", "file and line of the user's program"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEDUPLICATED, "",
                       "operator that this is a clone of (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_TEXT, "",
                       "the whole HLO instruction (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_OFFSET, "ps",
                       "start by the device's clock (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_DURATION, "ps",
                       "duration by the device's clock (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_READ, "byte",
                       "from memory (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_WRITTEN, "byte",
                       "to memory (nprof's own traces)"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "",
                       "communication between devices that the kernel says it is"),
      COLLECTIVE_CALL_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_UINT64, COLLECTIVE_KEY_OPERATOR, "",
                       "external id of the operator that launched a collective"),
      COLLECTIVE_GROUP_ATTRIBUTES, COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, KEY_ARGUMENTS, "",
                       "arguments of an operator whose flops or bytes follow from them"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step or end of an arrow"),
      NPROF_ATTRIBUTE (NPROF_TEXT, "async_id", "", "id, or id2, of the event"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "args as the file has them"),
      NPROF_ATTRIBUTE (NPROF_JSON, "end_args", "", "args of the end of a pair"),
      NPROF_ATTRIBUTE (NPROF_JSON, "fields", "",
                       "members of the event that have no place elsewhere"),
      NPROF_ATTRIBUTE (NPROF_JSON, NPROF_KEY_VALUE, "",
                       "a counter's value that is no exact double")),
  .instance_size = sizeof (Chrome),
  .part_size = sizeof (ChPart),
  .probe = ch_probe,
  .open = chrome_open,
  .plan = chrome_plan,
  .decode_part = chrome_decode_part,
  .join = chrome_join,
  .close = chrome_close,
  .worker_size = sizeof (ChWorker),
  .worker_close = ch_worker_close,
};

NPROF_PLUGIN ("chrome-decoder", NPROF_VERSION, "Apache-2.0", &decoder)
