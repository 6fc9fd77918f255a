/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - reads summaries as JSON: {"n_<40 hex>": {METRIC: VALUE, ...}, ...}, and the section
 * `summary` of a device profile. format: neuron-outputs.md 3.2 */
#include "tools.h"

/* Reads metrics; groups of them, as some versions write them, are objects in the object. */
static nprof_status
metrics_of (Nt *t, const NtRecord *r, NtMetrics *m, NtRecord *inner)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < r->members->len && !status; i++) {
    const NtMember *member = &g_array_index (r->members, NtMember, i);
    g_autofree char *name = nt_dup (&member->key);
    if (member->value.kind != TE_OBJECT || !inner) {
      status = nt_metric (t, m, name, &member->value);
      continue;
    }
    const char *group = m->group;
    if (!nt_record (t, member->value.p, inner)) {
      nt_skip_record (t, member->value.p, "group of metrics", "it cannot be read");
      continue;
    }
    m->group = name;
    status = metrics_of (t, inner, m, NULL);
    m->group = group;
  }
  return status;
}

nprof_status
nt_summary (Nt *t, NtRecord *r, void *user)
{
  NtMetrics m = { .bucket = user };
  nprof_status status = metrics_of (t, r, &m, &t->inner);
  return status ? status : nt_metrics_facts (t, &m, "summary");
}

static bool
is_flat (const NtRecord *r)
{
  for (guint i = 0; i < r->members->len; i++)
    if (g_array_index (r->members, NtMember, i).value.kind == TE_OBJECT)
      return false;
  return true;
}

static nprof_status
section (Nt *t, const TeValue *key, const char **p)
{
  TeValue value;
  const char *at = *p;
  g_autofree char *name = nt_dup (key);
  if (at < t->end && *at != '{') {
    *p = nt_skip (t, at, &value);
    if (*p)
      nt_skip_record (t, at, "part of a summary", "it is no object");
    return NPROF_OK;
  }
  *p = nt_record (t, at, &t->record);
  return *p ? nt_summary (t, &t->record, name) : NPROF_OK;
}

nprof_status
nt_summary_json (Nt *t)
{
  t->w = t->host->writer (t->host);
  if (!t->w)
    return NPROF_E_NOMEM;
  nprof_status status = t->host->table (t->host, &neuron_metrics_table);
  if (status)
    return status;
  const char *p = te_space (t->data, t->end);
  const char *behind = nt_record (t, p, &t->other);
  if (behind && is_flat (&t->other)) {
    status = nt_summary (t, &t->other, NULL);
    return status ? status : nt_behind (t, behind);
  }
  return nt_sections (t, section);
}
