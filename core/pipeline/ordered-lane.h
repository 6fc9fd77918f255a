/* SPDX-License-Identifier: Apache-2.0 */
/* ordered-lane.h - the rows of a stream on their way to those who asked for one order: which of them,
 * collected, put in order, delivered.  On a thread of its own where the run has several, so that
 * lanes work beside the decoder and beside each other. */
#pragma once

#include "pipeline/row-chooser.h"

typedef struct NpLane NpLane;

/* run_bytes, keep: as in np_order_new; keep's keys are taken.  fn gets the rows in order: on the lane's
 * thread if it has one. */
NpLane *np_lane_new (NpRun *run, guint order, guint64 run_bytes, const NpKeep *keep, NpOrderFn fn,
                     gpointer user);
/* What was added but not delivered is dropped. */
void np_lane_free (NpLane *lane);
/* Before the first row: only rows are delivered that some of these analyzers choose.  Without any:
 * all. */
void np_lane_choose (NpLane *lane, NpInstance *analyzer);
/* A sealed batch whose tracks have numbers; the caller keeps its reference. */
gboolean np_lane_add (NpLane *lane, NpBatch *batch, GError **error);
/* No more rows.  With a thread delivery begins now, else in np_lane_wait. */
gboolean np_lane_end (NpLane *lane, GError **error);
/* Once, after np_lane_end: until all is delivered.  FALSE with the cause. */
gboolean np_lane_wait (NpLane *lane, GError **error);
