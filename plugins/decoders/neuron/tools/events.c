/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - what nrt_sys_trace_fetch_events returns: starts and stops become spans, and times of
 * a device's clock are put on the host's by the sync points in the file.
 * format: neuron-outputs.md 3.4; the vendor: adjusted = sync_cpu + (device - sync_device) */
#include "tools.h"

#define MOST_OPEN 65536u
#define SECOND_PS INT64_C (1000000000000)
#define HOUR (3600 * (NtTime) SECOND_PS)

typedef struct Open {
  char *key;
  const char *at; /* its record                                               */
  NtTime start;
  bool has_sync;
  NtSync sync;
  struct Open *below, *above; /* an older, a newer one of the same key                */
  GList *link;                /* in the queue of all                                      */
} Open;

typedef struct { /* what is needed of one record */
  const TeValue *type, *phase;
  int64_t core;
  bool has_core, has_exec, has_device_time, is_sync;
  int64_t exec;
  NtTime time, device_time, cpu_time;
  bool timed;
} Event;

/* -- One record ---------------------------------------------------------------------------- */

/* inner: for its data */
static void
read_event (Nt *t, NtRecord *r, NtRecord *inner, Event *e)
{
  const TeValue *data = nt_see (r, NT_K_DATA);
  *e = (Event){ .type = nt_see (r, NT_K_EVENT_TYPE), .phase = nt_see (r, NT_K_PHASE) };
  e->timed = nt_time (nt_see (r, NT_K_TIMESTAMP_NS), 1000, &e->time);
  e->has_core = nt_int (nt_see (r, NT_K_NC_IDX), &e->core);
  if (!data || data->kind != TE_OBJECT || !nt_record (t, data->p, inner))
    return;
  e->has_exec = nt_int (nt_see (inner, NT_K_EXEC_ID), &e->exec);
  e->has_device_time = nt_time (nt_see (inner, NT_K_NC_TIME), 1000, &e->device_time);
  e->is_sync = e->has_device_time && nt_time (nt_see (inner, NT_K_CPU_TIME), 1000, &e->cpu_time);
  if (!e->has_core)
    e->has_core = nt_int (nt_see (inner, NT_K_NC_IDX), &e->core);
}

/* -- The first pass: sync points and time 0 ----------------------------------------------------- */

static char *
sync_key (const Event *e, bool exec)
{
  return exec ? g_strdup_printf ("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, e->core, e->exec)
              : g_strdup_printf ("%" G_GINT64_FORMAT, e->core);
}

static void
add_sync (Nt *t, const Event *e)
{
  NtSync *sync = g_new (NtSync, 1), *last = g_new (NtSync, 1);
  *sync = *last = (NtSync){ e->device_time, e->cpu_time };
  g_hash_table_replace (t->syncs, sync_key (e, true), sync);
  g_hash_table_replace (t->latest, sync_key (e, false), last);
}

static nprof_status
survey (Nt *t, NtRecord *r, void *user)
{
  Event e;
  (void) user;
  read_event (t, r, &t->inner, &e);
  if (e.is_sync)
    add_sync (t, &e);
  else if (!e.timed || (e.has_device_time && e.device_time == e.time))
    return NPROF_OK;
  NtTime time = e.is_sync ? e.cpu_time : e.time;
  t->host_first = t->has_host_time ? MIN (t->host_first, time) : time;
  t->host_last = t->has_host_time ? MAX (t->host_last, time) : time;
  t->has_host_time = true;
  return NPROF_OK;
}

/* -- Clocks ------------------------------------------------------------------------------------------ */

static const NtSync *
sync_of (const Nt *t, const Event *e)
{
  g_autofree char *exact = sync_key (e, true), *core = sync_key (e, false);
  const NtSync *sync = e->has_exec ? g_hash_table_lookup (t->syncs, exact) : NULL;
  return sync ? sync : g_hash_table_lookup (t->latest, core);
}

/* On the host's clock; sync: of its start, or NULL.  false: the clocks cannot be compared. */
static bool
align (Nt *t, const Event *e, const NtSync **sync, NtTime *time)
{
  *time = e->is_sync ? e->cpu_time : e->time;
  if (e->is_sync || !e->has_device_time || e->device_time != e->time)
    return true; /* the host's, or put on it by the runtime */
  if (!*sync || e->has_exec)
    *sync = sync_of (t, e);
  if (*sync) {
    *time = (*sync)->cpu + (e->device_time - (*sync)->device);
    return true;
  }
  t->unaligned++;
  return !t->has_host_time || (*time > t->host_first - HOUR && *time < t->host_last + HOUR);
}

/* -- Rows ------------------------------------------------------------------------------------------------ */

static nprof_track
track_of (Nt *t, NtRecord *r, const Event *e, const char **category)
{
  char key[96], label[64];
  int64_t thread;
  nprof_track parent;
  if (e->has_device_time && e->has_core) {
    *category = "hardware";
    parent = nt_track (t, 0, NPROF_TRACK_DEVICE, "nd", "Neuron device", 0);
    g_snprintf (key, sizeof key, "nc%" G_GINT64_FORMAT, e->core);
    g_snprintf (label, sizeof label, "NeuronCore %" G_GINT64_FORMAT, e->core);
    return parent
               ? nt_track (t, parent, NPROF_TRACK_CORE, key, label, CLAMP (e->core, 0, INT32_MAX))
               : 0;
  }
  *category = "runtime";
  parent = nt_track (t, 0, NPROF_TRACK_HOST, "host", NULL, 0);
  parent = parent ? nt_track (t, parent, NPROF_TRACK_PROCESS, "process", NULL, 0) : 0;
  if (e->has_core)
    g_snprintf (key, sizeof key, "nrt-nc-%03" G_GINT64_FORMAT, e->core);
  else
    g_strlcpy (key, "nrt", sizeof key);
  if (nt_int (nt_see (r, NT_K_THREAD), &thread)) {
    nt_use (r, NT_K_THREAD);
    size_t len = strlen (key);
    g_snprintf (key + len, sizeof key - len, " thread %" G_GINT64_FORMAT, thread);
  }
  return parent ? nt_track (t, parent, NPROF_TRACK_THREAD, key, NULL, 0) : 0;
}

/* Of the stop: its data, and what its start does not have just so at the same place. */
static nprof_status
stop_attrs (Nt *t, const NtRecord *start, const NtRecord *stop)
{
  const TeValue *data = nt_see (stop, NT_K_DATA);
  nprof_status status = NPROF_OK;
  if (!t->want_args)
    return NPROF_OK;
  if (data && data->kind == TE_OBJECT && data->len > 2 && data->len <= UINT32_MAX)
    status = nprof_attr_bytes (t->w, nt_literal (t, "stop_data"), NPROF_JSON, data->p,
                               (uint32_t) data->len);
  t->buf.len = 0;
  for (guint i = 0; i < stop->members->len; i++) {
    const NtMember *m = &g_array_index (stop->members, NtMember, i);
    const NtMember *s
        = i < start->members->len ? &g_array_index (start->members, NtMember, i) : NULL;
    bool told = m->id == NT_K_EVENT_TYPE || m->id == NT_K_PHASE || m->id == NT_K_TIMESTAMP_NS
                || m->id == NT_K_NC_IDX || m->id == NT_K_TRACKING
                || (m->id == NT_K_DATA && m->value.kind == TE_OBJECT);
    bool same = s && s->to - s->from == m->to - m->from
                && memcmp (s->from, m->from, (size_t) (m->to - m->from)) == 0;
    if (!told && !same)
      nt_put_member (t, m);
  }
  return status ? status : nt_put_members (t, nt_literal (t, "stop_args"));
}

/* stop: the record of its end, or NULL. */
static nprof_status
row (Nt *t, NtRecord *r, uint8_t kind, NtTime at, int64_t duration, const NtRecord *stop)
{
  Event e;
  const char *category;
  int64_t start, size;
  read_event (t, r, &t->inner, &e);
  if (!nt_when (t, at, &start)) {
    nt_skip_record (t, r->at, "runtime event", "its time is more than 106 days from the first");
    return NPROF_OK;
  }
  nprof_track track = track_of (t, r, &e, &category);
  nprof_str name
      = e.type && e.type->kind == TE_TEXT ? nt_text (t, e.type) : nt_literal (t, "event");
  nprof_status status
      = track ? nprof_row (t->w, kind, track, name, start, duration) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (t->w, nt_literal (t, category));
  nt_use (r, NT_K_EVENT_TYPE);
  nt_use (r, NT_K_PHASE);
  nt_use (r, NT_K_TIMESTAMP_NS);
  nt_use (r, NT_K_NC_IDX);
  const TeValue *bytes = nt_see (r, NT_K_DATA) ? nt_see (&t->inner, NT_K_SIZE) : NULL;
  if (t->want[NT_K_SIZE] && bytes && nt_int (bytes, &size))
    status = nprof_attr_int (t->w, t->attr[NT_K_SIZE], size);
  if (!status && stop)
    status = stop_attrs (t, r, stop);
  return status ? status : nt_args (t, r);
}

/* -- Starts and stops ---------------------------------------------------------------------------------------- */

static char *
open_key (const NtRecord *r, const Event *e)
{
  const TeValue *tracking = nt_see (r, NT_K_TRACKING);
  g_autofree char *type = e->type ? nt_dup (e->type) : g_strdup ("");
  g_autofree char *id = tracking ? nt_dup (tracking) : g_strdup ("");
  return g_strdup_printf ("%s %" G_GINT64_FORMAT " %s", type, e->has_core ? e->core : -1, id);
}

/* Files may have many that stay open, so nothing here walks along them. */
static void
forget (Nt *t, Open *o)
{
  if (o->above)
    o->above->below = o->below;
  else if (o->below)
    g_hash_table_replace (t->open, o->below->key, o->below); /* its own key lives as long */
  else
    g_hash_table_remove (t->open, o->key);
  if (o->below)
    o->below->above = o->above;
  g_queue_delete_link (&t->opened, o->link);
  g_free (o->key);
  g_free (o);
}

/* A start without a stop. */
static nprof_status
lose (Nt *t)
{
  Open *o = g_queue_peek_head (&t->opened);
  nprof_status status = nt_record (t, o->at, &t->other)
                            ? row (t, &t->other, NPROF_SPAN, o->start, -1, NULL)
                            : NPROF_OK;
  forget (t, o);
  return status;
}

static nprof_status
begin (Nt *t, const NtRecord *r, const Event *e, NtTime start, const NtSync *sync)
{
  Open *o = g_new0 (Open, 1);
  o->key = open_key (r, e);
  o->at = r->at;
  o->start = start;
  o->has_sync = sync != NULL;
  if (sync)
    o->sync = *sync;
  o->below = g_hash_table_lookup (t->open, o->key);
  if (o->below)
    o->below->above = o;
  g_hash_table_replace (t->open, o->key, o);
  g_queue_push_tail (&t->opened, o);
  o->link = t->opened.tail;
  return t->opened.length > MOST_OPEN ? lose (t) : NPROF_OK;
}

static nprof_status
end (Nt *t, const NtRecord *r, const Event *e)
{
  g_autofree char *key = open_key (r, e);
  Open *o = g_hash_table_lookup (t->open, key);
  if (!o) {
    nt_skip_record (t, r->at, "stop of a runtime event",
                    "its start is not in the file, or 65536 others were open since");
    return NPROF_OK;
  }
  const NtSync *sync = o->has_sync ? &o->sync : NULL;
  NtTime stop;
  int64_t duration = -1;
  if (!align (t, e, &sync, &stop))
    nt_skip_record (t, r->at, "stop of a runtime event",
                    "no sync point puts it on the host's clock");
  else if (stop < o->start || stop - o->start > INT64_MAX)
    nt_skip_record (t, r->at, "stop of a runtime event",
                    "it is before its start, or too far behind it");
  else
    duration = (int64_t) (stop - o->start);
  nprof_status status = nt_record (t, o->at, &t->other)
                            ? row (t, &t->other, NPROF_SPAN, o->start, duration, r)
                            : NPROF_OK;
  forget (t, o);
  return status;
}

static nprof_status
event (Nt *t, NtRecord *r, void *user)
{
  Event e;
  NtTime time;
  const NtSync *sync = NULL;
  (void) user;
  read_event (t, r, &t->inner, &e);
  if (!e.timed && !e.is_sync) {
    nt_skip_record (t, r->at, "runtime event", "it has no time");
    return NPROF_OK;
  }
  if (e.phase && te_text_is (e.phase, "stop"))
    return end (t, r, &e);
  if (!align (t, &e, &sync, &time)) {
    nt_skip_record (t, r->at, "runtime event", "no sync point puts it on the host's clock");
    return NPROF_OK;
  }
  if (e.phase && te_text_is (e.phase, "start"))
    return begin (t, r, &e, time, sync);
  return row (t, r, NPROF_INSTANT, time, 0, NULL);
}

/* -- The whole --------------------------------------------------------------------------------------------------- */

static nprof_status
of_events (Nt *t, const TeValue *key, const char **p, NtEach fn)
{
  TeValue value;
  if (te_text_is (key, "events"))
    return nt_each (t, p, "runtime event", fn, NULL);
  const char *at = *p;
  *p = nt_skip (t, at, &value);
  if (!*p || te_text_is (key, "data_version"))
    return NPROF_OK;
  g_autofree char *name = nt_dup (key);
  nt_skip_record (t, at, name, "nothing is made of it yet");
  return NPROF_OK;
}

static nprof_status
survey_section (Nt *t, const TeValue *key, const char **p)
{
  TeValue value;
  const char *at = *p;
  if (!te_text_is (key, "data_version"))
    return of_events (t, key, p, survey);
  *p = nt_skip (t, at, &value);
  g_autofree char *version = *p ? nt_dup (&value) : NULL;
  return version ? t->host->property (t->host, "data_version", version) : NPROF_OK;
}

static nprof_status
section (Nt *t, const TeValue *key, const char **p)
{
  return of_events (t, key, p, event);
}

static nprof_status
begin_time (Nt *t)
{
  NtTime seconds = t->host_first / SECOND_PS;
  bool absolute = t->has_host_time && seconds >= 1000000000 && seconds <= INT64_MAX / 1000000000;
  t->zero = absolute ? seconds * SECOND_PS : t->host_first;
  return absolute ? t->host->origin (t->host, (int64_t) (t->zero / 1000)) : NPROF_OK;
}

nprof_status
nt_events (Nt *t)
{
  t->syncs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  t->latest = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  t->open = g_hash_table_new (g_str_hash, g_str_equal);
  t->surveying = true;
  nprof_status status = nt_sections (t, survey_section);
  t->surveying = false;
  status = status ? status : begin_time (t);
  t->w = status ? NULL : t->host->writer (t->host);
  if (!status && !t->w)
    status = NPROF_E_NOMEM;
  if (!status) {
    nt_attrs_begin (t);
    status = nt_sections (t, section);
  }
  while (!status && t->opened.length)
    status = lose (t);
  while (t->opened.length)
    forget (t, g_queue_peek_head (&t->opened));
  if (!status && t->unaligned)
    nprof_log (t->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " times of devices could not be put on the host's clock: the file "
               "has no timestamp_sync_point of their cores",
               t->unaligned);
  return status;
}
