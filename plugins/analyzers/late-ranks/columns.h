/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - the columns of table late_ranks. */
#pragma once

#include <nprof/table.h>

#define LATE_RANKS(C)                                                                              \
  C (INT_KEY, rank, "within the largest communicator of the process")                              \
  C (KEY, host, "name of the machine")                                                             \
  C (INT_KEY, pid, "of the process")                                                               \
  C (COUNT, collectives, "of which all ranks are there, and which wait for all")                   \
  C (COUNT, last, "of which it came last, and clearly so")                                         \
  C (PS, caused, "time that the others waited for it in these, summed over them")                  \
  C (PS, waited, "time that it waited for others")                                                 \
  C (COUNT, lines, "of it in the logs")                                                            \
  C (COUNT, numbers, "that its collectives have, from 0 to the largest of each kind")              \
  C (DOUBT, missing, "of which are not in the file: small, untimed or lost")                       \
  C (NOTE, reason, "why nothing is known of who was late")
NPROF_TABLE_ROW (late_ranks, LATE_RANKS)
