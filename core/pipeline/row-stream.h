/* SPDX-License-Identifier: Apache-2.0 */
/* row-stream.h - delivers one stream of rows (the decoded ones, or those of one analyzer) to
 * analyzers and sinks, each in the order that it asked for. */
#pragma once

#include "base/free-later.h"
#include "pipeline/sink-thread.h"
#include "sort/sorter.h"

typedef struct NpRowStream NpRowStream;

/* The audience gets the rows of a stream; with a selection there are two streams of decoded
 * rows. */
typedef enum {
  NP_AUDIENCE_ALL,
  NP_AUDIENCE_SELECTED, /* all but analyzers with NPROF_ANALYZER_CONTEXT            */
  NP_AUDIENCE_CONTEXT   /* these alone; rows that are left out come hidden          */
} NpAudience;

/* Rows go to the analyzers from number `first` on and to all sinks, of these to the given
 * audience. */
NpRowStream *np_row_stream_new (NpRun *run, GPtrArray *analyzers, guint first, GPtrArray *sinks,
                                NpAudience audience);
/* Its batches say who made them: 0 the decoders, else 1 + the number of an analyzer. */
void np_row_stream_set_origin (NpRowStream *stream, guint origin);
/* Returns whether the component is given hidden rows. */
gboolean np_reads_context (const struct nprof_component *component);
/* Returns whether it has NPROF_ANALYZER_ANSWERS. */
gboolean np_reads_tables_alone (const struct nprof_component *component);
void np_row_stream_free (NpRowStream *stream);
/* Adds a sealed batch whose tracks have numbers; the caller keeps its reference. */
gboolean np_row_stream_add (NpRowStream *stream, NpBatch *batch, GError **error);
/* Delivers the rows of those that asked for an order, after the last row; `later` frees what held
 * them.  When it returns, FALSE too, no thread of the stream calls a component any more. */
gboolean np_row_stream_end (NpRowStream *stream, NpFreeLater *later, GError **error);
