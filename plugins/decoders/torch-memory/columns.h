/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder torch-memory. */
#pragma once

#include <nprof/table.h>

#define MEMORY_SEGMENTS(C)                                                                         \
  C (INT_KEY, device, "number of the device")                                                      \
  C (KEY, pool, "large or small")                                                                  \
  C (INT_KEY, stream, "that the segments belong to")                                               \
  C (COUNT, segments, "how many")                                                                  \
  C (BYTES, reserved_bytes, "of the segments")                                                     \
  C (BYTES, allocated_bytes, "of blocks in use, as the allocator rounds them")                     \
  C (BYTES, requested_bytes, "of blocks in use, as they were asked for")                           \
  C (BYTES, largest_free_bytes, "the largest allocation that needs no new segment")
NPROF_TABLE_ROW (memory_segments, MEMORY_SEGMENTS)

#define MEMORY_BLOCKS(C)                                                                           \
  C (INT_KEY, device, "number of the device")                                                      \
  C (KEY, source, "newest frame of the user's code")                                               \
  C (KEY, state, "active_allocated, or active_pending_free and the like")                          \
  C (COUNT, blocks, "how many")                                                                    \
  C (BYTES, requested_bytes, "as they were asked for")                                             \
  C (BYTES, allocated_bytes, "as the allocator rounds them")
NPROF_TABLE_ROW (memory_blocks, MEMORY_BLOCKS)
