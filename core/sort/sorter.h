/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h - puts one stream of rows in order: rows are collected into runs of at most
 * 24 MB, a run is sorted only if it needs it, runs that do not overlap are only
 * strung together, the others are merged.  One thread at a time. */
#pragma once

#include "rows/projection.h"
#include "rows/tracks.h"

#define NP_ORDER_RUN_BYTES (24u << 20)

typedef struct NpOrder NpOrder;
typedef gboolean (*NpOrderFn) (NpBatch *batch, gpointer user, GError **error);

/* Rows that come in order already cost one look and one copy; while runs are merged, their
 * blocks take 48 MB at most (more only when single rows of over 20 MB meet).
 * order: NPROF_ORDER_TRACK, NPROF_ORDER_TIME or NPROF_ORDER_DEVICE.  keep: NULL keeps all; its
 * keys must live as long as the order. */
NpOrder *np_order_new (guint order, NpPool *pool, NpTracks *tracks, guint64 run_bytes,
                       const NpKeep *keep);
void np_order_free (NpOrder *order);
/* Copies the rows of a sealed batch; its tracks have their numbers. */
gboolean np_order_add (NpOrder *order, const NpBatch *batch, GError **error);
/* Calls fn with sealed batches in order, each with rows of one input; once, at the end.
 * A batch is lent: fn takes a reference if it keeps it.  Batches are full but where the
 * input changes, or where their attributes exceed 8 MB. */
gboolean np_order_emit (NpOrder *order, NpOrderFn fn, gpointer user, GError **error);
