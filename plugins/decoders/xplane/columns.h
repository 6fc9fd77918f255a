/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder xplane. */
#pragma once

#include <nprof/table.h>

#define AGGREGATES(C)                                                                              \
  C (KEY, plane, "name of the plane")                                                              \
  C (KEY, line, "label of the line")                                                               \
  C (KEY, name, "name of the events")                                                              \
  C (KEY, category, "category of the events")                                                      \
  C (COUNT, calls, "how many events")                                                              \
  C (PS, total, "sum of their durations")                                                          \
  C (PS, min, "shortest, if the file says so")                                                     \
  C (PS, self, "sum without nested events, if the file says so")                                   \
  C (COUNT, step, "step that they belong to")                                                      \
  C (JSON, attributes, "their other stats")
NPROF_TABLE_ROW (aggregates, AGGREGATES)

#define PLANES(C)                                                                                  \
  C (KEY, plane, "name of the plane")                                                              \
  C (TEXT_KEY, event, "name of the event metadata; none: the plane itself")                        \
  C (KEY, stat, "name of the stat")                                                                \
  C (TEXT, type, "int64, uint64, double, string, bytes, reference")                                \
  C (TEXT, value, "as text; bytes in hexadecimal, beyond 256 their number")
NPROF_TABLE_ROW (planes, PLANES)

#define PROGRAM_MEMORY(C)                                                                          \
  C (KEY, program, "name")                                                                         \
  C (KEY, use, "parameter, output, both, temporary, constant, thread_local")                       \
  C (INT_KEY, color, "memory space")                                                               \
  C (BYTES, bytes, "of its allocations")                                                           \
  C (COUNT, allocations, "how many")                                                               \
  C (BYTES, heap_peak_bytes, "by replay")
NPROF_TABLE_ROW (program_memory, PROGRAM_MEMORY)

#define HLO_INSTRUCTIONS(C)                                                                        \
  C (KEY, program, "name of the program")                                                          \
  C (UINT_KEY, program_id, "as in attribute program_id of events")                                 \
  C (KEY, computation, "function that holds the instruction")                                      \
  C (BOOL, entry, "the computation is where the program starts")                                   \
  C (KEY, fusion, "fusion that the instruction is a member of")                                    \
  C (TEXT, fusion_kind, "of a fusion: kLoop, kInput, kOutput, kCustom")                            \
  C (TEXT_KEY, instruction, "name of the instruction")                                             \
  C (STRING, opcode, "add, dot, fusion, ...")                                                      \
  C (BOOL, root, "its value is the computation's")                                                 \
  C (TEXT, shape, "type and dimensions of its value")                                              \
  C (TEXT, framework_op, "path of the framework")                                                  \
  C (TEXT, op_type, "operator of the framework")                                                   \
  C (TEXT, source, "file and line of the user's program")                                          \
  C (TEXT, operands, "type and dimensions of what it works on; (): nothing")
NPROF_TABLE_ROW (hlo_instructions, HLO_INSTRUCTIONS)

#define NEURON_OPS(C)                                                                              \
  C (KEY, run, "folder that the runtime named")                                                    \
  C (KEY, file, "file that the runtime named")                                                     \
  C (KEY, op, "number of the record")                                                              \
  C (JSON, record, "the record")                                                                   \
  C (STRING, level, "framework or hlo")                                                            \
  C (STRING, name, "the operator")                                                                 \
  C (COUNT, calls, "how often it ran")                                                             \
  C (PS, time, "time of all calls")                                                                \
  C (STRING, device, "Neuron device")                                                              \
  C (STRING, core, "NeuronCore")
NPROF_TABLE_ROW (neuron_ops, NEURON_OPS)
