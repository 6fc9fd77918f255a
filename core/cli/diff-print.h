/* SPDX-License-Identifier: Apache-2.0 */
/* diff-print.h - differences of two profiles for people and programs. */
#pragma once

#include "cli/diff-judge.h"

typedef struct {
  const char *base, *new;       /* how the user calls them                        */
  gboolean device;              /* operators of devices, else spans of hosts      */
  const NpSample *of_base, *of_new;
  const GArray *differences;    /* of NpDifference                                */
  guint top;                    /* 0: all                                         */
  double limit;                 /* of --fail-over; NAN: none                      */
} NpDiff;

/* format: "plain", "markdown" or "json".  Transfer full. */
GString *np_diff_print (const NpDiff *diff, const char *format);

typedef struct {
  gint64 base, new;             /* self times, ps                                 */
  guint n[NP_CHANGES];          /* operators, by verdict                          */
  guint failed;                 /* of them, the limit                             */
} NpDiffSums;
NpDiffSums np_diff_sum (const NpDiff *diff);
guint np_diff_shown (const NpDiff *diff); /* operators, the first ones             */

/* diff-json.c */
GString *np_diff_json (const NpDiff *diff);
