/* SPDX-License-Identifier: Apache-2.0 */
/* lost.h - launches of a plan that an aligned replay does not show: the recorder lost their
 * kernels, or their nodes were left out. */
#pragma once

#include "graphs.h"

#include <nprof/table.h>

#define GRAPH_LOST(C)                                                                              \
  C (KEY, graph, "by the number of its kernels")                                                   \
  C (KEY, capture, "recording and capture that have the launch")                                   \
  C (INT_KEY, launch, "its place in the capture, from 0")                                          \
  C (STRING, kernel, "that it launches; the call, where the capture names none")                   \
  C (STRING, operator, "around it")                                                                \
  C (COUNT, replays, "that do not show it")                                                        \
  C (PS, gap_least, "shortest gap of the stream at its place")                                     \
  C (PS, gap_most, "longest")
NPROF_TABLE_ROW (graph_lost, GRAPH_LOST)

typedef struct _GraphLost GraphLost;

/* events: of GraphEvent, of the run; they outlive it. */
GraphLost *graph_lost_new (const GArray *events);
void graph_lost_free (GraphLost *lost);
/* Adds what a replay lacks.  work: its n kernels, by start; place: that of each in the plan, or
 * GRAPH_NO_PLACE. */
void graph_lost_add (GraphLost *lost, const GraphPlan *plan, const GraphEvent *const *work,
                     const guint32 *place, guint n);
nprof_status graph_lost_write (const GraphLost *lost, const Chrome *c);
