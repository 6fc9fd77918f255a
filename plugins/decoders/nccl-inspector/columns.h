/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table collective_log. */
#pragma once

#include <nprof/table.h>

#define COLLECTIVE_LOG(C)                                                                          \
  C (KEY, communicator, "id of the communicator, the same on all its ranks")                       \
  C (KEY, comm_name, "what the program calls it")                                                  \
  C (INT_KEY, rank, "within the communicator")                                                     \
  C (INT_KEY, n_ranks, "of the communicator")                                                      \
  C (KEY, collective, "AllReduce, ..., Send, Recv")                                                \
  C (INT_KEY, sequence, "which one of this kind on this communicator")                             \
  C (INT_KEY, peer, "rank at the other end of a send or receive")                                  \
  C (KEY, host, "name of the machine")                                                             \
  C (INT_KEY, pid, "of the process")                                                               \
  C (BYTES, bytes, "of one rank's part")                                                           \
  C (PS, duration, "longest of its kernels, in whole microseconds, rounded down")                  \
  C (STRING, timing, "what measured it")                                                           \
  C (RATE, algbw, "as NCCL states it")                                                             \
  C (RATE, busbw, "as NCCL states it; off by up to 1 us of duration_ns")
NPROF_TABLE_ROW (collective_log, COLLECTIVE_LOG)
