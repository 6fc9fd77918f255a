/* SPDX-License-Identifier: Apache-2.0 */
/* delta-read.c - DELTA_BINARY_PACKED, and the two encodings of texts that use it for lengths. */
#include "encodings.h"

#include <string.h>

#define MAX_BLOCK (1u << 20) /* values; writers use 128 */

static gboolean
read_zigzag (PqBytes *b, gint64 *i)
{
  guint64 u;
  if (!pq_varint (b, &u))
    return FALSE;
  *i = (gint64) (u >> 1 ^ (0 - (u & 1)));
  return TRUE;
}

/* Returns a number of up to 64 bits; a ninth byte is needed only where it reaches there. */
static inline guint64
bits_at (const guint8 *from, gsize bit, guint width)
{
  guint64 word;
  guint shift = bit & 7;
  memcpy (&word, from + (bit >> 3), 8);
  word = GUINT64_FROM_LE (word) >> shift;
  if (shift + width > 64)
    word |= (guint64) from[(bit >> 3) + 8] << (64 - shift);
  return width == 64 ? word : word & ((G_GUINT64_CONSTANT (1) << width) - 1);
}

/* Reads one miniblock: n of its `size` numbers are wanted.  The last may end where its values
 * do. */
static gboolean
read_mini (PqBytes *b, guint width, gsize size, gsize n, gint64 least, gint64 *last, gint64 *to)
{
  gsize left = (gsize) (b->end - b->at);
  guint64 sum = (guint64) *last;
  if (width > 64 || (n * width + 7) / 8 > left)
    return FALSE;
  if (!width)
    for (gsize k = 0; k < n; k++)
      to[k] = (gint64) (sum += (guint64) least);
  else
    for (gsize k = 0; k < n; k++)
      to[k] = (gint64) (sum += (guint64) least + bits_at (b->at, k * width, width));
  *last = (gint64) sum;
  b->at += MIN (size * width / 8, left);
  return TRUE;
}

static gboolean
read_block (PqBytes *b, gsize n_minis, gsize size, gsize n, gint64 *last, gint64 *to)
{
  gint64 least;
  const guint8 *widths;
  if (!read_zigzag (b, &least) || n_minis > (gsize) (b->end - b->at))
    return FALSE;
  widths = b->at;
  b->at += n_minis;
  for (gsize k = 0; k < n_minis && n; k++) {
    gsize take = MIN (n, size);
    if (!read_mini (b, widths[k], size, take, least, last, to))
      return FALSE;
    to += take;
    n -= take;
  }
  return TRUE;
}

gboolean
pq_decode_delta (PqBytes *b, gsize n, gint64 *to)
{
  guint64 block, minis, total;
  gint64 last;
  if (!pq_varint (b, &block) || !pq_varint (b, &minis) || !pq_varint (b, &total)
      || !read_zigzag (b, &last))
    return FALSE;
  if (!minis || !block || block > MAX_BLOCK || block % minis || block / minis % 8 || total != n)
    return FALSE;
  if (!n)
    return TRUE;
  to[0] = last;
  for (gsize done = 1; done < n; done += (gsize) block)
    if (!read_block (b, (gsize) minis, (gsize) (block / minis), MIN (n - done, (gsize) block),
                     &last, to + done))
      return FALSE;
  return TRUE;
}

gboolean
pq_decode_delta_lengths (PqBytes *b, gsize n, PqText *to)
{
  g_autofree gint64 *lengths = g_new (gint64, n + 1);
  if (!pq_decode_delta (b, n, lengths))
    return FALSE;
  for (gsize k = 0; k < n; k++) {
    if (lengths[k] < 0 || lengths[k] > b->end - b->at)
      return FALSE;
    to[k] = (PqText){ (const char *) b->at, (guint32) lengths[k] };
    b->at += lengths[k];
  }
  return TRUE;
}

gboolean
pq_decode_delta_bytes (PqBytes *b, gsize n, PqText *to, GByteArray *own)
{
  g_autofree gint64 *shared = g_new (gint64, n + 1);
  guint64 all = 0;
  if (!pq_decode_delta (b, n, shared) || !pq_decode_delta_lengths (b, n, to))
    return FALSE;
  for (gsize k = 0; k < n; k++) {
    gint64 before = k ? (gint64) to[k - 1].len + shared[k - 1] : 0;
    if (shared[k] < 0 || shared[k] > before || shared[k] + to[k].len > G_MAXINT32)
      return FALSE;
    all += (guint64) shared[k] + to[k].len;
  }
  if (all > G_MAXINT32)
    return FALSE;
  g_byte_array_set_size (own, (guint) all + PQ_SLACK);
  guint8 *at = own->data;
  const guint8 *previous = at;
  for (gsize k = 0; k < n; k++) {
    guint32 len = (guint32) shared[k] + to[k].len;
    memmove (at, previous, (gsize) shared[k]);
    if (to[k].len)
      memcpy (at + shared[k], to[k].data, to[k].len);
    to[k] = (PqText){ (const char *) at, len };
    previous = at;
    at += len;
  }
  return TRUE;
}
