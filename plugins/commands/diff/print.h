/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - a comparison as text for people, as Markdown, and as JSON. */
#pragma once

#include "compare.h"
#include "frame.h"

typedef struct {
  const char *const *base, *const *new; /* names of the profiles; end in NULL               */
  gboolean hosts;             /* spans of hosts, since neither side has work of devices        */
  GPtrArray *comparisons;     /* of NpDiffComparison, the device with most rows first          */
  const NpDiffFrames *frames; /* NULL: there are several runs a side                        */
  gboolean other_machine;     /* verdicts are given whatever machine it is                  */
  const char *const *alone;   /* devices that one side has, with the side; ends in NULL       */
  NpDiffLimits limits;
  NpDiffBy by;
  guint top;        /* lines; 0: all                                                 */
  double fail_over; /* NAN: not asked for                                            */
  gboolean strict;
  gboolean full_names; /* in texts: not the short ones of C++ functions                       */
  guint over;          /* sums that are told and over the threshold                     */
  guint64 gaps;        /* rows of both sides that say that events are missing           */
  int status;
} NpDiffReport;

/* Returns the word for samples, steps or runs: "5 steps". */
const char *np_diff_samples_word (const NpDiffSide *side);
/* Returns the periods of a recording without steps, whose length then says nothing; NULL: there are
 * steps, or no periods. */
const NpDiffPeriod *np_diff_period_of (const NpDiffReport *report, const NpDiffComparison *c);
/* Says in one line, without a newline, what could not be told; NULL: everything could. Transfer
 * full. */
char *np_diff_untold_text (const NpDiffReport *report, const NpDiffComparison *comparison);

/* What the verdict is of: the median of the periods of the device that is the slowest of the new
 * profile; where it has none on both sides, the same of the device with most rows, else the mean of
 * its steps, else all its work. */
typedef struct {
  const NpDiffComparison *comparison;
  const NpDiffPeriod *period;        /* NULL: there are none                       */
  const char *of;                    /* "period", "step", "recording", "work"      */
  double base, new, delta, interval; /* ps; NAN: unknown                           */
  NpDiffVerdict verdict;
  guint samples; /* of the side that has fewer */
} NpDiffJudged;
/* Returns FALSE where nothing was compared. */
gboolean np_diff_judged (const NpDiffReport *report, NpDiffJudged *judged);

/* Says which facts of the machines differ; NULL: none. Transfer full. */
char *np_diff_machine_text (const NpDiffReport *report);
/* Says in one sentence whether that became longer, and what made it so; NULL: nothing was compared.
 * Transfer full. */
char *np_diff_sentence (const NpDiffReport *report);

GString *np_diff_text (const NpDiffReport *report, gboolean markdown);
GString *np_diff_json (const NpDiffReport *report);
