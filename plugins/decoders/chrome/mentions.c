/* SPDX-License-Identifier: Apache-2.0 */
/* mentions.c - whether a piece of JSON can hold one of some keys, by the two bytes behind each
 * quote: most objects hold none, and then nobody needs to read their members.  Compiled once for
 * each instruction set. */
#include "block.h"
#include "variant.h"

static inline bool
is_pair (const TePairs *pairs, const char *p)
{
  unsigned pair = (unsigned char) p[0] | (unsigned) (unsigned char) p[1] << 8;
  return pairs->bits[pair / 64] >> (pair % 64) & 1;
}

bool
TE_VARIANT_NAME (te_mentions) (const char *p, const char *end, const TePairs *pairs)
{
#if TE_SIMD
  for (; end - p >= TE_WIDTH + 2; p += TE_WIDTH)
    for (TeMask quotes = te_equal (te_load (p), '"'); quotes; quotes &= quotes - 1)
      if (is_pair (pairs, p + __builtin_ctzll (quotes) + 1))
        return true;
#endif
  for (; end - p > 2; p++)
    if (*p == '"' && is_pair (pairs, p + 1))
      return true;
  return false;
}
