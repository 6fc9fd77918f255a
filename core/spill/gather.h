/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - a batch that is filled with rows of blocks.  Where rows of many blocks alternate they are
 * only noted at first and then copied column by column, which is far less work than row by row. */
#pragma once

#include "spill/block.h"

typedef struct {
  const NpBlock *block;
  guint32 row;
} NpPick;

/* Starts with the pool, all else zeros. */
typedef struct {
  NpPool *pool;
  NpBatch *batch; /* NULL: nothing in it                             */
  NpPick *picks;  /* rows behind those of the batch, not yet copied  */
  guint n_picks;
  guint64 attrs, bytes; /* of both                                         */
} NpFill;

/* Makes sure of a batch.  FALSE: no memory. */
gboolean np_fill_open (NpFill *fill);
static inline guint
np_fill_rows (const NpFill *fill)
{
  return fill->batch ? fill->batch->writer.n_rows + fill->n_picks : 0;
}
static inline guint
np_fill_room (const NpFill *fill)
{
  return fill->batch->writer.max_rows - np_fill_rows (fill);
}
/* Adds rows from .. from + n, for which there is room.  The block must stay as it is until
 * np_fill_settle or np_fill_take.  FALSE: no memory. */
gboolean np_fill_add (NpFill *fill, const NpBlock *block, guint from, guint n);
/* Copies what is noted.  FALSE: no memory. */
gboolean np_fill_settle (NpFill *fill);
/* The batch, not sealed; transfer full.  NULL: no memory. */
NpBatch *np_fill_take (NpFill *fill);
void np_fill_clear (NpFill *fill);
