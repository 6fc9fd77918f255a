/* SPDX-License-Identifier: Apache-2.0 */
/* event-row.c - reads one record of nrt_sys_trace_fetch_events, and writes its row. events.c finds
 * its time. format: neuron-outputs.md 3.4 */
#include "events.h"

void
nt_read_event (Nt *t, NtRecord *r, NtRecord *inner, NtEvent *e)
{
  const TeValue *data = nt_see (r, NT_K_DATA);
  *e = (NtEvent){ .type = nt_see (r, NT_K_EVENT_TYPE), .phase = nt_see (r, NT_K_PHASE) };
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

static nprof_track
track_of (Nt *t, NtRecord *r, const NtEvent *e, const char **category)
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

/* Adds the data of the stop, and the members that its start does not have just so at the same
 * place. */
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

nprof_status
nt_event_row (Nt *t, NtRecord *r, uint8_t kind, NtTime at, int64_t duration, const NtRecord *stop)
{
  NtEvent e;
  const char *category;
  int64_t start, size;
  nt_read_event (t, r, &t->inner, &e);
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
