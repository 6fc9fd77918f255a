/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - whether PyTorch recorded an input, so that its options are worth naming. */
#pragma once

#include "table/table-store.h"

/* Returns whether the input is PyTorch's, and does not say that this option was on. The tables
 * inputs and tracks are looked at; device: the label of one of its devices. */
gboolean np_gate_lacks_torch_option (const NpTableStore *tables, const char *input,
                                     const char *device, const char *option);
