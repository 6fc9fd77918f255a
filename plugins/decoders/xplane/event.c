/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - reads one XEvent the general way: fields in any order, values of counters, aggregated
 * events, every kind of stat, and events that cannot be read. scan.c brings here what it does not
 * do itself, and is tested against it. */
#include "producers/pytorch.h"
#include "xplane.h"

typedef struct {
  int64_t meta_id, offset, duration, occurrences;
  bool aggregated;
} Event;

NPROF_TABLE (aggregates, "Aggregated events",
             "events that the profiler summed up instead of recording each; they have no start",
             AGGREGATES)

/* -- What a part keeps ----------------------------------------------------------- */

void
xp_scan_init (XpScan *s, Xplane *x, const struct nprof_host *host)
{
  s->x = x;
  s->host = host;
  xp_attrs_init (&s->attrs);
  xp_attrs_init (&s->shared);
  s->series = g_array_new (FALSE, FALSE, sizeof (XpValue));
  s->cache = g_new0 (XpCached, XP_CACHE);
}

void
xp_scan_clear (XpScan *s)
{
  xp_attrs_clear (&s->attrs);
  xp_attrs_clear (&s->shared);
  g_clear_pointer (&s->series, g_array_unref);
  g_clear_pointer (&s->cache, g_free);
}

nprof_status
xp_scan_progress (XpScan *s, const uint8_t *p)
{
  uint64_t from = xp_at (s->x, s->reported);
  s->reported = p;
  return s->host->progress (s->host, from, xp_at (s->x, p));
}

static uint64_t
text_hash (PbSpan text)
{
  uint64_t h = xp_len (text), w;
  const uint8_t *p = text.p;
  for (; text.end - p >= 8; p += 8) {
    memcpy (&w, p, 8);
    h = (h ^ w) * UINT64_C (0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  w = 0;
  memcpy (&w, p, (size_t) (text.end - p));
  h = (h ^ w) * UINT64_C (0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

static bool
is_text (const XpCached *cached, PbSpan text)
{
  return cached->text.p && xp_len (cached->text) == xp_len (text)
         && memcmp (cached->text.p, text.p, xp_len (text)) == 0;
}

/* Finds a text in sets of a few slots, so that texts that alternate do not push each other out. */
static XpCached *
find_cached (XpScan *s, PbSpan text)
{
  uint64_t hash = text_hash (text);
  XpCached *set = &s->cache[hash % (XP_CACHE / XP_CACHE_WAYS) * XP_CACHE_WAYS];
  for (unsigned i = 0; i < XP_CACHE_WAYS; i++)
    if (set[i].hash == hash && is_text (&set[i], text))
      return &set[i];
  XpCached *slot = &set[(hash >> 32) % XP_CACHE_WAYS];
  for (unsigned i = 0; i < XP_CACHE_WAYS; i++)
    if (!set[i].text.p)
      slot = &set[i];
  *slot = (XpCached){ .hash = hash, .text = text, .str = xp_intern (s->host, text) };
  return slot;
}

/* Interns a text; texts of stats repeat, and in the same order, and must stay where they are. */
nprof_str
xp_cached (XpScan *s, PbSpan text)
{
  uint32_t *next = &s->cache[s->cached].after;
  if (!is_text (&s->cache[*next], text))
    *next = (uint32_t) (find_cached (s, text) - s->cache);
  s->cached = *next;
  return s->cache[s->cached].str;
}

const XpMeta *
xp_event_meta (XpScan *s, const uint8_t *at, int64_t id, nprof_status *status)
{
  uint32_t slot = xp_slot (&s->dict->meta_ids, id);
  XpMeta *meta = slot == UINT32_MAX ? &s->undefined : &s->dict->metas[slot];
  if (meta == &s->undefined && s->undefined_id != id) {
    s->undefined = (XpMeta){ 0 };
    s->undefined_id = id;
  }
  if (atomic_load_explicit (&meta->ready, memory_order_acquire))
    return meta;
  *status = xp_meta_make (s, meta, id, at);
  return *status ? NULL : meta;
}

nprof_status
xp_event_damage (XpScan *s, const uint8_t *at, const char *what)
{
  nprof_status status = s->host->damage (s->host, xp_at (s->x, at), what);
  if (status)
    return status;
  return nprof_row (s->w, NPROF_GAP, s->line->track, nprof_intern (s->host, "unreadable"),
                    s->last_start, 0);
}

/* -- Reading ------------------------------------------------------------------------ */

static const uint8_t *
read_event (PbSpan body, Event *event)
{
  *event = (Event){ 0 };
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return body.p;
    switch (f.tag) {
    case PB_VARINT (1):
      event->meta_id = (int64_t) f.value;
      break;
    case PB_VARINT (2):
      event->offset = (int64_t) f.value;
      event->aggregated = false;
      break;
    case PB_VARINT (3):
      event->duration = (int64_t) f.value;
      break;
    case PB_VARINT (5):
      event->occurrences = (int64_t) f.value;
      event->aggregated = true;
      break;
    default:
      break;
    }
  }
  return NULL;
}

/* Returns whether it is a counter's value: a number without a meaning of its own, on a line of
 * counters. */
static bool
is_series (const XpScan *s, const XpValue *value)
{
  if (!s->line->counters || value->kind < XP_VALUE_DOUBLE || value->kind > XP_VALUE_INT)
    return false;
  return !value->stat || !value->stat->key || value->stat->role == XP_ROLE_COUNTER_VALUE;
}

static void
keep_step (XpScan *s, const XpValue *value)
{
  int64_t number;
  if (!xp_value_int (value, &number))
    return;
  if (value->stat->role == XP_ROLE_STEP_NUMBER)
    s->step = number;
  else
    s->correlation = (uint64_t) number;
}

static bool
keep_value (XpScan *s, const XpValue *value, XpFlows *flows)
{
  bool number = value->kind == XP_VALUE_INT || value->kind == XP_VALUE_UINT;
  if (value->stat && value->stat->actions & XP_STAT_FLOW && number)
    xp_flows_add (flows, value->stat->role, value->v.u);
  if (value->stat && value->stat->actions & XP_STAT_STEP)
    keep_step (s, value);
  if (is_series (s, value)) {
    g_array_append_val (s->series, *value);
    return true;
  }
  if (xp_path_take (s, value))
    return true;
  return xp_value_attrs (s->x, s->host, s->dict, value, &s->attrs);
}

/* Returns whether nobody wants the stat, which then is stepped over unread, here as in scan.c. */
static bool
is_ignored (const XpScan *s, PbSpan stat)
{
  const XpDict *dict = s->dict;
  uint64_t id;
  if (s->line->counters)
    return false;
  if (dict->actions == 0)
    return true;
  if (stat.p == stat.end || *stat.p != PB_VARINT (1) || !pb_varint (stat.p + 1, stat.end, &id))
    return false;
  uint32_t slot = xp_slot (&dict->stat_ids, (int64_t) id);
  return slot != UINT32_MAX && dict->stats[slot].name.p && !dict->stats[slot].actions;
}

/* Reads the stats of an event into s->attrs, s->series and flows.  Returns where it failed, or
 * NULL. */
static const uint8_t *
read_stats (XpScan *s, PbSpan body, XpFlows *flows, const char **why)
{
  xp_attrs_reset (&s->attrs);
  g_array_set_size (s->series, 0);
  *flows = (XpFlows){ 0 };
  s->step = -1;
  s->correlation = 0;
  s->path = s->prefix = (XpValue){ 0 };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag != PB_BYTES (4) || is_ignored (s, f.span))
      continue;
    XpValue value;
    if (!xp_value_read (s->dict, f.span, &value)) {
      *why = "stat: a field of it cannot be read";
      return f.span.p;
    }
    if (!keep_value (s, &value, flows)) {
      *why = "stat: its compressed text cannot be inflated";
      return f.span.p;
    }
  }
  xp_path_add (s);
  return NULL;
}

/* -- Writing ------------------------------------------------------------------------- */

static nprof_status
write_attrs (XpScan *s)
{
  const XpAttrs *a = &s->attrs;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < a->keys->len && status == NPROF_OK; i++) {
    nprof_str key = g_array_index (a->keys, nprof_str, i);
    uint8_t type = g_array_index (a->types, uint8_t, i);
    nprof_value value = g_array_index (a->values, nprof_value, i);
    if (type == NPROF_TEXT || type == NPROF_JSON)
      status = nprof_attr_bytes (s->w, key, type, a->bytes->str + value.bytes.at, value.bytes.len);
    else
      status = nprof_attr (s->w, key, type, value);
  }
  return status;
}

/* Adds the step that the event is in, unless it says one itself. */
static void
add_step (XpScan *s, int64_t start)
{
  if (!s->x->steps)
    return;
  for (guint i = 0; i < s->attrs.keys->len; i++)
    if (g_array_index (s->attrs.keys, nprof_str, i) == s->x->key_step)
      return;
  int64_t step = xp_step_of (s->x, s->group, start, s->correlation);
  if (step >= 0)
    xp_attrs_add (&s->attrs, s->x->key_step, NPROF_INT64, (nprof_value){ .i = step });
}

static nprof_status
begin_row (XpScan *s, uint8_t kind, const XpMeta *meta, nprof_str name, int64_t start,
           int64_t duration)
{
  nprof_status status = nprof_row (s->w, kind, s->line->track, name, start, duration);
  if (status)
    return status;
  nprof_set_category (s->w, meta->category ? meta->category : s->line->category);
  if (meta->shared)
    nprof_set_shared (s->w, meta->shared);
  return NPROF_OK;
}

/* Returns whether it is what StepTraceAnnotation of JAX and profiler.experimental.Trace of
 * TensorFlow write around a step: a span of a host with the number of the step. */
static bool
is_step (const XpScan *s)
{
  return s->step >= 0 && s->step < PYTORCH_STEP_LIMIT
         && (s->group->kind == XP_OF_HOST || s->group->kind == XP_OF_OTHER);
}

/* Returns the name by which analyzers know steps; that of the file stays an attribute. */
static nprof_str
name_of_step (XpScan *s, const XpMeta *meta)
{
  if (s->host->wanted (s->host, "text"))
    xp_attrs_add (&s->attrs, nprof_intern (s->host, "text"), NPROF_STRING,
                  (nprof_value){ .s = meta->name });
  g_autofree char *name = g_strdup_printf (PYTORCH_STEP_NAME "%" G_GINT64_FORMAT, s->step);
  return nprof_intern (s->host, name);
}

static nprof_status
write_span (XpScan *s, const XpMeta *meta, int64_t start, int64_t duration, uint64_t id)
{
  nprof_str name = is_step (s) ? name_of_step (s, meta) : meta->name;
  nprof_status status = begin_row (s, NPROF_SPAN, meta, name, start, duration);
  if (status)
    return status;
  if (id)
    nprof_set_id (s->w, id);
  return write_attrs (s);
}

/* Makes all but one series plain attributes where one is named as the value. */
static void
settle_series (XpScan *s)
{
  for (guint i = 0; i < s->series->len; i++) {
    const XpValue *value = &g_array_index (s->series, XpValue, i);
    if (!value->stat || value->stat->role != XP_ROLE_COUNTER_VALUE)
      continue;
    XpValue only = *value;
    for (guint k = 0; k < s->series->len; k++)
      if (k != i)
        xp_value_attrs (s->x, s->host, s->dict, &g_array_index (s->series, XpValue, k), &s->attrs);
    g_array_set_size (s->series, 0);
    g_array_append_val (s->series, only);
    break;
  }
}

static nprof_str
series_name (XpScan *s, const XpMeta *meta, const XpValue *value)
{
  if (s->series->len == 1)
    return meta->name;
  g_autofree char *name
      = value->stat ? g_strdup_printf ("%s/%s", nprof_text (s->host, meta->name),
                                       nprof_text (s->host, xp_stat_text (s->host, value->stat)))
                    : g_strdup_printf ("%s/stat_%" G_GINT64_FORMAT,
                                       nprof_text (s->host, meta->name), value->id);
  return nprof_intern (s->host, name);
}

/* Writes a number that no double holds as text. */
static nprof_status
write_exact (XpScan *s, const XpValue *value, double f)
{
  char text[32];
  if (value->kind == XP_VALUE_DOUBLE)
    return NPROF_OK;
  if (value->kind == XP_VALUE_INT) {
    if (f < 0x1p63 && (int64_t) f == value->v.i)
      return NPROF_OK;
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, value->v.i);
  } else {
    if (f < 0x1p64 && (uint64_t) f == value->v.u)
      return NPROF_OK;
    g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value->v.u);
  }
  return nprof_attr_bytes (s->w, s->x->key_value, NPROF_JSON, text, (uint32_t) strlen (text));
}

static nprof_status
write_counters (XpScan *s, const XpMeta *meta, int64_t start, int64_t duration, uint64_t id)
{
  nprof_status status = NPROF_OK;
  settle_series (s);
  if (s->series->len == 0)
    return write_span (s, meta, start, duration, id);
  for (guint i = 0; i < s->series->len && status == NPROF_OK; i++) {
    const XpValue *value = &g_array_index (s->series, XpValue, i);
    double f = value->kind == XP_VALUE_DOUBLE ? value->v.f
               : value->kind == XP_VALUE_INT  ? (double) value->v.i
                                              : (double) value->v.u;
    status = begin_row (s, NPROF_COUNTER, meta, series_name (s, meta, value), start, duration);
    if (status)
      break;
    nprof_set_value (s->w, f);
    if (i == 0 && id)
      nprof_set_id (s->w, id);
    status = write_exact (s, value, f);
    if (status == NPROF_OK)
      status = write_attrs (s);
  }
  return status;
}

/* -- Aggregated events ------------------------------------------------------------------ */

/* Returns the stat of this role. */
static struct nprof_maybe_int
stat_of_role (XpScan *s, PbSpan body, uint8_t role)
{
  struct nprof_maybe_int found = { 0, false };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    XpValue value;
    int64_t i;
    if (f.tag == PB_BYTES (4) && xp_value_read (s->dict, f.span, &value) && value.stat
        && value.stat->role == role && xp_value_int (&value, &i))
      found = nprof_some_int (i);
  }
  return found;
}

static char *
other_stats (XpScan *s, PbSpan body)
{
  g_autoptr (GString) json = g_string_new ("{");
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    XpValue value;
    if (f.tag != PB_BYTES (4) || !xp_value_read (s->dict, f.span, &value)
        || value.kind == XP_VALUE_NONE)
      continue;
    uint8_t role = value.stat ? value.stat->role : XP_ROLE_NONE;
    if (role == XP_ROLE_MIN_DURATION || role == XP_ROLE_SELF_DURATION || role == XP_ROLE_GROUP)
      continue;
    g_autofree char *unnamed = g_strdup_printf ("stat_%" G_GINT64_FORMAT, value.id);
    const char *name
        = value.stat ? nprof_text (s->host, xp_stat_text (s->host, value.stat)) : unnamed;
    if (json->len > 1)
      g_string_append_c (json, ',');
    xp_json_string (json, name, strlen (name));
    g_string_append_c (json, ':');
    xp_value_json (s->dict, &value, json);
  }
  g_string_append_c (json, '}');
  return g_string_free (g_steal_pointer (&json), FALSE);
}

static nprof_status
write_aggregate (XpScan *s, const XpMeta *meta, const Event *event, PbSpan body)
{
  const struct nprof_host *host = s->host;
  const struct nprof_track_info *line = host->track_info (host, s->line->track);
  const struct nprof_track_info *plane = host->track_info (host, s->group->track);
  g_autofree char *json = other_stats (s, body);
  const struct aggregates_row row = {
    .plane = nprof_any_str (nprof_track_label (plane)),
    .line = nprof_any_str (nprof_track_label (line)),
    .name = nprof_any_str (meta->name),
    .category = nprof_any_str (meta->category ? meta->category : s->line->category),
    .calls = nprof_some_int (event->occurrences),
    .total = nprof_some_int (event->duration),
    .min = stat_of_role (s, body, XP_ROLE_MIN_DURATION),
    .self = stat_of_role (s, body, XP_ROLE_SELF_DURATION),
    .step = stat_of_role (s, body, XP_ROLE_GROUP),
    .attributes = nprof_some_json (json),
  };
  return host->row (host, &aggregates_table,
                    aggregates_cells (nprof_cell_str (s->x->input), &row).cells);
}

/* -- An event ---------------------------------------------------------------------------- */

static nprof_status
unreadable (XpScan *s, const uint8_t *at, const uint8_t *end)
{
  char why[256];
  xp_why (s->x->data, at, end, XP_EVENT, why, sizeof why);
  return xp_event_damage (s, at, why);
}

nprof_status
xp_event (XpScan *s, const uint8_t *at, PbSpan body)
{
  Event event;
  XpFlows flows;
  const char *why;
  const uint8_t *bad = read_event (body, &event);
  if (bad)
    return unreadable (s, bad, body.end);
  bad = read_stats (s, body, &flows, &why);
  if (bad)
    return xp_event_damage (s, bad, why);
  int64_t start, end;
  if (event.duration < 0)
    return xp_event_damage (s, at, "event: its duration is negative");
  if (__builtin_add_overflow (s->line->base, event.offset, &start)
      || __builtin_add_overflow (start, event.duration, &end))
    return xp_event_damage (s, at, "event: it is more than 106 days from the origin");
  nprof_status status = NPROF_OK;
  const XpMeta *meta = xp_event_meta (s, at, event.meta_id, &status);
  if (!meta)
    return status;
  if (event.aggregated)
    return write_aggregate (s, meta, &event, body);
  s->last_start = start;
  add_step (s, start);
  XpFlowEnd ends[XP_FLOW_ENDS];
  unsigned n = xp_flow_ends (s->x, s->host, &flows, ends);
  uint64_t id = n ? xp_at (s->x, at) : 0;
  status = s->line->counters ? write_counters (s, meta, start, event.duration, id)
                             : write_span (s, meta, start, event.duration, id);
  if (status || n == 0)
    return status;
  return xp_flow_rows (s->x, s->w, ends, n, s->line->track, meta->name, start, id);
}
