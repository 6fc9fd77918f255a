/* SPDX-License-Identifier: Apache-2.0 */
/* encodings.h - decodes the values in the bytes of a page, by encoding.  The bytes may be anything;
 * each function reads from *at on, moves it behind what it read, and returns FALSE where the bytes
 * end too early or cannot be right.  `end` is the end of the page; up to PQ_SLACK bytes behind it
 * may be read, never used. format: apache/parquet-format, Encodings.md */
#pragma once

#include <glib.h>

#define PQ_SLACK 8

typedef struct {
  const char *data;
  guint32 len;
} PqText;

typedef struct {
  const guint8 *at, *end;
} PqBytes;

static inline gboolean
pq_varint (PqBytes *b, guint64 *u)
{
  *u = 0;
  for (guint shift = 0; shift < 64 && b->at < b->end; shift += 7) {
    guint8 byte = *b->at++;
    *u |= (guint64) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return TRUE;
  }
  return FALSE;
}

/* Decodes the RLE and bit-packing hybrid: n numbers of `width` bits, at most 32.  `one` says that
 * all are the same number, to[0]; then only that one is stored. */
gboolean pq_decode_hybrid (PqBytes *b, guint width, gsize n, guint32 *to, gboolean *one);
/* Does the same for levels, of at most 8 bits. */
gboolean pq_decode_levels (PqBytes *b, guint width, gsize n, guint8 *to, gboolean *one);
/* Decodes levels as files up to 2016 have them: most significant bits first. */
gboolean pq_decode_packed_levels (PqBytes *b, guint width, gsize n, guint8 *to);

/* Decodes DELTA_BINARY_PACKED: exactly n numbers; for 32-bit numbers the lower half counts. */
gboolean pq_decode_delta (PqBytes *b, gsize n, gint64 *to);
/* Decodes DELTA_LENGTH_BYTE_ARRAY: texts lie in the page. */
gboolean pq_decode_delta_lengths (PqBytes *b, gsize n, PqText *to);
/* Decodes DELTA_BYTE_ARRAY: texts lie in `own`, which is replaced. */
gboolean pq_decode_delta_bytes (PqBytes *b, gsize n, PqText *to, GByteArray *own);

/* Decodes PLAIN. */
gboolean pq_decode_texts (PqBytes *b, gsize n, PqText *to);
gboolean pq_decode_fixed (PqBytes *b, gsize n, gsize width, PqText *to);
gboolean pq_decode_bools (PqBytes *b, gsize n, guint64 *to);
/* Decodes INT32, INT64, FLOAT and DOUBLE to 64 bits: sign-extended, or zero-extended where
 * is_unsigned; a float as the double that it is. */
gboolean pq_decode_numbers (PqBytes *b, gsize n, int type, gboolean is_unsigned, guint64 *to);
/* Decodes BYTE_STREAM_SPLIT of n values of `width` bytes into `to`, in their usual order. */
gboolean pq_decode_split (PqBytes *b, gsize n, gsize width, guint8 *to);
