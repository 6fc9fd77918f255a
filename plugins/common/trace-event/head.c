/* SPDX-License-Identifier: Apache-2.0 */
/* head.c - reads what stands before and behind the events in the object form: properties, the base
 * of times, devices.  Keys may stand on either side. format: chrome-trace.md 2.2, 2.4 */
#include "trace-event/trace-event.h"

/* -- Properties ------------------------------------------------------------------------ */

static nprof_status
property (Chrome *c, const char *key, const char *value)
{
  if (!g_hash_table_add (c->properties, g_strdup (key)))
    return NPROF_OK; /* the first one counts */
  return c->host->property (c->host, key, value);
}

static char *
plain_text (const TeValue *v)
{
  char *text = g_malloc (v->len + 1);
  text[te_unescape (text, v->p, v->len)] = 0;
  return text;
}

static bool
is_scalar (const TeValue *v)
{
  return v->kind == TE_TEXT || v->kind == TE_INT || v->kind == TE_WORD;
}

static nprof_status
scalar_property (Chrome *c, const char *key, const TeValue *value)
{
  g_autofree char *text = plain_text (value);
  return property (c, key, text);
}

static void
no_place (Chrome *c, const TeValue *key, const char *prefix)
{
  g_autofree char *name = plain_text (key);
  g_autofree char *what = g_strdup_printf ("%s%.64s", prefix, name);
  c->host->skip (c->host, what, ch_at (c, key->p), "no place for it");
}

/* Reads rank, world_size and backend of Kineto's distributedInfo. */
static nprof_status
distributed (Chrome *c, const TeValue *info)
{
  TeScan s = { .with = c->scanner, .end = info->p + info->len };
  TeValue key, value;
  nprof_status status = NPROF_OK;
  for (const char *p = info->p + 1; !status && (p = te_member (&s, p, &key, &value));) {
    g_autofree char *name = plain_text (&key);
    if (is_scalar (&value))
      status = scalar_property (c, name, &value);
    else
      no_place (c, &key, "distributedInfo ");
  }
  return status;
}

/* -- Devices ------------------------------------------------------------------------------ */

static nprof_status
device_fact (Chrome *c, nprof_track track, const char *name, const TeValue *v)
{
  struct nprof_writer *w = c->host->writer (c->host);
  nprof_str key = nprof_intern (c->host, name);
  nprof_status status = w ? nprof_row (w, NPROF_FACT, track, key, 0, 0) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (c->host, "deviceProperties"));
  return v->kind == TE_INT ? nprof_attr_int (w, key, v->i)
                           : nprof_attr_str (w, key, ch_name (&c->names, v));
}

static const char *
fact_key (const TeValue *key, const TeValue *value)
{
  if (te_text_is (key, "name") && value->kind == TE_TEXT && value->len)
    return NPROF_KEY_DEVICE_TYPE;
  if (te_text_is (key, "totalGlobalMem") && value->kind == TE_INT)
    return NPROF_KEY_MEMORY_SIZE;
  return te_text_is (key, "numSms") && value->kind == TE_INT ? NPROF_KEY_CORE_COUNT : NULL;
}

/* Finds the value of a fact in the entry of a device. */
static bool
fact_value (const Chrome *c, const TeValue *entry, const char *fact, TeValue *value)
{
  TeScan s = { .with = c->scanner, .end = entry->p + entry->len };
  TeValue key;
  for (const char *p = entry->p + 1; (p = te_member (&s, p, &key, value));)
    if (g_strcmp0 (fact_key (&key, value), fact) == 0)
      return true;
  return false;
}

/* Returns whether all entries say the same. */
static bool
agreed (const Chrome *c, const GArray *entries, const char *fact)
{
  TeValue first, value;
  if (!fact_value (c, &g_array_index (entries, TeValue, 0), fact, &first))
    return false;
  for (guint i = 1; i < entries->len; i++)
    if (!fact_value (c, &g_array_index (entries, TeValue, i), fact, &value)
        || value.len != first.len || memcmp (value.p, first.p, first.len) != 0)
      return false;
  return true;
}

static void
skip_rest (Chrome *c, const TeValue *entry)
{
  TeScan s = { .with = c->scanner, .end = entry->p + entry->len };
  TeValue key, value;
  for (const char *p = entry->p + 1; (p = te_member (&s, p, &key, &value));)
    if (!fact_key (&key, &value) && !te_text_is (&key, "id"))
      c->host->skip (c->host, "member of deviceProperties", ch_at (c, key.p),
                     "no fact has its key");
}

static bool
device_id (const Chrome *c, const TeValue *entry, int64_t *id)
{
  TeScan s = { .with = c->scanner, .end = entry->p + entry->len };
  TeValue key, value;
  for (const char *p = entry->p + 1; (p = te_member (&s, p, &key, &value));)
    if (te_text_is (&key, "id") && value.kind == TE_INT && value.i == (int) value.i) {
      *id = value.i;
      return true;
    }
  return false;
}

static GArray *
entries_of (const Chrome *c)
{
  const TeValue *array = &c->device_list;
  TeScan s = { .with = c->scanner, .end = array->p + array->len };
  TeValue v;
  GArray *entries = g_array_new (FALSE, FALSE, sizeof v);
  const char *p = te_space (array->p + 1, s.end);
  while (p && p < s.end && *p == '{' && (p = s.with->value (&s, p, &v))) {
    g_array_append_val (entries, v);
    p = te_space (p, s.end);
    p = p < s.end && *p == ',' ? te_space (p + 1, s.end) : p;
  }
  return entries;
}

/* Writes a fact that all entries agree on, which holds for each device of the file: with
 * HIP_VISIBLE_DEVICES and its like the numbers of the entries are not those of the devices that did
 * the work. */
static nprof_status
write_fact (Chrome *c, const GArray *entries, const char *fact)
{
  TeValue value;
  int64_t id;
  nprof_status status = NPROF_OK;
  if (agreed (c, entries, fact)) {
    fact_value (c, &g_array_index (entries, TeValue, 0), fact, &value);
    return device_fact (c, c->input->root, fact, &value);
  }
  for (guint i = 0; i < entries->len && !status; i++) {
    const TeValue *entry = &g_array_index (entries, TeValue, i);
    if (!device_id (c, entry, &id) || !fact_value (c, entry, fact, &value))
      continue;
    nprof_track track = ch_device (c, c->host, id);
    status = track ? device_fact (c, track, fact, &value) : NPROF_E_NOMEM;
  }
  return status;
}

static nprof_status
write_facts (Chrome *c)
{
  static const char *const facts[]
      = { NPROF_KEY_DEVICE_TYPE, NPROF_KEY_MEMORY_SIZE, NPROF_KEY_CORE_COUNT };
  g_autoptr (GArray) entries = entries_of (c);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < entries->len; i++)
    skip_rest (c, &g_array_index (entries, TeValue, i));
  for (gsize i = 0; entries->len && i < G_N_ELEMENTS (facts) && !status; i++)
    status = write_fact (c, entries, facts[i]);
  return status;
}

/* -- The top level ----------------------------------------------------------------------------- */

static nprof_status
top_member (Chrome *c, const TeValue *key, const TeValue *value)
{
  g_autofree char *name = plain_text (key);
  if (te_text_is (key, "baseTimeNanoseconds"))
    c->has_base = (value->kind == TE_INT || value->kind == TE_TEXT)
                  && te_int (value->p, value->p + value->len, &c->base) && c->base != 0;
  if (te_text_is (key, "deviceProperties") && value->kind == TE_ARRAY) {
    c->device_list = *value;
    return NPROF_OK;
  }
  if (te_text_is (key, "otherData") && value->kind == TE_OBJECT && ch_own (c, value))
    return NPROF_OK;
  if (te_text_is (key, "distributedInfo") && value->kind == TE_OBJECT)
    return distributed (c, value);
  if (te_text_is (key, "schemaVersion") && is_scalar (value))
    return scalar_property (c, "version", value);
  if (is_scalar (value) && value->len <= CH_LONGEST_PROPERTY)
    return scalar_property (c, name, value);
  if (value->kind == TE_TEXT || value->len > 2)
    no_place (c, key, "member ");
  return NPROF_OK;
}

static nprof_status
fail_behind (Chrome *c, const char *first, size_t len)
{
  if (len == 20 && memcmp (first, "rocprofiler-sdk-tool", len) == 0)
    return nprof_fail (
        c->host, NPROF_E_FORMAT,
        "this is rocprofv3's own JSON (rocprofiler-sdk-tool), not a trace-event file: it has "
        "no \"traceEvents\"; the decoder rocprofv3 reads it");
  return nprof_fail (
      c->host, NPROF_E_FORMAT,
      "this JSON is not a trace-event file: its top level has no \"traceEvents\", but \"%.*s\"",
      (int) MIN (len, 64), first ? first : "");
}

static nprof_status
broken (Chrome *c, const TeScan *s)
{
  return nprof_fail (c->host, NPROF_E_FORMAT,
                     "byte %" G_GUINT64_FORMAT ": %s, before the events begin", ch_at (c, s->bad),
                     s->why);
}

/* Returns what is behind the [ when this is the key traceEvents with an array. */
static const char *
events_of (TeScan *s, const char *p, TeValue *key)
{
  p = te_space (p, s->end);
  while (p < s->end && *p == ',')
    p = te_space (p + 1, s->end);
  if (p >= s->end || *p != '"' || !(p = s->with->value (s, p, key))
      || !te_text_is (key, "traceEvents"))
    return NULL;
  p = te_space (p, s->end);
  p = p < s->end && *p == ':' ? te_space (p + 1, s->end) : p;
  return p < s->end && *p == '[' ? p + 1 : NULL;
}

static nprof_status
object_head (Chrome *c, const char *p)
{
  TeScan s = { .with = c->scanner, .end = c->end };
  TeValue key, value, first = { 0 };
  for (const char *next;; p = next) {
    if ((c->events = events_of (&s, p, &key)))
      return NPROF_OK;
    next = te_member (&s, p, &key, &value);
    if (!next && !s.why)
      return fail_behind (c, first.p, first.len);
    if (!next)
      return broken (c, &s);
    if (!first.p)
      first = key;
    nprof_status status = top_member (c, &key, &value);
    if (status)
      return status;
  }
}

nprof_status
ch_head (Chrome *c)
{
  const char *p = c->data;
  if (c->end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  p = te_space (p, c->end);
  c->object = p < c->end && *p == '{';
  if (c->object)
    return object_head (c, p + 1);
  if (p >= c->end || *p != '[')
    return nprof_fail (c->host, NPROF_E_FORMAT,
                       "byte %" G_GUINT64_FORMAT ": a trace-event file begins with [ or {",
                       ch_at (c, p));
  c->events = p + 1;
  return NPROF_OK;
}

/* -- Behind the events ------------------------------------------------------------------------- */

/* Returns whether the file ends as it should behind p, which is behind the ] of the array. */
bool
ch_tail_is_good (const Chrome *c, const char *p)
{
  TeScan s = { .with = c->scanner, .end = c->end };
  TeValue key, value;
  if (!c->object)
    return te_space (p, c->end) == c->end;
  for (const char *next; (next = te_member (&s, p, &key, &value));)
    p = next;
  return !s.why || te_space (p, c->end) == c->end;
}

/* The events are whole, but what says on which clock they are, or names processes, may follow
 * them. */
static void
say_cut (const Chrome *c)
{
  nprof_log (c->host, NPROF_WARNING,
             "the file ends before the } of its object: what follows \"traceEvents\", such as the "
             "time base, may be missing");
}

/* Looks behind the last member of the document: its } comes, and then nothing should. */
static void
find_behind (Chrome *c, const char *p)
{
  p = te_space (p, c->end);
  if (p >= c->end)
    say_cut (c);
  if (p >= c->end || *p != '}')
    return;
  p = te_space (p + 1, c->end);
  c->behind = p < c->end ? p : NULL;
}

nprof_status
ch_tail (Chrome *c, const char *p)
{
  TeScan s = { .with = c->scanner, .end = c->end };
  TeValue key, value;
  nprof_status status = NPROF_OK;
  for (const char *next; c->object && !status && (next = te_member (&s, p, &key, &value)); p = next)
    status = top_member (c, &key, &value);
  if (c->object && !status)
    find_behind (c, p);
  return status;
}

/* Reports a second document, because a file is one: where two were written into one, the second
 * would be lost in silence. */
nprof_status
ch_report_behind (Chrome *c)
{
  if (!c->behind)
    return NPROF_OK;
  nprof_status status = c->host->damage (c->host, ch_at (c, c->behind),
                                         "the JSON document has ended, and more follows it: give "
                                         "each document a file of its own");
  c->losses.behind = !status;
  return status;
}

nprof_status
ch_facts (Chrome *c)
{
  nprof_status status = c->device_list.p ? write_facts (c) : NPROF_OK;
  return status ? status : ch_own_facts (c);
}
