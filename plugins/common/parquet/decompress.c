/* SPDX-License-Identifier: Apache-2.0 */
/* decompress.c - decompresses zstd, snappy, gzip, LZ4 and Hadoop's LZ4, each by its library. */
#include "decompress.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_SNAPPY
#include <snappy-c.h>
#endif
#ifdef HAVE_LZ4
#include <lz4.h>
#endif

/* parquet.thrift: CompressionCodec */
enum { NONE, SNAPPY, GZIP, LZO, BROTLI, LZ4_HADOOP, ZSTD, LZ4_RAW };

const char *
pq_codec_problem (int codec)
{
  switch (codec) {
  case NONE:
  case GZIP:
#ifdef HAVE_SNAPPY
  case SNAPPY:
#endif
#ifdef HAVE_ZSTD
  case ZSTD:
#endif
#ifdef HAVE_LZ4
  case LZ4_HADOOP:
  case LZ4_RAW:
#endif
    return NULL;
  case LZO:
    return "the column is compressed with LZO, which nprof does not read: write it again with zstd";
  case BROTLI:
    return "the column is compressed with brotli, which nprof does not read: write it again with "
           "zstd";
#ifndef HAVE_SNAPPY
  case SNAPPY:
    return "this nprof was built without snappy (package libsnappy-dev)";
#endif
#ifndef HAVE_ZSTD
  case ZSTD:
    return "this nprof was built without zstd (package libzstd-dev)";
#endif
#ifndef HAVE_LZ4
  case LZ4_HADOOP:
  case LZ4_RAW:
    return "this nprof was built without lz4 (package liblz4-dev)";
#endif
  default:
    return "the column has an unknown codec";
  }
}

void
pq_decompressor_clear (PqDecompressor *d)
{
#ifdef HAVE_ZSTD
  ZSTD_freeDCtx (d->zstd);
#endif
  if (d->gzip) {
    inflateEnd (d->gzip);
    g_free (d->gzip);
  }
  *d = (PqDecompressor){ 0 };
}

static z_stream *
inflate_state (PqDecompressor *d)
{
  z_stream *z = d->gzip;
  if (z)
    return inflateReset (z) == Z_OK ? z : NULL;
  z = g_new0 (z_stream, 1);
  if (inflateInit2 (z, 15 + 32) != Z_OK) { /* with the header of gzip or of zlib */
    g_free (z);
    return NULL;
  }
  return d->gzip = z;
}

/* Inflates all members; one may follow another. */
static gboolean
inflate_all (PqDecompressor *d, const guint8 *from, gsize len, guint8 *to, gsize size)
{
  z_stream *z = inflate_state (d);
  if (!z || len > G_MAXUINT32 || size > G_MAXUINT32)
    return FALSE;
  z->next_in = (Bytef *) (uintptr_t) from;
  z->avail_in = (uInt) len;
  z->next_out = to;
  z->avail_out = (uInt) size;
  for (;;) {
    int done = inflate (z, Z_NO_FLUSH);
    if (done != Z_STREAM_END)
      return FALSE;
    if (!z->avail_in)
      return z->avail_out == 0;
    if (inflateReset (z) != Z_OK)
      return FALSE;
  }
}

#ifdef HAVE_ZSTD
static gboolean
unpack_zstd (PqDecompressor *d, const guint8 *from, gsize len, guint8 *to, gsize size)
{
  if (!d->zstd)
    d->zstd = ZSTD_createDCtx ();
  return d->zstd && ZSTD_decompressDCtx (d->zstd, to, size, from, len) == size;
}
#endif

#ifdef HAVE_SNAPPY
static gboolean
unpack_snappy (const guint8 *from, gsize len, guint8 *to, gsize size)
{
  size_t n = 0, room = size;
  return snappy_uncompressed_length ((const char *) from, len, &n) == SNAPPY_OK && n == size
         && snappy_uncompress ((const char *) from, len, (char *) to, &room) == SNAPPY_OK;
}
#endif

#ifdef HAVE_LZ4
static gboolean
unpack_lz4 (const guint8 *from, gsize len, guint8 *to, gsize size)
{
  return len <= G_MAXINT && size <= G_MAXINT
         && LZ4_decompress_safe ((const char *) from, (char *) to, (int) len, (int) size)
                == (int) size;
}

static guint32
read_big (const guint8 *at)
{
  guint32 u;
  memcpy (&u, at, 4);
  return GUINT32_FROM_BE (u);
}

/* Unpacks Hadoop's form, which puts two lengths before each block: that of the block's output, and
 * its own. */
static gboolean
unpack_hadoop (const guint8 *from, gsize len, guint8 *to, gsize size)
{
  while (len >= 8) {
    guint32 out = read_big (from), in = read_big (from + 4);
    if (in > len - 8 || out > size || !unpack_lz4 (from + 8, in, to, out))
      return FALSE;
    from += 8 + in;
    len -= 8 + in;
    to += out;
    size -= out;
  }
  return !len && !size;
}
#endif

static gboolean
unpack (PqDecompressor *d, int codec, const guint8 *from, gsize len, guint8 *to, gsize size)
{
  switch (codec) {
  case GZIP:
    return inflate_all (d, from, len, to, size);
#ifdef HAVE_ZSTD
  case ZSTD:
    return unpack_zstd (d, from, len, to, size);
#endif
#ifdef HAVE_SNAPPY
  case SNAPPY:
    return unpack_snappy (from, len, to, size);
#endif
#ifdef HAVE_LZ4
  case LZ4_RAW:
    return unpack_lz4 (from, len, to, size);
  case LZ4_HADOOP: /* some writers put a bare block under this name */
    return unpack_hadoop (from, len, to, size) || unpack_lz4 (from, len, to, size);
#endif
  default:
    if (len == size && len)
      memcpy (to, from, len);
    return len == size;
  }
}

gboolean
pq_decompress (PqDecompressor *d, int codec, const guint8 *from, gsize len, guint8 *to, gsize size,
               const char **why)
{
  *why = pq_codec_problem (codec);
  if (*why)
    return FALSE;
  if (unpack (d, codec, from, len, to, size))
    return TRUE;
  *why = "its bytes do not decompress to the size that its header says: the file is damaged";
  return FALSE;
}
