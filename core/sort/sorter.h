/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h - puts one stream of rows in order: rows are collected into runs of at most 24 MB, a run
 * is sorted only if it needs it, runs that do not overlap are only joined, the others are merged.
 * One thread at a time. */
#pragma once

#include "rows/projection.h"
#include "rows/tracks.h"

#define NP_SORT_RUN_BYTES (24u << 20)

typedef struct NpSorter NpSorter;
typedef gboolean (*NpSorterFn) (NpBatch *batch, gpointer user, GError **error);

/* Rows that come in order already cost one look and one copy; while runs are merged, their blocks
 * take 48 MB at most (more only when single rows of over 20 MB meet).  `order` is
 * NPROF_ORDER_TRACK, NPROF_ORDER_TIME or NPROF_ORDER_DEVICE.  `keep` is NULL to keep all; its keys
 * must live as long as the sorter. */
NpSorter *np_sorter_new (guint order, NpPool *pool, NpTracks *tracks, guint64 run_bytes,
                         const NpProjection *projection);
void np_sorter_free (NpSorter *order);
/* Copies the rows of a sealed batch; its tracks have their numbers. */
gboolean np_sorter_add (NpSorter *order, const NpBatch *batch, GError **error);
/* Calls fn with sealed batches in order, each with rows of one input; once, at the end.  A batch is
 * lent: fn takes a reference if it keeps it.  Batches are full except where the input changes, or
 * where their attributes exceed 8 MB. */
gboolean np_sorter_emit (NpSorter *order, NpSorterFn fn, gpointer user, GError **error);
