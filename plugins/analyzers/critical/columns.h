/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer critical. */
#pragma once

#include <nprof/table.h>

#define CRITICAL(C)                                                                                \
  C (TEXT_KEY, step, "its name, or the program and which execution of it")                         \
  C (KEY, process, "that announces the step, or the device whose work has no launches")            \
  C (PS, start, "of the window")                                                                   \
  C (PS, duration, "of the window")                                                                \
  C (PS, host, "on the path: spans and gaps of hosts while the device idles")                      \
  C (PS, launch, "the same: from the end of the call to the start of the work")                    \
  C (PS, compute, "on the path")                                                                   \
  C (PS, communication, "on the path")                                                             \
  C (PS, copy, "on the path")                                                                      \
  C (PS, queue, "on the path: waits for the queue or an event")                                    \
  C (PS, unknown, "on the path: the file does not say what was waited for")                        \
  C (PS, unrecorded, "on the path: waits for work that is not in the file")                        \
  C (PS, host_raw, "on the path: of hosts and launches, also while the device works")              \
  C (STRING, verdict, "as in table bound")                                                         \
  C (COUNT, hand_offs, "from thread to thread, inferred")                                          \
  C (COUNT, unlinked, "work in the window whose launch is not in the file")
NPROF_TABLE_ROW (critical, CRITICAL)

#define BOUND(C)                                                                                   \
  C (TEXT_KEY, step, "its name, or the program and which execution of it")                         \
  C (KEY, process, "that announces the step, or the device whose work has no launches")            \
  C (STRING, verdict,                                                                              \
     "host, input, launch, compute, memory-bandwidth, communication, copy, queue, mixed, "         \
     "unknown")                                                                                    \
  C (RATIO, share, "of the window")                                                                \
  C (STRING, second, "next largest")                                                               \
  C (RATIO, second_share, "of the window")                                                         \
  C (NOTE, evidence, "one sentence")                                                               \
  C (STRING, code, "undetermined.not_recorded: rows that would tell what worked are missing")      \
  C (COUNT, of_steps, "among so many of the process it was chosen to be walked")                   \
  C (PS, of, "sum of their windows")                                                               \
  C (STRING, share_of,                                                                             \
     "what the shares are of: critical path, or device time, of the window both")
NPROF_TABLE_ROW (bound, BOUND)

#define CRITICAL_PATH(C)                                                                           \
  C (TEXT_KEY, step, "its name, or the program and which execution of it")                         \
  C (KEY, process, "that announces the step, or the device whose work has no launches")            \
  C (INT_KEY, position, "from 0")                                                                  \
  C (PS, start, "of the segment")                                                                  \
  C (PS, duration, "of the segment")                                                               \
  C (STRING, class,                                                                                \
     "host_op, host_api, host_gap, sync_return, sync_other, launch, compute, communication, "      \
     "copy, queue_gap, wait_gap, unrecorded, unknown")                                             \
  C (STRING, name, "of the span, or of the work that a gap is before")                             \
  C (STRING, category, "of the span")                                                              \
  C (STRING, track, "where")                                                                       \
  C (COUNT, count, "segments")
NPROF_TABLE_ROW (critical_path, CRITICAL_PATH)

#define WHAT_IF(C)                                                                                 \
  C (TEXT_KEY, step, "its name, or the program and which execution of it")                         \
  C (KEY, process, "that announces the step, or the device whose work has no launches")            \
  C (KEY, operator, "name")                                                                        \
  C (KEY, category, "of its rows")                                                                 \
  C (DOUBLE_KEY, factor, "how much faster; 0: free")                                               \
  C (PS, total, "sum of its rows")                                                                 \
  C (PS, critical, "of which on the path")                                                         \
  C (PS, gain, "by replay")                                                                        \
  C (PS, bound, "critical * (1 - 1 / factor)")
NPROF_TABLE_ROW (what_if, WHAT_IF)
