/* SPDX-License-Identifier: Apache-2.0 */
/* declared-totals.c - facts about executions, by track. */
#include "devicekit/declared-totals.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

enum { MODEL, HARDWARE, TRANSPOSE, READ, WRITTEN, N_KEYS };

static const char *const keys[N_KEYS] = { AN_DECLARED_TOTAL_KEYS };

typedef struct {
  int64_t value[N_KEYS]; /* -1: not stated */
} Stated;

struct _AnDeclaredTotals {
  const struct nprof_host *host;
  nprof_str key[N_KEYS];
  GHashTable *by_track; /* nprof_track to Stated */
};

AnDeclaredTotals *
an_declared_totals_new (const struct nprof_host *host)
{
  AnDeclaredTotals *s = g_new0 (AnDeclaredTotals, 1);
  s->host = host;
  for (int k = 0; k < N_KEYS; k++)
    s->key[k] = nprof_intern (host, keys[k]);
  s->by_track = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return s;
}

void
an_declared_totals_free (AnDeclaredTotals *s)
{
  if (!s)
    return;
  g_hash_table_unref (s->by_track);
  g_free (s);
}

static Stated *
of_track (AnDeclaredTotals *s, nprof_track track)
{
  Stated *found = g_hash_table_lookup (s->by_track, GUINT_TO_POINTER (track));
  if (found)
    return found;
  found = g_new (Stated, 1);
  for (int k = 0; k < N_KEYS; k++)
    found->value[k] = -1;
  g_hash_table_insert (s->by_track, GUINT_TO_POINTER (track), found);
  return found;
}

void
an_declared_totals_fact (AnDeclaredTotals *s, const struct nprof_batch *batch, uint32_t row)
{
  int k = 0;
  while (k < N_KEYS && batch->name[row] != s->key[k])
    k++;
  if (k == N_KEYS || !batch->attr_at || batch->attr_at[row] == batch->attr_at[row + 1])
    return;
  uint32_t at = batch->attr_at[row];
  nprof_value value = batch->attr_value[at];
  Stated *of = of_track (s, batch->track[row]);
  bool fits = batch->attr_type[at] == NPROF_INT64
              || (batch->attr_type[at] == NPROF_UINT64 && value.u <= INT64_MAX);
  if (fits && value.i >= 0 && of->value[k] < 0)
    of->value[k] = value.i;
}

/* Before schema 7.4.0 Neuron's model_flops were what the hardware did less the transposes
 * (neuron-outputs.md 3.5). */
AnTotals
an_declared_totals_of (const AnDeclaredTotals *s, nprof_track device)
{
  int64_t value[N_KEYS] = { -1, -1, -1, -1, -1 };
  for (nprof_track at = device; at; at = s->host->track_info (s->host, at)->parent) {
    const Stated *of = g_hash_table_lookup (s->by_track, GUINT_TO_POINTER (at));
    for (int k = 0; of && k < N_KEYS; k++)
      value[k] = value[k] < 0 ? of->value[k] : value[k];
  }
  AnTotals once = { value[HARDWARE], value[MODEL], -1 };
  if (once.model_flops < 0 && value[HARDWARE] >= 0 && value[TRANSPOSE] >= 0)
    once.model_flops = MAX (0, value[HARDWARE] - value[TRANSPOSE]);
  if (value[READ] >= 0 && value[WRITTEN] >= 0
      && __builtin_add_overflow (value[READ], value[WRITTEN], &once.bytes))
    once.bytes = -1;
  return once;
}
