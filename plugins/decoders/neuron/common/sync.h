/* SPDX-License-Identifier: Apache-2.0 */
/* sync.h - sync points of a system profile, which bring the device's clock onto the host's.
 * format: more-neuron.md, "System profile" */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t core;                /* the logical core that it is of: nc_idx */
  int64_t host, device;         /* the same moment in ns: since 1970; of the device */
} NeuronSync;

/* Appends the sync points of an ntrace.pb, in its order, up to where it cannot be read. */
void neuron_syncs_read (GArray *syncs, const uint8_t *data, uint64_t len);

/* Returns the one nearest to that moment of the device; of two, the first.  NULL: there is none. */
const NeuronSync *neuron_sync_near (const GArray *syncs, int64_t device);

/* Returns the moment of the host, in ns since 1970, saturated. */
int64_t neuron_sync_host (const NeuronSync *sync, int64_t device);

/* Reads all of the text as an integer without a sign. */
bool neuron_number (const char *text, uint64_t len, int64_t *number);
