/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer operators. */
#pragma once

#include <nprof/table.h>

#define OF_LAUNCHED                                                                                \
  "of the device's kernels, copies and fills, and graphs whose kernels are not in the file"
#define KERNELS(C)                                                                                 \
  C (KEY, device, "where it ran")                                                                  \
  C (KEY, kernel, "name")                                                                          \
  C (KEY, category, "of the rows")                                                                 \
  C (COUNT, calls, "rows")                                                                         \
  C (PS, total, "sum of durations")                                                                \
  C (RATIO, share, OF_LAUNCHED)                                                                    \
  C (RATIO, share_so_far, "of this row and those before it, by time")                              \
  C (PS, mean, "of whole durations")                                                               \
  C (PS, min, "shortest")                                                                          \
  C (PS, max, "longest")                                                                           \
  C (STRING, operator, "innermost operator around most of its launches, by time")                  \
  C (COUNT, operators, "such operators")                                                           \
  C (STRING, shape, "arguments of the matrix product around most of its launches, by time")        \
  C (COUNT, shapes, "such shapes")                                                                 \
  C (STRING, family, "what it computes, by its name: gemm, attention, norm ...")                   \
  C (STRING, marks,                                                                                \
     "by its name: fused (attention in one kernel), small (a type of 8 bits or fewer), "           \
     "unaligned (a product whose operands are read by one or two elements)")                       \
  C (STRING, certainty, "that they are of these operators: the least sure of them")
NPROF_TABLE_ROW (kernels, KERNELS)

#define COPIES(C)                                                                                  \
  C (KEY, device, "where it ran")                                                                  \
  C (KEY, copy, "name of the copy or the fill")                                                    \
  C (KEY, category, "of the rows")                                                                 \
  C (COUNT, calls, "rows")                                                                         \
  C (PS, total, "sum of durations")                                                                \
  C (RATIO, share, OF_LAUNCHED)                                                                    \
  C (PS, mean, "of whole durations")                                                               \
  C (PS, min, "shortest")                                                                          \
  C (PS, max, "longest")                                                                           \
  C (STRING, operator, "innermost operator around most of its launches, by time")                  \
  C (COUNT, operators, "such operators")
NPROF_TABLE_ROW (copies, COPIES)

#define OPERATORS(C)                                                                               \
  C (KEY, device, "device, cores of a logical core as one; of operators of a host, its process")   \
  C (LEVEL, level, "framework, hlo, opcode, layer; name and category where those say nothing")     \
  C (TEXT_KEY, operator, "unknown: work that says nothing at this level")                          \
  C (KEY, category, "of the rows; of a framework's path its type of operator")                     \
  C (COUNT, calls, "that have an end in the file")                                                 \
  C (PS, total, "sum of durations")                                                                \
  C (PS, self, "sum of durations without the time of those directly within")                       \
  C (RATIO, share, "of the self time of the device")                                               \
  C (PS, mean, "of whole durations")                                                               \
  C (FLOPS, flops, "all that were computed, as declared, of calls in which no other lies")         \
  C (BYTES, bytes, "read and written, as declared, of calls in which no other lies")               \
  C (RATIO, mfu, "model flops / (self time x peak of the device)")                                 \
  C (COUNT, duplicates, "clones that were merged into this operator")                              \
  C (RATIO, hfu, "flops / (self time x peak of the device)")                                       \
  C (PS, host_self, "of the operator on the host, without spans directly within")                  \
  C (STRING, top_kernel, "the work that took most of its self time")                               \
  C (STRING, flops_source, "file, or shapes: of the arguments")                                    \
  C (COUNT, unknown_calls,                                                                         \
     "calls of a matrix product whose arguments say too little for its flops")                     \
  C (STRING, certainty, "that its kernels are its own: the least sure of them")                    \
  C (BYTES, on_chip_bytes, "read and written in the memory of its core: SBUF and PSUM of Neuron")
NPROF_TABLE_ROW (operators, OPERATORS)

#define OPERATOR_FLOPS(C)                                                                          \
  C (KEY, device, "where its work ran; none: nowhere")                                             \
  C (KEY, operator, "matrix product, convolution, attention")                                      \
  C (KEY, precision, "of the first matrix, tf32 by its kernels; other: another type")              \
  C (KEY, shape, "of the arguments")                                                               \
  C (INT_KEY, gradients, "that cudnn of 2021 computed within")                                     \
  C (KEY, process, "that called it")                                                               \
  C (COUNT, calls, "")                                                                             \
  C (FLOPS, flops, "multiply and add are two")                                                     \
  C (BYTES, bytes, "each tensor read once, the result written once")                               \
  C (INT_AS, device_time, "device_ns", "ps", "of all that was launched within")
NPROF_TABLE_ROW (operator_flops, OPERATOR_FLOPS)

#define STEP_FLOPS(C)                                                                              \
  C (KEY, device, "device or core")                                                                \
  C (KEY, step, "name of the step")                                                                \
  C (KEY, precision, "as in table operator_flops")                                                 \
  C (COUNT, calls, "")                                                                             \
  C (FLOPS, flops, "multiply and add are two")
NPROF_TABLE_ROW (step_flops, STEP_FLOPS)

#define LAYERS(C)                                                                                  \
  C (KEY, layer, "path in the model")                                                              \
  C (PS, start, "start of the first operator")                                                     \
  C (PS, end, "end of the last operator")                                                          \
  C (PS, busy, "sum of the self time of its operators, on all devices")                            \
  C (FLOPS, flops, "as declared")                                                                  \
  C (BYTES, bytes, "read and written, as declared")                                                \
  C (RATIO, mfu, "model flops / (busy time x peak of the device)")                                 \
  C (RATIO, hfu, "flops / (busy time x peak of the device)")
NPROF_TABLE_ROW (layers, LAYERS)

#define OPERATORS_LINKED(C)                                                                        \
  C (KEY, device, "where it ran")                                                                  \
  C (KEY, queue, "stream of the device")                                                           \
  C (KEY, launcher, "innermost operator of the framework around the launch")                       \
  C (KEY, operator, "kernel or copy")                                                              \
  C (KEY, category, "of the rows")                                                                 \
  C (BOOL_KEY, linked, "its launch is in the file")                                                \
  C (COUNT, calls, "that have an end in the file")                                                 \
  C (PS, total, "sum of durations")                                                                \
  C (PS, min, "shortest")                                                                          \
  C (PS, max, "longest")                                                                           \
  C (TEXT, reason, "why it is not linked")
NPROF_TABLE_ROW (operators_linked, OPERATORS_LINKED)

#define OPERATOR_SHAPES(C)                                                                         \
  C (KEY, device, "device, cores of a logical core as one")                                        \
  C (KEY, operator, "HLO instruction without its number; else kernel, or what launched it")        \
  C (KEY, category, "of the rows")                                                                 \
  C (KEY, arguments,                                                                               \
     "shapes with their types, without layouts, then values of others; (): it has none")           \
  C (KEY, result, "shape of the value")                                                            \
  C (TEXT_KEY, reason, "why arguments or result are not known")                                    \
  C (COUNT, calls, "rows of work")                                                                 \
  C (COUNT, instructions, "distinct HLO instructions among them")                                  \
  C (PS, total, "sum of durations")                                                                \
  C (PS, self, "sum of durations without the time of those directly within")                       \
  C (RATIO, share, "of the self time of the device")                                               \
  C (PS, mean, "of whole durations")                                                               \
  C (FLOPS, flops, "as in table operators, level hlo")                                             \
  C (BYTES, bytes, "as in table operators, level hlo")                                             \
  C (RATIO, mfu, "model flops / (self time x peak of the device)")
NPROF_TABLE_ROW (operator_shapes, OPERATOR_SHAPES)
