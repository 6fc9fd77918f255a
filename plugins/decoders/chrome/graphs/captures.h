/* SPDX-License-Identifier: Apache-2.0 */
/* captures.h - which captures name the replays of a run and how surely, and which fit none, with
 * the first difference. */
#pragma once

#include <nprof/table.h>

#define GRAPH_CAPTURES(C)                                                                          \
  C (KEY, capture, "recording, and capture in it")                                                 \
  C (KEY, graph, "that it names; where it fits none, the largest without a capture")               \
  C (STRING, match, "of its replays, the least sure; name, none: it does not fit")                 \
  C (COUNT, replays, "that it fits")                                                               \
  C (COUNT, kernels, "of one replay")                                                              \
  C (COUNT, launches, "of the capture")                                                            \
  C (COUNT, edits, "between both, most of a replay")                                               \
  C (COUNT, named, "kernels of one replay that have an operator by it, least of a replay")         \
  C (COUNT, difference, "where it does not fit: the first kernel that differs, from 1")            \
  C (STRING, replayed, "what the replay has there; nothing: it has ended")                         \
  C (STRING, captured, "what the capture has there")                                               \
  C (STRING, file, "the recording")                                                                \
  C (STRING, digest, "of it: SHA-1 over its size and both its ends")
NPROF_TABLE_ROW (graph_captures, GRAPH_CAPTURES)
