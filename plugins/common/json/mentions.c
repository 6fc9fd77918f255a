/* SPDX-License-Identifier: Apache-2.0 */
/* mentions.c - finds where a piece of JSON may hold one of some keys for the last time, by the two
 * bytes behind each quote: most objects hold none, and then nobody needs to read their members; in
 * others only those up to there.  It goes from the end to the beginning, so that the first place
 * found is the answer.  Compiled once for each instruction set.  Each key belongs to one of 8
 * classes, by the last bits of its first letter.  TePairs says by the halves of a byte to which
 * classes it may belong, as the first byte and as the second: where all four agree on a class, a
 * key may begin.  So 16 to 64 places are asked at once, quotes or not.  Other pairs may pass, since
 * halves are taken together that come from different keys. */
#include "json/block.h"
#include "json/variant.h"

static inline bool
is_pair (const TePairs *t, const char *p)
{
  unsigned a = (unsigned char) p[0], b = (unsigned char) p[1];
  return a < 128 && b < 128
         && t->low[0][a & 15] & t->high[0][a >> 4] & t->low[1][b & 15] & t->high[1][b >> 4];
}

static const char *
mention_plainly (const char *p, const char *end, const TePairs *pairs)
{
  for (const char *q = end - p > 2 ? end - 2 : p; q-- > p;)
    if (*q == '"' && is_pair (pairs, q + 1))
      return q;
  return NULL;
}

#if TE_SIMD && TE_WIDTH > 16
const char *
TE_VARIANT_NAME (te_mention) (const char *p, const char *end, const TePairs *pairs)
{
  if (end - p < TE_WIDTH + 2)
    return mention_plainly (p, end, pairs);
  TeVector low_a = te_table (pairs->low[0]), high_a = te_table (pairs->high[0]);
  TeVector low_b = te_table (pairs->low[1]), high_b = te_table (pairs->high[1]);
  for (const char *q = end - 2; q > p;) {
    q = q - p > TE_WIDTH ? q - TE_WIDTH : p; /* the last one overlaps */
    TeVector a = te_load (q + 1), b = te_load (q + 2);
    TeVector first = te_and (te_look_up (low_a, a), te_look_up (high_a, te_high (a)));
    TeVector second = te_and (te_look_up (low_b, b), te_look_up (high_b, te_high (b)));
    TeMask found = te_equal (te_load (q), '"') & te_some (te_and (first, second));
    if (found)
      return q + 63 - __builtin_clzll (found);
  }
  return NULL;
}
#else
const char *
TE_VARIANT_NAME (te_mention) (const char *p, const char *end, const TePairs *pairs)
{
#if TE_SIMD
  for (; end - p >= TE_WIDTH + 2; end -= TE_WIDTH)
    for (TeMask quotes = te_equal (te_load (end - 2 - TE_WIDTH), '"'); quotes;) {
      int i = 31 - __builtin_clz (quotes);
      const char *q = end - 2 - TE_WIDTH + i;
      if (is_pair (pairs, q + 1))
        return q;
      quotes ^= 1u << i;
    }
#endif
  return mention_plainly (p, end, pairs);
}
#endif
