/* SPDX-License-Identifier: Apache-2.0 */
/* ordered-stream.h - the rows of a stream on their way to those who asked for one order: which of them,
 * collected, put in order, delivered.  On a thread of its own where the run has several, so that
 * lanes work beside the decoder and beside each other. */
#pragma once

#include "pipeline/row-chooser.h"

typedef struct NpOrderedStream NpOrderedStream;

/* run_bytes, keep: as in np_sorter_new; keep's keys are taken.  fn gets the rows in order: on the lane's
 * thread if it has one. */
NpOrderedStream *np_ordered_stream_new (NpRun *run, guint order, guint64 run_bytes,
                                        const NpProjection *projection, NpSorterFn fn,
                                        gpointer user);
/* What was added but not delivered is dropped. */
void np_ordered_stream_free (NpOrderedStream *ordered);
/* Before the first row: only rows are delivered that some of these analyzers choose.  Without any:
 * all. */
void np_ordered_stream_choose (NpOrderedStream *ordered, NpInstance *analyzer);
/* A sealed batch whose tracks have numbers; the caller keeps its reference. */
gboolean np_ordered_stream_add (NpOrderedStream *ordered, NpBatch *batch, GError **error);
/* No more rows.  With a thread delivery begins now, else in np_ordered_stream_wait. */
gboolean np_ordered_stream_end (NpOrderedStream *ordered, GError **error);
/* Once, after np_ordered_stream_end: until all is delivered.  FALSE with the cause. */
gboolean np_ordered_stream_wait (NpOrderedStream *ordered, GError **error);
