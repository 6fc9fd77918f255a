/* SPDX-License-Identifier: Apache-2.0 */
/* compress.h - packed blocks in fewer bytes, for the way to a temporary file and back: what the file
 * costs is its bytes. */
#pragma once

#include "spill/block.h"

#define NP_SQUEEZED_HEADER 48 /* bytes from which the sizes are known */

/* The most that a block of so many bytes takes when it is squeezed. */
gsize np_squeezed_bound (guint64 block_size);
/* Squeezes the block at `block` into memory of that size; returns the bytes used. */
gsize np_squeeze (const guint8 *block, guint8 *to);

guint64 np_squeezed_size (const guint8 *header); /* of the squeezed block          */
guint64 np_unsqueezed_size (const guint8 *header); /* of the block that it was     */
/* `to`: memory of that size, 8-byte aligned.  Byte by byte the block that was squeezed, but for
 * what lies between its columns. */
void np_unsqueeze (const guint8 *squeezed, guint8 *to);
