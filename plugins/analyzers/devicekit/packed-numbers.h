/* SPDX-License-Identifier: Apache-2.0 */
/* packed-numbers.h - integers of a state (save, merge) with seven bits a byte, the lowest first,
 * since most are small; those of both signs are folded, so that -1 is small, too. */
#ifndef AN_PACKED_NUMBERS_H
#define AN_PACKED_NUMBERS_H

#include <glib.h>
#include <stdbool.h>

typedef unsigned __int128 AnPackedWide; /* sums have more than 64 bits */

void an_pack (GByteArray *to, AnPackedWide value);
void an_pack_signed (GByteArray *to, gint64 value);
/* Packs the length of the bytes, then them. */
void an_pack_bytes (GByteArray *to, const void *data, gsize len);

guint64 an_fold (gint64 value);
gint64 an_unfold (guint64 folded);

/* These are bytes that are read; `damaged` stays from the first number that cannot be, and nothing
 * is read behind it. */
typedef struct {
  const guint8 *at, *end;
  bool damaged;
} AnPacked;

AnPackedWide an_unpack_long (AnPacked *in);

static inline AnPackedWide
an_unpack (AnPacked *in)
{
  return in->at < in->end && *in->at < 128 ? *in->at++ : an_unpack_long (in);
}

guint64 an_unpack_below (AnPacked *in, guint64 limit);
gint64 an_unpack_signed (AnPacked *in);
/* Returns a number of things of which each takes at least a byte of those that follow. */
guint64 an_unpack_count (AnPacked *in);
/* Returns where bytes lie that an_pack_bytes() packed. */
const guint8 *an_unpack_bytes (AnPacked *in, guint64 *len);

#endif
