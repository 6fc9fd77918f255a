/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - 64 bytes of JSON as bit masks: where the quotes, brackets and control bytes are.  One
 * source serves every instruction set: the compiler's flags choose, TE_SCALAR forces plain C.
 * scan.c and index.c give the masks their meaning. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined TE_SCALAR && defined __SSE2__
#include <immintrin.h>
#define TE_SIMD 1
#else
#define TE_SIMD 0
#endif

#define TE_BLOCK 64
#define TE_LIKELY(x) __builtin_expect (!!(x), 1)
#define TE_UNLIKELY(x) __builtin_expect (!!(x), 0)

/* -- Equal bytes as bits ------------------------------------------------------ */

/* te_both tells where v is c and w is d.  te_look_up gives for each byte below 128
 * table[its low half]; 0 for others.  SSE2 does not have it. */

#if TE_SIMD && defined __AVX512BW__
typedef __m512i TeVector;
#define TE_WIDTH 64
typedef uint64_t TeMask;
#define te_load(p) _mm512_loadu_si512 (p)
#define te_equal(v, c) ((uint64_t) _mm512_cmpeq_epi8_mask ((v), _mm512_set1_epi8 (c)))
#define te_same(v, w) ((uint64_t) _mm512_cmpeq_epi8_mask ((v), (w)))
#define te_at_most(v, c) ((uint64_t) _mm512_cmple_epu8_mask ((v), _mm512_set1_epi8 (c)))
#define te_or(v, c) _mm512_or_si512 ((v), _mm512_set1_epi8 (c))
#define te_and(v, w) _mm512_and_si512 ((v), (w))
#define te_some(v) ((uint64_t) _mm512_test_epi8_mask ((v), (v)))
#define te_table(p) _mm512_broadcast_i32x4 (_mm_loadu_si128 ((const void *) (p)))
#define te_look_up(table, v) _mm512_shuffle_epi8 ((table), (v))
#define te_high(v) te_and (_mm512_srli_epi16 ((v), 4), _mm512_set1_epi8 (15))
#define te_both(v, c, w, d)                                                                        \
  ((uint64_t) _mm512_mask_cmpeq_epi8_mask (te_equal (v, c), (w), _mm512_set1_epi8 (d)))
#elif TE_SIMD && defined __AVX2__
typedef __m256i TeVector;
#define TE_WIDTH 32
typedef uint32_t TeMask;
#define te_load(p) _mm256_loadu_si256 ((const void *) (p))
#define te_same(v, w) ((uint32_t) _mm256_movemask_epi8 (_mm256_cmpeq_epi8 ((v), (w))))
#define te_equal(v, c) te_same (v, _mm256_set1_epi8 (c))
#define te_both(v, c, w, d)                                                                        \
  ((uint32_t) _mm256_movemask_epi8 (                                                               \
      _mm256_and_si256 (_mm256_cmpeq_epi8 ((v), _mm256_set1_epi8 (c)),                             \
                        _mm256_cmpeq_epi8 ((w), _mm256_set1_epi8 (d)))))
#define te_at_most(v, c) te_same (_mm256_min_epu8 ((v), _mm256_set1_epi8 (c)), v)
#define te_or(v, c) _mm256_or_si256 ((v), _mm256_set1_epi8 (c))
#define te_and(v, w) _mm256_and_si256 ((v), (w))
#define te_some(v) (~te_same ((v), _mm256_setzero_si256 ()))
#define te_table(p) _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const void *) (p)))
#define te_look_up(table, v) _mm256_shuffle_epi8 ((table), (v))
#define te_high(v) te_and (_mm256_srli_epi16 ((v), 4), _mm256_set1_epi8 (15))
#elif TE_SIMD
typedef __m128i TeVector;
#define TE_WIDTH 16
typedef uint32_t TeMask;
#define te_load(p) _mm_loadu_si128 ((const void *) (p))
#define te_same(v, w) ((uint32_t) _mm_movemask_epi8 (_mm_cmpeq_epi8 ((v), (w))))
#define te_equal(v, c) te_same (v, _mm_set1_epi8 (c))
#define te_both(v, c, w, d) (te_equal (v, c) & te_equal (w, d))
#define te_at_most(v, c) te_same (_mm_min_epu8 ((v), _mm_set1_epi8 (c)), v)
#define te_or(v, c) _mm_or_si128 ((v), _mm_set1_epi8 (c))
#endif

/* -- Short texts ---------------------------------------------------------------- */

/* Keys and most strings are short, so that 32 bytes are enough; 64 nearly always lie in two lines
 * of the cache. */
#if TE_SIMD && TE_WIDTH == 64
typedef __m256i TeShort;
#define TE_SHORT 32
typedef uint32_t TeShortMask;
#define te_short_load(p) _mm256_loadu_si256 ((const void *) (p))
#define te_short_same(v, w) ((uint32_t) _mm256_movemask_epi8 (_mm256_cmpeq_epi8 ((v), (w))))
#define te_short_equal(v, c) te_short_same (v, _mm256_set1_epi8 (c))
#define te_short_at_most(v, c) te_short_same (_mm256_min_epu8 ((v), _mm256_set1_epi8 (c)), v)
#elif TE_SIMD
typedef TeVector TeShort;
#define TE_SHORT TE_WIDTH
typedef TeMask TeShortMask;
#define te_short_load(p) te_load (p)
#define te_short_same(v, w) te_same (v, w)
#define te_short_equal(v, c) te_equal (v, c)
#define te_short_at_most(v, c) te_at_most (v, c)
#endif

/* -- A block --------------------------------------------------------------------- */

/* Bit i is byte i. */
typedef struct {
  uint64_t quote, backslash;
  uint64_t open, close; /* { [ and } ]                                    */
  uint64_t control;     /* below a space                                  */
  uint64_t after;       /* what may stand behind a string: , : } ] space  */
  uint64_t capital_m;
} TeMasks;

enum { TE_OF_CONTAINER = 1, TE_OF_INDEX = 2 };

#if TE_SIMD
/* Returns the mask of a block for test (vector, c). It is written out for each width: a loop keeps
 * the masks in memory, which cost a quarter of the pass over brackets. */
#if TE_WIDTH == 64
#define TE_BITS(test, p, c) test (te_load (p), c)
#elif TE_WIDTH == 32
#define TE_BITS(test, p, c)                                                                        \
  ((uint64_t) test (te_load (p), c) | (uint64_t) test (te_load ((p) + 32), c) << 32)
#else
#define TE_BITS(test, p, c)                                                                        \
  ((uint64_t) test (te_load (p), c) | (uint64_t) test (te_load ((p) + 16), c) << 16                \
   | (uint64_t) test (te_load ((p) + 32), c) << 32 | (uint64_t) test (te_load ((p) + 48), c) << 48)
#endif
#define te_bracket(v, c) te_equal (te_or (v, 0x20), c)
#endif

static inline __attribute__ ((always_inline)) TeMasks
te_masks (const char *p, int what)
{
#if TE_SIMD
  TeMasks m = { .quote = TE_BITS (te_equal, p, '"'),
                .backslash = TE_BITS (te_equal, p, '\\'),
                .open = TE_BITS (te_bracket, p, '{'),
                .close = TE_BITS (te_bracket, p, '}') };
  if (what & TE_OF_CONTAINER) {
    m.control = TE_BITS (te_at_most, p, 0x1f);
    m.after = m.close | TE_BITS (te_at_most, p, 0x20) | TE_BITS (te_equal, p, ',')
              | TE_BITS (te_equal, p, ':');
  }
  if (what & TE_OF_INDEX)
    m.capital_m = TE_BITS (te_equal, p, 'M');
#else
  TeMasks m = { 0 };
  (void) what;
  for (unsigned i = 0; i < TE_BLOCK; i++) {
    unsigned char c = (unsigned char) p[i], u = c | 0x20;
    uint64_t bit = UINT64_C (1) << i;
    m.quote |= c == '"' ? bit : 0;
    m.backslash |= c == '\\' ? bit : 0;
    m.open |= u == '{' ? bit : 0;
    m.close |= u == '}' ? bit : 0;
    m.control |= c < 0x20 ? bit : 0;
    m.after |= c <= 0x20 || c == ',' || c == ':' || u == '}' ? bit : 0;
    m.capital_m |= c == 'M' ? bit : 0;
  }
#endif
  return m;
}

/* Returns the block at p, or the rest of it with spaces behind it, in `copy`. */
static inline const char *
te_block (const char *p, const char *end, char *copy)
{
  if (TE_LIKELY (end - p >= TE_BLOCK))
    return p;
  memset (copy, ' ', TE_BLOCK);
  memcpy (copy, p, (size_t) (end - p));
  return copy;
}

/* -- Bits ------------------------------------------------------------------------ */

static inline int
te_count (uint64_t bits)
{
#ifdef __POPCNT__
  return __builtin_popcountll (bits);
#else
  bits -= bits >> 1 & UINT64_C (0x5555555555555555);
  bits = (bits & UINT64_C (0x3333333333333333)) + (bits >> 2 & UINT64_C (0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C (0x0f0f0f0f0f0f0f0f);
  return (int) ((bits * UINT64_C (0x0101010101010101)) >> 56);
#endif
}

/* Bit i of the result says that an odd number of the bits 0..i are set. */
static inline uint64_t
te_inside (uint64_t bits)
{
#if TE_SIMD && defined __PCLMUL__
  __m128i all = _mm_set1_epi8 ((char) 0xff);
  return (uint64_t) _mm_cvtsi128_si64 (
      _mm_clmulepi64_si128 (_mm_set_epi64x (0, (int64_t) bits), all, 0));
#else
  for (int n = 1; n < 64; n *= 2)
    bits ^= bits << n;
  return bits;
#endif
}

/* Returns the bytes that a backslash before them escapes; *carry: the first byte of the next block
 * is one.  Runs of backslashes escape each other in pairs. */
static inline uint64_t
te_escaped (uint64_t backslash, uint64_t *carry)
{
  const uint64_t even = UINT64_C (0x5555555555555555);
  if (TE_LIKELY (!backslash)) {
    uint64_t first = *carry;
    *carry = 0;
    return first;
  }
  backslash &= ~*carry;
  uint64_t follows = backslash << 1 | *carry;
  uint64_t odd_starts = backslash & ~even & ~follows, sum;
  *carry = __builtin_add_overflow (odd_starts, backslash, &sum);
  return (even ^ sum << 1) & follows;
}

static inline uint64_t
te_below (unsigned bit)
{
  return (UINT64_C (1) << bit) - 1;
}
