/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - settles what a TrackEvent is, when and where; its counters and its arrows. */
#include "perfetto.h"

#include <string.h>

/* -- Names ------------------------------------------------------------------------------------- */

nprof_str
pf_event_name (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
               const PfEvent *e)
{
  if (e->name.p)
    return pf_text (host, e->name);
  return pf_interned (pf, state->generation, INTERNED_NAME,
                      e->has_name_iid ? e->name_iid : e->legacy_name);
}

static nprof_str
category_of (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
             const PbField *f)
{
  if ((f->tag & 7) == 2 && f->tag >> 3 == EVENT_CATEGORY)
    return pf_text (host, f->span);
  const PfEntry *known = pf_entry (pf, state->generation, INTERNED_CATEGORY, f->value);
  if (known)
    return known->text;
  g_autofree char *text = g_strdup_printf ("unknown(%" G_GUINT64_FORMAT ")", f->value);
  return nprof_intern (host, text);
}

nprof_str
pf_event_category (const Perfetto *pf, const struct nprof_host *host, const PfState *state,
                   const PfEvent *e)
{
  nprof_str all = 0;
  PbField f;
  if (!e->n_categories)
    return 0;
  if (e->n_categories == 1 && e->category.tag != PB_BYTES (EVENT_CATEGORY_IID))
    return category_of (pf, host, state, &e->category);
  for (PbSpan rest = e->body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    if (f.tag >> 3 != EVENT_CATEGORY && f.tag >> 3 != EVENT_CATEGORY_IID)
      continue;
    PbField one = f;
    PfNumbers packed = pf_numbers (f.span, 0, false);
    packed.packed = f.span;
    packed.rest = (PbSpan){ NULL, NULL };
    const bool is_packed = f.tag == PB_BYTES (EVENT_CATEGORY_IID);
    while (!is_packed || pf_next_number (&packed, &one.value)) {
      one.tag = is_packed ? PB_VARINT (EVENT_CATEGORY_IID) : f.tag;
      const nprof_str category = category_of (pf, host, state, &one);
      g_autofree char *both
          = all ? g_strdup_printf ("%s,%s", nprof_text (host, all), nprof_text (host, category))
                : NULL;
      all = both ? nprof_intern (host, both) : category;
      if (!is_packed)
        break;
    }
  }
  return all;
}

/* -- Where ------------------------------------------------------------------------------------- */

static guint64
mix (guint64 h, const void *data, gsize len)
{
  const guint8 *p = data;
  for (gsize i = 0; i < len; i++)
    h = (h ^ p[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return h ^ h >> 31;
}

enum { /* fields of LegacyEvent */
       LEGACY_NAME_IID = 1,
       LEGACY_PHASE = 2,
       LEGACY_DURATION_US = 3,
       LEGACY_ID = 6,
       LEGACY_SCOPE = 7,
       LEGACY_BIND_ID = 8,
       LEGACY_LOCAL_ID = 10,
       LEGACY_GLOBAL_ID = 11,
       LEGACY_DIRECTION = 13,
       LEGACY_PID = 18,
       LEGACY_TID = 19
};

typedef struct {
  bool has_id, is_local, has_pid, has_tid;
  guint64 id;
  gint64 pid, tid;
  PbSpan scope;
} Legacy;

static void
read_legacy (PfEvent *e, Legacy *l)
{
  PbField f;
  guint best = 0; /* unscoped goes before global, global before local */
  *l = (Legacy){ 0 };
  for (PbSpan rest = e->legacy; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    const guint64 n = f.tag >> 3;
    const guint rank = n == LEGACY_ID ? 3 : n == LEGACY_GLOBAL_ID ? 2 : n == LEGACY_LOCAL_ID;
    if (rank > best) {
      best = rank;
      l->id = f.value;
    }
    if (n == LEGACY_NAME_IID)
      e->legacy_name = f.value;
    else if (n == LEGACY_PHASE)
      e->legacy_phase = (char) (f.value & 127);
    else if (n == LEGACY_DURATION_US)
      e->duration = (gint64) (f.value * 1000);
    else if (n == LEGACY_SCOPE)
      l->scope = f.span;
    else if (n == LEGACY_BIND_ID)
      e->bind_id = f.value;
    else if (n == LEGACY_DIRECTION)
      e->direction = (int) (f.value & 3);
    else if (n == LEGACY_PID || n == LEGACY_TID) {
      *(n == LEGACY_PID ? &l->pid : &l->tid) = (gint32) f.value;
      *(n == LEGACY_PID ? &l->has_pid : &l->has_tid) = true;
    }
  }
  l->has_id = best;
  l->is_local = best == 1;
}

static guint32
place_of (PfWalk *w, const PfKey *key, bool add)
{
  PfSeen *seen = &w->seen[key->a % PF_SEEN];
  if (seen->place && key->space == PF_UUID && seen->uuid == key->a)
    return seen->place - 1;
  const guint32 place = add ? pf_add_track (w->pf, key) : pf_find_track (w->pf, key);
  if (key->space == PF_UUID)
    *seen = (PfSeen){ key->a, place + 1 };
  return place;
}

/* Finds the thread of an event of the older form, or its track. */
static guint32
event_place (PfWalk *w, const PfPacket *k, PfEvent *e, const Legacy *l, bool add)
{
  const PfDefaults *defaults = g_ptr_array_index (w->pf->defaults, k->state->defaults);
  const PfThread *thread = &k->state->thread;
  e->uuid = e->has_track ? e->track : defaults->has_track ? defaults->track : 0;
  PfKey key = { .a = e->uuid, .space = PF_UUID };
  const bool by_thread = !e->uuid && thread->known && (!e->has_track || !e->has_type);
  if (by_thread || l->has_pid || l->has_tid) {
    key.space = PF_THREAD;
    key.a = (guint64) (l->has_pid ? l->pid : thread->pid);
    key.b = (guint64) (l->has_tid ? l->tid : l->has_pid ? -1 : thread->tid);
  }
  return place_of (w, &key, add);
}

/* Finds the track of asynchronous events of the older form: by category, id and scope. */
static guint32
async_place (PfWalk *w, const PfPacket *k, PfEvent *e, const Legacy *l, bool add)
{
  const nprof_str category = pf_event_category (w->pf, w->host, k->state, e);
  const nprof_str name = pf_event_name (w->pf, w->host, k->state, e);
  const bool by_name = strchr ("STpF", e->legacy_phase) != NULL;
  const char *group = nprof_text (w->host, by_name ? name : category);
  guint64 h = mix (G_GUINT64_CONSTANT (0xcbf29ce484222325), &l->id, sizeof l->id);
  h = mix (h, group, strlen (group));
  h = mix (h, l->scope.p, (gsize) (l->scope.end - l->scope.p));
  if (l->is_local)
    h = mix (h, &e->track_place, sizeof e->track_place);
  const guint32 place = place_of (w, &(PfKey){ .a = h, .space = PF_ASYNC }, add);
  if (add && !pf_track (w->pf, place)->name)
    pf_track (w->pf, place)->name = category ? category : name;
  return place;
}

static guint64
legacy_flow (PfWalk *w, const PfPacket *k, const PfEvent *e, const Legacy *l)
{
  const char *category = nprof_text (w->host, pf_event_category (w->pf, w->host, k->state, e));
  const char *name = nprof_text (w->host, pf_event_name (w->pf, w->host, k->state, e));
  guint64 h = mix (G_GUINT64_CONSTANT (0x73), category, strlen (category));
  return mix (mix (h, name, strlen (name)), &l->id, sizeof l->id);
}

/* -- What and when ----------------------------------------------------------------------------- */

/* Settles an event with a phase of trace-event JSON. */
static const char *
settle_legacy (PfWalk *w, const PfPacket *k, PfEvent *e, const Legacy *l, bool add)
{
  static const char as[][2]
      = { { 'B', 'b' }, { 'E', 'e' }, { 'X', 'X' }, { 'i', 'i' }, { 'I', 'i' }, { 'R', 'i' },
          { 'b', 'b' }, { 'S', 'b' }, { 'e', 'e' }, { 'F', 'e' }, { 'n', 'i' }, { 'T', 'i' },
          { 'p', 'i' }, { 's', 'f' }, { 't', 'f' }, { 'f', 'f' } };
  guint i = 0;
  while (i < G_N_ELEMENTS (as) && as[i][0] != e->legacy_phase)
    i++;
  if (i == G_N_ELEMENTS (as))
    return e->legacy_phase == 'M' ? "metadata of the older form" : "no row holds its phase";
  e->phase = as[i][1];
  if (strchr ("bSeFnTp", e->legacy_phase)) {
    if (!l->has_id)
      return "asynchronous, but without an id";
    e->track_place = async_place (w, k, e, l, add);
  }
  if (e->phase == 'f')
    e->legacy_flow = legacy_flow (w, k, e, l);
  return NULL;
}

static const char *
settle_type (const PfWalk *w, PfEvent *e)
{
  static const char phases[] = { 0, 'b', 'e', 'i', 'c', 's' };
  if (!e->type || e->type >= sizeof phases)
    return "it has no type that is known";
  e->phase = phases[e->type];
  if (e->phase != 'c')
    return NULL;
  if (e->value_type == NPROF_NULL)
    return "a counter without a value";
  return e->track_place != PF_NONE && pf_track (w->pf, e->track_place)->is_counter
             ? NULL
             : "a counter on a track that is none";
}

static const char *
settle_time (PfWalk *w, const PfPacket *k, PfEvent *e)
{
  PfThread *thread = &k->state->thread;
  if (e->has_delta) {
    if (!thread->known)
      return "its time counts on from a thread descriptor that is missing";
    thread->now = (gint64) ((guint64) thread->now + (guint64) e->delta_us * 1000);
    e->time = pf_to_trace (w->pf, k->state, 3, thread->now);
  } else if (e->absolute_us) {
    e->time = pf_to_trace (w->pf, k->state, 3, (gint64) ((guint64) e->absolute_us * 1000));
  } else if (!k->has_time) {
    return "it has no time";
  }
  if (e->time == PF_NO_TIME)
    return "no snapshot ties its clock to that of the trace";
  return e->time < 0 ? "it lies before 0" : NULL;
}

const char *
pf_event_settle (PfWalk *w, const PfPacket *k, PfEvent *e, bool add)
{
  Legacy legacy;
  if (!k->sequence)
    return "it is of no sequence";
  read_legacy (e, &legacy);
  const char *why = settle_time (w, k, e);
  if (why)
    return why;
  e->track_place = event_place (w, k, e, &legacy, add);
  why = e->legacy_phase ? settle_legacy (w, k, e, &legacy, add) : settle_type (w, e);
  e->is_settled = true;
  if (why)
    e->phase = 0;
  return why;
}

/* -- Counters ---------------------------------------------------------------------------------- */

static nprof_status
each_more (PfWalk *w, const PfPacket *k, const PfEvent *e, bool add, bool doubles, PfCountFn *fn,
           gpointer user)
{
  const PfDefaults *defaults = g_ptr_array_index (w->pf->defaults, k->state->defaults);
  const GArray *preset = doubles ? defaults->doubles : defaults->counters;
  const guint32 field = doubles ? EVENT_MORE_DOUBLE_TRACK : EVENT_MORE_TRACK;
  PfNumbers values = pf_numbers (e->body, doubles ? EVENT_MORE_DOUBLE : EVENT_MORE_COUNT, doubles),
            uuids = pf_numbers (e->body, field, false), first = uuids;
  guint64 value, uuid;
  const bool own = pf_next_number (&first, &uuid);
  nprof_status status = NPROF_OK;
  for (guint i = 0; !status && pf_next_number (&values, &value); i++) {
    if (own ? !pf_next_number (&uuids, &uuid) : !preset || i >= preset->len)
      break;
    const PfKey key = { .a = own ? uuid : g_array_index (preset, guint64, i), .space = PF_UUID };
    PfCount count = { place_of (w, &key, add), doubles ? NPROF_DOUBLE : NPROF_INT64, { 0 } };
    if (doubles)
      count.value.f = pf_double (value);
    else
      count.value.i = (gint64) value;
    status = fn (w, k, e, &count, user);
  }
  return status;
}

/* Counts of the thread that the event is on; deltas add to the last. */
static nprof_status
each_of_thread (PfWalk *w, const PfPacket *k, const PfEvent *e, bool add, PfCountFn *fn,
                gpointer user)
{
  PfThread *thread = &k->state->thread;
  nprof_status status = NPROF_OK;
  PbField f;
  const PfTrack *t = e->track_place != PF_NONE ? pf_track (w->pf, e->track_place) : NULL;
  if (!thread->known || !t || !(t->is_thread || t->key.space == PF_THREAD))
    return NPROF_OK;
  for (PbSpan rest = e->body; !status && rest.p < rest.end && pb_field (&rest.p, rest.end, &f);) {
    const guint64 n = f.tag >> 3;
    const bool time = n == EVENT_TIME_DELTA || n == EVENT_TIME;
    if (!time && n != EVENT_INSTRUCTIONS_DELTA && n != EVENT_INSTRUCTIONS)
      continue;
    gint64 *last = time ? &thread->time : &thread->instructions;
    guint64 value = time ? f.value * 1000 : f.value;
    if (n == EVENT_TIME_DELTA || n == EVENT_INSTRUCTIONS_DELTA)
      value = (guint64) (*last = (gint64) ((guint64) *last + value));
    const PfKey key = { e->track_place, !time, PF_THREAD_COUNT };
    PfCount count = { place_of (w, &key, add), NPROF_INT64, { .i = (gint64) value } };
    if (add) {
      PfTrack *own = pf_track (w->pf, count.track);
      own->name = nprof_intern (w->host, time ? "thread_time" : "instruction_count");
      own->unit = nprof_intern (w->host, time ? "ns" : "1");
    }
    status = fn (w, k, e, &count, user);
  }
  return status;
}

nprof_status
pf_each_count (PfWalk *w, const PfPacket *k, const PfEvent *e, bool add, PfCountFn *fn,
               gpointer user)
{
  nprof_status status = NPROF_OK;
  if (e->has_more) {
    status = each_more (w, k, e, add, false, fn, user);
    if (!status)
      status = each_more (w, k, e, add, true, fn, user);
  }
  if (!status && e->has_thread_counts)
    status = each_of_thread (w, k, e, add, fn, user);
  if (!status && e->phase == 'c')
    status = fn (w, k, e, &(PfCount){ e->track_place, e->value_type, e->value }, user);
  return status;
}

/* -- Arrows ------------------------------------------------------------------------------------ */

static nprof_status
each_id (PfWalk *w, const PfPacket *k, const PfEvent *e, guint32 field, bool fixed, guint how,
         PfFlowFn *fn, gpointer user)
{
  guint64 id;
  nprof_status status = NPROF_OK;
  for (PfNumbers it = pf_numbers (e->flows, field, fixed); !status && pf_next_number (&it, &id);)
    status = fn (w, k, e, id, how, user);
  return status;
}

nprof_status
pf_each_flow (PfWalk *w, const PfPacket *k, const PfEvent *e, PfFlowFn *fn, gpointer user)
{
  nprof_status status = NPROF_OK;
  if (e->has_flows || e->has_old_flows)
    status = each_id (w, k, e, e->has_flows ? EVENT_FLOW : EVENT_OLD_FLOW, e->has_flows,
                      FLOW_GOES_ON, fn, user);
  if (!status && (e->has_last_flows || e->has_old_flows))
    status = each_id (w, k, e, e->has_last_flows ? EVENT_LAST_FLOW : EVENT_OLD_LAST_FLOW,
                      e->has_last_flows, FLOW_ENDS, fn, user);
  if (!status && e->direction)
    status = fn (w, k, e, mix (2, &e->bind_id, sizeof e->bind_id),
                 e->direction & 2 ? FLOW_GOES_ON : FLOW_IF_OPEN, user);
  if (!status && e->legacy_flow)
    status = fn (w, k, e, e->legacy_flow, e->legacy_phase == 's' ? FLOW_BEGINS_ANEW : FLOW_IF_OPEN,
                 user);
  return status;
}
