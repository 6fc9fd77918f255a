/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - reads the members of one record, their keys as numbers.  Keys repeat in all records of
 * a section, so they are known again by their bytes. */
#include "tools.h"

#define LEARNED 512u /* keys that are known again */

const char *const nt_key_name[NT_KEYS] = {
  [NT_K_TIMESTAMP] = "timestamp",
  [NT_K_START_TS] = "start_ts",
  [NT_K_START] = "start",
  [NT_K_TIMESTAMP_NS] = "timestamp_ns",
  [NT_K_DURATION] = "duration",
  [NT_K_DURATION_NS] = "duration_ns",
  [NT_K_END_TS] = "end_ts",
  [NT_K_END] = "end",
  [NT_K_ENGINE] = "engine",
  [NT_K_SUBGROUP] = "subgroup",
  [NT_K_LABEL] = "label",
  [NT_K_PCORE] = "pcore_idx",
  [NT_K_NC_IDX] = "nc_idx",
  [NT_K_ND_IDX] = "nd_idx",
  [NT_K_LNC_IDX] = "lnc_idx",
  [NT_K_NEURONCORE_IDX] = "neuroncore_idx",
  [NT_K_NEURON_DEVICE_IDX] = "neuron_device_idx",
  [NT_K_CORE_IDX] = "core_idx",
  [NT_K_STREAM_INDEX] = "stream_index",
  [NT_K_STREAM_ID] = "stream_id",
  [NT_K_QUEUE_NAME] = "queue_name",
  [NT_K_QUEUE] = "queue",
  [NT_K_ENGINE_IDX] = "engine_idx",
  [NT_K_QUEUE_IDX] = "queue_idx",
  [NT_K_UPDATE_SOURCE] = "update_source",
  [NT_K_GROUP] = "group",
  [NT_K_INSTANCE] = "instance_id",
  [NT_K_PROCESS] = "process_id",
  [NT_K_THREAD] = "thread_id",
  [NT_K_EVENT_SOURCE] = "trace_event_source",
  [NT_K_CPU] = "cpu_id",
  [NT_K_OPCODE] = "opcode",
  [NT_K_NAME] = "name",
  [NT_K_LAYER_NAME] = "layer_name",
  [NT_K_OPERATION] = "operation",
  [NT_K_DESCRIPTION] = "description",
  [NT_K_TYPE] = "type",
  [NT_K_ID] = "id",
  [NT_K_PARENT_ID] = "parent_id",
  [NT_K_VALUE] = "value",
  [NT_K_EVENT_TYPE] = "event_type",
  [NT_K_PHASE] = "phase",
  [NT_K_TRACKING] = "tracking_id",
  [NT_K_DATA] = "data",
  [NT_K_EXEC_ID] = "exec_id",
  [NT_K_NC_TIME] = "nc_timestamp_ns",
  [NT_K_CPU_TIME] = "cpu_timestamp_ns",
  [NT_K_SUBGRAPH] = "subgraph",
  [NT_K_SG_NAME] = "sg_name",
  [NT_K_DMA_ENGINE] = "dma_engine",
  [NT_K_DMA_QUEUE] = "dma_queue",
  [NT_K_AGGREGATED] = "aggregated",
  [NT_K_ELEMENTS] = "elements",
  [NT_K_TENSOR_TYPE] = "instruction_type",
  [NT_K_HAM_K] = "k",
  [NT_K_HAM_N] = "n",
  [NT_K_CATEGORY] = "category",
  [NT_K_MESSAGE] = "message",
  [NT_K_PREDECESSORS] = "predecessors",
  [NT_K_OPERANDS] = "operands",
  [NT_K_HLO_NAME] = "hlo_name",
  [NT_K_LAYER] = "layer",
  [NT_K_NKI_SOURCE] = "nki_source_location",
  [NT_K_BIR_SOURCE] = "bir_debug_info_source_location",
  [NT_K_PC] = "pc",
  [NT_K_CRC_IN] = "crc_in",
  [NT_K_CRC_OUT] = "crc_out",
  [NT_K_CRC] = "crc",
  [NT_K_EVT_WAIT] = "evt_wait_time",
  [NT_K_EVT_WAIT_NS] = "evt_wait_time_ns",
  [NT_K_RAW_FLOPS] = "raw_flops",
  [NT_K_FLOPS] = "flops",
  [NT_K_ADJUSTED_FLOPS] = "adjusted_flops",
  [NT_K_FLOPS_TRANSPOSE] = "flops_transpose",
  [NT_K_ADJUSTED_TRANSPOSE] = "adjusted_flops_transpose",
  [NT_K_HBM_READ] = "hbm_read_bytes",
  [NT_K_HBM_WRITE] = "hbm_write_bytes",
  [NT_K_SBUF_READ] = "sbuf_read_bytes",
  [NT_K_SBUF_WRITE] = "sbuf_write_bytes",
  [NT_K_PSUM_READ] = "psum_read_bytes",
  [NT_K_PSUM_WRITE] = "psum_write_bytes",
  [NT_K_PSUM_SBUF] = "psum_read_sbuf_write_bytes",
  [NT_K_SPILL_SAVE] = "spill_save_bytes",
  [NT_K_SPILL_RELOAD] = "spill_reload_bytes",
  [NT_K_INPUT_QUEUE] = "input_queue_bytes",
  [NT_K_OUTPUT_QUEUE] = "output_queue_bytes",
  [NT_K_WEIGHT_QUEUE] = "weight_queue_bytes",
  [NT_K_INSTRUCTION_TYPE] = "tensor_instruction_type",
  [NT_K_TRANSFER_SIZE] = "transfer_size",
  [NT_K_TRANSFER_BYTES] = "transfer_bytes",
  [NT_K_SIZE] = "size",
  [NT_K_QUEUE_TYPE] = "queue_type",
  [NT_K_VARIABLE] = "variable",
  [NT_K_TENSOR_NAME] = "tensor_name",
  [NT_K_UPDATE_MODE] = "update_mode",
  [NT_K_DOUBLE] = "double_set_or_clear",
  [NT_K_VARIABLE_NAME] = "variable_name",
  [NT_K_SHAPE] = "shape",
  [NT_K_DTYPE] = "dtype",
  [NT_K_INPUT_SIZE] = "input_size",
  [NT_K_OUTPUT_SIZE] = "output_size",
  [NT_K_REPLICA_GROUP] = "replica_group",
  [NT_K_NUM_ELEMENTS] = "num_elements",
  [NT_K_USAGE] = "usage",
  [NT_K_USED_BYTES] = "used_bytes",
  [NT_K_PERCENT_USAGE] = "percent_usage",
  [NT_K_USED_PERCENT] = "used_percent",
  [NT_K_UTIL] = "util",
  [NT_K_UTIL_PERCENT] = "util_percent",
};

static uint8_t
id_of (const TeValue *key)
{
  for (unsigned id = 1; id < NT_KEYS; id++)
    if (te_text_is (key, nt_key_name[id]))
      return (uint8_t) id;
  return NT_K_NONE;
}

/* This is a key that was met: its bytes lie in the input, which stays. */
typedef struct {
  const char *p;
  size_t len;
  uint8_t id;
} Learned;

static guint
place_of (const TeValue *key)
{
  const uint8_t *p = (const uint8_t *) key->p;
  size_t n = key->len;
  return n == 0 ? 0 : (guint) (n * 37 + p[0] * 5u + p[n / 2] * 11u + p[n - 1] * 17u) % LEARNED;
}

static uint8_t
learn (NtRecord *r, const TeValue *key)
{
  Learned *l = &g_array_index (r->learned, Learned, place_of (key));
  if (l->len != key->len || !l->p || memcmp (l->p, key->p, key->len))
    *l = (Learned){ key->p, key->len, id_of (key) };
  return l->id;
}

void
nt_record_init (NtRecord *r)
{
  r->members = g_array_new (FALSE, FALSE, sizeof (NtMember));
  r->learned = g_array_sized_new (FALSE, TRUE, sizeof (Learned), LEARNED);
  g_array_set_size (r->learned, LEARNED);
}

void
nt_record_clear (NtRecord *r)
{
  g_clear_pointer (&r->members, g_array_unref);
  g_clear_pointer (&r->learned, g_array_unref);
}

const char *
nt_record (Nt *t, const char *p, NtRecord *r)
{
  r->at = p;
  g_array_set_size (r->members, 0);
  memset (r->place, 0, sizeof r->place);
  if (p >= t->end) {
    t->scan.bad = p;
    t->scan.why = "the file ends here";
    return NULL;
  }
  p++;
  while (nt_next (t, &p, '}')) {
    NtMember m = { .from = p };
    if (!nt_key (t, &p, &m.key) || !(p = nt_skip (t, p, &m.value)))
      return NULL;
    m.to = p;
    m.id = learn (r, &m.key);
    if (m.id && !r->place[m.id] && r->members->len < UINT16_MAX)
      r->place[m.id] = (uint16_t) (r->members->len + 1);
    g_array_append_val (r->members, m);
  }
  return t->scan.why ? NULL : p + 1;
}

static NtMember *
member (const NtRecord *r, unsigned id)
{
  if (!r->place[id])
    return NULL;
  NtMember *m = &g_array_index (r->members, NtMember, r->place[id] - 1);
  bool null = m->value.kind == TE_WORD && m->value.len == 4 && memcmp (m->value.p, "null", 4) == 0;
  return null ? NULL : m;
}

const TeValue *
nt_see (const NtRecord *r, unsigned id)
{
  const NtMember *m = member (r, id);
  return m ? &m->value : NULL;
}

const TeValue *
nt_take (NtRecord *r, unsigned id)
{
  NtMember *m = member (r, id);
  if (!m)
    return NULL;
  m->used = true;
  return &m->value;
}

void
nt_use (NtRecord *r, unsigned id)
{
  nt_take (r, id);
}

const TeValue *
nt_take_first (NtRecord *r, const uint8_t *ids)
{
  for (; *ids; ids++) {
    const TeValue *v = nt_take (r, *ids);
    if (v)
      return v;
  }
  return NULL;
}
