/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - rows packed as blocks of plain bytes, without the room that a batch keeps
 * free.  Strings, tracks and sets are stored as their handles: good in this process only. */
#pragma once

#include "rows/row-copy.h"

/* Blocks lie one behind the other in memory that grows.  It starts as zeros. */
typedef struct {
  guint8 *data;
  gsize used, size;
} NpPack;

/* This is a block as it is read. */
typedef struct {
  struct nprof_batch rows;  /* points into the block; for copying, never for plugins */
  const guint32 *inputs;    /* number of the input of each row; NULL: rows.input     */
  guint64 size;             /* of the block, in bytes; a multiple of 8               */
  guint32 n_bytes;          /* that its attributes point to                          */
  guint32 present;          /* NPROF_HAS_VALUE ...                                   */
} NpBlock;

#define NP_BLOCK_HEADER 32 /* bytes from which np_block_size knows the size */

void np_pack_clear (NpPack *pack); /* frees the memory */
/* Appends rows from .. from + n as one block.  `inputs` are as in NpBlock, from row `from` on.
 * FALSE: out of memory. */
gboolean np_pack_add (NpPack *pack, const struct nprof_batch *src, guint from, guint n,
                      const guint32 *inputs);
/* Returns how many rows from `from` on, at least one, make a block of at most `limit` bytes; *size
 * is an upper bound of what they take. */
guint np_pack_fit (const struct nprof_batch *src, guint from, guint64 limit, guint64 *size);

/* Returns the rows of a sealed batch, as if they were a block. */
NpBlock np_block_of (const NpBatch *batch);
guint64 np_block_size (const guint8 *header);
void np_block_open (const guint8 *data, NpBlock *block); /* 8-byte aligned */
