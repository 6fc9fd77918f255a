/* SPDX-License-Identifier: Apache-2.0 */
/* spill.h - a file without a name in $TMPDIR, for rows that are too many for memory. */
#pragma once

#include "pack.h"

typedef struct NpSpill NpSpill;

NpSpill *np_spill_new (void); /* the file is made by the first append */
void np_spill_free (NpSpill *spill);
/* NP_EXIT_SINK, naming the folder, when it is full or cannot be written. */
gboolean np_spill_append (NpSpill *spill, const void *data, gsize len, GError **error);
guint64 np_spill_size (const NpSpill *spill);
gboolean np_spill_read (const NpSpill *spill, guint64 at, void *data, gsize len, GError **error);

/* Reads blocks one after the other: bytes at .. end of a spill, or of memory. */
typedef struct {
  const NpSpill *spill;  /* NULL: memory                                     */
  const guint8 *memory;
  guint64 at, end;
  guint8 *buffer;        /* the current block and the header of the next     */
  gsize size;
  guint8 header[NP_BLOCK_HEADER];
  gboolean has_header;   /* of the block at `at`                             */
} NpBlocks;

/* The next block, good until the next call.  FALSE at the end, or with error set. */
gboolean np_blocks_next (NpBlocks *blocks, NpBlock *block, GError **error);
void np_blocks_clear (NpBlocks *blocks);

/* For whoever runs out of memory while rows are set aside. */
void np_spill_no_memory (GError **error);
