/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes the records of ntrace.pb as spans and instants: those of a thread on the thread,
 * those that the device has stamped on its core, on the clock of the host; and who launched
 * which. */
#include "system.h"

/* -- Tracks ------------------------------------------------------------------------------------ */

static nprof_track
known_track (GHashTable *tracks, uint64_t number)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (tracks, &number));
}

static nprof_track
remember (GHashTable *tracks, uint64_t number, nprof_track track)
{
  g_hash_table_insert (tracks, g_memdup2 (&number, sizeof number), GUINT_TO_POINTER (track));
  return track;
}

static nprof_track
thread_track (System *s, uint64_t thread)
{
  const struct nprof_host *h = s->host;
  nprof_track track = known_track (s->threads, thread);
  if (track)
    return track;
  if (!s->process)
    s->process = h->track (h, 0, NPROF_TRACK_PROCESS, nprof_intern (h, "process"),
                           nprof_intern (h, "Neuron runtime"), 0);
  if (!s->process)
    return 0;
  g_autofree char *key = g_strdup_printf ("thread %" G_GUINT64_FORMAT, thread);
  return remember (s->threads, thread,
                   h->track (h, s->process, NPROF_TRACK_THREAD, nprof_intern (h, key), 0,
                             (int64_t) MIN (thread, INT32_MAX)));
}

static nprof_track
core_track (System *s, uint64_t core)
{
  const struct nprof_host *h = s->host;
  nprof_track track = known_track (s->cores, core), device = track ? 0 : system_device (s);
  if (track || !device)
    return track;
  g_autofree char *key = g_strdup_printf ("nc%" G_GUINT64_FORMAT, core);
  g_autofree char *label = g_strdup_printf ("NeuronCore %" G_GUINT64_FORMAT, core);
  return remember (s->cores, core,
                   h->track (h, device, NPROF_TRACK_CORE, nprof_intern (h, key),
                             nprof_intern (h, label), (int64_t) MIN (core, INT32_MAX)));
}

/* -- The device's clock ------------------------------------------------------------------------ */

typedef struct {
  bool of_device;
  int64_t core, start, end; /* of the device: ns of its clock, as the host sees them  */
} Place;

/* Returns the sync point of a logical core whose clocks are apart most nearly as `ahead` says: each
 * physical core has its own. */
static const NeuronSync *
sync_of (const System *s, uint64_t core, int64_t ahead)
{
  const NeuronSync *best = NULL;
  uint64_t least = UINT64_MAX;
  for (guint i = 0; i < s->syncs->len; i++) {
    const NeuronSync *sync = &g_array_index (s->syncs, NeuronSync, i);
    int64_t own, off;
    if (sync->core != core || __builtin_sub_overflow (sync->host, sync->device, &own)
        || __builtin_sub_overflow (own, ahead, &off))
      continue;
    uint64_t apart = off < 0 ? 0 - (uint64_t) off : (uint64_t) off;
    if (apart < least) {
      least = apart;
      best = sync;
    }
  }
  return best;
}

/* Finds where a record lies. The runtime has moved the times of the device itself; the sync point
 * shows whether it did, and does it where not. */
static Place
place_of (System *s, const GArray *pairs, const SystemRecord *start, const SystemRecord *stop)
{
  Place p = { .start = start->time, .end = stop ? stop->time : start->time };
  int64_t device, end, logical = 0, ahead;
  p.of_device = system_see_number (pairs, "device_core_idx", false, &p.core)
                && system_see_number (pairs, "nc_timestamp_ns", false, &device);
  if (!p.of_device || __builtin_sub_overflow (start->time, device, &ahead))
    return p;
  system_see_number (pairs, "nc_idx", false, &logical);
  const NeuronSync *sync = sync_of (s, (uint64_t) logical, ahead);
  if (!sync)
    return p;
  p.start = neuron_sync_host (sync, device);
  if (stop && system_see_number (pairs, "nc_timestamp_ns", true, &end))
    p.end = neuron_sync_host (sync, end);
  s->moved += p.start != start->time || (stop && p.end != stop->time);
  return p;
}

/* -- Names and attributes ---------------------------------------------------------------------- */

static nprof_str
type_name (System *s, uint32_t type)
{
  uint64_t number = type;
  gpointer name;
  if (g_hash_table_lookup_extended (s->types, &number, NULL, &name))
    return GPOINTER_TO_UINT (name);
  g_autofree char *text = g_strdup_printf ("type %u", type);
  nprof_str own = nprof_intern (s->host, text);
  g_hash_table_insert (s->types, g_memdup2 (&number, sizeof number), GUINT_TO_POINTER (own));
  s->unnamed++;
  return own;
}

static nprof_status
model_attribute (System *s, GArray *pairs)
{
  int64_t model;
  if (!system_see_number (pairs, "model_id", false, &model))
    return NPROF_OK;
  uint64_t number = (uint64_t) model;
  nprof_str name = GPOINTER_TO_UINT (g_hash_table_lookup (s->models, &number));
  return name ? nprof_attr_str (s->w, s->key.neff, name) : NPROF_OK;
}

static nprof_status
attributes (System *s, GArray *pairs)
{
  int64_t number;
  nprof_status status = NPROF_OK;
  if (system_number (pairs, "size", &number) || system_number (pairs, "allocated_bytes", &number)
      || system_number (pairs, "freed_bytes", &number))
    status = nprof_attr_int (s->w, s->key.bytes, number);
  if (!status && system_number (pairs, "exec_id", &number))
    status = nprof_attr_int (s->w, s->key.execution, number);
  const NeuronPair *usage = status ? NULL : system_text (pairs, "usage_type");
  if (usage)
    status = nprof_attr_str (s->w, s->key.usage,
                             s->host->intern (s->host, usage->value, usage->value_len));
  status = status ? status : model_attribute (s, pairs);
  return status ? status : system_args (s, pairs);
}

/* -- Who launched what ------------------------------------------------------------------------- */

typedef struct {            /* an execution: where the host began with it            */
  uint64_t core, execution; /* the logical core; 1, 2, ...                           */
  int64_t time;
  uint64_t id, thread; /* of that span                                          */
  nprof_str name;
  bool written;
} Launch;

static guint
launch_hash (gconstpointer data)
{
  const Launch *l = data;
  uint64_t mixed = (l->core * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) ^ l->execution;
  return g_int64_hash (&mixed);
}

static gboolean
launch_same (gconstpointer a, gconstpointer b)
{
  const Launch *x = a, *y = b;
  return x->core == y->core && x->execution == y->execution;
}

void
system_launches_open (System *s)
{
  s->launches = g_hash_table_new_full (launch_hash, launch_same, g_free, NULL);
}

static bool
execution_of (const GArray *pairs, Launch *key)
{
  int64_t core, execution;
  if (!system_see_number (pairs, "nc_idx", false, &core)
      || !system_see_number (pairs, "exec_id", false, &execution))
    return false;
  *key = (Launch){ .core = (uint64_t) core, .execution = (uint64_t) execution };
  return true;
}

/* Remembers the first span of a thread that names the execution; the record is a start. */
static void
note_launch (System *s, const GArray *pairs, const SystemRecord *r)
{
  Launch key;
  int64_t core;
  if (system_see_number (pairs, "device_core_idx", false, &core) || !execution_of (pairs, &key))
    return;
  Launch *known = g_hash_table_lookup (s->launches, &key);
  if (known && (known->time < r->time || (known->time == r->time && known->id <= r->id)))
    return;
  key.time = r->time;
  key.id = r->id;
  key.thread = r->thread;
  key.name = type_name (s, r->type);
  if (known) {
    *known = key;
    return;
  }
  Launch *own = g_memdup2 (&key, sizeof key);
  g_hash_table_insert (s->launches, own, own);
}

static nprof_status
flow_row (System *s, const Launch *l, nprof_track track, int64_t at, uint64_t parent,
          nprof_str phase)
{
  nprof_status status = track ? nprof_row (s->w, NPROF_FLOW, track, l->name, at, 0) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (s->w, s->execution);
  nprof_set_flow (s->w, l->id);
  nprof_set_parent (s->w, parent);
  return nprof_attr_str (s->w, s->key.phase, phase);
}

/* Draws an arrow from where the host began an execution to a row of the device that belongs to
 * it. */
static nprof_status
arrow (System *s, const GArray *pairs, const SystemRecord *r, nprof_track track, int64_t at)
{
  Launch key;
  int64_t from;
  Launch *l = execution_of (pairs, &key) ? g_hash_table_lookup (s->launches, &key) : NULL;
  if (!l || !r->id || !l->id || !system_ps (s, l->time, &from))
    return NPROF_OK;
  nprof_status status = NPROF_OK;
  if (!l->written)
    status = flow_row (s, l, thread_track (s, l->thread), from, l->id, s->key.begin);
  l->written = true;
  return status ? status : flow_row (s, l, track, at, r->id, s->key.end);
}

/* Returns the category that says what a row of the device is: the execution of a whole model is no
 * work of an engine, and switching models is setup; an NTFF beside it has the work. */
static nprof_str
category_of (const System *s, const Place *p, nprof_str name)
{
  if (!p->of_device)
    return s->runtime;
  return name == s->running ? s->execution : name == s->switching ? s->setup : s->hardware;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
put_row (System *s, const SystemFile *file, const SystemRecord *r, const SystemRecord *stop,
         GArray *pairs)
{
  Place p = place_of (s, pairs, r, stop);
  int64_t start, end;
  if (!system_ps (s, p.start, &start) || !system_ps (s, p.end, &end))
    return system_damage (s, file, r->at, "its time lies more than 100 days from the first");
  if (end < start) {
    s->host->skip (s->host, "span", r->at, "it stops before it starts");
    return NPROF_OK;
  }
  nprof_track track = p.of_device ? core_track (s, (uint64_t) p.core) : thread_track (s, r->thread);
  if (!track)
    return NPROF_E_NOMEM;
  bool span = r->phase == PHASE_START;
  nprof_str name = type_name (s, r->type);
  nprof_status status = nprof_row (s->w, span ? NPROF_SPAN : NPROF_INSTANT, track, name, start,
                                   !span  ? 0
                                   : stop ? end - start
                                          : -1);
  if (status)
    return status;
  nprof_set_category (s->w, category_of (s, &p, name));
  if (r->id)
    nprof_set_id (s->w, r->id);
  status = attributes (s, pairs);
  return status || !p.of_device || !span ? status : arrow (s, pairs, r, track, start);
}

static nprof_status
one_record (System *s, const SystemFile *file, const SystemRecord *r, const SystemRecord *stop)
{
  GArray *pairs = system_pairs (s, file, r, stop);
  nprof_status status = stop ? system_memory_step (s, stop, pairs) : NPROF_OK;
  status = status ? status : put_row (s, file, r, stop, pairs);
  g_array_unref (pairs);
  return status;
}

static void
find_launches (System *s, const SystemFile *file, const GArray *records)
{
  for (guint i = 0; i < records->len; i++) {
    const SystemRecord *r = &g_array_index (records, SystemRecord, i);
    if (r->phase != PHASE_START)
      continue;
    GArray *pairs = system_pairs (s, file, r, NULL);
    note_launch (s, pairs, r);
    g_array_unref (pairs);
  }
}

static void
last_words (System *s, uint64_t records)
{
  if (s->moved)
    nprof_log (s->host, NPROF_INFO,
               "%" G_GUINT64_FORMAT
               " rows of the device were brought onto the host's clock by the sync points",
               s->moved);
  if (s->unnamed && s->has_info)
    nprof_log (s->host, NPROF_WARNING,
               "trace_info.pb has no name for %" G_GUINT64_FORMAT " types of events", s->unnamed);
  else if (s->unnamed)
    nprof_log (s->host, NPROF_WARNING,
               "no trace_info.pb lies beside it, which names the types of events: they are named "
               "by their numbers");
  if (s->stated && s->stated != records)
    nprof_log (s->host, NPROF_WARNING,
               "trace_info.pb states %" G_GUINT64_FORMAT " records, and %" G_GUINT64_FORMAT
               " were read: the rest is lost",
               s->stated, records);
}

nprof_status
system_rows (System *s, const SystemFile *file, const GArray *records)
{
  nprof_status status = NPROF_OK;
  find_launches (s, file, records);
  for (guint i = 0; i < records->len && !status; i++) {
    const SystemRecord *r = &g_array_index (records, SystemRecord, i);
    const SystemRecord *other
        = r->other == NOT_PAIRED ? NULL : &g_array_index (records, SystemRecord, r->other);
    if (r->phase == PHASE_STOP && !other)
      s->host->skip (s->host, "stop of an event", r->at, "its start is not in the file");
    else if (r->phase != PHASE_STOP)
      status = one_record (s, file, r, other);
    if (!status && i % 4096 == 4095)
      status = s->host->cancelled (s->host) ? NPROF_CANCELLED : NPROF_OK;
  }
  last_words (s, records->len);
  return status;
}
