/* SPDX-License-Identifier: Apache-2.0 */
/* sync.c - finds the sync points of a system profile, which are the records that state a moment of
 * both clocks. */
#include "sync.h"

#include "wire.h"

enum { FIELD_PAIR = 12 };

bool
neuron_number (const char *text, uint64_t len, int64_t *number)
{
  if (len == 0 || len > 18)
    return false;
  int64_t n = 0;
  for (uint64_t i = 0; i < len; i++) {
    if (!g_ascii_isdigit (text[i]))
      return false;
    n = n * 10 + (text[i] - '0');
  }
  *number = n;
  return true;
}

/* Reads the number of a pair with that key; times since 1970 have 19 digits. */
static bool
number_of (const NeuronPair *pair, const char *key, int64_t *number)
{
  int64_t last;
  if (!neuron_pair_is (pair, key))
    return false;
  if (!pair->value || pair->value_len != 19)
    return pair->value && neuron_number (pair->value, pair->value_len, number);
  if (!neuron_number (pair->value, 18, number) || !neuron_number (pair->value + 18, 1, &last)
      || *number > (INT64_MAX - last) / 10)
    return false;
  *number = *number * 10 + last;
  return true;
}

void
neuron_syncs_read (GArray *syncs, const uint8_t *data, uint64_t len)
{
  uint64_t at = 0, from, to;
  while (neuron_record_next (data, &at, len, &from, &to)) {
    NeuronSync sync = { 0 };
    int64_t core = 0;
    bool host = false, device = false;
    NeuronWire w;
    NeuronPair pair;
    while (neuron_wire_next (data, &from, to, &w)) {
      if (w.wire != 2 || w.number != FIELD_PAIR || !neuron_wire_pair (data, &w, &pair))
        continue;
      host |= number_of (&pair, "cpu_timestamp_ns", &sync.host);
      device |= number_of (&pair, "nc_timestamp_ns", &sync.device);
      number_of (&pair, "nc_idx", &core);
    }
    sync.core = (uint64_t) core;
    if (host && device)
      g_array_append_val (syncs, sync);
  }
}

/* Returns how far two moments are apart. */
static uint64_t
apart (int64_t a, int64_t b)
{
  return a > b ? (uint64_t) a - (uint64_t) b : (uint64_t) b - (uint64_t) a;
}

const NeuronSync *
neuron_sync_near (const GArray *syncs, int64_t device)
{
  const NeuronSync *best = NULL;
  for (guint i = 0; i < syncs->len; i++) {
    const NeuronSync *sync = &g_array_index (syncs, NeuronSync, i);
    if (!best || apart (sync->device, device) < apart (best->device, device))
      best = sync;
  }
  return best;
}

int64_t
neuron_sync_host (const NeuronSync *sync, int64_t device)
{
  int64_t since, host;
  if (__builtin_sub_overflow (device, sync->device, &since))
    return device > sync->device ? INT64_MAX : INT64_MIN;
  if (__builtin_add_overflow (sync->host, since, &host))
    return since > 0 ? INT64_MAX : INT64_MIN;
  return host;
}
