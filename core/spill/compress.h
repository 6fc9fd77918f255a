/* SPDX-License-Identifier: Apache-2.0 */
/* compress.h - packed blocks in fewer bytes, for the way to a temporary file and back, because the
 * file costs what its bytes cost. */
#pragma once

#include "spill/block.h"

#define NP_COMPRESSED_HEADER 48 /* bytes from which the sizes are known */

/* Returns the most that a block of so many bytes takes when it is compressed. */
gsize np_compressed_bound (guint64 block_size);
/* Compresses the block at `block` into memory of that size; returns the bytes used. */
gsize np_compress (const guint8 *block, guint8 *to);

guint64 np_compressed_size (const guint8 *header);   /* of the compressed block          */
guint64 np_decompressed_size (const guint8 *header); /* of the block that it was     */
/* `to` is memory of that size, 8-byte aligned.  It becomes byte by byte the block that was
 * compressed, except between its columns. */
void np_decompress (const guint8 *compressed, guint8 *to);
