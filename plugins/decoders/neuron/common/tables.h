/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the tables that both the decoders neff and ntff have: tensors of a model, and facts that an
 * NTFF and the JSON of the tools state beside rows. */
#pragma once

#include <nprof/sdk.h>

/* Its columns are name, usage, shape, dtype and bytes, after the label of the input. */
extern const struct nprof_table neuron_tensors_table;

extern const struct nprof_table neuron_details_table;

/* What is held of the memory of a device, by core and use. */
extern const struct nprof_table neuron_memory_table;
nprof_status neuron_memory_row (const struct nprof_host *host, nprof_str input, const char *device,
                                nprof_str use, uint64_t bytes);
