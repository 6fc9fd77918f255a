/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer-ends.h - analyzers end at the same time where the contract lets them; what they hand on
 * and say waits for the turn of each, so that its order does not depend on threads. */
#pragma once

#include "run/stage-item.h"

typedef struct NpAnalyzerEnds NpAnalyzerEnds;

typedef nprof_status (*NpEndFn) (gpointer user, guint number);

/* `analyzers` are NpInstance, borrowed, of which the first n take part; the first one has its turn.
 * `end` and later `close` are called for each, on threads of this. */
NpAnalyzerEnds *np_analyzer_ends_new (const GPtrArray *analyzers, guint n, NpEndFn end,
                                      void (*close) (gpointer user, guint number), gpointer user);
/* When all have had their turn, waits until all are closed. Else drops what waits, cancels those
 * that hand on more, and waits for them; the caller closes those that are not closed. */
void np_analyzer_ends_free (NpAnalyzerEnds *ends);
/* Starts up to n_threads threads; FALSE: none could be started. */
gboolean np_analyzer_ends_start (NpAnalyzerEnds *ends, guint n_threads);
/* Takes what an analyzer hands on at its end (transfer full); waits where much waits for its
 * turn. */
nprof_status np_analyzer_ends_add (NpAnalyzerEnds *ends, guint number, NpItem *item);

/* Waits for the next item of the analyzer whose turn it is: transfer full; NULL: it has ended, well
 * or not, and all its items are taken.  Not when all have had their turn. */
NpItem *np_analyzer_ends_pop (NpAnalyzerEnds *ends);
/* Returns what that analyzer returned, once pop has returned NULL. */
nprof_status np_analyzer_ends_status (const NpAnalyzerEnds *ends);
/* Goes on to the next one, when the rows and tables of this one have been delivered. */
void np_analyzer_ends_next (NpAnalyzerEnds *ends);
