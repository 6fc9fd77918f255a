/* SPDX-License-Identifier: Apache-2.0 */
/* rule.h - decides whether one sum of two profiles is slower, faster or the same.
 * nprof-diff(1) states the rule and why it is as it is.  Pure: no input, no output, no random
 * numbers. */
#pragma once

#include "diff/side.h"

/* These are the chances of a wrong verdict, most of which the floor takes away again: all listed
 * kernels together, also where noise is assumed; small kernels as one, times the number of lines;
 * the step; communication; all work. */
#define NP_DIFF_ALPHA_LINES 0.008
#define NP_DIFF_ALPHA_ASSUMED 0.004
#define NP_DIFF_ALPHA_REST 0.004
#define NP_DIFF_ALPHA_STEP 0.004
#define NP_DIFF_ALPHA_COMMUNICATION 0.004
#define NP_DIFF_ALPHA_WORK 0.001

/* Smaller changes are no verdict, however sure they are. */
#define NP_DIFF_FLOOR 0.02
#define NP_DIFF_THRESHOLD 0.05
/* Kernels with a smaller share of the work, on both sides, are judged together. */
#define NP_DIFF_SHARE 0.005

typedef enum {
  NP_DIFF_SAME,
  NP_DIFF_SLOWER,
  NP_DIFF_FASTER,
  NP_DIFF_ADDED,
  NP_DIFF_REMOVED,
  NP_DIFF_NOT_TOLD,
  NP_DIFF_VERDICTS
} NpDiffVerdict;
const char *np_diff_verdict_name (NpDiffVerdict verdict);

/* These series of both sides are compared as one; NULL: that side has none. */
typedef struct {
  const NpDiffSeries *base, *new;
} NpDiffPair;

typedef struct {
  double threshold, floor;
  double parts; /* alphas are divided by it: devices that are compared */
} NpDiffLimits;

typedef struct {
  double base, new;             /* ps a step                                        */
  double delta;                 /* new / base - 1; NAN: base is 0                   */
  double error, df;             /* standard error of ln (new / base), and its degrees of freedom */
  double common;                /* standard error by what few steps may hide; 0: nothing        */
  double interval;              /* half of the 95 % interval of delta; NAN: unknown */
  double base_calls, new_calls; /* rows a step; NAN: it is no sum of rows     */
  gboolean assumed;             /* one step on both sides: the noise is assumed     */
  double least;                 /* |delta| from which a verdict is given            */
  NpDiffVerdict verdict;
} NpDiffResult;

/* This is the noise of single calls where both sides have but one step, from the pair itself. */
typedef struct NpDiffNoise NpDiffNoise;
/* `pairs` holds NpDiffPair. */
NpDiffNoise *np_diff_noise_new (const GArray *pairs);
void np_diff_noise_free (NpDiffNoise *noise);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpDiffNoise, np_diff_noise_free)
/* Returns the relative standard deviation of a call of `ps`. */
double np_diff_noise_of (const NpDiffNoise *noise, NpDiffClass kind, double ps);

/* Tests the sums over n pairs.  `noise` is needed when both sides have one sample; `noisy`: the sum
 * is of collectives alone. */
NpDiffResult np_diff_test (const NpDiffSide *base, const NpDiffSide *new, const NpDiffPair *pairs,
                           guint n, const NpDiffNoise *noise, gboolean noisy, double alpha,
                           const NpDiffLimits *limits);
/* Widens the error of a sum to what its calls changed unlike each other, where that is much
 * more. */
void np_diff_widen (NpDiffResult *result, const NpDiffPair *pairs, guint n);
/* Tests the windows of steps; with one on each side the noise is unknown, so nothing is compared
 * but that they are equal. per_call: recordings of other length, of which nothing can be told. */
NpDiffResult np_diff_test_step (const NpDiffSide *base, const NpDiffSide *new, gboolean per_call,
                                double alpha, const NpDiffLimits *limits);
/* Tests two sides of which one is longer than the other, or has no steps, by the means of a
 * call. */
NpDiffResult np_diff_test_calls (const NpDiffPair *pairs, guint n, double alpha,
                                 const NpDiffLimits *limits);
