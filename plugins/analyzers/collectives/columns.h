/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer collectives. */
#pragma once

#include <nprof/table.h>

#define COLLECTIVES(C)                                                                             \
  C (KEY, device, "device or core")                                                                \
  C (KEY, kind, "allreduce, allgather, ...")                                                       \
  C (BYTES_KEY, bytes, "S of nccl-tests")                                                          \
  C (INT_KEY, ranks, "of the group")                                                               \
  C (KEY, dtype, "of the elements")                                                                \
  C (KEY, group, "ranks of the group, else its name")                                              \
  C (COUNT, calls, "")                                                                             \
  C (PS, total, "sum of durations")                                                                \
  C (PS, min, "shortest")                                                                          \
  C (PS, p50, "median")                                                                            \
  C (RATE, algbw, "bytes of all calls / total_ns")                                                 \
  C (RATE, busbw_p50, "by the median")                                                             \
  C (RATE, busbw_best, "by the shortest")                                                          \
  C (RATIO, efficiency, "busbw_best of the links of the device")                                   \
  C (PS, overlap, "while something computes")                                                      \
  C (PS, exposed, "while nothing computes")
NPROF_TABLE_ROW (collectives, COLLECTIVES)

#define COMMUNICATION(C)                                                                           \
  C (KEY, device, "device or core")                                                                \
  C (COUNT, calls, "collectives")                                                                  \
  C (COUNT, without_bytes, "of which the file does not tell the bytes")                            \
  C (PS, busy, "some collective under way")                                                        \
  C (PS, overlap, "while something computes")                                                      \
  C (PS, exposed, "while nothing computes")                                                        \
  C (RATIO, hidden, "overlap_ns / busy_ns")                                                        \
  C (RATE, link, "peak of the links of the device, one way")                                       \
  C (TEXT, link_source, "where that comes from")
NPROF_TABLE_ROW (communication, COMMUNICATION)
