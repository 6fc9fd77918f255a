/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer chances. */
#pragma once

#include <nprof/table.h>

#define OVERLAP_CHANCES(C)                                                                         \
  C (KEY, device, "device")                                                                        \
  C (KEY, communication, "kernel that moves data, while nothing computes")                         \
  C (KEY, compute, "kernel of another stream that ran next to it")                                 \
  C (KEY, place, "before or after it")                                                             \
  C (COUNT, times, "that they met so")                                                             \
  C (PS, exposed, "sum of what nothing covers of the communication")                               \
  C (PS, gain, "sum of what the compute kernels could have covered")                               \
  C (RATIO, share, "gain of all work of the device")
NPROF_TABLE_ROW (overlap_chances, OVERLAP_CHANCES)

#define FUSION_PATTERNS(C)                                                                         \
  C (KEY, device, "device")                                                                        \
  C (TEXT_KEY, pattern, "families of kernels that follow each other on a stream")                  \
  C (INT_KEY, number, "tells patterns of the same families apart")                                 \
  C (COUNT, kernels, "in one: 3 or more")                                                          \
  C (COUNT, times, "that it ran")                                                                  \
  C (PS, total, "sum of durations")                                                                \
  C (PS, start, "of the longest of them")                                                          \
  C (PS, longest, "of one, from its first start to its last end")                                  \
  C (RATIO, share, "of all work of the device")                                                    \
  C (BYTES, passed_bytes, "that its operators, but each last one, write for those behind them")  \
  C (COUNT, unknown, "results whose bytes are unknown, and in no sum")                             \
  C (TEXT, operators, "that launched them, in their order")                                   \
  C (TEXT, names, "of the kernels, in their order")
NPROF_TABLE_ROW (fusion_patterns, FUSION_PATTERNS)
