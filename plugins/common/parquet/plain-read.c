/* SPDX-License-Identifier: Apache-2.0 */
/* plain-read.c - reads PLAIN and BYTE_STREAM_SPLIT. */
#include "encodings.h"

#include "footer.h"

#include <string.h>

static gsize
left (const PqBytes *b)
{
  return (gsize) (b->end - b->at);
}

gboolean
pq_decode_texts (PqBytes *b, gsize n, PqText *to)
{
  for (gsize k = 0; k < n; k++) {
    guint32 len;
    if (left (b) < 4)
      return FALSE;
    memcpy (&len, b->at, 4);
    len = GUINT32_FROM_LE (len);
    if (len > left (b) - 4)
      return FALSE;
    to[k] = (PqText){ (const char *) b->at + 4, len };
    b->at += 4 + len;
  }
  return TRUE;
}

gboolean
pq_decode_fixed (PqBytes *b, gsize n, gsize width, PqText *to)
{
  if (!width || left (b) / width < n)
    return FALSE;
  for (gsize k = 0; k < n; k++, b->at += width)
    to[k] = (PqText){ (const char *) b->at, (guint32) width };
  return TRUE;
}

gboolean
pq_decode_bools (PqBytes *b, gsize n, guint64 *to)
{
  if ((n + 7) / 8 > left (b))
    return FALSE;
  for (gsize k = 0; k < n; k++)
    to[k] = b->at[k >> 3] >> (k & 7) & 1;
  b->at += (n + 7) / 8;
  return TRUE;
}

/* -- Numbers --------------------------------------------------------------- */

static void
widen_ints (const guint8 *from, gsize n, guint64 *to)
{
  for (gsize k = 0; k < n; k++) {
    guint32 u;
    memcpy (&u, from + 4 * k, 4);
    to[k] = (guint64) (gint64) (gint32) GUINT32_FROM_LE (u);
  }
}

static void
widen_uints (const guint8 *from, gsize n, guint64 *to)
{
  for (gsize k = 0; k < n; k++) {
    guint32 u;
    memcpy (&u, from + 4 * k, 4);
    to[k] = GUINT32_FROM_LE (u);
  }
}

static void
widen_floats (const guint8 *from, gsize n, guint64 *to)
{
  for (gsize k = 0; k < n; k++) {
    guint32 u;
    float f;
    memcpy (&u, from + 4 * k, 4);
    u = GUINT32_FROM_LE (u);
    memcpy (&f, &u, 4);
    double d = (double) f;
    memcpy (to + k, &d, 8);
  }
}

static void
copy_words (const guint8 *from, gsize n, guint64 *to)
{
  memcpy (to, from, n * 8);
#if G_BYTE_ORDER != G_LITTLE_ENDIAN
  for (gsize k = 0; k < n; k++)
    to[k] = GUINT64_FROM_LE (to[k]);
#endif
}

gboolean
pq_decode_numbers (PqBytes *b, gsize n, int type, gboolean is_unsigned, guint64 *to)
{
  gsize width = type == PQ_INT64 || type == PQ_DOUBLE ? 8 : 4;
  if (left (b) / width < n)
    return FALSE;
  if (!n)
    return TRUE;
  if (width == 8)
    copy_words (b->at, n, to);
  else if (type == PQ_FLOAT)
    widen_floats (b->at, n, to);
  else if (is_unsigned)
    widen_uints (b->at, n, to);
  else
    widen_ints (b->at, n, to);
  b->at += n * width;
  return TRUE;
}

gboolean
pq_decode_split (PqBytes *b, gsize n, gsize width, guint8 *to)
{
  if (!width || left (b) / width < n)
    return FALSE;
  for (gsize k = 0; k < width; k++)
    for (gsize i = 0; i < n; i++)
      to[i * width + k] = b->at[k * n + i];
  b->at += n * width;
  return TRUE;
}
