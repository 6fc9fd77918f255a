/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - finds out which output of the Neuron tools a file is, by what its beginning holds: keys
 * of the top level that nobody else has, and the look of the first record. */
#include "tools.h"

#define BID_OWN 90
#define BID_STRUCTURE 60
#define BID_CONTAINER 40
#define MOST_LINES 200

static bool
text_contains (const char *p, const char *end, const char *text)
{
  return memmem (p, (size_t) (end - p), text, strlen (text)) != NULL;
}

/* Looks into the first record of a section, as far as it is in sight; p is at the section's
 * value. */
static bool
first_holds (const TeScan *s, const char *p, const char *one, const char *other)
{
  const char *end = MIN (s->end, p + 8192);
  if (p >= end || (*p != '[' && *p != '{'))
    return false;
  return text_contains (p, end, one) && text_contains (p, end, other);
}

/* Keys of the top level. */
static const struct {
  const char *key;
  int shape, score;
  const char *one, *other; /* that its first record has; NULL: the key alone says it */
} keys[] = {
  { "instruction", NT_DEVICE, BID_OWN, "\"timestamp\"", "\"opcode\"" },
  { "instruction", NT_DEVICE, BID_OWN, "\"start_ts\"", "\"opcode\"" },
  { "dma", NT_DEVICE, BID_OWN, "\"transfer_size\"", "\"timestamp\"" },
  { "dma", NT_DEVICE, BID_OWN, "\"variable\"", "\"timestamp\"" },
  { "active_time", NT_DEVICE, BID_OWN, "\"engine\"", "\"start_ts\"" },
  { "neff_node", NT_DEVICE, BID_OWN, "\"variable_name\"", "\"type\"" },
  { "summary", NT_DEVICE, BID_STRUCTURE, "\"total_time\"", "_" },
  { "summary", NT_DEVICE, BID_STRUCTURE, "_engine_", "_" },
  { "metadata", NT_DEVICE, BID_OWN, "\"hbm_ddr_bandwidth\"", "clock_freq" },
  { "instruction_usage", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "stack_frame_function_name", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "cc_stream", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "summary_groups", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "layer_summary", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "semaphore_update", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "dma_throughput", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "pending_dma", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "dma_queues_info", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "nc_mem_usage", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "summary_group_order", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "terminology", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "neff_header", NT_DEVICE, BID_STRUCTURE, NULL, NULL },
  { "model_info", NT_DEVICE, BID_STRUCTURE, "\"nc_idx\"", "_count" },
  { "profile_info", NT_DEVICE, BID_STRUCTURE, "\"profiler_version\"", "\"profile_name\"" },
  { "ham", NT_DEVICE, BID_STRUCTURE, "\"k\"", "\"n\"" },
  { "warnings", NT_DEVICE, BID_STRUCTURE, "\"message\"", "\"category\"" },
  { "trace_events", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"group\"" },
  { "trace_events", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"instance_id\"" },
  { "trace_event", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"instance_id\"" },
  { "trace_event", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"group\"" },
  { "mem_usage", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"instance_id\"" },
  { "cpu_util", NT_SYSTEM, BID_OWN, "\"timestamp\"", "\"cpu_id\"" },
  { "system_profile_metadata", NT_SYSTEM, BID_OWN, NULL, NULL },
  { "device_profile_list", NT_SYSTEM, BID_OWN, NULL, NULL },
  { "Neuron_Runtime_API_Event", NT_SYSTEM, BID_OWN, NULL, NULL },
  { "events", NT_EVENTS, BID_OWN, "\"event_type\"", "\"timestamp_ns\"" },
};

/* Scores a key of the top level and its value; sets *shape where they say something. */
static int
key_score (const TeScan *s, const TeValue *key, const char *p, int *shape)
{
  int score = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (te_text_is (key, keys[i].key) && keys[i].score > score
        && (!keys[i].one || first_holds (s, p, keys[i].one, keys[i].other))) {
      score = keys[i].score;
      *shape = keys[i].shape;
    }
  return score;
}

/* Recognises a bucket: n_ or p_ and 40 hex digits. format: neuron-outputs.md 6 */
static bool
is_bucket (const TeValue *key)
{
  if (key->len != 42 || (key->p[0] != 'n' && key->p[0] != 'p') || key->p[1] != '_')
    return false;
  for (size_t i = 2; i < key->len; i++)
    if (!g_ascii_isxdigit (key->p[i]))
      return false;
  return true;
}

/* Counts the members of the object at p, as far as they are in sight, that are well-known
 * metrics. */
static guint
metrics_in (TeScan *s, const char *p)
{
  TeValue key, value;
  guint n = 0;
  if (p >= s->end || *p != '{')
    return 0;
  for (p++; (p = te_member (s, p, &key, &value));)
    n += nt_is_metric (key.p, key.len);
  return n;
}

/* Scores a section by the first of its records, which has a time: a section that is too long for
 * anything behind it to be in sight.  Trace events and the other outputs have names of their own
 * for what they hold. */
static int
section_score (const TeScan *s, const char *p, int *shape)
{
  const char *record = p < s->end && *p == '[' ? te_space (p + 1, s->end) : s->end;
  const char *end = record < s->end ? memchr (record, '}', (size_t) (s->end - record)) : NULL;
  if (!end || *record != '{' || !text_contains (record, end, "\"timestamp\"")
      || text_contains (record, end, "\"ph\""))
    return 0;
  *shape = NT_DEVICE;
  return BID_CONTAINER;
}

/* p is at the value of a key of the top level. */
static int
summary_score (TeScan *s, const TeValue *key, const char *p, int *shape)
{
  guint n = metrics_in (s, p);
  if (n == 0 && !(is_bucket (key) && p < s->end && *p == '{'))
    return 0;
  if (n < 3 && !is_bucket (key))
    return 0;
  *shape = NT_SUMMARY_JSON;
  return is_bucket (key) ? BID_OWN : BID_STRUCTURE;
}

static int
json_score (TeScan *s, const char *p, int *shape)
{
  const char *top = p;
  int best = 0;
  bool version = false, events = false;
  for (p++;;) {
    TeValue key, value;
    const char *from = p, *at;
    int found = NT_NONE;
    p = te_space (p, s->end);
    while (p < s->end && *p == ',')
      p = te_space (p + 1, s->end);
    if (p >= s->end || *p != '"' || !(at = s->with->value (s, p, &key)))
      break;
    at = te_space (at, s->end);
    if (te_text_is (&key, "traceEvents"))
      return 0;
    if (at >= s->end || *at != ':')
      break;
    at = te_space (at + 1, s->end);
    int score = key_score (s, &key, at, &found);
    score = score ? score : summary_score (s, &key, at, &found);
    score = score ? score : section_score (s, at, &found);
    if (score > best) {
      best = score;
      *shape = found;
    }
    version |= te_text_is (&key, "data_version");
    events |= te_text_is (&key, "events");
    if (!(p = te_member (s, from, &key, &value)))
      break;
  }
  if (!best && version && events) {
    *shape = NT_EVENTS; /* one without events */
    best = BID_STRUCTURE;
  }
  if (!best && metrics_in (s, top) >= 3) {
    *shape = NT_SUMMARY_JSON;
    best = BID_STRUCTURE;
  }
  return best;
}

/* Scores lines that begin with a well-known metric. */
static int
text_score (const char *p, const char *end, int *shape)
{
  guint found = 0;
  for (guint n = 0; p < end && n < MOST_LINES; n++) {
    const char *line = memchr (p, '\n', (size_t) (end - p));
    line = line ? line : end;
    while (p < line && !g_ascii_isalnum (*p))
      p++;
    size_t len = 0;
    while (p + len < line && (g_ascii_isalnum (p[len]) || p[len] == '_'))
      len++;
    found += p + len < line && nt_is_metric (p, len);
    p = line + 1;
  }
  if (found < 2)
    return 0;
  *shape = NT_SUMMARY_TEXT;
  return BID_STRUCTURE;
}

int
nt_shape (const char *data, size_t len, int *shape)
{
  const char *p = data, *end = p + len;
  TeScan s = { .with = te_scanner (), .end = end };
  *shape = NT_NONE;
  if (len >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  p = te_space (p, end);
  if (p >= end || *p == '[')
    return 0;
  if (*p == '{')
    return json_score (&s, p,
                       shape); /* bytes of 0 may follow the document: damage, but of this format */
  return memchr (p, '\0', MIN ((size_t) (end - p), 512)) ? 0 : text_score (p, end, shape);
}
