/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - a batch that is filled with rows of blocks.  Rows in any order are only noted at first
 * and then copied column by column, which is far less work than row by row; those that are merged
 * keep their order in each block, and are copied block by block (scatter.c), which is less
 * still. */
#pragma once

#include "rows/projection.h"
#include "spill/block.h"

typedef struct {
  const NpBlock *block;
  guint32 row;
} NpRowRef;

/* These are rows of several blocks that alternate: row k is the next one of block of[k]. */
typedef struct {
  const NpBlock *const *blocks; /* n_blocks, at most NP_MERGED_BLOCKS            */
  guint *next;                  /* row of each; moves as rows are taken          */
  const guint8 *of;
  guint n_blocks;
} NpMerged;
#define NP_MERGED_BLOCKS 256u

/* It starts with the pool set, and all else zeros. */
typedef struct {
  NpPool *pool;
  NpBatch *batch; /* NULL: nothing in it                             */
  NpRowRef *refs; /* rows behind those of the batch, not yet copied  */
  guint n_refs;
  guint16 *places;      /* of rows that alternate, block by block          */
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
/* Copies the first n of these rows, for which there is room.  FALSE: no memory. */
gboolean np_gather_merged (NpGather *gather, const NpMerged *rows, guint n);
/* Copies these rows of a block, for which there is room, and of them what is kept.  FALSE: no
 * memory. */
gboolean np_gather_chosen (NpGather *gather, const NpBlock *block, const guint16 *rows, guint n,
                           const NpProjection *keep);
/* Copies the noted rows.  FALSE: no memory. */
gboolean np_gather_settle (NpGather *gather);
/* Returns the batch, not sealed; transfer full.  NULL: no memory. */
NpBatch *np_gather_take (NpGather *gather);
void np_gather_clear (NpGather *gather);
