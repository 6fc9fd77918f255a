/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - gives the names of stats their meaning: which key of keys.h they are, which type it has,
 * and whether anybody wants it.  Everything else keeps the file's name and type.  Names:
 * openxla/xla xplane_schema.cc. */
#include "xplane.h"

typedef struct {
  const char *name, *key;
  uint8_t type, role;
  bool id;
} Known;

static const Known known[] = {
  { "tf_op", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, XP_ROLE_OP_NAME, false },
  { "hlo_category", NPROF_KEY_HLO_CATEGORY, NPROF_STRING, XP_ROLE_HLO_CATEGORY, false },
  { "hlo_op", NPROF_KEY_HLO_OP, NPROF_STRING, XP_ROLE_NONE, false },
  { "hlo_module", NPROF_KEY_HLO_MODULE, NPROF_STRING, XP_ROLE_NONE, false },
  { "program_id", NPROF_KEY_PROGRAM_ID, NPROF_UINT64, XP_ROLE_NONE, true },
  { "symbol_id", NPROF_KEY_SYMBOL_ID, NPROF_UINT64, XP_ROLE_NONE, true },
  { "run_id", NPROF_KEY_RUN_ID, NPROF_UINT64, XP_ROLE_NONE, true },
  { "correlation_id", NPROF_KEY_CORRELATION_ID, NPROF_UINT64, XP_ROLE_NONE, true },
  { "group_id", NPROF_KEY_STEP, NPROF_INT64, XP_ROLE_GROUP, false },
  { "flops", NPROF_KEY_FLOPS, NPROF_INT64, XP_ROLE_NONE, false },
  { "model_flops", NPROF_KEY_MODEL_FLOPS, NPROF_INT64, XP_ROLE_NONE, false },
  { "bytes_accessed", NPROF_KEY_BYTES_ACCESSED, NPROF_INT64, XP_ROLE_NONE, false },
  { "raw_bytes_accessed", "raw_bytes_accessed", NPROF_INT64, XP_ROLE_NONE, false },
  { "bytes_transferred", NPROF_KEY_BYTES, NPROF_INT64, XP_ROLE_NONE, false },
  { "memory_access_breakdown", "memory_access_breakdown", NPROF_JSON, XP_ROLE_BREAKDOWN, false },
  { "shape_with_layout", NPROF_KEY_SHAPE, NPROF_STRING, XP_ROLE_NONE, false },
  { "shape", NPROF_KEY_SHAPE, NPROF_STRING, XP_ROLE_NONE, false },
  { "source", NPROF_KEY_SOURCE, NPROF_STRING, XP_ROLE_NONE, false },
  { "source_stack", NPROF_KEY_SOURCE_STACK, NPROF_STRING, XP_ROLE_NONE, false },
  { "deduplicated_name", NPROF_KEY_DEDUPLICATED, NPROF_STRING, XP_ROLE_NONE, false },
  { "kernel_details", NPROF_KEY_KERNEL, NPROF_STRING, XP_ROLE_NONE, false },
  { "device_offset_ps", NPROF_KEY_DEVICE_OFFSET, NPROF_INT64, XP_ROLE_NONE, false },
  { "device_duration_ps", NPROF_KEY_DEVICE_DURATION, NPROF_INT64, XP_ROLE_NONE, false },
  { "_pt", "_pt", NPROF_NULL, XP_ROLE_PRODUCER_TYPE, false },
  { "_p", "_p", NPROF_NULL, XP_ROLE_PRODUCER, false },
  { "_ct", "_ct", NPROF_NULL, XP_ROLE_CONSUMER_TYPE, false },
  { "_c", "_c", NPROF_NULL, XP_ROLE_CONSUMER, false },
  { "flow", "flow", NPROF_NULL, XP_ROLE_FLOW, false },
  { "counter_value", "counter_value", NPROF_NULL, XP_ROLE_COUNTER_VALUE, false },
  { "min_duration_ps", "min_duration_ps", NPROF_NULL, XP_ROLE_MIN_DURATION, false },
  { "self_duration_ps", "self_duration_ps", NPROF_NULL, XP_ROLE_SELF_DURATION, false },
  { "step_num", "step_num", NPROF_NULL, XP_ROLE_STEP_NUMBER, false },
  /* These names happen to be keys. */
  { NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, XP_ROLE_NONE, false },
  { NPROF_KEY_HLO_TEXT, NPROF_KEY_HLO_TEXT, NPROF_STRING, XP_ROLE_NONE, false },
  { NPROF_KEY_STEP, NPROF_KEY_STEP, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_BYTES, NPROF_KEY_BYTES, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_BYTES_READ, NPROF_KEY_BYTES_READ, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_BYTES_WRITTEN, NPROF_KEY_BYTES_WRITTEN, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_DEVICE_OFFSET, NPROF_KEY_DEVICE_OFFSET, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_DEVICE_DURATION, NPROF_KEY_DEVICE_DURATION, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_FLOW_PHASE, NPROF_KEY_FLOW_PHASE, NPROF_STRING, XP_ROLE_NONE, false },
  { NPROF_KEY_DEVICE_TYPE, NPROF_KEY_DEVICE_TYPE, NPROF_STRING, XP_ROLE_NONE, false },
  { NPROF_KEY_PEAK_FLOPS, NPROF_KEY_PEAK_FLOPS, NPROF_DOUBLE, XP_ROLE_NONE, false },
  { NPROF_KEY_PEAK_BANDWIDTH, NPROF_KEY_PEAK_BANDWIDTH, NPROF_DOUBLE, XP_ROLE_NONE, false },
  { NPROF_KEY_MEMORY_SIZE, NPROF_KEY_MEMORY_SIZE, NPROF_INT64, XP_ROLE_NONE, false },
  { NPROF_KEY_CLOCK_RATE, NPROF_KEY_CLOCK_RATE, NPROF_DOUBLE, XP_ROLE_NONE, false },
  { NPROF_KEY_CORE_COUNT, NPROF_KEY_CORE_COUNT, NPROF_INT64, XP_ROLE_NONE, false },
  { "Hlo Proto", NULL, NPROF_NULL, XP_ROLE_HLO_PROTO, false },
};

/* These mean it on planes of GPUs: what TensorFlow called tf_op before 2.4, and the path that XLA
 * writes beside each kernel, less a prefix that all of its program have in common. */
static const Known of_gpus[] = {
  { "level 0", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, XP_ROLE_OP_NAME, false },
  { "name", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, XP_ROLE_PATH, false },
  { "prefix", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, XP_ROLE_PREFIX, false },
};

static const Known *
find (PbSpan name, bool of_gpu)
{
  for (gsize i = 0; of_gpu && i < G_N_ELEMENTS (of_gpus); i++)
    if (xp_is (name, of_gpus[i].name))
      return &of_gpus[i];
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (xp_is (name, known[i].name))
      return &known[i];
  return NULL;
}

static bool
wanted_name (const struct nprof_host *host, PbSpan name)
{
  char key[256];
  size_t n = MIN (xp_len (name), sizeof key - 1);
  memcpy (key, name.p, n);
  key[n] = '\0';
  return host->wanted (host, key);
}

static uint8_t
known_actions (const struct nprof_host *host, const Known *stat)
{
  uint8_t actions = 0;
  if (stat->key && (host->wanted (host, stat->key) || host->row_want (host, stat->key, 0)))
    actions |= XP_STAT_ATTR;
  if (stat->role == XP_ROLE_BREAKDOWN
      && (actions || host->wanted (host, NPROF_KEY_BYTES_READ)
          || host->wanted (host, NPROF_KEY_BYTES_WRITTEN)))
    actions |= XP_STAT_ATTR | XP_STAT_SPECIAL;
  if (actions && (stat->role == XP_ROLE_PATH || stat->role == XP_ROLE_PREFIX))
    actions |= XP_STAT_SPECIAL; /* both are one attribute */
  if (stat->role >= XP_ROLE_PRODUCER_TYPE && stat->role <= XP_ROLE_FLOW)
    actions |= XP_STAT_FLOW;
  if (stat->role == XP_ROLE_STEP_NUMBER)
    actions |= XP_STAT_STEP;
  return actions;
}

void
xp_stat_init (const struct nprof_host *host, XpStat *stat, PbSpan name, bool of_gpu)
{
  stat->name = name;
  const Known *meaning = find (name, of_gpu);
  if (xp_len (name) == 0) { /* it goes by its id, and is a text for references */
    stat->actions = host->wanted (host, "stat_") ? XP_STAT_ATTR | XP_STAT_SPECIAL : 0;
    return;
  }
  if (!meaning) {
    stat->actions = wanted_name (host, name) ? XP_STAT_ATTR : 0;
    return;
  }
  stat->actions = known_actions (host, meaning);
  stat->role = meaning->role;
  stat->type = meaning->type;
  stat->numeric = meaning->type >= NPROF_INT64 && meaning->type <= NPROF_DOUBLE;
  stat->number = meaning->type == NPROF_INT64 || meaning->type == NPROF_UINT64 ? meaning->type : 0;
  stat->id = meaning->id;
  if (meaning->key)
    stat->key = nprof_intern (host, meaning->key);
}

nprof_str
xp_stat_text_slow (const struct nprof_host *host, XpStat *stat)
{
  if (!stat->name.p)
    return 0;
  nprof_str text = xp_intern (host, stat->name);
  atomic_store_explicit (&stat->text, text, memory_order_relaxed);
  return text;
}
