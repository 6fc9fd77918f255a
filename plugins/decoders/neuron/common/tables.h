/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the tables that both the decoders neff and ntff have: tensors of a model, and facts
 * that an NTFF and the JSON of the tools state beside rows. */
#pragma once

#include "columns.h"

nprof_status neuron_memory_row (const struct nprof_host *host, nprof_str input, const char *device,
                                nprof_str use, uint64_t bytes);
