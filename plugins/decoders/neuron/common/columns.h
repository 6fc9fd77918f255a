/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables that several decoders of Neuron have. */
#pragma once

#include <nprof/table.h>

#define TENSORS(C)                                                                                 \
  C (TEXT_KEY, name, "of several subgraphs: SUBGRAPH/NAME")                                        \
  C (KEY, usage, "input, output, file, state-buffer, tmp-buf, virtual, pointer, dge-table")        \
  C (STRING, shape, "of inputs and outputs")                                                       \
  C (STRING, dtype, "of inputs and outputs")                                                       \
  C (UINT_BYTES, bytes, "size of the buffer")                                                      \
  C (TEXT, parameter, "what it is in the framework's model, by a metaneff beside it")
NPROF_TABLE_ROW (tensors, TENSORS)

#define NEURON_DETAILS(C)                                                                          \
  C (KEY, section, "nc_mem_usage, model_info, ...")                                                \
  C (UINT_KEY_IN, at, "byte", "where the record begins in the file")                               \
  C (KEY, field, "name of the member")                                                             \
  C (NUMBER, number, "where the value is one")                                                     \
  C (TEXT, text, "the value, as the tool writes it")
NPROF_TABLE_ROW (neuron_details, NEURON_DETAILS)

#define NEURON_MEMORY(C)                                                                           \
  C (TEXT_KEY, device, "core that it is held for")                                                 \
  C (KEY, use, "Tensors, Weights, Profiler Buffers, ...")                                          \
  C (UINT_BYTES, bytes, "held")
NPROF_TABLE_ROW (neuron_memory, NEURON_MEMORY)
