/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table mfu. */
#pragma once

#include <nprof/table.h>

#define MFU(C)                                                                                     \
  C (KEY, device, "device, cores of a logical core as one")                                        \
  C (INT_KEY, step, "number of the step")                                                          \
  C (KEY, layer, "layer, or path of the framework; empty: all")                                    \
  C (KEY, operator,                                                                                \
     "(total): idle included, (busy): idle excluded, (steps): those that count, a name, or "       \
     "empty: all")                                                                                 \
  C (FLOPS, flops, "all that were computed")                                                       \
  C (TEXT, flops_source, "whose they are, and what share nobody can check")                        \
  C (DOUBLE_IN, peak_flops, "flop/s", "that mfu and hfu are of")                                   \
  C (RATE, peak_bandwidth, "of the main memory, that mbu is of")                                   \
  C (TEXT, peak_source, "where the peaks come from")                                               \
  C (PS, time, "that the row is of")                                                               \
  C (RATIO, mfu, "model flops / (peak * time)")                                                    \
  C (RATIO, hfu, "flops / (peak * time)")                                                          \
  C (RATIO, mbu, "bytes / (peak_bandwidth * time)")                                                \
  C (BYTES, bytes, "moved to and from the main memory")                                            \
  C (DOUBLE_IN, intensity, "flop/byte", "model flops / bytes")                                     \
  C (STRING, bound, "compute or memory, by the roofline, or link")                                 \
  C (RATIO, best_mfu, "the most that the intensity allows")
NPROF_TABLE_ROW (mfu, MFU)
