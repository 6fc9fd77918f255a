/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - reads the system profile: what runtime and framework did on the hosts; samples.c reads
 * samples.  Older files have trace_events, newer ones trace_event. format: neuron-outputs.md 3.4 */
#include "tools.h"

#include <nprof/format.h>

#define SECOND_PS INT64_C (1000000000000)

/* -- Time 0 --------------------------------------------------------------------------------- */

static nprof_status
first_time (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t starts[] = { NT_K_TIMESTAMP, NT_K_START_TS, NT_K_TIMESTAMP_NS, 0 };
  NtTime start;
  (void) user;
  if (!nt_time (nt_take_first (r, starts), t->per, &start))
    return NPROF_OK;
  t->host_first = t->has_host_time ? MIN (t->host_first, start) : start;
  t->has_host_time = true;
  return NPROF_OK;
}

static nprof_status
metadata (Nt *t, NtRecord *r, void *user)
{
  (void) user;
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    g_autofree char *key = nt_dup (&m->key), *value = nt_dup (&m->value);
    int64_t bytes;
    if (te_text_is (&m->key, "hbm_capacity_bytes") && nt_int (&m->value, &bytes))
      t->survey.memory = bytes;
    bool told = *key && *value && (t->ntff->private || !nt_is_private (key));
    nprof_status status = told ? t->host->property (t->host, key, value) : NPROF_OK;
    if (status)
      return status;
  }
  return NPROF_OK;
}

static bool
has_times (const TeValue *key)
{
  static const char *const names[] = { "trace_events", "trace_event", "mem_usage", "cpu_util" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (te_text_is (key, names[i]))
      return true;
  return key->len > 6 && memcmp (key->p + key->len - 6, "_Event", 6) == 0;
}

static nprof_status
survey_section (Nt *t, const TeValue *key, const char **p)
{
  TeValue value;
  if (has_times (key))
    return nt_each (t, p, "event", first_time, NULL);
  if (te_text_is (key, "system_profile_metadata"))
    return nt_each (t, p, "metadata", metadata, NULL);
  *p = nt_skip (t, *p, &value);
  return NPROF_OK;
}

/* Finds Unix time in ns, down to a second.  A time earlier than 2001 counts from somewhere else. */
static nprof_status
begin_time (Nt *t)
{
  NtTime seconds = t->host_first / SECOND_PS;
  if (!t->has_host_time || seconds < 1000000000 || seconds > INT64_MAX / 1000000000) {
    t->zero = t->host_first;
    return NPROF_OK;
  }
  t->zero = seconds * SECOND_PS;
  return t->host->origin (t->host, (int64_t) (t->zero / 1000));
}

/* -- Tracks ------------------------------------------------------------------------------------ */

static nprof_track
process_track (Nt *t, NtRecord *r)
{
  nprof_track host = nt_host_track (t, r);
  g_autofree char *key = nt_text_or (nt_take (r, NT_K_PROCESS), "process");
  g_autofree char *label
      = g_str_equal (key, "process") ? NULL : g_strconcat ("process ", key, NULL);
  return host ? nt_track (t, host, NPROF_TRACK_PROCESS, key, label, 0) : 0;
}

/* Reads 3 of "nrt-nc-003-i-0f..." and "nrt-nc-003". */
static bool
core_of_group (const TeValue *group, int64_t *core)
{
  if (!group || group->kind != TE_TEXT || group->len < 8 || memcmp (group->p, "nrt-nc-", 7))
    return false;
  size_t n = 0;
  while (7 + n < group->len && g_ascii_isdigit (group->p[7 + n]))
    n++;
  return n && n < 10 && te_time (group->p + 7, group->p + 7 + n).state == TE_EXACT
         && (*core = te_time (group->p + 7, group->p + 7 + n).us, true);
}

static bool
is_hardware (const NtRecord *r)
{
  static const char *const names[]
      = { "nc_exec_running", "cc_running",       "cc_exec_barrier", "numerical_err",
          "nc_model_switch", "nrt_model_switch", "hw_notify" };
  const TeValue *source = nt_see (r, NT_K_EVENT_SOURCE), *name = nt_see (r, NT_K_NAME);
  if (source)
    return te_text_is (source, "neuron_hw");
  for (gsize i = 0; name && i < G_N_ELEMENTS (names); i++)
    if (te_text_is (name, names[i]))
      return true;
  return false;
}

/* Returns the track: an event of the device stands on its core, one of a thread on the thread. */
static nprof_track
event_track (Nt *t, NtRecord *r, nprof_track process, const char **category)
{
  nprof_track device;
  const TeValue *group = nt_see (r, NT_K_GROUP);
  int64_t core;
  char key[64], label[64];
  if (is_hardware (r)
      && (nt_int (nt_see (r, NT_K_NC_IDX), &core) || nt_int (nt_see (r, NT_K_LNC_IDX), &core)
          || core_of_group (group, &core))) {
    *category = "hardware";
    g_snprintf (key, sizeof key, "nc%" G_GINT64_FORMAT, core);
    g_snprintf (label, sizeof label, "NeuronCore %" G_GINT64_FORMAT, core);
    device = nt_track (t, process, NPROF_TRACK_DEVICE, "nd", "Neuron device", 0);
    return device ? nt_track (t, device, NPROF_TRACK_CORE, key, label, CLAMP (core, 0, INT32_MAX))
                  : 0;
  }
  g_autofree char *thread = nt_text_or (nt_take (r, NT_K_THREAD), "");
  g_autofree char *name = nt_text_or (nt_take (r, NT_K_GROUP), "");
  g_autofree char *instance = nt_text_or (nt_see (r, NT_K_INSTANCE), "");
  if (!t->ntff->private && *instance && g_str_has_suffix (name, instance))
    name[strlen (name) - strlen (instance) - (strlen (name) > strlen (instance))] = '\0';
  *category = g_str_has_prefix (name, "framework") ? "framework" : "runtime";
  bool named = *name && *thread && !g_str_has_suffix (name, thread);
  g_autofree char *own = named     ? g_strdup_printf ("%s thread %s", name, thread)
                         : *name   ? g_strdup (name)
                         : *thread ? g_strdup_printf ("thread %s", thread)
                                   : g_strdup ("thread");
  return nt_track (t, process, NPROF_TRACK_THREAD, own, NULL, 0);
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns an id that is unique in the file, because ids count in each process. */
static uint64_t
own_id (Nt *t, nprof_track process, int64_t id)
{
  if (!t->first_process)
    t->first_process = process;
  if (id <= 0)
    return 0;
  if (process == t->first_process)
    return (uint64_t) id;
  size_t len;
  const struct nprof_track_info *info = t->host->track_info (t->host, process);
  const char *key = t->host->string (t->host, info->key, &len);
  uint64_t h = ch_hash ((uint64_t) id, key, len);
  info = t->host->track_info (t->host, info->parent);
  key = t->host->string (t->host, info->key, &len);
  return ch_hash (h, key, len) | UINT64_C (1) << 63;
}

static void
put_ids (Nt *t, NtRecord *r, nprof_track process)
{
  int64_t id;
  bool raw = !t->first_process || process == t->first_process;
  if (nt_int (nt_see (r, NT_K_ID), &id) && id > 0) {
    nprof_set_id (t->w, own_id (t, process, id));
    if (raw)
      nt_use (r, NT_K_ID);
  }
  if (nt_int (nt_see (r, NT_K_PARENT_ID), &id)) {
    if (id > 0)
      nprof_set_parent (t->w, own_id (t, process, id));
    if (raw || id == 0)
      nt_use (r, NT_K_PARENT_ID);
  }
}

static nprof_status
event (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration;
  const char *category = "runtime";
  const TeValue *name = nt_see (r, NT_K_NAME);
  (void) user;
  bool moment
      = !nt_see (r, NT_K_DURATION) && !nt_see (r, NT_K_DURATION_NS) && !nt_see (r, NT_K_END_TS);
  if (!nt_span_of (t, r, "system event", &start, &duration))
    return NPROF_OK;
  nprof_track process = process_track (t, r),
              track = process ? event_track (t, r, process, &category) : 0;
  if (!track)
    return NPROF_E_NOMEM;
  if (name)
    nt_use (r, NT_K_NAME);
  nprof_status status
      = nprof_row (t->w, moment ? NPROF_INSTANT : NPROF_SPAN, track,
                   name && name->kind == TE_TEXT ? nt_text (t, name) : nt_literal (t, "event"),
                   start, duration);
  if (status)
    return status;
  nprof_set_category (t->w, nt_literal (t, category));
  put_ids (t, r, process);
  return nt_attrs (t, r);
}

static nprof_status
ignore (Nt *t, NtRecord *r, void *user)
{
  (void) t;
  (void) r;
  (void) user;
  return NPROF_OK;
}

static nprof_status
counted (Nt *t, NtRecord *r, void *user)
{
  nt_skip_record (t, r->at, user, "nothing is made of it yet");
  return NPROF_OK;
}

static nprof_status
section (Nt *t, const TeValue *key, const char **p)
{
  if (te_text_is (key, "mem_usage"))
    return nt_each (t, p, "memory sample", nt_memory, NULL);
  if (te_text_is (key, "cpu_util"))
    return nt_each (t, p, "CPU sample", nt_processor, NULL);
  if (te_text_is (key, "system_profile_metadata"))
    return nt_each (t, p, "metadata", ignore, NULL);
  if (has_times (key))
    return nt_each (t, p, "system event", event, NULL);
  g_autofree char *name = nt_dup (key);
  return nt_each (t, p, name, counted, name);
}

/* -- The whole --------------------------------------------------------------------------------- */

nprof_status
nt_system (Nt *t)
{
  t->surveying = true;
  nprof_status status = nt_sections (t, survey_section);
  t->surveying = false;
  status = status ? status : begin_time (t);
  t->w = status ? NULL : t->host->writer (t->host);
  if (!status && !t->w)
    status = NPROF_E_NOMEM;
  if (status)
    return status;
  nt_attrs_begin (t);
  nprof_track root = t->host->input (t->host, t->host->own_input)->root;
  if (t->survey.memory > 0)
    status = nt_fact_int (t, root, NPROF_KEY_MEMORY_SIZE, t->survey.memory, "hbm_capacity_bytes");
  return status ? status : nt_sections (t, section);
}
