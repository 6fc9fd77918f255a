/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid-read.c - reads runs and bit-packed groups of small numbers: levels, places in
 * dictionaries, booleans. */
#include "encodings.h"

#include <string.h>

/* This is the next run: n numbers, the same one or packed. */
typedef struct {
  gsize n;
  gboolean packed;
  guint32 value;
} Run;

static gboolean
read_run (PqBytes *b, guint width, Run *run)
{
  guint64 head;
  gsize bytes = (width + 7) / 8;
  if (!pq_varint (b, &head) || head >> 1 > G_MAXUINT32)
    return FALSE;
  run->packed = head & 1;
  run->n = run->packed ? (gsize) (head >> 1) * 8 : (gsize) (head >> 1);
  run->value = 0;
  if (run->packed)
    return TRUE;
  if (bytes > (gsize) (b->end - b->at))
    return FALSE;
  for (gsize k = 0; k < bytes; k++)
    run->value |= (guint32) *b->at++ << 8 * k;
  return TRUE;
}

/* Returns the bits of the number that begins at `bit`; width is at most 32, so 8 bytes hold it. */
static inline guint32
bits_at (const guint8 *from, gsize bit, guint width)
{
  guint64 word;
  memcpy (&word, from + (bit >> 3), 8);
  return (guint32) (GUINT64_FROM_LE (word) >> (bit & 7) & ((G_GUINT64_CONSTANT (1) << width) - 1));
}

/* Takes n numbers of a packed run of `all`; the last group may be cut short by the page's end. */
static gboolean
take_packed (PqBytes *b, guint width, gsize all, gsize n)
{
  gsize whole = (all * width + 7) / 8, left = (gsize) (b->end - b->at);
  if ((n * width + 7) / 8 > left)
    return FALSE;
  b->at += MIN (whole, left);
  return TRUE;
}

gboolean
pq_decode_hybrid (PqBytes *b, guint width, gsize n, guint32 *to, gboolean *one)
{
  Run run;
  *one = FALSE;
  if (width > 32)
    return FALSE;
  for (gsize done = 0; done < n;) {
    if (!read_run (b, width, &run) || !run.n)
      return FALSE;
    gsize take = MIN (run.n, n - done);
    const guint8 *from = b->at;
    if (run.packed && !take_packed (b, width, run.n, take))
      return FALSE;
    if (!run.packed && take == n) {
      *one = TRUE;
      to[0] = run.value;
      return TRUE;
    }
    for (gsize k = 0; run.packed && k < take; k++)
      to[done + k] = bits_at (from, k * width, width);
    for (gsize k = 0; !run.packed && k < take; k++)
      to[done + k] = run.value;
    done += take;
  }
  return TRUE;
}

/* Spreads by a multiplication eight levels of one bit that lie in one byte. */
static inline void
spread_bits (const guint8 *from, gsize n, guint8 *to)
{
  for (gsize k = 0; k < n; k += 8) {
    guint64 bits = from[k / 8];
    guint64 bytes = (bits * G_GUINT64_CONSTANT (0x8040201008040201)) >> 7
                    & G_GUINT64_CONSTANT (0x0101010101010101);
    bytes = GUINT64_TO_BE (bytes);
    /* the product has bit 0 in its highest byte */
    memcpy (to + k, &bytes, MIN (n - k, 8));
  }
}

gboolean
pq_decode_levels (PqBytes *b, guint width, gsize n, guint8 *to, gboolean *one)
{
  Run run;
  *one = FALSE;
  if (width > 8)
    return FALSE;
  for (gsize done = 0; done < n;) {
    if (!read_run (b, width, &run) || !run.n)
      return FALSE;
    gsize take = MIN (run.n, n - done);
    const guint8 *from = b->at;
    if (run.packed && !take_packed (b, width, run.n, take))
      return FALSE;
    if (!run.packed) {
      *one = take == n;
      memset (to + done, (int) run.value, take);
    } else if (width == 1)
      spread_bits (from, take, to + done);
    else
      for (gsize k = 0; k < take; k++)
        to[done + k] = (guint8) bits_at (from, k * width, width);
    done += take;
  }
  return TRUE;
}

gboolean
pq_decode_packed_levels (PqBytes *b, guint width, gsize n, guint8 *to)
{
  if (width > 8 || (n * width + 7) / 8 > (gsize) (b->end - b->at))
    return FALSE;
  for (gsize k = 0; k < n; k++) {
    guint value = 0;
    for (gsize bit = k * width; bit < (k + 1) * width; bit++)
      value = value << 1 | (b->at[bit >> 3] >> (7 - (bit & 7)) & 1);
    to[k] = (guint8) value;
  }
  b->at += (n * width + 7) / 8;
  return TRUE;
}
