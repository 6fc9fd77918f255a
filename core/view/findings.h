/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what stands out in a stored profile, for the page of nprof view and for nprof
 * report. */
#pragma once

#include <glib.h>

typedef struct {
  char *answer; /* that says it; "": none does */
  char *rule, *threshold, *table, *widget;
  char *source;    /* of at_stake */
  char *text;      /* one sentence */
  char *detail;    /* what the table says of it; NULL: nothing more */
  double factor;   /* at least so many times faster is what it holds up; NAN: unknown */
  char *gain;      /* the same in words, with its condition; NULL: unknown */
  char *advice;    /* what to try; NULL: nothing is known */
  gint64 at_stake; /* ps; negative: it has no time, and `source` says why */
  gint64 t0, t1;   /* ps: where its evidence lies */
  guint64 more;    /* things that break the rule as well, and are not told */
} NpFinding;

void np_finding_free (gpointer finding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpFinding, np_finding_free)

/* Returns all findings of profile folder/id, of NpFinding, those with most time at stake first;
 * of_part: of rows that were selected, which breaks no rule of what the file states of all.
 * Transfer full. NULL with an error (NP_EXIT_INPUT): it cannot be read. */
GPtrArray *np_findings_of_profile (const char *folder, const char *id, gboolean of_part,
                                   GError **error);
