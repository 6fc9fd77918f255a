/* SPDX-License-Identifier: Apache-2.0 */
/* held.c - records of nc_mem_usage become rows of table neuron_memory.  The total, which is their
 * sum, and records that say anything else, stay among what the tools say beside the events. */
#include "tools.h"

#include "../common/tables.h"

typedef struct {
  const TeValue *use;
  int64_t bytes, device, core; /* -1: not stated */
  bool other;                  /* it says more than these */
} Usage;

static bool
take_number (const NtMember *m, const char *key, int64_t *to)
{
  return te_text_is (&m->key, key) && nt_int (&m->value, to) && *to >= 0;
}

static Usage
usage_of (const NtRecord *r)
{
  Usage u = { .bytes = -1, .device = -1, .core = -1 };
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (te_text_is (&m->key, "usage_type") && m->value.kind == TE_TEXT)
      u.use = &m->value;
    else if (!take_number (m, "amount_bytes", &u.bytes) && !take_number (m, "nd", &u.device)
             && !take_number (m, "nc", &u.core))
      u.other = true;
  }
  return u;
}

nprof_status
nt_held (Nt *t, NtRecord *r, void *user)
{
  const Usage u = usage_of (r);
  if (!u.use || u.bytes < 0 || u.device < 0 || u.core < 0 || u.other || te_text_is (u.use, "Total"))
    return nt_detail (t, r, user);
  g_autofree char *device
      = g_strdup_printf ("Neuron device %" G_GINT64_FORMAT "/NeuronCore %" G_GINT64_FORMAT,
                         u.device, u.core);
  return neuron_memory_row (t->host, t->label, device, nt_text (t, u.use), (uint64_t) u.bytes);
}
