/* SPDX-License-Identifier: Apache-2.0 */
/* tensors.h - the table of the decoders neff and ntff that lists the tensors of a model. */
#pragma once

#include <nprof/sdk.h>

/* Its columns are name, usage, shape, dtype and bytes, after the label of the input. */
extern const struct nprof_table neuron_tensors_table;
