/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table sanity. */
#pragma once

#include <nprof/table.h>

#define SANITY(C)                                                                                  \
  C (TEXT_KEY, rule, "that fired")                                                                 \
  C (COUNT, rows, "of which it is true")                                                           \
  C (PS, worst, "by how much the worst of them is off")                                            \
  C (COUNT, left_out, "rows that are left out of all numbers")                                     \
  C (TEXT, unknown, "what cannot be known then")                                                   \
  C (TEXT, sentence, "the same in words")
NPROF_TABLE_ROW (sanity, SANITY)
