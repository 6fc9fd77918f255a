/* SPDX-License-Identifier: Apache-2.0 */
/* decompress.h - the bytes of a page as they were before compression. */
#pragma once

#include <glib.h>

/* It keeps the state of zstd and zlib from page to page.  Memory set to 0 is a fresh one. */
typedef struct {
  void *zstd, *gzip;
} PqDecompressor;

void pq_decompressor_clear (PqDecompressor *d);

/* Fills exactly `size` bytes at `to` from the len bytes at `from`.  `codec` is a CompressionCodec.
 * FALSE: *why (static) says what is wrong. */
gboolean pq_decompress (PqDecompressor *d, int codec, const guint8 *from, gsize len, guint8 *to,
                        gsize size, const char **why);
/* Says why pages of this codec cannot be read; NULL: they can. */
const char *pq_codec_problem (int codec);
