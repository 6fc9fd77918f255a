/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer-threads.h - several analyzers that read the rows of one order, side by side: each
 * is on one thread at a time, and sees all batches in their order. */
#pragma once

#include "run/instance.h"

typedef struct NpAnalyzerThreads NpAnalyzerThreads;

/* Starts up to n_threads threads for the analyzers, which are borrowed; NULL: none could be
 * started, and the caller feeds the analyzers itself. */
NpAnalyzerThreads *np_analyzer_threads_new (GPtrArray *analyzers, guint n_threads);
/* Ends the threads; batches that wait are dropped. */
void np_analyzer_threads_free (NpAnalyzerThreads *threads);
/* Gives a batch to all analyzers; the caller keeps its reference, and nobody changes the batch any
 * more.  FALSE: the failure of an earlier batch. */
gboolean np_analyzer_threads_add (NpAnalyzerThreads *threads, NpBatch *batch, GError **error);
/* Waits until all batches are read; of several failures the one counts that one
 * thread would have met first. */
gboolean np_analyzer_threads_end (NpAnalyzerThreads *threads, GError **error);

/* Gives a batch to one analyzer, on this thread. */
gboolean np_analyzer_consume (NpInstance *analyzer, const NpBatch *batch, GError **error);
