/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what changed between two profiles, or between several runs of two programs: from the
 * tables of runs to verdicts.  The command diff prints it, servers answer with it. */
#pragma once

#include "diff/frame.h"
#include "stored/analyze.h"

/* Returns the analyzers whose tables are compared, as option -a takes them: of work of devices, or
 * of spans of hosts. Transfer full. */
GPtrArray *np_diff_analyzers (NpRegistry *registry, gboolean hosts, NpDiffBy by);
/* Returns the same as an analysis of a stored profile, a folder; transfer full. */
NpAnalysis *np_diff_analysis (NpRegistry *registry, const char *folder, gboolean hosts,
                              NpDiffBy by);

/* Returns an array for what is compared of the runs of a side; transfer full. */
GPtrArray *np_diff_runs_new (void);
/* names: a set that all runs of both sides share. */
void np_diff_runs_add (GPtrArray *runs, const NpTableStore *tables, gboolean hosts,
                       GHashTable *names);
/* Returns whether they have something to compare: where neither side has, spans of hosts are. */
gboolean np_diff_runs_have_work (const GPtrArray *runs);
/* Returns about how much memory they take. */
gsize np_diff_runs_bytes (const GPtrArray *runs);

typedef struct {
  /* Who compares sets these. */
  gboolean hosts;         /* spans of hosts, since neither side has work of devices            */
  gboolean other_machine; /* verdicts are given whatever machine it is                         */
  double fail_over;       /* NAN: not asked for                                                */
  gboolean strict;
  guint64 gaps; /* rows of both sides that say that events are missing; strict asks for them    */

  /* Who prints it sets these. */
  const char *const *base, *const *new; /* names of the profiles; end in NULL                   */
  NpDiffBy by;
  guint top;           /* lines; 0: all                                                         */
  gboolean full_names; /* in texts: not the short ones of C++ functions                         */

  /* np_diff_report_fill sets these. */
  GPtrArray *sides[2];    /* of NpDiffSide                                                      */
  GPtrArray *comparisons; /* of NpDiffComparison, the device with most rows first               */
  NpDiffFrames *frames;   /* NULL: there are several runs a side                                */
  GPtrArray *alone;       /* of char *: devices that one side has, with the side; ends in NULL  */
  NpDiffLimits limits;
  guint over; /* sums that are told and over the threshold                                      */
  int status; /* an NpExit: whether it meets fail_over                                          */
} NpDiffReport;

/* Compares runs, which stay the caller's and must live as long as the report. */
void np_diff_report_fill (NpDiffReport *report, const GPtrArray *base, const GPtrArray *new);
void np_diff_report_clear (NpDiffReport *report);
/* Returns about how much memory it takes, without that of the runs. */
gsize np_diff_report_bytes (const NpDiffReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpDiffReport, np_diff_report_clear)

/* Returns the periods of a recording without steps, whose length then says nothing; NULL: there are
 * steps, or no periods. */
const NpDiffPeriod *np_diff_period_of (const NpDiffReport *report, const NpDiffComparison *c);

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

/* Says why no limit is met although nothing is over it; NULL: changes were judged. */
const char *np_diff_unjudged (const NpDiffReport *report);

/* Says which facts of the machines differ; NULL: none. Transfer full. */
char *np_diff_machine_text (const NpDiffReport *report);
/* Says in one sentence whether that became longer, and what made it so; NULL: nothing was compared.
 * Transfer full. */
char *np_diff_sentence (const NpDiffReport *report);
