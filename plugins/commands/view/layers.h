/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - the model's tree over time: of each device a lane for each level of the paths that its
 * rows state or were launched in, and one for the operators of the framework. */
#pragma once

#include "launched.h"

/* Rows of a device that follow each other, in the order in which they begin, and are of the same
 * path. */
typedef struct {
  gint64 start, end, last; /* last: start of the last row */
  gint64 busy;             /* ps: self time of the rows */
  guint32 label, rows;
} NpRun;

/* Runs that do not overlap, in ascending time; those that do have several lanes. */
typedef struct {
  guint32 device; /* index of its track         */
  guint level;    /* from 1; 0: operators       */
  guint depth;    /* of lanes of a level, from 0 */
  GArray *runs;   /* of NpRun                   */
  GArray *pieces; /* of nprof_store_piece: each run, as it is drawn */
} NpLayerLane;

/* A run is called by a path from its root, which rows state or whose modules launched them, or by
 * an operator with its path. */
typedef enum { NP_RUN_LAYER, NP_RUN_MODULE, NP_RUN_OPERATOR } NpRunKind;
typedef struct {
  char *path;
  NpRunKind kind;
} NpLayerLabel;

/* Returns the word that answers have for such a label. */
static inline const char *
np_run_kind_text (NpRunKind kind)
{
  return kind == NP_RUN_OPERATOR ? "operator" : kind == NP_RUN_MODULE ? "module" : "layer";
}

typedef struct NpLayers {
  GPtrArray *lanes;     /* of NpLayerLane, those of a device from the root down */
  GArray *labels;       /* of NpLayerLabel */
  NpLaunched *launched; /* of rows that state no path  */
  const char *unknown;  /* why there is no lane; NULL */
} NpLayers;

void np_layers_free (NpLayers *layers);

/* Returns those of the profile, made when they are first asked for. NULL: the query's error says
 * why. */
const NpLayers *np_layers (NpAsk *ask);
/* Adds the rows of a run to `rows`, of struct nprof_row, at most so many; *total counts all. FALSE:
 * the query's error says why not. */
gboolean np_layers_rows (NpAsk *ask, const NpLayers *layers, const NpLayerLane *lane,
                         const NpRun *run, guint most, GArray *rows, guint64 *total);
