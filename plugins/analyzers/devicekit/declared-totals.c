/* SPDX-License-Identifier: Apache-2.0 */
/* declared-totals.c - reads the facts about executions. */
#include "devicekit/declared-totals.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

enum { MODEL, HARDWARE, TRANSPOSE, READ, WRITTEN, N_KEYS };

static const char *const keys[N_KEYS] = { AN_DECLARED_TOTAL_KEYS };

/* Returns -1 when it is not stated. */
static int64_t
stated (const struct nprof_host *host, nprof_track track, const char *key)
{
  const nprof_str handle = nprof_intern (host, key);
  const struct nprof_fact *fact;
  for (; (fact = host->fact (host, track, handle));
       track = host->track_info (host, fact->track)->parent)
    if (fact->type == NPROF_INT64 ? fact->value.i >= 0
                                  : fact->type == NPROF_UINT64 && fact->value.u <= INT64_MAX)
      return fact->value.i;
  return -1;
}

/* Reads the totals.  Before schema 7.4.0 Neuron's model_flops were what the hardware did less the
 * transposes (neuron-outputs.md 3.5). */
AnTotals
an_declared_totals (const struct nprof_host *host, nprof_track device)
{
  int64_t value[N_KEYS];
  for (int k = 0; k < N_KEYS; k++)
    value[k] = stated (host, device, keys[k]);
  AnTotals once = { value[HARDWARE], value[MODEL], -1 };
  if (once.model_flops < 0 && value[HARDWARE] >= 0 && value[TRANSPOSE] >= 0)
    once.model_flops = MAX (0, value[HARDWARE] - value[TRANSPOSE]);
  if (value[READ] >= 0 && value[WRITTEN] >= 0
      && __builtin_add_overflow (value[READ], value[WRITTEN], &once.bytes))
    once.bytes = -1;
  return once;
}
