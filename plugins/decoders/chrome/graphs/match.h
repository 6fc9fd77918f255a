/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - finds which launch of a plan each kernel of a replay is, by names alone.  A plan is the
 * launches of one capture, or a run without graphs; a replay is the work of one launch of a graph.
 * Pure: knows numbers of names, nothing of files. */
#pragma once

#include "profile/graph-match.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
  const guint32 *keys; /* numbers of names; 0: the capture does not say it */
  guint n;
  bool is_run; /* it is longer than a replay */
} GraphPlanKeys;

typedef struct {
  const guint32 *keys, *streams;
  guint n;
} GraphReplayKeys;

#define GRAPH_NO_PLACE G_MAXUINT32

typedef struct {
  GraphMatch match;
  guint edits;
  guint32 *place; /* by kernel of the replay: its launch in the plan; GRAPH_NO_PLACE: none */
  guint32 *other; /* the same from the other end, by as few edits; NULL: there is one way alone */
} GraphFit;

/* Returns whether the names of a replay do not contradict what a plan without names says. */
typedef bool (*GraphAgrees) (gconstpointer plan, const GraphReplayKeys *replay);

/* Appends every way in which the replay follows the plan; `fits` is of GraphFit, which owns
 * `place`. */
void graph_fits (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GraphAgrees agrees,
                 gconstpointer user, GArray *fits);
void graph_fit_clear (gpointer fit);
