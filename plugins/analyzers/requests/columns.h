/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table requests. */
#pragma once

#include <nprof/table.h>

#define REQUESTS(C)                                                                                \
  C (COUNT, requests, "that have spans")                                                           \
  C (COUNT, first_tokens, "of which arrive and are prefilled in the file")                         \
  C (PS, ttft_p50, "time to the first token: median")                                              \
  C (PS, ttft_p99, "99th percentile")                                                              \
  C (PS, ttft_max, "longest")                                                                      \
  C (TEXT, reason, "why something is unknown")
NPROF_TABLE_ROW (requests, REQUESTS)
