/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of tables requests and request_list. */
#pragma once

#include <nprof/table.h>

#define REQUESTS(C)                                                                                \
  C (COUNT, requests, "that have spans")                                                           \
  C (COUNT, first_tokens, "of which arrive and are prefilled in the file")                         \
  C (PS, ttft_p50, "time to the first token: median")                                              \
  C (PS, ttft_p99, "99th percentile")                                                              \
  C (PS, ttft_max, "longest")                                                                      \
  C (COUNT, errors, "that ended with an error; they are in no time")                               \
  C (PS, queue_p50, "waiting for a place in the batch: median")                                    \
  C (PS, queue_p99, "99th percentile")                                                             \
  C (PS, queue_max, "longest")                                                                     \
  C (PS, prefill_p50, "scheduled to first token: median")                                          \
  C (PS, prefill_p99, "99th percentile")                                                           \
  C (PS, prefill_max, "longest")                                                                   \
  C (PS, decode_p50, "first to last token: median")                                                \
  C (PS, decode_p99, "99th percentile")                                                            \
  C (PS, decode_max, "longest")                                                                    \
  C (PS, e2e_p50, "arrival to last token: median")                                                 \
  C (PS, e2e_p99, "99th percentile")                                                               \
  C (PS, e2e_max, "longest")                                                                       \
  C (PS, tpot_p50, "time per output token behind the first: median")                               \
  C (PS, tpot_p99, "99th percentile")                                                              \
  C (PS, tpot_max, "longest")                                                                      \
  C (COUNT, prompt_tokens, "of all requests")                                                      \
  C (COUNT, output_tokens, "of all requests")                                                      \
  C (NUMBER, tokens_per_s, "output tokens of these requests / first arrival to last end")          \
  C (STRING, server, "whose words say what the requests are")                                      \
  C (STRING, trace, "inputs whose steps of devices made the first tokens")                         \
  C (PS, ahead_least, "its clock is ahead of that of the requests, at least")                      \
  C (PS, ahead_most, "at most")                                                                    \
  C (TEXT, apart, "why no trace is joined")                                                        \
  C (TEXT, reason, "why something is unknown")
NPROF_TABLE_ROW (requests, REQUESTS)

#define REQUEST_LIST(C)                                                                            \
  C (PS_KEY, arrival, "when it came")                                                              \
  C (KEY, rid, "its id")                                                                           \
  C (KEY, server, "whose words say what it is")                                                    \
  C (BOOL, error, "it ended with an error")                                                        \
  C (PS, ttft, "arrival to first token")                                                           \
  C (PS, queue, "waiting for a place in the batch")                                                \
  C (PS, prefill, "scheduled to first token")                                                      \
  C (PS, decode, "first to last token")                                                            \
  C (PS, e2e, "arrival to last token")                                                             \
  C (PS, tpot, "time per output token behind the first")                                           \
  C (COUNT, prompt_tokens, "of the prompt")                                                        \
  C (COUNT, output_tokens, "of the answer")                                                        \
  C (COUNT, cached_tokens, "of the prompt that were not computed again")                           \
  C (STRING, served_by, "device that made its first token, of which the following tells")          \
  C (PS, prefill_busy, "time in its prefill that the device was busy, for whomever")               \
  C (PS, decode_busy, "time in its decode that the device was busy, for whomever")                 \
  C (COUNT, steps, "of the device from the begin of its prefill to its last token")                \
  C (NUMBER, batch, "requests in these steps, their mean")
NPROF_TABLE_ROW (request_list, REQUEST_LIST)
