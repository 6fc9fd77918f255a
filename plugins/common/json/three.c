/* SPDX-License-Identifier: Apache-2.0 */
/* three.c - finds three bytes that stand together, which few words have: a decoder then looks
 * whether it is the word that it wants. memmem takes five times as long. Compiled once for each
 * instruction set. */
#include "json/block.h"
#include "json/variant.h"

static const char *
three_plainly (const char *p, const char *end, const char *bytes)
{
  for (; end - p >= 3; p++)
    if (p[0] == bytes[0] && p[1] == bytes[1] && p[2] == bytes[2])
      return p;
  return NULL;
}

const char *
TE_VARIANT_NAME (te_three) (const char *p, const char *end, const char *bytes)
{
#if TE_SIMD
  for (ptrdiff_t left = (end - p - 2) / TE_WIDTH; left > 0; left--, p += TE_WIDTH) {
    TeMask pairs = te_both (te_load (p), bytes[0], te_load (p + 1), bytes[1]);
    if (TE_LIKELY (!pairs))
      continue;
    TeMask found = pairs & te_equal (te_load (p + 2), bytes[2]);
    if (found)
      return p + __builtin_ctzll (found);
  }
#endif
  return three_plainly (p, end, bytes);
}
