/* SPDX-License-Identifier: Apache-2.0 */
/* spill-file.h - a file without a name in $TMPDIR, for rows that are too many for memory. */
#pragma once

#include "spill/compress.h"

typedef struct NpSpill NpSpill;

NpSpill *np_spill_new (void); /* the file is made by the first append */
void np_spill_free (NpSpill *spill);
/* Appends the blocks of a pack, compressed; they are written with later ones, or when the first is
 * read. NP_EXIT_SINK, naming the folder, when it is full or cannot be written. */
gboolean np_spill_append (NpSpill *spill, const NpPack *pack, GError **error);
guint64 np_spill_size (const NpSpill *spill); /* bytes of all that was appended */

/* Reads blocks one after the other: bytes at .. end of a spill's file, or of memory. */
typedef struct {
  NpSpill *spill; /* NULL: memory                                     */
  const guint8 *memory;
  guint64 at, end;
  guint8 *buffer; /* the current block                                */
  gsize size;
  guint8 header[NP_COMPRESSED_HEADER];
  gboolean has_header; /* of the block at `at`                             */
} NpBlocks;

/* Returns the next block, good until the next call.  FALSE at the end, or with error set. */
gboolean np_blocks_next (NpBlocks *blocks, NpBlock *block, GError **error);
void np_blocks_clear (NpBlocks *blocks);

/* Sets the error for running out of memory while rows are spilled; returns FALSE. */
gboolean np_spill_no_memory (GError **error);
