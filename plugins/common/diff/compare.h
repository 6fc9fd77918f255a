/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - what changed between two sides: which kernels are compared with which, and the
 * verdicts of kernels, of all that are small, of collectives, of all work, and of the step. */
#pragma once

#include "diff/rule.h"

typedef struct {
  const char *name;    /* kernel, operator or module; NULL: none, as of work under no operator */
  const char *renamed; /* its name in the new profile; NULL: the same                          */
  NpDiffClass kind;
  double share;    /* of the work of a step: the larger of both sides                      */
  const char *why; /* "calls", "calls and time"; NULL: time                                */
  guint first, n;  /* of NpDiffComparison.pairs; n 0: made of others                       */
  guint kernels;   /* of the rest: how many                                                */
  NpDiffResult result;
} NpDiffLine;

typedef struct {
  const NpDiffSide *base, *new;
  GArray *pairs; /* of NpDiffPair; those of a kernel follow each other                   */
  /* of NpDiffLine: kernels with a share, and those of one side alone, largest change of time first
   * */
  GArray *lines;
  guint n_large;   /* kernels with a share */
  GArray *renamed; /* of NpDiffLine: all that have another name, small ones too            */
  gboolean has_rest, has_work, has_communication, has_step;
  NpDiffLine rest, work, communication;
  NpDiffResult step;
  double parts[2][NP_PARTS];  /* ps a step */
  double base_work, new_work; /* ps a step */
  double clocks;     /* all kernels changed alike by so much; NAN: they did not              */
  gboolean per_call; /* recordings of other length: lines are means of a call                */
  gboolean untold;   /* another machine ran: no sum has a verdict                            */
} NpDiffComparison;

NpDiffComparison *np_diff_compare (const NpDiffSide *base, const NpDiffSide *new,
                                   const NpDiffLimits *limits);
void np_diff_comparison_free (NpDiffComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpDiffComparison, np_diff_comparison_free)

typedef enum { NP_DIFF_BY_KERNELS, NP_DIFF_BY_OPS, NP_DIFF_BY_MODULES, NP_DIFF_BY_STEPS } NpDiffBy;

/* Regroups the same pairs by operator or module: lines for people, which decide nothing.  Transfer
 * full. */
GArray *np_diff_regroup (const NpDiffComparison *comparison, NpDiffBy by,
                         const NpDiffLimits *limits);

/* Returns whether times and calls are of a step; else a side has no steps, and they are of all of
 * it. */
gboolean np_diff_is_of_steps (const NpDiffComparison *comparison);
/* Returns whether the recorder of one side alone closed short gaps: its times of work are upper
 * bounds, so none is told to be the same, nor to be less on the other side. */
gboolean np_diff_is_of_two_kinds (const NpDiffComparison *comparison);
/* Returns whether it could be told, and is slower by more than the threshold. */
gboolean np_diff_is_over (const NpDiffResult *result, const NpDiffLimits *limits);
/* Leaves numbers, and says of none that it is slower, faster or the same: another machine ran. */
void np_diff_forget_verdicts (NpDiffComparison *comparison);
/* Counts the lines, rest, communication, work and step that are over a limit. */
guint np_diff_count_over (const NpDiffComparison *comparison, const NpDiffLimits *limits);

/* These could not be told: kernels with their share of the base's work, and whether the step, all
 * work or collectives are among them. */
typedef struct {
  guint kernels;
  double share;
  gboolean step, work, communication;
  guint samples; /* that would tell most of it; 0: unknown */
} NpDiffUntold;
NpDiffUntold np_diff_untold (const NpDiffComparison *comparison, const NpDiffLimits *limits);
/* Returns whether there are any. */
gboolean np_diff_is_untold (const NpDiffComparison *comparison, const NpDiffLimits *limits);
