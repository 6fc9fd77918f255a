/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder memory-timeline. */
#pragma once

#include <nprof/table.h>

#define MEMORY_TIMELINE(C)                                                                         \
  C (COUNT, rows, "of the file")                                                                   \
  C (COUNT, preexisting, "blocks that were there before")                                          \
  C (COUNT, create, "blocks that were allocated")                                                  \
  C (COUNT, version, "changes of what a block is for: two rows each")                              \
  C (COUNT, destroy, "blocks that were freed")                                                     \
  C (BYTES, preexisting_bytes, "held before")                                                      \
  C (BYTES, peak, "most bytes held at once")                                                       \
  C (PS, peak_at, "when that was")                                                                 \
  C (BYTES, end, "held at the end")                                                                \
  C (BYTES, lowest, "least held; below 0 something is missing")
NPROF_TABLE_ROW (memory_timeline, MEMORY_TIMELINE)

#define MEMORY_CATEGORIES(C)                                                                       \
  C (KEY, category, "what the bytes are for, as PyTorch's profiler says")                          \
  C (BYTES, at_peak, "of the peak of all categories")                                              \
  C (RATIO, share, "of that peak")                                                                 \
  C (BYTES, largest, "of its own at once")                                                         \
  C (BYTES, end, "held at the end")
NPROF_TABLE_ROW (memory_categories, MEMORY_CATEGORIES)
