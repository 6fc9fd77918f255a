/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the tables of the analyzer: their columns. */
#include "ranks.h"

NPROF_TABLE (job, "Job",
             "late: the first of the stragglers. end_spread: what the ends of a collective "
             "differ by.",
             JOB)

NPROF_TABLE (rank_spread, "Times of ranks", "Least, median and most of the ranks that were read.",
             RANK_SPREAD)

NPROF_TABLE (ranks, "Ranks",
             "Times are unions. Ranks of one role do the same operators as often, in a step or in "
             "all. gain: by the own time of ranks in whole steps, which is what is no exposed "
             "collective.",
             RANKS)

NPROF_TABLE (stragglers, "Stragglers",
             "Who made others wait. Without a row nobody was late by more than ranks always "
             "differ.",
             STRAGGLERS)

NPROF_TABLE (job_collectives, "Collectives of the job",
             "late_ns by durations, which no clock changes: who comes last waits least.",
             JOB_COLLECTIVES)

NPROF_TABLE (collective_calls, "Collectives of ranks",
             "Each collective of each rank, with option calls=yes. Those are one of which "
             "all keys but the rank are equal.",
             COLLECTIVE_CALLS)

NPROF_TABLE (groups, "Groups of ranks", "", GROUPS)

NPROF_TABLE (clocks, "Clocks",
             "Reference time = local - offset_ns - drift_ppm x (local - at_unix_ns) / 10^6.",
             CLOCKS)

NPROF_TABLE (rank_steps, "Steps of ranks", "", RANK_STEPS)

NPROF_TABLE (step_skew, "Steps over ranks", "", STEP_SKEW)

NPROF_TABLE (rank_operators, "Operators over ranks",
             "Each rank is one number: what the operator took on it.", RANK_OPERATORS)
