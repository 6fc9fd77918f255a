/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h - compresses the body of a page.  A library that was not there when nprof was built is
 * named in the error. */
#pragma once

#include <nprof/format.h>

/* Option compression= lists them in this order; the numbers of the format are pq_codec_id's. */
enum pq_codec_kind { PQ_ZSTD, PQ_SNAPPY, PQ_GZIP, PQ_LZ4, PQ_NONE };

struct pq_codec {
  enum pq_codec_kind kind;
  int level;
  void *state; /* the library's, for one thread */
};

/* Says why this kind and level (0: the usual) cannot be; NULL: they can. */
const char *pq_codec_problem (enum pq_codec_kind kind, int level);
int pq_codec_id (enum pq_codec_kind kind); /* CompressionCodec */
/* compression= is this when nobody says: the best that was built in. */
#ifdef HAVE_ZSTD
#define PQ_CODEC_PRESET "zstd"
#else
#define PQ_CODEC_PRESET "gzip"
#endif

void pq_codec_init (struct pq_codec *codec, enum pq_codec_kind kind, int level);
void pq_codec_clear (struct pq_codec *codec);
/* Appends the compressed bytes; to->failed when there is no memory. */
void pq_compress (struct pq_codec *codec, struct nprof_buf *to, const void *data, size_t len);
