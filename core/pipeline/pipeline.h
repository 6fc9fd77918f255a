/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.h - the thread that delivers: takes the decoded batches of one input after the
 * other, aligns their times, selects, numbers tracks, and hands rows and tables to
 * analyzers and sinks, each in the order that it asked for. */
#pragma once

#include "pipeline/decode.h"
#include "pipeline/sink-thread.h"

typedef struct NpPipeline NpPipeline;

/* `analyzers` are NpInstance, and there will be n of them; `sinks` are NpSinkThread; both are
 * opened, in command order. */
NpPipeline *np_pipeline_new (NpRun *run, guint n_analyzers, GPtrArray *analyzers, GPtrArray *sinks);
void np_pipeline_free (NpPipeline *pipeline);

/* Returns the feed that takes the rows and tables of analyzer i. */
NpFeed np_pipeline_feed (NpPipeline *pipeline, guint analyzer);

/* Decodes all inputs, in order. */
gboolean np_pipeline_decode (NpPipeline *pipeline, GError **error);
/* Delivers ordered rows, ends the analyzers, and delivers their rows and the core's tables. */
gboolean np_pipeline_finish (NpPipeline *pipeline, GError **error);
