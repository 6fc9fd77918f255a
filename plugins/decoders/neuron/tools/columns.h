/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table neuron_metrics. */
#pragma once

#include <nprof/table.h>

#define NEURON_METRICS(C)                                                                          \
  C (KEY, bucket, "profile or worker, where the file names it")                                    \
  C (KEY, group, "where the file has groups")                                                      \
  C (KEY, metric, "name, as the tool writes it")                                                   \
  C (NUMBER, value, "unknown where it is no number")                                               \
  C (STRING, unit, "s, byte, flop, cycle, 1 (a fraction); unknown")                                \
  C (TEXT, text, "the value, as the tool writes it")
NPROF_TABLE_ROW (neuron_metrics, NEURON_METRICS)
