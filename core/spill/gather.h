/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - a batch that is filled with rows of blocks.  Rows of many blocks that alternate are
 * only noted at first and then copied column by column, which is far less work than row by row. */
#pragma once

#include "spill/block.h"

typedef struct {
  const NpBlock *block;
  guint32 row;
} NpRowRef;

/* It starts with the pool set, and all else zeros. */
typedef struct {
  NpPool *pool;
  NpBatch *batch; /* NULL: nothing in it                             */
  NpRowRef *refs; /* rows behind those of the batch, not yet copied  */
  guint n_refs;
  guint64 attrs, bytes; /* of both                                         */
} NpGather;

/* Makes sure of a batch.  FALSE: no memory. */
gboolean np_gather_open (NpGather *gather);
static inline guint
np_gather_rows (const NpGather *gather)
{
  return gather->batch ? gather->batch->writer.n_rows + gather->n_refs : 0;
}
static inline guint
np_gather_room (const NpGather *gather)
{
  return gather->batch->writer.max_rows - np_gather_rows (gather);
}
/* Adds rows from .. from + n, for which there is room.  The block must stay as it is until
 * np_gather_settle or np_gather_take.  FALSE: no memory. */
gboolean np_gather_add (NpGather *gather, const NpBlock *block, guint from, guint n);
/* Copies the noted rows.  FALSE: no memory. */
gboolean np_gather_settle (NpGather *gather);
/* Returns the batch, not sealed; transfer full.  NULL: no memory. */
NpBatch *np_gather_take (NpGather *gather);
void np_gather_clear (NpGather *gather);
