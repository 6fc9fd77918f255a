/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder pprof. */
#pragma once

#include <nprof/table.h>

#define SAMPLE_TYPES(C)                                                                            \
  C (KEY, type, "what is counted: cpu, samples, space, inuse_space, ...")                          \
  C (KEY, unit, "nanoseconds, bytes, count, ...")                                                  \
  C (COUNT, samples, "stacks of the profile")                                                      \
  C (COUNT, total, "in that unit")                                                                 \
  C (TEXT, largest, "the innermost frame with the largest sum")                                    \
  C (COUNT, largest_value, "its sum")
NPROF_TABLE_ROW (sample_types, SAMPLE_TYPES)

#define SAMPLE_PLACES(C)                                                                           \
  C (KEY, type, "what is counted")                                                                 \
  C (KEY, unit, "of self and total")                                                               \
  C (KEY, function, "name, and line where it is told")                                             \
  C (KEY, file, "of its source")                                                                   \
  C (COUNT, self, "of stacks that end in it")                                                      \
  C (COUNT, total, "of stacks that it is in, each once")
NPROF_TABLE_ROW (sample_places, SAMPLE_PLACES)

#define SAMPLE_LABELS(C)                                                                           \
  C (KEY, type, "what is counted")                                                                 \
  C (KEY, unit, "of total")                                                                        \
  C (KEY, label, "key of a label, as device or kind")                                              \
  C (KEY, is, "its value")                                                                         \
  C (COUNT, samples, "stacks that have it")                                                        \
  C (COUNT, total, "of these")
NPROF_TABLE_ROW (sample_labels, SAMPLE_LABELS)

#define SAMPLE_STACKS(C)                                                                           \
  C (KEY, type, "what is counted")                                                                 \
  C (KEY, unit, "of value")                                                                        \
  C (TEXT_KEY, stack, "frames, outermost first, joined by ;")                                      \
  C (COUNT, value, "in that unit")
NPROF_TABLE_ROW (sample_stacks, SAMPLE_STACKS)
