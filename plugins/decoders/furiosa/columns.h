/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder furiosa. */
#pragma once

#include <nprof/table.h>

#define CYCLES(C)                                                                                  \
  C (KEY, device, "leader_device, or the track")                                                   \
  C (KEY, stage, "name up to its (, or the category")                                              \
  C (KEY, name, "what ran")                                                                        \
  C (COUNT, row, "number in the file, from 0")                                                     \
  C (INT_IN, begin_cycle, "cycle", "first cycle")                                                  \
  C (INT_IN, end_cycle, "cycle", "last cycle")                                                     \
  C (INT_IN, cycles, "cycle", "how many it took")                                                  \
  C (COUNT, cluster_index, "cluster of the device")
NPROF_TABLE_ROW (cycles, CYCLES)

#define SCHEDULE(C)                                                                                \
  C (KEY, instruction, "its number or name in the plan")                                           \
  C (KEY, type, "DmaLoad, DmaStore, Main, Sub, Core, ...")                                         \
  C (STRING, contexts, "units that it holds")                                                      \
  C (INT_IN, begin_cycle, "cycle", "planned begin")                                                \
  C (INT_IN, end_cycle, "cycle", "planned end")                                                    \
  C (INT_IN, cycles, "cycle", "end less begin")                                                    \
  C (STRING, source, "file:line:column of the program")                                            \
  C (TEXT, description, "the program's text")                                                      \
  C (RATIO, total_util, "planned utilization")                                                     \
  C (RATIO, base_util, "the same, as the compiler's base")                                         \
  C (RATIO, efficiency, "the compiler's factor between both")                                      \
  C (STRING, inputs, "numbers of tensors that it reads")                                           \
  C (STRING, outputs, "numbers of tensors that it writes")
NPROF_TABLE_ROW (schedule, SCHEDULE)

#define SCHEDULE_TENSORS(C)                                                                        \
  C (KEY, tensor, "its number in the plan")                                                        \
  C (KEY, name, "in the program; may be empty")                                                    \
  C (STRING, buffer, "Sram, Trf, Vrf, ...")                                                        \
  C (INT_IN, begin_cycle, "cycle", "planned begin")                                                \
  C (INT_IN, end_cycle, "cycle", "planned end")                                                    \
  C (BYTES, address, "in the buffer")                                                              \
  C (BYTES, bytes, "size")                                                                         \
  C (STRING, shape, "as the compiler writes it")
NPROF_TABLE_ROW (schedule_tensors, SCHEDULE_TENSORS)
