/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer graphs. */
#pragma once

#include <nprof/table.h>

#define GRAPHS(C)                                                                                  \
  C (KEY, device, "device")                                                                        \
  C (KEY, graph, "by the number of its kernels")                                                   \
  C (INT_KEY, number, "tells graphs apart that have as many")                                      \
  C (COUNT, replays, "launches of it")                                                             \
  C (COUNT, kernels, "in one replay: kernels, copies, sets")                                       \
  C (COUNT, streams, "of one replay")                                                              \
  C (PS, busy, "sum of their durations, over all replays")                                         \
  C (RATIO, share, "of all work of the device")                                                    \
  C (PS, span, "median: first start to last end of a replay")                                      \
  C (PS, delay, "median: start of the launch to the first kernel")                                 \
  C (PS, within, "median: within a replay, while none of its kernels runs")                        \
  C (PS, between, "median: end of a replay to the first kernel of its next")                       \
  C (PS, idle_before, "median: end of all work before to the first kernel")                        \
  C (STRING, match, "the least sure of its kernels' matches with a capture")                       \
  C (RATIO, named, "of busy: kernels whose operator is known")                                     \
  C (STRING, phase, "of the steps that launch it; several: they differ")                          \
  C (COUNT, context_tokens, "median of these steps, as their annotations say")                     \
  C (COUNT, generation_tokens, "the same")
NPROF_TABLE_ROW (graphs, GRAPHS)

#define GRAPH_CONTENTS(C)                                                                          \
  C (KEY, device, "device")                                                                        \
  C (KEY, graph, "by the number of its kernels")                                                   \
  C (INT_KEY, number, "tells graphs apart that have as many")                                      \
  C (KEY, family, "what it computes, by its name")                                                 \
  C (COUNT, kernels, "in one replay: kernels, copies, sets")                                       \
  C (PS, mean, "sum of their durations in one replay")                                             \
  C (PS, busy, "the same over all replays")                                                        \
  C (RATIO, share, "of busy of the graph")
NPROF_TABLE_ROW (graph_contents, GRAPH_CONTENTS)

#define GRAPH_REPLAYS(C)                                                                           \
  C (KEY, device, "device")                                                                        \
  C (INT_KEY, replay, "graph_replay of its kernels")                                               \
  C (STRING, graph, "by the number of its kernels")                                                \
  C (COUNT, number, "of the graph: tells apart those that have as many")                           \
  C (PS, start, "of its first kernel")                                                             \
  C (PS, span, "first start to last end")                                                          \
  C (PS, busy, "sum of the durations of its kernels")                                              \
  C (PS, delay, "start of the launch to the first kernel")                                         \
  C (PS, within, "of span: while none of its kernels runs")                                        \
  C (PS, between, "end of the replay before of the same graph to its first kernel")                \
  C (PS, idle_before, "end of all work before to its first kernel")                                \
  C (COUNT, outside_kernels, "outside of graphs, that began since the replay before")              \
  C (PS, outside, "sum of their durations")                                                        \
  C (STRING, match, "the least sure of its kernels' matches with a capture")                       \
  C (STRING, phase, "of the step that launches it")                                                \
  C (COUNT, requests, "of that step")
NPROF_TABLE_ROW (graph_replays, GRAPH_REPLAYS)

#define GRAPH_FAMILIES(C)                                                                          \
  C (KEY, device, "device")                                                                        \
  C (KEY, family, "what it computes, by its name")                                                 \
  C (KEY, place, "graph: in a replay; outside")                                                    \
  C (COUNT, kernels, "kernels, copies, sets")                                                      \
  C (PS, busy, "sum of durations")                                                                 \
  C (RATIO, share, "of all work of the device")
NPROF_TABLE_ROW (graph_families, GRAPH_FAMILIES)

#define GRAPH_OPERATORS(C)                                                                         \
  C (KEY, device, "device")                                                                        \
  C (KEY, operator, "when its graph was captured")                                                 \
  C (KEY, module, "innermost around it then")                                                      \
  C (KEY, match, "how surely: nprof-decoder-chrome(7)")                                            \
  C (COUNT, calls, "of the operator, one by one replay")                                           \
  C (COUNT, kernels, "kernels, copies, sets")                                                      \
  C (PS, busy, "sum of durations")                                                                 \
  C (RATIO, share, "of all work of the device")
NPROF_TABLE_ROW (graph_operators, GRAPH_OPERATORS)

#define GRAPH_OUTSIDE(C)                                                                           \
  C (KEY, device, "device")                                                                        \
  C (KEY, kernel, "that ran outside of replays")                                                   \
  C (STRING, family, "what it computes, by its name")                                              \
  C (COUNT, kernels, "how often")                                                                  \
  C (PS, busy, "sum of durations")                                                                 \
  C (RATIO, share, "of all work of the device")
NPROF_TABLE_ROW (graph_outside, GRAPH_OUTSIDE)

#define GRAPH_LAYERS(C)                                                                            \
  C (KEY, device, "device")                                                                        \
  C (KEY, graph, "by the number of its kernels")                                                   \
  C (INT_KEY, number, "tells graphs apart that have as many")                                      \
  C (INT_KEY, run, "of layers behind each other, from 0")                                          \
  C (INT_KEY, layer, "in it, from 0, as their first kernels come")                                 \
  C (COUNT, of, "layers of the run")                                                               \
  C (STRING, module, "that it is; of a repeat, the modules around all of it")                      \
  C (STRING, begins, "its first operator; kernel, where operators are unknown")                    \
  C (COUNT, operators, "in a row count once")                                                      \
  C (COUNT, kernels, "of one replay: kernels, copies, sets")                                       \
  C (PS, busy, "sum of their durations, over all replays")                                         \
  C (RATIO, share, "of busy of the graph")
NPROF_TABLE_ROW (graph_layers, GRAPH_LAYERS)
