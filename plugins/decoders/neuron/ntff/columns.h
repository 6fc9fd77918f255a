/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table ntff_engines. */
#pragma once

#include <nprof/table.h>

#define NTFF_ENGINE_COLUMNS(C)                                                                     \
  C (KEY, device, "device")                                                                        \
  C (KEY, core, "NeuronCore")                                                                      \
  C (KEY, engine, "PE, ACT, POOL, DVE, SP, or CC-core N")                                          \
  C (UINT, instructions, "with start and end")                                                     \
  C (UINT_IN, total_ns, "ps", "sum of their durations")                                            \
  C (UINT, lost_ends, "starts without an end")                                                     \
  C (UINT, lost_starts, "ends without a start")
NPROF_TABLE_ROW (ntff_engines, NTFF_ENGINE_COLUMNS)
