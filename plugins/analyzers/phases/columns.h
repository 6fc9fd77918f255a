/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table phases. */
#pragma once

#include <nprof/table.h>

#define PHASES(C)                                                                                  \
  C (KEY, device, "device or core")                                                                \
  C (KEY, phase, "prefill, decode, mixed, verify, draft, diffusion; none: work in no step")        \
  C (COUNT, steps, "of the phase")                                                                 \
  C (PS, span, "sum of its steps")                                                                 \
  C (PS, busy, "work in them")                                                                     \
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
