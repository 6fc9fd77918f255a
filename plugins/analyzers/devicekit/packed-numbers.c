/* SPDX-License-Identifier: Apache-2.0 */
/* packed-numbers.c - packs integers into bytes of seven bits; a long one is read by a word of
 * eight. */
#include "devicekit/packed-numbers.h"

#include <string.h>

#define WIDE_BYTES 19 /* of 128 bits */

/* -- Writing ----------------------------------------------------------------------------------- */

void
an_pack (GByteArray *to, AnPackedWide value)
{
  guint8 bytes[WIDE_BYTES];
  guint n = 0;
  for (; value >= 128; value >>= 7)
    bytes[n++] = (guint8) (value | 128);
  bytes[n++] = (guint8) value;
  g_byte_array_append (to, bytes, n);
}

void
an_pack_signed (GByteArray *to, gint64 value)
{
  an_pack (to, an_fold (value));
}

void
an_pack_bytes (GByteArray *to, const void *data, gsize len)
{
  an_pack (to, len);
  if (len)
    g_byte_array_append (to, data, (guint) len);
}

guint64
an_fold (gint64 value)
{
  return (guint64) value << 1 ^ (guint64) (value >> 63);
}

gint64
an_unfold (guint64 folded)
{
  return (gint64) (folded >> 1 ^ (0 - (folded & 1)));
}

/* -- Reading ----------------------------------------------------------------------------------- */

/* A number that ends within eight bytes, which nearly all do; *ok: whether it does. */
static inline guint64
unpack_short (AnPacked *in, bool *ok)
{
  guint64 word, groups = G_GUINT64_CONSTANT (0x7f007f007f007f);
  *ok = false;
  if (in->end - in->at < 8)
    return 0;
  memcpy (&word, in->at, sizeof word);
  word = GUINT64_FROM_LE (word);
  guint64 last = ~word & G_GUINT64_CONSTANT (0x8080808080808080);
  if (!last)
    return 0;
  *ok = true;
  in->at += (guint) __builtin_ctzll (last) / 8 + 1;
  word &= last ^ (last - 1);
  word = (word & groups) | (word >> 8 & groups) << 7;
  word = (word & G_GUINT64_CONSTANT (0x3fff00003fff))
         | (word >> 16 & G_GUINT64_CONSTANT (0x3fff00003fff)) << 14;
  return (word & 0xfffffff) | (word >> 32) << 28;
}

AnPackedWide
an_unpack_long (AnPacked *in)
{
  bool ok;
  guint64 number = unpack_short (in, &ok);
  if (ok)
    return number;
  AnPackedWide value = 0;
  for (guint i = 0; in->at < in->end && i < WIDE_BYTES; i++) {
    guint8 byte = *in->at++;
    value |= (AnPackedWide) (byte & 127) << (7 * i);
    if (byte < 128)
      return value;
  }
  in->damaged = true;
  in->end = in->at;
  return 0;
}

guint64
an_unpack_below (AnPacked *in, guint64 limit)
{
  AnPackedWide value = an_unpack (in);
  in->damaged |= value >= limit;
  return in->damaged ? 0 : (guint64) value;
}

gint64
an_unpack_signed (AnPacked *in)
{
  AnPackedWide value = an_unpack (in);
  in->damaged |= value >> 64 != 0;
  return an_unfold ((guint64) value);
}

guint64
an_unpack_count (AnPacked *in)
{
  AnPackedWide n = an_unpack (in);
  in->damaged |= n > (AnPackedWide) (in->end - in->at); /* behind the number */
  return in->damaged ? 0 : (guint64) n;
}

const guint8 *
an_unpack_bytes (AnPacked *in, guint64 *len)
{
  *len = an_unpack_count (in);
  const guint8 *data = in->at;
  in->at += *len;
  return data;
}
