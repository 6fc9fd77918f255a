/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of tables phases and server_steps. */
#pragma once

#include <nprof/table.h>

#define PHASES(C)                                                                                  \
  C (KEY, device, "device or core")                                                                \
  C (KEY, phase, "prefill, decode, mixed, verify, draft, diffusion; none: work in no step")        \
  C (COUNT, steps, "of the phase")                                                                 \
  C (PS, span, "sum of its steps")                                                                 \
  C (PS, busy, "work in them")                                                                     \
  C (RATIO, in_graph, "of the time of this work: what replays of graphs ran")                      \
  C (COUNT, requests, "in its steps")                                                              \
  C (COUNT, context_tokens, "tokens")                                                              \
  C (COUNT, generation_tokens, "tokens")                                                           \
  C (COUNT, context_keys, "tokens attended to, of prefill")                                        \
  C (COUNT, generation_keys, "tokens attended to, of decode")                                      \
  C (NUMBER, tokens_per_s, "of both, in its periods")                                              \
  C (PS, p50, "median step")                                                                       \
  C (PS, p90, "90th percentile")                                                                   \
  C (PS, p99, "99th percentile")                                                                   \
  C (COUNT, periods, "steps that come right behind one of the phase")                              \
  C (PS, period_p50, "median, from the end of the work of the step before to that of its own")     \
  C (PS, period_p90, "90th percentile")                                                            \
  C (PS, period_p99, "99th percentile")                                                            \
  C (PS, tpot, "time per output token: median period of decode")                                   \
  C (PS, tpot_least, "of one step alone, at least: the work in it")                                \
  C (PS, itl_p50, "time between tokens, with prefills in between: median")                         \
  C (PS, itl_p99, "99th percentile")                                                               \
  C (TEXT, reason, "why something is unknown")
NPROF_TABLE_ROW (phases, PHASES)

#define SERVER_STEPS(C)                                                                            \
  C (KEY, device, "device or core")                                                                \
  C (INT_KEY, step, "from 0, as they begin")                                                       \
  C (STRING, phase, "prefill, decode, mixed, verify, draft, diffusion")                            \
  C (PS, start, "on the device")                                                                   \
  C (PS, duration, "on the device")                                                                \
  C (PS, period, "from the end of the work of the step before, of the same phase, to its own")     \
  C (PS, between, "time since the work of the last step that gave tokens")                         \
  C (COUNT, requests, "in its batch")                                                              \
  C (COUNT, context_tokens, "tokens")                                                              \
  C (COUNT, generation_tokens, "tokens")                                                           \
  C (COUNT, context_keys, "tokens attended to, of prefill")                                        \
  C (COUNT, generation_keys, "tokens attended to, of decode")                                      \
  C (COUNT, kernels, "kernels, copies, sets")                                                      \
  C (PS, busy, "work in it")                                                                       \
  C (RATIO, in_graph, "of the time of this work: what replays of graphs ran")
NPROF_TABLE_ROW (server_steps, SERVER_STEPS)
