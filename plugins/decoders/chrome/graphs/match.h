/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - finds which launch of a plan each kernel of a replay is, by names alone.  A plan is the
 * launches of one capture, or a run without graphs; a replay is the work of one launch of a graph.
 * Pure: knows numbers of names, nothing of files. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* How surely, the least sure first.  NODE: an annotation of its node names the module alone; NAME: all launches of that name have one operator; POSITION: the
 * capture names no kernels, and counts and families agree; ORDER: the n-th of a name is the n-th of
 * that name; ALIGNED: by the least edits; EXACT: the sequences are equal. */
typedef enum {
  GRAPH_NONE,
  GRAPH_NODE,
  GRAPH_NAME,
  GRAPH_POSITION,
  GRAPH_ORDER,
  GRAPH_ALIGNED,
  GRAPH_EXACT,
  N_GRAPH_MATCHES
} GraphMatch;

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
} GraphFit;

/* Returns whether the names of a replay do not contradict what a plan without names says. */
typedef bool (*GraphAgrees) (gconstpointer plan, const GraphReplayKeys *replay);

/* Appends every way in which the replay follows the plan; `fits` is of GraphFit, which owns `place`. */
void graph_fits (const GraphPlanKeys *plan, const GraphReplayKeys *replay, GraphAgrees agrees,
                 gconstpointer user, GArray *fits);
void graph_fit_clear (gpointer fit);

/* Returns what is stated as graph_match; static. */
const char *graph_match_word (GraphMatch match);
