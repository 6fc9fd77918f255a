/* SPDX-License-Identifier: Apache-2.0 */
/* sink-thread.h - a sink at work on a thread of its own, behind a bounded queue. */
#pragma once

#include "pipeline/decode.h"

typedef struct NpSinkThread NpSinkThread;

NpSinkThread *np_sink_start (NpInstance *instance); /* opened already; stays the caller's */
/* Hands on a shared item; FALSE when the sink has failed. */
gboolean np_sink_batch (NpSinkThread *sink, NpBatch *batch); /* takes a reference of its own */
gboolean np_sink_chunk (NpSinkThread *sink, NpChunk *chunk);
/* Ends the items with finish or abort; waits for the thread and frees.  FALSE with the cause. */
gboolean np_sink_end (NpSinkThread *sink, gboolean failed, GError **error);
NpInstance *np_sink_instance (NpSinkThread *sink);
