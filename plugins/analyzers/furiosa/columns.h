/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer furiosa. */
#pragma once

#include <nprof/table.h>

#define FURIOSA_SUMMARY(C)                                                                         \
  C (INT_AS, counts, "Inference counts", "", "how many there are")                       \
  C (INT_AS, min, "Min latency (ns)", "ns", "the shortest")                                \
  C (INT_AS, max, "Max latency (ns)", "ns", "the longest")                                 \
  C (DOUBLE_AS, mean, "Mean latency (ns)", "ns", "sum / count")                            \
  C (DOUBLE_AS, median, "Median latency (ns)", "ns", "half are no longer")                 \
  C (DOUBLE_AS, p90, "90.0 percentile latency (ns)", "ns",                    \
     "90 % are no longer")                                                                         \
  C (DOUBLE_AS, p95, "95.0 percentile latency (ns)", "ns",                    \
     "95 % are no longer")                                                                         \
  C (DOUBLE_AS, p97, "97.0 percentile latency (ns)", "ns",                    \
     "97 % are no longer")                                                                         \
  C (DOUBLE_AS, p99, "99.0 percentile latency (ns)", "ns",                    \
     "99 % are no longer")                                                                         \
  C (DOUBLE_AS, p99_9, "99.9 percentile latency (ns)", "ns",                    \
     "99.9 % are no longer")
NPROF_TABLE_ROW (furiosa_summary, FURIOSA_SUMMARY)

#define INFERENCES(C)                                                                              \
  C (COUNT, row, "number of the row in the file, from 0, which pandas prints beside it")           \
  C (ID_KEY, trace_id, "trace that the span belongs to")                                           \
  C (TEXT_KEY, span_id, "the span, 16 hexadecimal digits")                                         \
  C (INT_AS, thread_id, "thread.id", "", "thread of the host")                                     \
  C (INT_IN, dur, "ns", "how long it took")
NPROF_TABLE_ROW (inferences, INFERENCES)

#define NPU_EXECUTIONS(C)                                                                          \
  C (COUNT, row,                                                                                   \
     "number of the row in the vendor's table, which lacks executions without operators")          \
  C (ID_KEY, trace_id, "trace that the span belongs to")                                           \
  C (TEXT_KEY, span_id, "the span, 16 hexadecimal digits")                                         \
  C (COUNT, pe_index, "processing element of the execution")                                       \
  C (COUNT, execution_index, "execution within its program")                                       \
  C (INT_AS, npu_total, "NPU Total", "ns", "the execution from start to end")                      \
  C (INT_AS, npu_run, "NPU Run", "ns", "its operators; a row for each PE that they ran on")        \
  C (INT_AS, npu_iowait, "NPU IoWait", "ns", "Total - Run, negative where operators overlap")
NPROF_TABLE_ROW (npu_executions, NPU_EXECUTIONS)

#define NPU_OPERATORS(C)                                                                           \
  C (KEY, name, "operator")                                                                        \
  C (DOUBLE_AS, mean, "average elapsed(ns)", "ns", "sum / count")                       \
  C (COUNT, count, "how often it ran")
NPROF_TABLE_ROW (npu_operators, NPU_OPERATORS)

#define EXTERNAL_OPERATORS(C)                                                                      \
  C (COUNT, row, "number of the row in the file, from 0, which pandas prints beside it")           \
  C (ID_KEY, trace_id, "trace that the span belongs to")                                           \
  C (TEXT_KEY, span_id, "the span, 16 hexadecimal digits")                                         \
  C (INT_AS, thread_id, "thread.id", "", "thread of the host")                                     \
  C (KEY, name, "operator")                                                                        \
  C (COUNT, operator_index, "operator within the program")                                         \
  C (INT_IN, dur, "ns", "how long it took")
NPROF_TABLE_ROW (external_operators, EXTERNAL_OPERATORS)
