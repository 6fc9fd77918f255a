/* SPDX-License-Identifier: Apache-2.0 */
/* codec.c - compresses by zstd, snappy, gzip, lz4 or not at all. */
#include "codec.h"

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

/* Pages hold encoded values: level 3, zstd's own default, takes more time and finds no more. */
#define ZSTD_LEVEL 1
#define GZIP_WINDOW (15 + 16) /* with gzip's header, which is what the format wants */

static const char *
missing (enum pq_codec_kind kind)
{
#ifndef HAVE_ZSTD
  if (kind == PQ_ZSTD)
    return "this nprof was built without zstd (package libzstd-dev); use compression=gzip";
#endif
#ifndef HAVE_SNAPPY
  if (kind == PQ_SNAPPY)
    return "this nprof was built without snappy (package libsnappy-dev); use compression=gzip";
#endif
#ifndef HAVE_LZ4
  if (kind == PQ_LZ4)
    return "this nprof was built without lz4 (package liblz4-dev); use compression=gzip";
#endif
  (void) kind;
  return NULL;
}

const char *
pq_codec_problem (enum pq_codec_kind kind, int level)
{
  const char *why = missing (kind);
  if (why || !level || kind == PQ_ZSTD)
    return why;
  if (kind == PQ_GZIP)
    return level > 9 ? "gzip has the levels 1 to 9" : NULL;
  return "only zstd and gzip have levels: leave level= out";
}

int
pq_codec_id (enum pq_codec_kind kind)
{
  static const int ids[]
      = { [PQ_ZSTD] = 6, [PQ_SNAPPY] = 1, [PQ_GZIP] = 2, [PQ_LZ4] = 7, [PQ_NONE] = 0 };
  return ids[kind];
}

void
pq_codec_init (struct pq_codec *codec, enum pq_codec_kind kind, int level)
{
  *codec = (struct pq_codec){ .kind = kind, .level = level };
}

void
pq_codec_clear (struct pq_codec *codec)
{
#ifdef HAVE_ZSTD
  if (codec->kind == PQ_ZSTD)
    ZSTD_freeCCtx (codec->state);
#endif
  if (codec->kind == PQ_GZIP && codec->state) {
    deflateEnd (codec->state);
    free (codec->state);
  }
  codec->state = NULL;
}

#ifdef HAVE_ZSTD
static void
put_zstd (struct pq_codec *codec, struct nprof_buf *to, const void *data, size_t len)
{
  if (!codec->state)
    codec->state = ZSTD_createCCtx ();
  size_t room = ZSTD_compressBound (len);
  if (!codec->state || !nprof_buf_need (to, room)) {
    to->failed = true;
    return;
  }
  size_t n = ZSTD_compressCCtx (codec->state, to->data + to->len, room, data, len,
                                codec->level ? codec->level : ZSTD_LEVEL);
  if (ZSTD_isError (n))
    to->failed = true;
  else
    to->len += n;
}
#endif

#ifdef HAVE_SNAPPY
static void
put_snappy (struct nprof_buf *to, const void *data, size_t len)
{
  size_t n = snappy_max_compressed_length (len);
  if (!nprof_buf_need (to, n))
    return;
  if (snappy_compress (data, len, to->data + to->len, &n) == SNAPPY_OK)
    to->len += n;
  else
    to->failed = true;
}
#endif

#ifdef HAVE_LZ4
static void
put_lz4 (struct nprof_buf *to, const void *data, size_t len)
{
  int room = len <= LZ4_MAX_INPUT_SIZE ? LZ4_compressBound ((int) len) : 0;
  if (!room || !nprof_buf_need (to, (size_t) room)) {
    to->failed = true;
    return;
  }
  int n = LZ4_compress_default (data, to->data + to->len, (int) len, room);
  if (n > 0)
    to->len += (size_t) n;
  else
    to->failed = true;
}
#endif

static z_stream *
deflate_state (struct pq_codec *codec)
{
  z_stream *z = codec->state;
  if (z)
    return deflateReset (z) == Z_OK ? z : NULL;
  z = calloc (1, sizeof *z);
  int level = codec->level ? codec->level : Z_DEFAULT_COMPRESSION;
  if (z && deflateInit2 (z, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    free (z);
    return NULL;
  }
  codec->state = z;
  return z;
}

static void
put_gzip (struct pq_codec *codec, struct nprof_buf *to, const void *data, size_t len)
{
  z_stream *z = deflate_state (codec);
  size_t room = z ? deflateBound (z, len) : 0;
  if (!z || len > UINT32_MAX || room > UINT32_MAX || !nprof_buf_need (to, room)) {
    to->failed = true;
    return;
  }
  z->next_in = (Bytef *) (uintptr_t) data;
  z->avail_in = (uInt) len;
  z->next_out = (Bytef *) to->data + to->len;
  z->avail_out = (uInt) room;
  if (deflate (z, Z_FINISH) == Z_STREAM_END)
    to->len += room - z->avail_out;
  else
    to->failed = true;
}

void
pq_compress (struct pq_codec *codec, struct nprof_buf *to, const void *data, size_t len)
{
  switch (codec->kind) {
#ifdef HAVE_ZSTD
  case PQ_ZSTD:
    put_zstd (codec, to, data, len);
    break;
#endif
#ifdef HAVE_SNAPPY
  case PQ_SNAPPY:
    put_snappy (to, data, len);
    break;
#endif
#ifdef HAVE_LZ4
  case PQ_LZ4:
    put_lz4 (to, data, len);
    break;
#endif
  case PQ_GZIP:
    put_gzip (codec, to, data, len);
    break;
  default:
    nprof_put (to, data, len);
    break;
  }
}
