/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table hang. */
#pragma once

#include <nprof/table.h>

#define HANG(C)                                                                                    \
  C (KEY, cause, "none, missing, crashed, order, size, dtype, p2p, network, unknown")              \
  C (KEY, group, "process group of the operation")                                                 \
  C (INT_KEY, sequence, "which of the group's operations")                                         \
  C (KEY, collective, "what most of its ranks called")                                             \
  C (INT_KEY, rank, "who is to blame")                                                             \
  C (TEXT, source, "where that rank is: the frame of its own last call")                           \
  C (TEXT, waiting, "ranks that wait in it")                                                       \
  C (PS, since, "when the first of them called it")                                                \
  C (PS, waited, "from then to the last call in any dump; it may be much longer")                  \
  C (INT_IN, timeout, "ms", "after which the watchdog ends the job")                               \
  C (COUNT, entries, "calls that the dumps hold")                                                  \
  C (NOTE, reason, "what was seen, and what is not known")
NPROF_TABLE_ROW (hang, HANG)
