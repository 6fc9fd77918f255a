/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - delivers one stream of rows (the decoded ones, or those of one analyzer) to
 * analyzers and sinks, each in the order that it asked for. */
#pragma once

#include "order.h"
#include "sinks.h"

typedef struct NpStream NpStream;

/* To analyzers from number `first` on, and to all sinks. */
NpStream *np_stream_new (NpRun *run, GPtrArray *analyzers, guint first, GPtrArray *sinks);
void np_stream_free (NpStream *stream);
/* A sealed batch whose tracks have numbers; the caller keeps its reference. */
gboolean np_stream_add (NpStream *stream, NpBatch *batch, GError **error);
/* After the last: the rows of those that asked for an order. */
gboolean np_stream_end (NpStream *stream, GError **error);
