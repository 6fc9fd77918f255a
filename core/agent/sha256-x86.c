/* SPDX-License-Identifier: Apache-2.0 */
/* sha256-x86.c - SHA-256 by the SHA extensions of x86-64, of which one instruction makes two rounds
 * (FIPS 180-4). They hold the eight words of the state as ABEF and CDGH. */
#include "agent/sha256.h"

#include <immintrin.h>

static const guint32 constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Four words of the message, most significant byte first. */
static __m128i
words_at (const guint8 *data)
{
  const __m128i order = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8 (_mm_loadu_si128 ((const __m128i *) (const void *) data), order);
}

/* The next four words, by the sixteen before them. */
static __m128i
next_words (__m128i a, __m128i b, __m128i c, __m128i d)
{
  return _mm_sha256msg2_epu32 (_mm_add_epi32 (_mm_sha256msg1_epu32 (a, b),
                                              _mm_alignr_epi8 (d, c, 4)),
                               d);
}

void
np_sha256_blocks_x86 (guint32 state[8], const guint8 *data, gsize n)
{
  __m128i *const low = (__m128i *) (void *) state, *const high = low + 1;
  __m128i cdab = _mm_shuffle_epi32 (_mm_loadu_si128 (low), 0xb1),
          efgh = _mm_shuffle_epi32 (_mm_loadu_si128 (high), 0x1b),
          abef = _mm_alignr_epi8 (cdab, efgh, 8), cdgh = _mm_blend_epi16 (efgh, cdab, 0xf0);
  for (; n--; data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (guint i = 0; i < 16; i++) {
      w[i & 3] = i < 4 ? words_at (data + 16 * i)
                       : next_words (w[i & 3], w[(i + 1) & 3], w[(i + 2) & 3], w[(i + 3) & 3]);
      const __m128i added
          = _mm_add_epi32 (w[i & 3],
                           _mm_loadu_si128 ((const __m128i *) (const void *) (constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32 (cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32 (abef, cdgh, _mm_shuffle_epi32 (added, 0x0e));
    }
    abef = _mm_add_epi32 (abef, abef_before);
    cdgh = _mm_add_epi32 (cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32 (abef, 0x1b), dchg = _mm_shuffle_epi32 (cdgh, 0xb1);
  _mm_storeu_si128 (low, _mm_blend_epi16 (feba, dchg, 0xf0));
  _mm_storeu_si128 (high, _mm_alignr_epi8 (dchg, feba, 8));
}
