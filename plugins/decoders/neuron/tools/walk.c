/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - goes from the top of a file to its records, section by section, and has what all shapes
 * share: progress, damage, what is skipped, and the life of a decoding. */
#include "tools.h"

#include <stdlib.h>

/* -- Where we are ----------------------------------------------------------------------- */

uint64_t
nt_byte (const Nt *t, const char *p)
{
  return (uint64_t) (p - t->data);
}

nprof_status
nt_progress (Nt *t, const char *p)
{
  if (p < t->told + NT_REPORT)
    return NPROF_OK;
  uint64_t from = nt_byte (t, t->told);
  t->told = p;
  return t->host->progress (t->host, from, nt_byte (t, p));
}

nprof_status
nt_damage (Nt *t)
{
  if (t->surveying) /* the second pass comes by here, too */
    return NPROF_OK;
  return nprof_damage (t->host, nt_byte (t, t->scan.bad),
                       "this output of the Neuron tools cannot be read on: %s; write it again",
                       t->scan.why);
}

nprof_status
nt_behind (Nt *t, const char *p)
{
  const char *rest = te_space (p, t->end);
  if (rest == t->end || t->surveying)
    return NPROF_OK;
  return t->host->damage (t->host, nt_byte (t, rest),
                          "the JSON document has ended, and more follows it: give each document a "
                          "file of its own");
}

void
nt_skip_record (Nt *t, const char *at, const char *what, const char *reason)
{
  if (!t->surveying)
    t->host->skip (t->host, what, nt_byte (t, at), reason);
}

bool
nt_when (const Nt *t, NtTime ps, int64_t *start)
{
  NtTime from = ps - t->zero;
  *start = (int64_t) from;
  return from == *start;
}

/* -- Records of a section ------------------------------------------------------------------ */

static nprof_status
one (Nt *t, const char **p, const char *what, NtEach fn, void *user)
{
  TeValue value;
  const char *at = *p;
  if (at < t->end && *at != '{') {
    *p = nt_skip (t, at, &value);
    if (*p)
      nt_skip_record (t, at, what, "it is no object");
    return NPROF_OK;
  }
  *p = nt_record (t, at, &t->record);
  if (!*p)
    return NPROF_OK;
  nprof_status status = fn (t, &t->record, user);
  return status ? status : nt_progress (t, *p);
}

/* Returns whether it is an object whose members are records, as one guide shows it: {"NAME": {...},
 * ...}. */
static bool
holds_records (const Nt *t, const NtRecord *r)
{
  bool objects = false;
  (void) t;
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (m->id || m->value.kind != TE_OBJECT)
      return false;
    objects = true;
  }
  return objects;
}

static nprof_status
members (Nt *t, const char *p, const char *what, NtEach fn, void *user)
{
  TeValue key;
  nprof_status status = NPROF_OK;
  for (p++; !status && nt_next (t, &p, '}') && nt_key (t, &p, &key);) {
    status = one (t, &p, what, fn, user);
    if (!p)
      break;
  }
  return status;
}

nprof_status
nt_each (Nt *t, const char **p, const char *what, NtEach fn, void *user)
{
  nprof_status status = NPROF_OK;
  const char *at = *p;
  t->scan.why = NULL;
  if (at < t->end && *at == '{') {
    *p = nt_record (t, at, &t->record);
    if (!*p)
      return NPROF_OK;
    return holds_records (t, &t->record) ? members (t, at, what, fn, user)
                                         : fn (t, &t->record, user);
  }
  if (at >= t->end || *at != '[')
    return one (t, p, what, fn, user);
  for (at++; !status && nt_next (t, &at, ']');) {
    status = one (t, &at, what, fn, user);
    if (!at)
      break;
  }
  *p = t->scan.why || !at ? NULL : at + 1;
  return status;
}

/* -- Sections ---------------------------------------------------------------------------------- */

static const char *
top (const Nt *t)
{
  const char *p = t->data;
  if (t->end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  return te_space (p, t->end);
}

nprof_status
nt_sections (Nt *t, NtSection fn)
{
  TeValue key;
  const char *p = top (t) + 1;
  t->told = t->data;
  while (nt_next (t, &p, '}')) {
    if (!nt_key (t, &p, &key))
      break;
    nprof_status status = fn (t, &key, &p);
    if (status)
      return status;
    if (!p)
      break;
  }
  if (t->scan.why)
    return nt_damage (t);
  nprof_status status = nt_behind (t, p + 1);
  if (status)
    return status;
  return t->host->progress (t->host, nt_byte (t, t->told), nt_byte (t, t->end));
}

/* -- Life -------------------------------------------------------------------------------------- */

static void
init (Nt *t, Ntff *n, const char *data, size_t len)
{
  t->ntff = n;
  t->host = n->host;
  t->data = t->told = data;
  t->end = data + len;
  t->scan = (TeScan){ .with = te_scanner (), .end = t->end };
  t->label = n->input_label;
  t->per = 1000;
  ch_names_init (&t->names, t->host);
  nt_record_init (&t->record);
  nt_record_init (&t->other);
  nt_record_init (&t->inner);
  t->literals = g_hash_table_new (NULL, NULL);
  t->queues = g_hash_table_new (NULL, NULL);
  t->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  t->graphs = g_array_new (FALSE, FALSE, sizeof (NtGraph));
  t->tracks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  t->track_key = g_string_new (NULL);
  g_queue_init (&t->opened);
}

static void
clear (Nt *t)
{
  ch_names_clear (&t->names);
  nt_record_clear (&t->record);
  nt_record_clear (&t->other);
  nt_record_clear (&t->inner);
  g_hash_table_unref (t->literals);
  g_hash_table_unref (t->queues);
  g_hash_table_unref (t->tracks);
  g_array_unref (t->graphs);
  g_hash_table_unref (t->hosts);
  g_clear_pointer (&t->dma_queues, g_hash_table_unref);
  g_string_free (t->track_key, TRUE);
  g_clear_pointer (&t->syncs, g_hash_table_unref);
  g_clear_pointer (&t->latest, g_hash_table_unref);
  g_clear_pointer (&t->open, g_hash_table_unref);
  g_clear_pointer (&t->told_devices, g_hash_table_unref);
  g_clear_pointer (&t->metric_groups, g_hash_table_unref);
  g_clear_pointer (&t->edges, nt_edges_free);
  g_queue_clear (&t->opened);
  nprof_buf_clear (&t->buf);
}

nprof_status
nt_decode (Ntff *n, int shape, const char *data, size_t len)
{
  static const struct {
    nprof_status (*decode) (Nt *);
    const char *format;
  } shapes[] = {
    [NT_DEVICE] = { nt_device, "neuron-profile json" },
    [NT_SYSTEM] = { nt_system, "Neuron system profile json" },
    [NT_EVENTS] = { nt_events, "nrt_sys_trace_fetch_events json" },
    [NT_SUMMARY_JSON] = { nt_summary_json, "neuron-profile summary-json" },
    [NT_SUMMARY_TEXT] = { nt_summary_text, "neuron-profile summary-text" },
  };
  Nt t = { 0 };
  init (&t, n, data, len);
  if (shape != NT_DEVICE && *n->neff_path)
    nprof_log (t.host, NPROF_WARNING, "neff= is not used: a %s stands alone", shapes[shape].format);
  if (shape != NT_DEVICE && n->time_unit)
    nprof_log (t.host, NPROF_WARNING, "unit= is not used: a %s says its unit",
               shapes[shape].format);
  nprof_status status = t.host->property (t.host, "format", shapes[shape].format);
  if (!status)
    status = shapes[shape].decode (&t);
  clear (&t);
  return status;
}
