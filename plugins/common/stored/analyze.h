/* SPDX-License-Identifier: Apache-2.0 */
/* analyze.h - the tables of a part of a stored profile: a run of analyzers over its rows, in this
 * process or apart. */
#pragma once

#include "plugin/registry.h"
#include "run/config.h"
#include "table/table-store.h"

typedef struct {
  NpRegistry *registry; /* whose plugins are open already: threads only read it */
  char *profile;        /* folder                                               */
  GPtrArray *analyzers; /* of char *, as option -a takes them                   */
  GPtrArray *tables;    /* of char *: whose rows are kept; NULL: of all         */
  gboolean alone;       /* without those of a report                            */
  gboolean apart;       /* in a process of their own, whosever they are         */
  NpSelection selection;
} NpAnalysis;

NpAnalysis *np_analysis_new (NpRegistry *registry, const char *profile);
void np_analysis_free (NpAnalysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpAnalysis, np_analysis_free)
/* Selects [from, to] in ps, to whose edges sums are cut. */
void np_analysis_clip (NpAnalysis *analysis, gint64 from, gint64 to);

/* Returns a text that no other analysis has; transfer full. */
char *np_analysis_key (const NpAnalysis *analysis);

/* Makes the tables, once of each analysis; transfer full. NULL: *status is an NpExit, and *said the
 * errors, transfer full. `stop` is asked now and then; TRUE ends the run. Where one analyzer is
 * not nprof's own, or `apart` is set, all run in a process of theirs, which they may end.
 * [any-thread] */
NpTableStore *np_analyze (NpAnalysis *analysis, gboolean (*stop) (gpointer user), gpointer user,
                          int *status, char **said);
