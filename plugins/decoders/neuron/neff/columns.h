/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of decoder neff. */
#pragma once

#include <nprof/table.h>

#define NEFF_LAYERS(C)                                                                             \
  C (KEY, file, "member that holds the instruction")                                               \
  C (KEY, engine, "tensor, vector, scalar, gpsimd, sync, dma")                                     \
  C (UINT_KEY, instruction, "id in that member")                                                   \
  C (TEXT, name, "of the instruction")                                                             \
  C (STRING, type, "regular, spill, transpose")                                                    \
  C (TEXT, hlo, "HLO instructions, joined by \"; \"")                                              \
  C (TEXT, layer, "layers of the framework, joined by \"; \"")
NPROF_TABLE_ROW (neff_layers, NEFF_LAYERS)

#define DMA_QUEUES(C)                                                                              \
  C (KEY, queue, "of several subgraphs: SUBGRAPH/NAME")                                            \
  C (STRING, type, "in, out, data, embedding_update, dynamic")                                     \
  C (UINT, descriptors, "static descriptors")                                                      \
  C (UINT_BYTES, bytes, "that they write")
NPROF_TABLE_ROW (dma_queues, DMA_QUEUES)

#define DMA_TENSORS(C)                                                                             \
  C (KEY, queue, "of several subgraphs: SUBGRAPH/NAME")                                            \
  C (TEXT_KEY, tensor, "of several subgraphs: SUBGRAPH/NAME")                                      \
  C (KEY, access, "read, write")                                                                   \
  C (UINT, descriptors, "static descriptors")                                                      \
  C (UINT_BYTES, bytes, "that they write")
NPROF_TABLE_ROW (dma_tensors, DMA_TENSORS)

#define INSTRUCTIONS(C)                                                                            \
  C (KEY, engine, "tensor, vector, scalar, gpsimd, sync")                                          \
  C (KEY, opcode, "first byte of the instruction; none: the stream cannot be read")                \
  C (STRING, name, "likely mnemonic")                                                              \
  C (UINT, count, "instructions of all subgraphs")
NPROF_TABLE_ROW (instructions, INSTRUCTIONS)
