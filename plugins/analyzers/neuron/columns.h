/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table neuron_summary. */
#pragma once

#include <nprof/table.h>

#define NEURON_SUMMARY(C)                                                                          \
  C (KEY, metric, "the vendor's name")                                                             \
  C (NUMBER, value, "in the unit of column unit")                                                  \
  C (STRING, unit, "s, byte, flop, cycle; 1: a fraction")                                          \
  C (KEY, group, "the vendor's group")                                                             \
  C (TEXT, formula, "what was computed, or who states it")                                         \
  C (BOOL, stated, "the file states it: nothing was computed")                                     \
  C (TEXT, reason, "why it is unknown")                                                            \
  C (KEY, device, "NeuronCore, or the bucket of a summary")                                        \
  C (STRING, tensors, "label of the input whose table tensors lists its tensors")
NPROF_TABLE_ROW (neuron_summary, NEURON_SUMMARY)

#define NEURON_WAITS(C)                                                                            \
  C (KEY, device, "NeuronCore")                                                                    \
  C (KEY, engine, "that waits: tensor, vector, scalar, sync, gpsimd")                              \
  C (TEXT_KEY, semaphores, "by number; several: all of them")                                      \
  C (KEY, raised_by,                                                                               \
     "engine: instructions of other engines of its core; itself: its own; "                        \
     "dma: transfers that instructions begin; "                                                    \
     "unnamed: nothing that the file names, as transfers in rings; barrier")                       \
  C (COUNT, calls, "instructions")                                                                 \
  C (PS, duration, "that they waited, at most: their dispatch is in it")                           \
  C (PS, start, "of the longest of them")                                                          \
  C (PS, longest, "of one")
NPROF_TABLE_ROW (neuron_waits, NEURON_WAITS)
