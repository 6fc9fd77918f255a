/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of the tables of analyzer ranks. */
#pragma once

#include <nprof/table.h>

#define JOB(C)                                                                                     \
  C (COUNT, ranks, "that were read")                                                               \
  C (COUNT, expected, "that there are, as the profiles say")                                       \
  C (TEXT, missing, "numbers of ranks that were not read, or none")                                \
  C (TEXT, incomplete, "numbers of ranks of which some collectives cannot be counted, or none")    \
  C (TEXT, late,                                                                                   \
     "the first of the stragglers and its cause, else for whom most was waited, or nobody")        \
  C (TEXT, code,                                                                                   \
     "straggler: ranks wait for a tenth of their steps, and most of it for three of them or "      \
     "fewer; imbalance: for more; none: they wait less")                                           \
  C (COUNT, collectives, "that all ranks of a group have")                                         \
  C (COUNT, waited_in, "of which somebody waits for the last")                                     \
  C (PS, end_spread, "what the ends of a collective differ by, median")                            \
  C (COUNT, violations, "collectives that somebody ends before all have begun")                    \
  C (COUNT, checked, "collectives of which that was tried")                                        \
  C (RATIO, mfu, "model flops of all ranks / what they could do in their spans")                   \
  C (TEXT, mfu_unknown, "of which ranks it is unknown, and why, or none")                          \
  C (TEXT, gain_unknown, "why gain_ns of table ranks is unknown, or none")
NPROF_TABLE_ROW (job, JOB)

#define RANK_SPREAD(C)                                                                             \
  C (KEY, time, "exposed, compute, communication, idle, busy, span: as in table ranks")            \
  C (COUNT, ranks, "that were read")                                                               \
  C (PS, min, "of ranks")                                                                          \
  C (COUNT, min_rank, "rank")                                                                      \
  C (PS, p50, "of ranks")                                                                          \
  C (PS, max, "of ranks")                                                                          \
  C (COUNT, max_rank, "rank")
NPROF_TABLE_ROW (rank_spread, RANK_SPREAD)

#define RANKS(C)                                                                                   \
  C (INT_KEY, rank, "number")                                                                      \
  C (TEXT, host, "name")                                                                           \
  C (TEXT, device, "label")                                                                        \
  C (TEXT, role, "ranks of one role do the same")                                                  \
  C (TEXT, file, "name")                                                                           \
  C (COUNT, steps, "whole ones")                                                                   \
  C (PS, span, "first to last work of the device")                                                 \
  C (PS, busy, "anything runs")                                                                    \
  C (PS, compute, "something computes")                                                            \
  C (PS, communication, "a collective runs")                                                       \
  C (PS, exposed, "collectives and copies, while nothing computes")                                \
  C (PS, idle, "nothing runs")                                                                     \
  C (RATIO, mfu, "model flops / (peak * span), as table devices says")                             \
  C (BOOL, representative, "of its role")                                                          \
  C (STRING, state, "complete; incomplete: some of its collectives cannot be counted; missing")    \
  C (PS, gain, "how much shorter steps would be if it took no longer than the slowest other")      \
  C (RATIO, gain_share, "gain_ns of the job's steps, each as long as on its slowest rank")         \
  C (COUNT, last, "in how many collectives others wait for it")                                    \
  C (PS, waited, "sum over the others of what they wait for it")
NPROF_TABLE_ROW (ranks, RANKS)

#define STRAGGLERS(C)                                                                              \
  C (TEXT_KEY, who, "rank or group")                                                               \
  C (STRING, cause, "compute, host, copy: of a rank; network: of a group")                         \
  C (COUNT, collectives, "that were late for this")                                                \
  C (COUNT, last, "of them it was itself the last in")                                             \
  C (PS, late, "sum over them, first to last rank")                                                \
  C (PS, held, "of that in the group with most: groups may wait at the same time")                 \
  C (PS, cost, "time of others, at most")                                                          \
  C (PS, gain, "if only the last of each were on time")                                            \
  C (COUNT, steps, "in which that was")                                                            \
  C (RATIO, share, "held_ns of the time of all steps")
NPROF_TABLE_ROW (stragglers, STRAGGLERS)

#define JOB_COLLECTIVES(C)                                                                         \
  C (KEY, group, "of ranks")                                                                       \
  C (INT_KEY, sequence, "number in the group, or in its step")                                     \
  C (COUNT, step, "number")                                                                        \
  C (STRING, collective, "kind")                                                                   \
  C (STRING, dtype, "of the elements")                                                             \
  C (COUNT, elements_in, "of a rank")                                                              \
  C (COUNT, elements_out, "of a rank")                                                             \
  C (COUNT, size, "ranks of the group")                                                            \
  C (COUNT, seen, "ranks that have it")                                                            \
  C (COUNT, last, "rank")                                                                          \
  C (PS, late, "of the last one, after the first")                                                 \
  C (PS, gain, "over the one before")                                                              \
  C (PS, transfer, "shortest duration")                                                            \
  C (RATE, bus_bandwidth, "by transfer")                                                           \
  C (PS, exposed, "of all ranks")                                                                  \
  C (PS, cost, "of all ranks, at most")                                                            \
  C (TEXT, who, "is at fault")                                                                     \
  C (STRING, cause, "why")                                                                         \
  C (BOOL, valid, "all ranks have it, and agree what it was")
NPROF_TABLE_ROW (job_collectives, JOB_COLLECTIVES)

#define COLLECTIVE_CALLS(C)                                                                        \
  C (INT_KEY, rank, "number")                                                                      \
  C (KEY, group, "of ranks")                                                                       \
  C (KEY, group_ranks, "as the file lists them")                                                   \
  C (BOOL_KEY, p2p, "send or receive")                                                             \
  C (INT_KEY, sequence, "number that the file states")                                             \
  C (INT_KEY, step, "number")                                                                      \
  C (INT_KEY, ordinal, "number in its step, else in the capture, where the file states none")      \
  C (KEY, signature, "what, type, elements in and out")                                            \
  C (PS, start, "by the clock of the rank")                                                        \
  C (PS, duration, "of it")                                                                        \
  C (PS, exposed, "while nothing computes")
NPROF_TABLE_ROW (collective_calls, COLLECTIVE_CALLS)

#define GROUPS(C)                                                                                  \
  C (KEY, group, "name")                                                                           \
  C (TEXT, label, "what the program calls it, and its ranks")                                      \
  C (COUNT, size, "ranks")                                                                         \
  C (COUNT, seen, "ranks")                                                                         \
  C (COUNT, collectives, "of the group")                                                           \
  C (COUNT, complete, "seen by all")                                                               \
  C (COUNT, invalid, "that somebody ends before all have begun, of those whose times are kept")    \
  C (PS, transfer, "sum of shortest durations")                                                    \
  C (PS, late, "sum, first to last rank")                                                          \
  C (PS, exposed, "sum over ranks")
NPROF_TABLE_ROW (groups, GROUPS)

#define CLOCKS(C)                                                                                  \
  C (KEY, clock, "host, or rank")                                                                  \
  C (TEXT, ranks, "on it")                                                                         \
  C (PS, offset, "ahead of the first clock")                                                       \
  C (COUNT, at_unix_ns, "Unix time at which that holds")                                           \
  C (NUMBER, drift_ppm, "faster than the first clock")                                             \
  C (PS, low, "the offset is no less: nobody ends before all have begun")                          \
  C (PS, high, "and no more")                                                                      \
  C (COUNT, collectives, "it follows from")                                                        \
  C (PS, spread, "median distance of ends")                                                        \
  C (COUNT, component, "clocks that are joined by collectives")
NPROF_TABLE_ROW (clocks, CLOCKS)

#define RANK_STEPS(C)                                                                              \
  C (INT_KEY, rank, "number")                                                                      \
  C (INT_KEY, step, "number")                                                                      \
  C (PS, start, "by the common clock, from the first of all")                                      \
  C (PS, duration, "of the window")                                                                \
  C (PS, compute, "something computes")                                                            \
  C (PS, exposed, "collectives and copies, while nothing computes")                                \
  C (PS, copy, "of them copies alone")                                                             \
  C (PS, idle, "nothing runs")
NPROF_TABLE_ROW (rank_steps, RANK_STEPS)

#define STEP_SKEW(C)                                                                               \
  C (INT_KEY, step, "number")                                                                      \
  C (COUNT, ranks, "that have it")                                                                 \
  C (PS, begin_skew, "first to last rank")                                                         \
  C (PS, end_skew, "first to last rank")                                                           \
  C (COUNT, slowest, "rank")                                                                       \
  C (PS, longest, "its step")                                                                      \
  C (PS, median, "of all ranks")
NPROF_TABLE_ROW (step_skew, STEP_SKEW)

#define RANK_OPERATORS(C)                                                                          \
  C (KEY, role, "of the ranks")                                                                    \
  C (KEY, operator, "name")                                                                        \
  C (KEY, category, "of the rows")                                                                 \
  C (COUNT, ranks, "that have it")                                                                 \
  C (COUNT, count, "calls")                                                                        \
  C (PS, total, "sum")                                                                             \
  C (PS, p50, "of ranks")                                                                          \
  C (PS, p90, "of ranks")                                                                          \
  C (PS, p99, "of ranks")                                                                          \
  C (PS, max, "of ranks")                                                                          \
  C (COUNT, max_rank, "rank")                                                                      \
  C (PS, spread, "most less median")                                                               \
  C (COUNT, outliers, "ranks beyond 2 % of the median and 5 times the usual distance")             \
  C (TEXT, method, "exact")
NPROF_TABLE_ROW (rank_operators, RANK_OPERATORS)
