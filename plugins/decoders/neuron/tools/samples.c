/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - writes memory and CPU of the hosts in a system profile as counters. */
#include "tools.h"

/* *n counts the rows so far. */
static nprof_status
sample (Nt *t, NtRecord *r, nprof_track parent, const char *name, unsigned id, int64_t at, guint *n)
{
  double x;
  const TeValue *v = nt_see (r, id);
  if (!v)
    return NPROF_OK;
  nt_use (r, id);
  if (!nt_double (v, &x)) {
    nt_skip_record (t, r->at, name, "its value is no number");
    return NPROF_OK;
  }
  nprof_track track = nt_track (t, parent, NPROF_TRACK_COUNTER, name, NULL, NT_SORT_OTHER);
  if (!track)
    return NPROF_E_NOMEM;
  ++*n;
  return nprof_counter (t->w, track, nprof_intern (t->host, name), at, x);
}

/* Writes counters with the names of the file; per cent here are 0..100, as the tool writes them. */
nprof_status
nt_memory (Nt *t, NtRecord *r, void *user)
{
  static const struct {
    uint8_t id;
    const char *name;
  } values[] = { { NT_K_USAGE, "mem_usage/usage" },
                 { NT_K_USED_BYTES, "mem_usage/used_bytes" },
                 { NT_K_PERCENT_USAGE, "mem_usage/percent_usage" },
                 { NT_K_USED_PERCENT, "mem_usage/used_percent" } };
  int64_t start, duration;
  guint n = 0;
  (void) user;
  if (!nt_span_of (t, r, "memory sample", &start, &duration))
    return NPROF_OK;
  nprof_track host = nt_host_track (t, r);
  nprof_status status = host ? NPROF_OK : NPROF_E_NOMEM;
  for (gsize i = 0; i < G_N_ELEMENTS (values) && !status; i++)
    status = sample (t, r, host, values[i].name, values[i].id, start, &n);
  if (!status && n == 0)
    nt_skip_record (t, r->at, "memory sample", "it has no value");
  return status || n == 0 ? status : nt_args (t, r);
}

nprof_status
nt_processor (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration;
  guint n = 0;
  (void) user;
  if (!nt_span_of (t, r, "CPU sample", &start, &duration))
    return NPROF_OK;
  nprof_track host = nt_host_track (t, r);
  g_autofree char *cpu = nt_text_or (nt_take (r, NT_K_CPU), "all");
  g_autofree char *name = g_strdup_printf ("cpu_util/%s", cpu);
  nprof_status status
      = host ? sample (t, r, host, name, nt_see (r, NT_K_UTIL) ? NT_K_UTIL : NT_K_UTIL_PERCENT,
                       start, &n)
             : NPROF_E_NOMEM;
  if (!status && n == 0)
    nt_skip_record (t, r->at, "CPU sample", "it has no value");
  return status || n == 0 ? status : nt_args (t, r);
}
