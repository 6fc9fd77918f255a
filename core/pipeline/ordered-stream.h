/* SPDX-License-Identifier: Apache-2.0 */
/* ordered-stream.h - the rows of a stream that components want in one order: chosen, collected, put
 * in order, delivered.  It has a thread of its own where the run has several, so that orders work
 * beside the decoder and beside each other. */
#pragma once

#include "pipeline/row-chooser.h"

typedef struct NpOrderedStream NpOrderedStream;

/* run_bytes and keep are those of np_sorter_new; keep's keys are taken. fn gets the rows in order,
 * on the ordered stream's thread if it has one. */
NpOrderedStream *np_ordered_stream_new (NpRun *run, guint order, guint64 run_bytes,
                                        const NpProjection *projection, NpSorterFn fn,
                                        gpointer user);
/* Frees the stream; rows that were added but not delivered are dropped. */
void np_ordered_stream_free (NpOrderedStream *ordered);
/* Delivers only rows that some of these analyzers choose; without any, all rows.  Call it before
 * the first row. */
void np_ordered_stream_choose (NpOrderedStream *ordered, NpInstance *analyzer);
/* Adds a sealed batch whose tracks have numbers; the caller keeps its reference. */
gboolean np_ordered_stream_add (NpOrderedStream *ordered, NpBatch *batch, GError **error);
/* Ends adding.  With a thread delivery begins now, else in np_ordered_stream_wait. */
gboolean np_ordered_stream_end (NpOrderedStream *ordered, GError **error);
/* Waits until all rows are delivered; once, after np_ordered_stream_end.  FALSE with the cause. */
gboolean np_ordered_stream_wait (NpOrderedStream *ordered, GError **error);
