/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the table that the decoders of sums of layers make. */
#pragma once

#include <nprof/table.h>

#define LAYER_TIMES(C)                                                                             \
  C (KEY, layer, "of a model, or a kernel")                                                        \
  C (KEY, scope, "names around it, the outermost first, joined by ;")                              \
  C (KEY, type, "what it does, and how: Convolution jit_avx512_FP32")                              \
  C (KEY, device, "that ran it")                                                                   \
  C (COUNT, calls, "that the sum is of")                                                           \
  C (PS, total, "of all calls")                                                                    \
  C (PS, average, "of a call")                                                                     \
  C (PS, median, "of a call")                                                                      \
  C (PS, cpu, "of the host, of a call")                                                            \
  C (RATIO, share, "of the time of all layers")                                                    \
  C (FLOPS, flops, "of all calls, as the program said")                                            \
  C (BYTES, bytes, "moved by all calls, as the program said")
NPROF_TABLE_ROW (layer_times, LAYER_TIMES)
