/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table phases. */
#pragma once

#include <nprof/table.h>

#define PHASES(C)                                                                                  \
  C (KEY, device, "device or core")                                                                \
  C (KEY, phase, "prefill, decode, mixed, verify, draft, diffusion; none: work in no step")                          \
  C (COUNT, steps, "of the phase")                                                                 \
  C (PS, span, "sum of its steps")                                                                 \
  C (PS, busy, "work in them")                                                                     \
  C (COUNT, requests, "in its steps")                                                              \
  C (COUNT, context_tokens, "tokens")                                                              \
  C (COUNT, generation_tokens, "tokens")                                                           \
  C (COUNT, context_keys, "tokens attended to, of prefill")                                        \
  C (COUNT, generation_keys, "tokens attended to, of decode")                                      \
  C (NUMBER, tokens_per_s, "of both")                                                              \
  C (PS, p50, "median step")                                                                       \
  C (PS, p90, "90th percentile")                                                                   \
  C (PS, p99, "99th percentile")                                                                   \
  C (PS, tpot, "time per output token: median decode step")                                        \
  C (TEXT, reason, "why something is unknown")
NPROF_TABLE_ROW (phases, PHASES)
