/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table vendor_figures. */
#pragma once

#include <nprof/table.h>

#define VENDOR_FIGURES(C)                                                                          \
  C (KEY, device, "that it is of, or the bucket of a summary")                                     \
  C (INT_KEY, step, "its number")                                                                  \
  C (KEY, figure, "the vendor's name")                                                             \
  C (KEY, rule, "by which ours was computed: vendor, nprof")                                       \
  C (STRING, unit, "of the three: us, s, byte, flop, cycle; 1: a fraction")                        \
  C (NUMBER, vendor, "as the vendor wrote it")                                                     \
  C (NUMBER, ours, "of the rows of the file")                                                      \
  C (NUMBER, difference, "the vendor's less ours")                                                 \
  C (TEXT, source, "where the vendor wrote it")                                                    \
  C (TEXT, of_table, "table that has ours, and its column")                                        \
  C (NOTE, reason, "why they differ, or why ours is unknown")
NPROF_TABLE_ROW (vendor_figures, VENDOR_FIGURES)
