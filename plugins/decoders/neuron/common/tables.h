/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the tables that both the decoders neff and ntff have: tensors of a model, and facts that an
 * NTFF and the JSON of the tools state beside rows. */
#pragma once

#include <nprof/sdk.h>

/* Its columns are name, usage, shape, dtype and bytes, after the label of the input. */
extern const struct nprof_table neuron_tensors_table;

extern const struct nprof_table neuron_details_table;
