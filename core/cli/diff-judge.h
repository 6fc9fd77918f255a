/* SPDX-License-Identifier: Apache-2.0 */
/* diff-judge.h - two samples of operators, operator by operator: slower, faster, the same, or not
 * to be told.
 *
 * Different: p of Mann and Whitney < 0.01, and the medians are further apart than 2 % of the
 * base's and than 3 of its MADs.  Fewer than 5 durations on a side, or none: inconclusive. */
#pragma once

#include "cli/diff-sample.h"

#define NP_DIFF_P 0.01
#define NP_DIFF_SHARE 0.02
#define NP_DIFF_MADS 3.0
#define NP_DIFF_LEAST 5u

typedef enum { NP_SLOWER, NP_FASTER, NP_SAME, NP_INCONCLUSIVE, NP_ADDED, NP_REMOVED, NP_CHANGES } NpChange;

typedef struct {
  const char *name;
  const NpOperator *base, *new; /* NULL: it has none                       */
  double base_median, new_median; /* ps; NAN: none                         */
  double change;                /* of the median, relative; NAN: unknown   */
  double p;                     /* NAN: not computed                       */
  NpChange verdict;
} NpDifference;

/* Of NpDifference, the largest change of self time first, then by name.  Sorts the durations. */
GArray *np_diff_judge (const NpSample *base, const NpSample *new);

/* Does it fail a limit on the growth of medians?  What is inconclusive, or there on one side
 * only, does: nobody knows that it did not become slower. */
gboolean np_diff_fails (const NpDifference *difference, double limit);

const char *np_change_name (NpChange change); /* "slower" */
