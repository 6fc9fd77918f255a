/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer memory. */
#pragma once

#include <nprof/table.h>

#define MEMORY(C)                                                                                  \
  C (KEY, allocator, "name, or type and number")                                                   \
  C (COUNT, events, "allocations and frees")                                                       \
  C (BYTES, peak_bytes, "largest use")                                                             \
  C (BYTES, peak_allocated_bytes, "largest use in whole blocks of PyTorch")                       \
  C (PS, peak, "when: of PyTorch the first time, of XLA the last, as xprof")                       \
  C (BYTES, before_bytes, "held before the recording")                                             \
  C (BYTES, rise_bytes, "peak above what was in use before the first row")                         \
  C (BYTES, peak_reserved_bytes, "the most that was reserved")                                     \
  C (BYTES, reserved_bytes, "at the peak")                                                         \
  C (RATIO, unused_reserved, "1 - peak_bytes / reserved_bytes")                                    \
  C (BYTES, capacity_bytes, "of the device")                                                       \
  C (RATIO, fragmentation, "at the peak, as the allocator states")                                 \
  C (BYTES, waste_bytes, "of what is held at the peak: allocated beyond what was asked for")       \
  C (BYTES, lifetime_peak_bytes, "as the allocator states")                                        \
  C (BYTES, end_bytes, "in use after the last row")                                                \
  C (BYTES, leaked_bytes, "allocated in the recording and not freed")                              \
  C (DOUBT, gaps, "rows whose total does not follow from the row before")                          \
  C (TEXT, reason, "why something is unknown")
NPROF_TABLE_ROW (memory, MEMORY)

#define MEMORY_HOLDERS(C)                                                                          \
  C (KEY, allocator, "as in table memory")                                                         \
  C (INT_KEY, rank, "from 1, the largest first")                                                   \
  C (BYTES, bytes, "held")                                                                         \
  C (COUNT, count, "allocations")                                                                  \
  C (TEXT, operator, "innermost around the allocation")                                            \
  C (TEXT, module, "innermost around the allocation")                                              \
  C (TEXT, source, "newest frame of the user's code, as memory snapshots tell it")                 \
  C (TEXT, shape, "of the tensors")                                                                \
  C (TEXT, region,                                                                                 \
     "of the allocator; (before the recording): not allocated in it; (freed without a row): "      \
     "below 0")                                                                                    \
  C (PS, age, "of the oldest, at the peak")
NPROF_TABLE_ROW (memory_holders, MEMORY_HOLDERS)

#define MEMORY_MODULES(C)                                                                          \
  C (KEY, allocator, "as in table memory")                                                         \
  C (TEXT_KEY, module, "path, outermost first")                                                    \
  C (BYTES, allocated_bytes, "sum of allocations")                                                 \
  C (BYTES, peak_live_bytes, "held at the peak")
NPROF_TABLE_ROW (memory_modules, MEMORY_MODULES)
