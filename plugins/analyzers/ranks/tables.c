/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the tables of the analyzer: their columns. */
#include "ranks.h"

/* clang-format off */
#define KEY(type, name, help) NPROF_KEY_COLUMN (type, name, "", help)
#define VALUE(type, name, help) NPROF_VALUE_COLUMN (type, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)

const struct nprof_table job_table = {
  .size = sizeof job_table,
  .name = "job",
  .title = "Job",
  .note = "late: the first of the stragglers. end_spread: what the ends of a collective differ by.",
  .columns = NPROF_COLUMNS (
      VALUE (NPROF_INT64, "ranks", "that were read"),
      VALUE (NPROF_INT64, "expected", "that there are, as the profiles say"),
      VALUE (NPROF_TEXT, "missing", "numbers of ranks that were not read, or none"),
      VALUE (NPROF_TEXT, "incomplete", "numbers of ranks of which some collectives cannot be counted, or none"),
      VALUE (NPROF_TEXT, "late", "the first of the stragglers and its cause, or nobody"),
      PS ("end_spread_ns", "what the ends of a collective differ by, median"),
      VALUE (NPROF_INT64, "violations", "collectives that somebody ends before all have begun"),
      VALUE (NPROF_INT64, "checked", "collectives of which that was tried"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mfu", "1", "model flops of all ranks / what they could do in their spans"),
      VALUE (NPROF_TEXT, "mfu_unknown", "of which ranks it is unknown, and why, or none"),
      VALUE (NPROF_TEXT, "gain_unknown", "why gain_ns of table ranks is unknown, or none")),
};

const struct nprof_table rank_spread_table = {
  .size = sizeof rank_spread_table,
  .name = "rank_spread",
  .title = "Times of ranks",
  .note = "Least, median and most of the ranks that were read.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "time", "exposed, compute, communication, idle, busy, span: as in table ranks"),
      VALUE (NPROF_INT64, "ranks", "that were read"),
      PS ("min_ns", "of ranks"),
      VALUE (NPROF_INT64, "min_rank", "rank"),
      PS ("p50_ns", "of ranks"),
      PS ("max_ns", "of ranks"),
      VALUE (NPROF_INT64, "max_rank", "rank")),
};

const struct nprof_table ranks_table = {
  .size = sizeof ranks_table,
  .name = "ranks",
  .title = "Ranks",
  .note = "Times are unions. Ranks of one role do the same operators as often in a step. gain: by the own time of ranks in "
          "whole steps, which is what is no exposed collective.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_INT64, "rank", "number"),
      VALUE (NPROF_TEXT, "host", "name"),
      VALUE (NPROF_TEXT, "device", "label"),
      VALUE (NPROF_TEXT, "role", "ranks of one role do the same"),
      VALUE (NPROF_TEXT, "file", "name"),
      VALUE (NPROF_INT64, "steps", "whole ones"),
      PS ("span_ns", "first to last work of the device"),
      PS ("busy_ns", "anything runs"),
      PS ("compute_ns", "something computes"),
      PS ("communication_ns", "a collective runs"),
      PS ("exposed_ns", "collectives and copies, while nothing computes"),
      PS ("idle_ns", "nothing runs"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mfu", "1", "model flops / (peak * span), as table devices says"),
      VALUE (NPROF_BOOL, "representative", "of its role"),
      VALUE (NPROF_STRING, "state", "complete; incomplete: some of its collectives cannot be counted; missing"),
      PS ("gain_ns", "how much shorter steps would be if it took no longer than the slowest other"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "gain_share", "1", "gain_ns of the job's steps, each as long as on its slowest rank")),
};

const struct nprof_table stragglers_table = {
  .size = sizeof stragglers_table,
  .name = "stragglers",
  .title = "Stragglers",
  .note = "Who made others wait. Without a row nobody was late by more than ranks always differ.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_TEXT, "who", "rank or group"),
      VALUE (NPROF_STRING, "cause", "compute, host, copy: of a rank; network: of a group"),
      VALUE (NPROF_INT64, "collectives", "that were late for this"),
      VALUE (NPROF_INT64, "last", "of them it was itself the last in"),
      PS ("late_ns", "sum over them, first to last rank"),
      PS ("cost_ns", "time of others, at most"),
      PS ("gain_ns", "if only the last of each were on time"),
      VALUE (NPROF_INT64, "steps", "in which that was"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "late_ns of the time of all steps")),
};

const struct nprof_table job_collectives_table = {
  .size = sizeof job_collectives_table,
  .name = "job_collectives",
  .title = "Collectives of the job",
  .note = "late_ns by durations, which no clock changes: who comes last waits least.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "group", "of ranks"),
      KEY (NPROF_INT64, "sequence", "number in the group, or in its step"),
      VALUE (NPROF_INT64, "step", "number"),
      VALUE (NPROF_STRING, "collective", "kind"),
      VALUE (NPROF_STRING, "dtype", "of the elements"),
      VALUE (NPROF_INT64, "elements_in", "of a rank"),
      VALUE (NPROF_INT64, "elements_out", "of a rank"),
      VALUE (NPROF_INT64, "size", "ranks of the group"),
      VALUE (NPROF_INT64, "seen", "ranks that have it"),
      VALUE (NPROF_INT64, "last", "rank"),
      PS ("late_ns", "of the last one, after the first"),
      PS ("gain_ns", "over the one before"),
      PS ("transfer_ns", "shortest duration"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "bus_bandwidth", "byte/s", "by transfer"),
      PS ("exposed_ns", "of all ranks"),
      PS ("cost_ns", "of all ranks, at most"),
      VALUE (NPROF_TEXT, "who", "is at fault"),
      VALUE (NPROF_STRING, "cause", "why"),
      VALUE (NPROF_BOOL, "valid", "all ranks have it, and agree what it was")),
};

const struct nprof_table collective_calls_table = {
  .size = sizeof collective_calls_table,
  .name = "collective_calls",
  .title = "Collectives of ranks",
  .note = "Each collective of each rank, with option calls=yes. Those are one of which all keys but the rank are equal.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_INT64, "rank", "number"),
      KEY (NPROF_STRING, "group", "of ranks"),
      KEY (NPROF_STRING, "group_ranks", "as the file lists them"),
      KEY (NPROF_BOOL, "p2p", "send or receive"),
      KEY (NPROF_INT64, "sequence", "number that the file states"),
      KEY (NPROF_INT64, "step", "number"),
      KEY (NPROF_INT64, "ordinal", "number in its step, else in the capture, where the file states none"),
      KEY (NPROF_STRING, "signature", "what, type, elements in and out"),
      PS ("start_ns", "by the clock of the rank"),
      PS ("duration_ns", "of it"),
      PS ("exposed_ns", "while nothing computes")),
};

const struct nprof_table groups_table = {
  .size = sizeof groups_table,
  .name = "groups",
  .title = "Groups of ranks",
  .note = "",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "group", "name"),
      VALUE (NPROF_TEXT, "label", "what the program calls it, and its ranks"),
      VALUE (NPROF_INT64, "size", "ranks"),
      VALUE (NPROF_INT64, "seen", "ranks"),
      VALUE (NPROF_INT64, "collectives", "of the group"),
      VALUE (NPROF_INT64, "complete", "seen by all"),
      VALUE (NPROF_INT64, "invalid", "that somebody ends before all have begun, of those whose times are kept"),
      PS ("transfer_ns", "sum of shortest durations"),
      PS ("late_ns", "sum, first to last rank"),
      PS ("exposed_ns", "sum over ranks")),
};

const struct nprof_table clocks_table = {
  .size = sizeof clocks_table,
  .name = "clocks",
  .title = "Clocks",
  .note = "Reference time = local - offset_ns - drift_ppm x (local - at_unix_ns) / 10^6.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "clock", "host, or rank"),
      VALUE (NPROF_TEXT, "ranks", "on it"),
      PS ("offset_ns", "ahead of the first clock"),
      VALUE (NPROF_INT64, "at_unix_ns", "Unix time at which that holds"),
      VALUE (NPROF_DOUBLE, "drift_ppm", "faster than the first clock"),
      PS ("low_ns", "the offset is no less: nobody ends before all have begun"),
      PS ("high_ns", "and no more"),
      VALUE (NPROF_INT64, "collectives", "it follows from"),
      PS ("spread_ns", "median distance of ends"),
      VALUE (NPROF_INT64, "component", "clocks that are joined by collectives")),
};

const struct nprof_table rank_steps_table = {
  .size = sizeof rank_steps_table,
  .name = "rank_steps",
  .title = "Steps of ranks",
  .note = "",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_INT64, "rank", "number"),
      KEY (NPROF_INT64, "step", "number"),
      PS ("start_ns", "by the common clock, from the first of all"),
      PS ("duration_ns", "of the window"),
      PS ("compute_ns", "something computes"),
      PS ("exposed_ns", "collectives and copies, while nothing computes"),
      PS ("copy_ns", "of them copies alone"),
      PS ("idle_ns", "nothing runs")),
};

const struct nprof_table step_skew_table = {
  .size = sizeof step_skew_table,
  .name = "step_skew",
  .title = "Steps over ranks",
  .note = "",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_INT64, "step", "number"),
      VALUE (NPROF_INT64, "ranks", "that have it"),
      PS ("begin_skew_ns", "first to last rank"),
      PS ("end_skew_ns", "first to last rank"),
      VALUE (NPROF_INT64, "slowest", "rank"),
      PS ("longest_ns", "its step"),
      PS ("median_ns", "of all ranks")),
};

const struct nprof_table rank_operators_table = {
  .size = sizeof rank_operators_table,
  .name = "rank_operators",
  .title = "Operators over ranks",
  .note = "Each rank is one number: what the operator took on it.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "role", "of the ranks"),
      KEY (NPROF_STRING, "operator", "name"),
      KEY (NPROF_STRING, "category", "of the rows"),
      VALUE (NPROF_INT64, "ranks", "that have it"),
      VALUE (NPROF_INT64, "count", "calls"),
      PS ("total_ns", "sum"),
      PS ("p50_ns", "of ranks"),
      PS ("p90_ns", "of ranks"),
      PS ("p99_ns", "of ranks"),
      PS ("max_ns", "of ranks"),
      VALUE (NPROF_INT64, "max_rank", "rank"),
      PS ("spread_ns", "most less median"),
      VALUE (NPROF_INT64, "outliers", "ranks beyond 2 % of the median and 5 times the usual distance"),
      VALUE (NPROF_TEXT, "method", "exact")),
};
/* clang-format on */
