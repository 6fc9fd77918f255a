/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - reads what nrt_sys_trace_fetch_events returns: starts and stops become spans, and
 * times of a device's clock are put on the host's by the sync points in the file. format:
 * neuron-outputs.md 3.4; the vendor: adjusted = sync_cpu + (device - sync_device) */
#include "events.h"

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

/* -- The first pass: sync points and time 0 ---------------------------------------------------- */

static char *
sync_key (const NtEvent *e, bool exec)
{
  return exec ? g_strdup_printf ("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, e->core, e->exec)
              : g_strdup_printf ("%" G_GINT64_FORMAT, e->core);
}

static void
add_sync (Nt *t, const NtEvent *e)
{
  NtSync *sync = g_new (NtSync, 1), *last = g_new (NtSync, 1);
  *sync = *last = (NtSync){ e->device_time, e->cpu_time };
  g_hash_table_replace (t->syncs, sync_key (e, true), sync);
  g_hash_table_replace (t->latest, sync_key (e, false), last);
}

static nprof_status
survey (Nt *t, NtRecord *r, void *user)
{
  NtEvent e;
  (void) user;
  nt_read_event (t, r, &t->inner, &e);
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

/* -- Clocks ------------------------------------------------------------------------------------ */

static const NtSync *
sync_of (const Nt *t, const NtEvent *e)
{
  g_autofree char *exact = sync_key (e, true), *core = sync_key (e, false);
  const NtSync *sync = e->has_exec ? g_hash_table_lookup (t->syncs, exact) : NULL;
  return sync ? sync : g_hash_table_lookup (t->latest, core);
}

/* Puts the time on the host's clock; `sync` is that of its start, or NULL. false: the clocks cannot
 * be compared. */
static bool
align (Nt *t, const NtEvent *e, const NtSync **sync, NtTime *time)
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

/* -- Starts and stops -------------------------------------------------------------------------- */

static char *
open_key (const NtRecord *r, const NtEvent *e)
{
  const TeValue *tracking = nt_see (r, NT_K_TRACKING);
  g_autofree char *type = e->type ? nt_dup (e->type) : g_strdup ("");
  g_autofree char *id = tracking ? nt_dup (tracking) : g_strdup ("");
  return g_strdup_printf ("%s %" G_GINT64_FORMAT " %s", type, e->has_core ? e->core : -1, id);
}

/* Forgets one in constant time, because files may have many that stay open. */
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

/* Loses a start without a stop. */
static nprof_status
lose_start (Nt *t)
{
  Open *o = g_queue_peek_head (&t->opened);
  nprof_status status = nt_record (t, o->at, &t->other)
                            ? nt_event_row (t, &t->other, NPROF_SPAN, o->start, -1, NULL)
                            : NPROF_OK;
  forget (t, o);
  return status;
}

static nprof_status
begin (Nt *t, const NtRecord *r, const NtEvent *e, NtTime start, const NtSync *sync)
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
  return t->opened.length > MOST_OPEN ? lose_start (t) : NPROF_OK;
}

static nprof_status
end (Nt *t, const NtRecord *r, const NtEvent *e)
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
                            ? nt_event_row (t, &t->other, NPROF_SPAN, o->start, duration, r)
                            : NPROF_OK;
  forget (t, o);
  return status;
}

static nprof_status
event (Nt *t, NtRecord *r, void *user)
{
  NtEvent e;
  NtTime time;
  const NtSync *sync = NULL;
  (void) user;
  nt_read_event (t, r, &t->inner, &e);
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
  return nt_event_row (t, r, NPROF_INSTANT, time, 0, NULL);
}

/* -- The whole --------------------------------------------------------------------------------- */

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
    status = lose_start (t);
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
