/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table stacks. */
#pragma once

#include <nprof/table.h>

#define STACKS(C)                                                                                  \
  C (TEXT_KEY, stack, "frames, outermost first, joined by ;")                                      \
  C (COUNT, weight, "ps, or bytes with weight=bytes")                                              \
  C (COUNT, count, "spans that have some of it, or allocations")
NPROF_TABLE_ROW (stacks, STACKS)
