/* SPDX-License-Identifier: Apache-2.0 */
/* own.c - a trace that nprof itself wrote: otherData says from where its times count and what is
 * true of its devices, and args of events hold the picoseconds that viewers cannot read. With it,
 * such a trace says what the profile said that it was made of. format: nprof-sink-chrome(7) */
#include "trace-event/trace-event.h"

#define MOST_NS (INT64_MAX / 1000)

static bool
number_of (const TeValue *v, int64_t *number)
{
  return (v->kind == TE_INT || v->kind == TE_TEXT) && te_int (v->p, v->p + v->len, number);
}

bool
ch_own (Chrome *c, const TeValue *other)
{
  TeScan s = { .with = c->scanner, .end = other->p + other->len };
  ChOwn own = { .origin_ns = NPROF_NO_EPOCH };
  TeValue key, value;
  bool generator = false, zero = false;
  for (const char *p = other->p + 1; (p = te_member (&s, p, &key, &value));) {
    if (te_text_is (&key, "generator"))
      generator = value.kind == TE_TEXT && value.len > 6 && memcmp (value.p, "nprof ", 6) == 0;
    else if (te_text_is (&key, "origin_unix_ns") && !number_of (&value, &own.origin_ns))
      return false;
    else if (te_text_is (&key, "ts_0_ns"))
      zero = number_of (&value, &own.zero) && own.zero <= MOST_NS && own.zero >= -MOST_NS;
    else if (te_text_is (&key, "facts") && value.kind == TE_ARRAY)
      own.facts = value;
  }
  own.is = generator && zero;
  own.zero *= 1000;
  if (own.is)
    c->own = own;
  return own.is;
}

/* -- Times -------------------------------------------------------------------------------- */

static bool
number_in_args (const Chrome *c, const TeEvent *event, const char *key, int64_t *number)
{
  TeValue value;
  return ch_member_of_args (c->scanner, event, key, &value) && number_of (&value, number);
}

/* Returns whether the exact time agrees with ts and dur, which are whole ns: a program has changed
 * the trace since where it does not. */
static bool
within_ns (int64_t exact, int64_t time)
{
  int64_t apart;
  return !__builtin_sub_overflow (exact, time, &apart) && apart > -1000 && apart < 1000;
}

bool
ch_own_start (const Chrome *c, const TeEvent *event, int64_t *start)
{
  int64_t exact;
  if (__builtin_add_overflow (*start, c->own.zero, start))
    return false;
  if (number_in_args (c, event, "start_ps", &exact) && within_ns (exact, *start))
    *start = exact;
  return true;
}

void
ch_own_duration (const Chrome *c, const TeEvent *event, int64_t start, int64_t *duration)
{
  int64_t exact, end;
  if (*duration >= 0 && number_in_args (c, event, "duration_ps", &exact) && exact >= 0
      && within_ns (exact, *duration) && !__builtin_add_overflow (start, exact, &end))
    *duration = exact;
}

/* -- Tracks ---------------------------------------------------------------------------------- */

static bool
kind_of (const TeValue *text, uint32_t *kind)
{
  static const char *const kinds[] = { NULL,     "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  for (uint32_t i = 1; i < G_N_ELEMENTS (kinds); i++)
    if (te_text_is (text, kinds[i])) {
      *kind = i;
      return true;
    }
  return false;
}

void
ch_own_naming (Chrome *c, const TeEvent *event, ChLabel *label)
{
  TeValue value;
  if (!ch_member_of_args (c->scanner, event, "kind", &value) || value.kind != TE_TEXT
      || !kind_of (&value, &label->kind))
    return;
  number_in_args (c, event, "parent", &label->parent);
  number_in_args (c, event, "lane_of", &label->lane_of);
  if (ch_member_of_args (c->scanner, event, "key", &value) && value.kind == TE_TEXT)
    label->key = ch_name (&c->names, &value);
}

const ChLabel *
ch_stated_label (const Chrome *c, ChId pid, ChId tid)
{
  const ChLabel *label = ch_label_of (c, pid, tid);
  return label && label->kind ? label : NULL;
}

/* Returns the parent; numbers of tracks rise from parents to children, so that a chain of parents
 * ends. */
static const ChLabel *
own_parent (const Chrome *c, const ChLabel *label, bool process)
{
  ChId parent = { label->parent, CH_NUMBER };
  if (label->parent <= 0 || label->parent >= (process ? label->pid.v : label->tid.v))
    return NULL;
  return process ? ch_own_label (c, parent, (ChId){ 0 }) : ch_own_label (c, label->pid, parent);
}

static nprof_track
own_track (const Chrome *c, const struct nprof_host *host, const ChLabel *label)
{
  bool process = label->tid.kind == CH_NO_ID;
  const ChLabel *parent = own_parent (c, label, process);
  if (!parent && !process)
    parent = ch_own_label (c, label->pid, (ChId){ 0 });
  nprof_track above = parent ? own_track (c, host, parent) : 0;
  if (parent && !above)
    return 0;
  nprof_str key
      = !process && label->key ? label->key : ch_id_text (host, process ? label->pid : label->tid);
  return host->track (host, above, label->kind, key, label->name, label->sort);
}

nprof_track
ch_own_track (const Chrome *c, const struct nprof_host *host, ChId pid, ChId tid)
{
  const ChLabel *label = ch_own_label (c, pid, tid);
  return label ? own_track (c, host, label) : 0;
}

/* -- Facts ----------------------------------------------------------------------------------- */

typedef struct { /* one member of facts */
  TeValue process, track, key, value, source;
} Fact;

static Fact
read_fact (const Chrome *c, const TeValue *object)
{
  static const char *const names[] = { "process", "track", "key", "value", "source" };
  Fact fact = { 0 };
  TeValue *const members[] = { &fact.process, &fact.track, &fact.key, &fact.value, &fact.source };
  TeScan s = { .with = c->scanner, .end = object->p + object->len };
  TeValue key, value;
  for (const char *p = object->p + 1; (p = te_member (&s, p, &key, &value));)
    for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
      if (te_text_is (&key, names[i]))
        *members[i] = value;
  return fact;
}

static bool
same_text (const TeValue *a, const TeValue *b)
{
  return a->len == b->len && memcmp (a->p, b->p, a->len) == 0;
}

/* Returns the device that has this label, the one of the lowest pid when there are several.  0:
 * none. */
static nprof_track
device_called (Chrome *c, const TeValue *name)
{
  nprof_str wanted = ch_name (&c->names, name);
  GHashTableIter iter;
  gpointer key;
  const ChLabel *found = NULL;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const ChLabel *label = key;
    if (label->name == wanted && label->tid.kind == CH_NO_ID && label->pid.kind == CH_NUMBER
        && (label->device || label->kind == NPROF_TRACK_DEVICE)
        && (!found || label->pid.v < found->pid.v))
      found = label;
  }
  if (found && ch_own_label (c, found->pid, found->tid))
    return ch_own_track (c, c->host, found->pid, found->tid);
  return found ? ch_device (c, c->host, found->pid.v) : 0;
}

/* Returns the track of that label below the process of the other one, the one of the lowest number
 * when there are several. */
static nprof_track
track_called (Chrome *c, const TeValue *process, const TeValue *name)
{
  nprof_str above = ch_name (&c->names, process), wanted = ch_name (&c->names, name);
  GHashTableIter iter;
  gpointer key;
  const ChLabel *found = NULL;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const ChLabel *label = key;
    const ChLabel *of = ch_own_label (c, label->pid, (ChId){ 0 });
    if (label->name == wanted && label->tid.kind == CH_NUMBER && of && of->name == above
        && ch_own_label (c, label->pid, label->tid) && (!found || label->tid.v < found->tid.v))
      found = label;
  }
  return found ? ch_own_track (c, c->host, found->pid, found->tid) : 0;
}

/* Returns whether the fact has a number or a text that is not empty. */
static bool
has_value (const Fact *fact)
{
  const TeValue *v = &fact->value;
  bool number = v->kind == TE_INT
                || (v->kind == TE_WORD && v->len && (g_ascii_isdigit (*v->p) || *v->p == '-'));
  return fact->key.kind == TE_TEXT && fact->key.len && (number || (v->kind == TE_TEXT && v->len));
}

/* Returns the track that a fact is stated of: an input, which is the root here, a device, or a
 * track of it. */
static nprof_track
track_of (Chrome *c, const Fact *fact)
{
  if (!fact->process.p)
    return c->input->root;
  return same_text (&fact->process, &fact->track) ? device_called (c, &fact->process)
                                                  : track_called (c, &fact->process, &fact->track);
}

static nprof_status
set_value (struct nprof_writer *w, Chrome *c, nprof_str key, const TeValue *value)
{
  if (value->kind == TE_INT)
    return nprof_attr_int (w, key, value->i);
  if (value->kind == TE_WORD)
    return nprof_attr_double (w, key, g_ascii_strtod (value->p, NULL));
  return nprof_attr_str (w, key, ch_name (&c->names, value));
}

static nprof_status
write_fact (Chrome *c, const Fact *fact)
{
  nprof_track track = has_value (fact) ? track_of (c, fact) : 0;
  if (!track) {
    c->host->skip (c->host, "fact", ch_at (c, c->own.facts.p),
                   "no device has its label, or no value");
    return NPROF_OK;
  }
  struct nprof_writer *w = c->host->writer (c->host);
  nprof_str key = ch_name (&c->names, &fact->key);
  nprof_status status = w ? nprof_row (w, NPROF_FACT, track, key, 0, 0) : NPROF_E_NOMEM;
  if (status)
    return status;
  if (fact->source.kind == TE_TEXT)
    nprof_set_category (w, ch_name (&c->names, &fact->source));
  return set_value (w, c, key, &fact->value);
}

nprof_status
ch_own_facts (Chrome *c)
{
  const TeValue *array = &c->own.facts;
  if (!c->own.is || !array->p)
    return NPROF_OK;
  TeScan s = { .with = c->scanner, .end = array->p + array->len };
  TeValue object;
  nprof_status status = NPROF_OK;
  const char *p = te_space (array->p + 1, s.end);
  while (!status && p && p < s.end && *p == '{' && (p = s.with->value (&s, p, &object))) {
    Fact fact = read_fact (c, &object);
    status = write_fact (c, &fact);
    p = te_space (p, s.end);
    p = p < s.end && *p == ',' ? te_space (p + 1, s.end) : p;
  }
  return status;
}
