/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table latency. */
#pragma once

#include <nprof/table.h>

#define LATENCY(C)                                                                                 \
  C (KEY, process, "label of the process or device")                                               \
  C (KEY, thread, "label of the track")                                                            \
  C (INT_KEY, track, "number of the track")                                                        \
  C (KEY, name, "of the spans")                                                                    \
  C (KEY, category, "of the spans")                                                                \
  C (COUNT, calls, "spans")                                                                        \
  C (PS, total, "sum of durations")                                                                \
  C (RATIO, share,                                                                                 \
     "total_ns / time from the first start to the last end on the track; above 1: calls overlap")  \
  C (PS, min, "shortest")                                                                          \
  C (PS, mean, "of whole durations")                                                               \
  C (PS, median, "50th percentile")                                                                \
  C (PS, p90, "90th percentile")                                                                   \
  C (PS, p95, "95th percentile")                                                                   \
  C (PS, p97, "97th percentile")                                                                   \
  C (PS, p99, "99th percentile")                                                                   \
  C (PS, p99_9, "99.9th percentile")                                                               \
  C (PS, max, "longest")                                                                           \
  C (TEXT, method, "how percentiles were found")                                                   \
  C (DOUBT, gaps, "places where events may be missing")
NPROF_TABLE_ROW (latency, LATENCY)
