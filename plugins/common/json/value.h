/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - one value of JSON: strings, numbers, and objects and arrays that are skipped as a
 * block.  Part of scan.c, and compiled with it for each instruction set. */
#pragma once

#include "json/block.h"
#include "json/scan.h"

static const char *
fail (TeScan *s, const char *at, const char *why)
{
  s->bad = at;
  s->why = why;
  return NULL;
}

/* Counts a control byte within a string, once however often it is read; false: it may not stand
 * there. */
static __attribute__ ((noinline, cold)) bool
take_control (TeScan *s, const char *p)
{
  TeControls *controls = s->controls;
  if (controls && p > controls->last) {
    controls->first = controls->n++ ? controls->first : p;
    controls->last = p;
  }
  return controls != NULL;
}

static inline bool
is_space (char c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *
skip_space (const char *p, const char *end)
{
  while (p < end && is_space (*p))
    p++;
  return p;
}

/* -- Strings ----------------------------------------------------------------------- */

static __attribute__ ((noinline)) const char *
string_slowly (TeScan *s, const char *from, const char *p, bool *escaped)
{
  for (; p < s->end; p++) {
    unsigned char c = (unsigned char) *p;
    if (c == '"')
      return p;
    if (c < 0x20 && !take_control (s, p))
      return fail (s, p, "a control byte within a string");
    if (c == '\\') {
      *escaped = true;
      p++;
    }
  }
  return fail (s, from - 1, "a string that does not end");
}

/* p is behind the opening quote.  Returns its closing quote. */
static inline __attribute__ ((always_inline)) const char *
string_end (TeScan *s, const char *p, bool *escaped)
{
  const char *from = p;
#if TE_SIMD
  while (TE_LIKELY (s->end - p >= TE_SHORT)) {
    TeShort v = te_short_load (p);
    TeShortMask quote = te_short_equal (v, '"');
    TeShortMask stop = quote | te_short_equal (v, '\\') | te_short_at_most (v, 0x1f);
    if (!stop) {
      p += TE_SHORT;
      continue;
    }
    TeShortMask first = stop & -stop;
    p += __builtin_ctzll (stop);
    if (TE_LIKELY (first & quote))
      return p;
    if (TE_UNLIKELY ((unsigned char) *p < 0x20))
      break;
    *escaped = true;
    p += 2;
  }
#endif
  return string_slowly (s, from, p, escaped);
}

/* -- Objects and arrays ---------------------------------------------------------------- */

/* Returns the closing bracket that brings depth to 0; 64: none in this block. */
static inline unsigned
last_close (uint64_t open, uint64_t close, int64_t depth)
{
  for (int64_t closed = 0; close; closed++, close &= close - 1) {
    unsigned bit = (unsigned) __builtin_ctzll (close);
    if (depth + te_count (open & te_below (bit)) - closed == 1)
      return bit;
  }
  return 64;
}

static inline bool
may_follow_string (char c)
{
  return c == ',' || c == ':' || c == '}' || c == ']' || (unsigned char) c <= ' ';
}

/* Does as container_end, byte by byte, where control bytes may stand within strings. */
static __attribute__ ((noinline, cold)) const char *
container_slowly (TeScan *s, const char *from)
{
  int64_t depth = 0;
  bool escaped;
  for (const char *p = from; p < s->end; p++) {
    if (*p == '"') {
      p = string_slowly (s, p + 1, p + 1, &escaped);
      if (!p)
        return NULL;
      if (p + 1 < s->end && !may_follow_string (p[1]))
        return fail (s, p + 1, "text behind the end of a string");
    } else if (*p == '{' || *p == '[') {
      depth++;
    } else if ((*p == '}' || *p == ']') && --depth == 0) {
      return p + 1;
    }
  }
  return fail (s, from, "brackets that do not end");
}

/* p is at { or [.  Returns what is behind the bracket that closes it.  Strings are checked as far
 * as bits can: no control byte within, and behind a string only what may stand there. */
static const char *
container_end (TeScan *s, const char *p)
{
  const char *from = p;
  uint64_t in_string = 0, escaped = 0, closed_before = 0;
  int64_t depth = 0;
  char copy[TE_BLOCK];
  for (; p < s->end; p += TE_BLOCK) {
    TeMasks m = te_masks (te_block (p, s->end, copy), TE_OF_CONTAINER);
    uint64_t quote = m.quote & ~te_escaped (m.backslash, &escaped);
    uint64_t string = te_inside (quote) ^ in_string;
    uint64_t ended = quote & ~string;
    uint64_t bad = (m.control & string) | ((ended << 1 | closed_before) & ~m.after);
    uint64_t open = m.open & ~string, close = m.close & ~string;
    unsigned last = te_count (close) >= depth ? last_close (open, close, depth) : 64;
    if (TE_UNLIKELY (last < 64 ? bad & te_below (last) : bad)) {
      if (s->controls)
        return container_slowly (s, from);
      const char *at = p + __builtin_ctzll (bad);
      bool control = at < s->end && (unsigned char) *at < 0x20;
      return fail (s, at,
                   control ? "a control byte within a string" : "text behind the end of a string");
    }
    if (last < 64)
      return p + last < s->end ? p + last + 1 : fail (s, from, "brackets that do not end");
    depth += te_count (open) - te_count (close);
    in_string = (uint64_t) ((int64_t) string >> 63);
    closed_before = ended >> 63;
  }
  return fail (s, from, "brackets that do not end");
}

/* -- Numbers ------------------------------------------------------------------------------ */

static const uint64_t power10[] = { 1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    UINT64_C (10000000000),
                                    UINT64_C (100000000000),
                                    UINT64_C (1000000000000),
                                    UINT64_C (10000000000000),
                                    UINT64_C (100000000000000),
                                    UINT64_C (1000000000000000),
                                    UINT64_C (10000000000000000) };

/* Returns how many of the 8 bytes are digits, from the first one, and their value. */
static inline uint64_t
eight_digits (const char *p, unsigned *n)
{
  uint64_t w;
  memcpy (&w, p, 8);
  w ^= UINT64_C (0x3030303030303030);
  uint64_t others = ((w + UINT64_C (0x7676767676767676)) | w) & UINT64_C (0x8080808080808080);
  unsigned k = others ? (unsigned) __builtin_ctzll (others) >> 3 : 8;
  *n = k;
  if (!k)
    return 0;
  w <<= (8 - k) * 8;
  w = w * 10 + (w >> 8);
  return (((w & UINT64_C (0x000000ff000000ff)) * UINT64_C (0x000f424000000064))
          + ((w >> 16 & UINT64_C (0x000000ff000000ff)) * UINT64_C (0x0000271000000001)))
         >> 32;
}

/* Reads up to 16 digits at p, where 17 bytes may be read; *n: how many, 17 for more. */
#if TE_SIMD && defined __AVX2__
static inline uint64_t
digits (const char *p, unsigned *n)
{
  /* Read from its byte n on, it says how n bytes are moved to the end of 16, behind zeros. */
  static const int8_t to_end[32]
      = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
          0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15 };
  __m128i v = _mm_sub_epi8 (_mm_loadu_si128 ((const void *) p), _mm_set1_epi8 ('0'));
  __m128i is_digit = _mm_cmpeq_epi8 (_mm_min_epu8 (v, _mm_set1_epi8 (9)), v);
  unsigned k = (unsigned) __builtin_ctz (~(unsigned) _mm_movemask_epi8 (is_digit));
  v = _mm_shuffle_epi8 (v, _mm_loadu_si128 ((const void *) (to_end + k)));
  v = _mm_maddubs_epi16 (v, _mm_set1_epi16 (1 << 8 | 10));     /* 8 times 2 digits */
  v = _mm_madd_epi16 (v, _mm_set1_epi32 (1 << 16 | 100));      /* 4 times 4        */
  v = _mm_packus_epi32 (v, v);
  v = _mm_madd_epi16 (v, _mm_set1_epi32 (1 << 16 | 10000));    /* 2 times 8        */
  uint64_t both = (uint64_t) _mm_cvtsi128_si64 (v);
  *n = k + (k == 16 && (unsigned) (unsigned char) p[16] - '0' < 10);
  return (uint32_t) both * power10[8] + (both >> 32);
}
#else
static inline uint64_t
digits (const char *p, unsigned *n)
{
  uint64_t value = eight_digits (p, n);
  if (*n < 8)
    return value;
  unsigned more;
  uint64_t rest = eight_digits (p + 8, &more);
  *n = 8 + more;
  if (more == 8 && (unsigned) (unsigned char) p[16] - '0' < 10)
    *n = 17;
  return value * power10[more] + rest;
}
#endif

/* Returns the end of a word or number: the first of , } ] and space. */
static inline const char *
word_end (const char *p, const char *end)
{
  while (p < end && *p != ',' && *p != '}' && *p != ']' && !is_space (*p))
    p++;
  return p;
}

static inline bool
ends_value (char c)
{
  return c == ',' || c == '}' || is_space (c) || c == ']';
}

/* Reads the usual form, [-]digits[.digits] with up to 16 and 6 of them; false: anything else. */
static inline __attribute__ ((always_inline)) bool
quick_time (const char **at, const char *end, TeTime *time)
{
  const char *p = *at;
  if (end - p < 32)
    return false;
  bool negative = *p == '-';
  p += negative;
  unsigned n, k = 0;
  uint64_t us = digits (p, &n), ps = 0;
  if (n == 0 || n > 16)
    return false;
  p += n;
  if (*p == '.') {
    ps = eight_digits (p + 1, &k);
    if (k == 0 || k > 6)
      return false;
    ps *= power10[6 - k];
    p += 1 + k;
  }
  if (!ends_value (*p) && *p != '"')
    return false;
  *time = (TeTime){ (int64_t) us, (int32_t) ps, TE_EXACT };
  if (TE_UNLIKELY (negative)) {
    time->us = -(int64_t) us - (ps != 0);
    time->ps = ps ? (int32_t) (1000000 - ps) : 0;
  }
  *at = p;
  return true;
}

static inline const char *
time_at (TeScan *s, const char *p, TeTime *time)
{
  const char *from = p;
  if (TE_LIKELY (quick_time (&p, s->end, time) && *p != '"'))
    return p;
  p = word_end (from, s->end);
  *time = te_time (from, p);
  return p;
}

/* Reads a whole number of up to 7 digits; NULL: it is something else. */
static inline __attribute__ ((always_inline)) const char *
short_number (const TeScan *s, const char *p, TeValue *v)
{
  if (TE_UNLIKELY (s->end - p < 32))
    return NULL;
  unsigned n;
  uint64_t value = eight_digits (p, &n);
  if (TE_UNLIKELY (n == 0 || n == 8 || !ends_value (p[n]) || (n > 1 && *p == '0')))
    return NULL;
  *v = (TeValue){ p, n, (int64_t) value, TE_INT, false };
  return p + n;
}

/* Reads a whole number of up to 16 digits; NULL: it is something else. */
static inline const char *
quick_int (const char *p, const char *end, TeValue *v)
{
  if (TE_UNLIKELY (end - p < 32))
    return NULL;
  unsigned n;
  bool negative = *p == '-';
  uint64_t value = digits (p + negative, &n);
  const char *q = p + negative + n;
  if (TE_UNLIKELY (n == 0 || n > 16 || !ends_value (*q) || (n > 1 && p[negative] == '0')
                   || (negative && value == 0)))
    return NULL;
  *v = (TeValue){ p, (size_t) (q - p), negative ? -(int64_t) value : (int64_t) value, TE_INT,
                  false };
  return q;
}

/* Reads a number or a word.  An empty one is no value. */
static inline const char *
word_at (TeScan *s, const char *p, TeValue *v)
{
  const char *from = p, *behind = quick_int (p, s->end, v);
  if (TE_LIKELY (behind))
    return behind;
  v->p = p;
  p = word_end (p, s->end);
  if (p == from)
    return fail (s, p, "no value where one was expected");
  v->len = (size_t) (p - from);
  v->kind = te_int (from, p, &v->i) ? TE_INT : TE_WORD;
  for (const char *c = from; c < p; c++)
    if (*c == '"' || *c == ':' || *c == '{' || *c == '[' || (unsigned char) *c < 0x20)
      return fail (s, c, "a byte that no value holds");
  return p;
}

static const char *
value_at (TeScan *s, const char *p, TeValue *v)
{
  if (p >= s->end)
    return fail (s, p, "no value where one was expected");
  v->escaped = false;
  if (*p == '"') {
    const char *end = string_end (s, p + 1, &v->escaped);
    if (!end)
      return NULL;
    v->kind = TE_TEXT;
    v->p = p + 1;
    v->len = (size_t) (end - p - 1);
    return end + 1;
  }
  if (*p != '{' && *p != '[')
    return word_at (s, p, v);
  const char *end = container_end (s, p);
  if (!end)
    return NULL;
  v->kind = *p == '{' ? TE_OBJECT : TE_ARRAY;
  v->p = p;
  v->len = (size_t) (end - p);
  return end;
}
