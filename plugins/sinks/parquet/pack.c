/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - packs numbers into bits. */
#include "pack.h"

#include <string.h>

/* Stores bytes least significant first, whatever the machine does. */
static inline void
store (uint8_t *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  memcpy (to, &word, sizeof word);
}

void
pq_pack32 (uint8_t *to, const uint32_t *values, size_t n, unsigned width)
{
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t k = 0; k < n; k++) {
    word |= (uint64_t) values[k] << used;
    used += width;
    if (used >= 32) {
      store (to, word);
      to += 4;
      word >>= 32;
      used -= 32;
    }
  }
  for (; used >= 8; used -= 8, word >>= 8)
    *to++ = (uint8_t) word;
}

void
pq_pack64 (uint8_t *to, const uint64_t *values, size_t n, unsigned width)
{
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t k = 0; k < n; k++) {
    word |= values[k] << used;
    if (used + width < 64) {
      used += width;
      continue;
    }
    store (to, word);
    to += 8;
    unsigned left = 64 - used; /* bits of the value that went into the word */
    word = left < 64 ? values[k] >> left : 0;
    used = width - left;
  }
  for (; used >= 8; used -= 8, word >>= 8)
    *to++ = (uint8_t) word;
}

/* Packs eight at a time, of which the compiler makes vectors. */
#define RUN(name, type)                                                                            \
  size_t name (const type *values, size_t n)                                                       \
  {                                                                                                \
    size_t k = n ? 1 : 0;                                                                          \
    for (type other = 0; k + 8 <= n; k += 8) {                                                     \
      for (size_t i = k; i < k + 8; i++)                                                           \
        other |= values[i] ^ values[0];                                                            \
      if (other)                                                                                   \
        break;                                                                                     \
    }                                                                                              \
    while (k < n && values[k] == values[0])                                                        \
      k++;                                                                                         \
    return k;                                                                                      \
  }
RUN (pq_run32, uint32_t)
RUN (pq_run64, uint64_t)
#undef RUN
