/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/format.h - numbers and text for sinks, header-only: exact, fast, the same in every
 * locale.  nprof_format_*() write to memory that the caller has made large enough and return
 * the end; nprof_put_*() append to a buffer that grows. */
#ifndef NPROF_FORMAT_H
#define NPROF_FORMAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPROF_MAX_NUMBER 48 /* no number below is longer */

/* -- A buffer that grows --------------------------------------------------- */

/* Out of memory is remembered: what is put later is ignored, and whoever hands the
 * content on looks at `failed`. */
struct nprof_buf {
  char *data;
  size_t len, max;
  bool failed;
};

static inline bool
nprof_buf_grow (struct nprof_buf *b, size_t more)
{
  size_t max = b->max ? b->max : 256;
  while (max - b->len < more && max <= SIZE_MAX / 2)
    max *= 2;
  char *data = b->failed || max - b->len < more ? NULL : (char *) realloc (b->data, max);
  if (!data) {
    b->failed = true;
    return false;
  }
  b->data = data;
  b->max = max;
  return true;
}

/* Makes room for that many more bytes at data + len; false: no memory. */
static inline bool
nprof_buf_need (struct nprof_buf *b, size_t more)
{
  return (b->max - b->len >= more && !b->failed) || nprof_buf_grow (b, more);
}

static inline void
nprof_buf_clear (struct nprof_buf *b)
{
  free (b->data);
  memset (b, 0, sizeof *b);
}

static inline void
nprof_put (struct nprof_buf *b, const void *data, size_t len)
{
  if (len && nprof_buf_need (b, len)) {
    memcpy (b->data + b->len, data, len);
    b->len += len;
  }
}

static inline void
nprof_put_text (struct nprof_buf *b, const char *text)
{
  nprof_put (b, text, strlen (text));
}

static inline void
nprof_put_char (struct nprof_buf *b, char c)
{
  if (nprof_buf_need (b, 1))
    b->data[b->len++] = c;
}

/* -- Whole numbers and decimals -------------------------------------------- */

static inline uint64_t
nprof_power_of_ten (unsigned digits)
{
  static const uint64_t power[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
    UINT64_C (10000000000), UINT64_C (100000000000), UINT64_C (1000000000000),
    UINT64_C (10000000000000), UINT64_C (100000000000000), UINT64_C (1000000000000000),
    UINT64_C (10000000000000000), UINT64_C (100000000000000000), UINT64_C (1000000000000000000),
    UINT64_C (10000000000000000000)
  };
  return power[digits];
}

/* Returns how many digits u has: its bits times the logarithm of 2 give that number, or one
 * less. */
static inline unsigned
nprof_count_digits (uint64_t u)
{
  unsigned least = (64 - (unsigned) __builtin_clzll (u | 1)) * 1233 >> 12;
  return least + (u >= nprof_power_of_ten (least) || !u);
}

/* Writes the eight digits of u < 10^8: one word holds two numbers of four digits, then four of two,
 * then eight of one, the first one lowest; each step divides all of them at once. */
static inline void
nprof_format_eight (char *to, uint32_t u)
{
  uint64_t word = u / 10000 | (uint64_t) (u % 10000) << 32;
  uint64_t first = (word * 10486 >> 20) & UINT64_C (0x0000007f0000007f);
  word = first | (word - first * 100) << 16;
  first = (word * 103 >> 10) & UINT64_C (0x000f000f000f000f);
  word = first | (word - first * 10) << 8 | UINT64_C (0x3030303030303030);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  memcpy (to, &word, 8);
}

static inline char *
nprof_format_u64 (char *to, uint64_t u)
{
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                              "34353637383940414243444546474849505152535455565758596061626364656667"
                              "6869707172737475767778798081828384858687888990919293949596979899";
  char *end = to + nprof_count_digits (u), *at = end;
  for (; u >= 100000000; u /= 100000000)
    nprof_format_eight (at -= 8, (uint32_t) (u % 100000000));
  uint32_t rest = (uint32_t) u;
  for (; rest >= 100; rest /= 100)
    memcpy (at -= 2, pairs + rest % 100 * 2, 2);
  if (rest >= 10)
    memcpy (at - 2, pairs + rest * 2, 2);
  else
    at[-1] = (char) ('0' + rest);
  return end;
}

static inline char *
nprof_format_i64 (char *to, int64_t i)
{
  if (i < 0)
    *to++ = '-';
  return nprof_format_u64 (to, i < 0 ? 0 - (uint64_t) i : (uint64_t) i);
}

/* Writes u / 10^digits (digits 0..18), exact, trailing zeros dropped: 12345 and 3 give "12.345".
 * So picoseconds are ns with 3 digits, us with 6, ms with 9, s with 12. */
static inline char *
nprof_format_udecimal (char *to, uint64_t u, unsigned digits, char point)
{
  to = nprof_format_u64 (to, u / nprof_power_of_ten (digits));
  uint64_t rest = u % nprof_power_of_ten (digits);
  if (!rest)
    return to;
  for (; rest % 10 == 0; rest /= 10)
    digits--;
  *to = point;
  for (unsigned k = digits; k; k--, rest /= 10)
    to[k] = (char) ('0' + rest % 10);
  return to + digits + 1;
}

static inline char *
nprof_format_decimal (char *to, int64_t i, unsigned digits, char point)
{
  if (i < 0)
    *to++ = '-';
  return nprof_format_udecimal (to, i < 0 ? 0 - (uint64_t) i : (uint64_t) i, digits, point);
}

/* -- Doubles --------------------------------------------------------------- */

/* Writes digits x 10^exponent, n digits: 123, -2 is "1.23"; far from 1 it is "1.23e-7". */
static inline char *
nprof_format_digits (char *to, const char *digits, int n, int exponent, char point)
{
  while (n > 1 && digits[n - 1] == '0') {
    n--;
    exponent++;
  }
  int whole = n + exponent; /* digits before the point */
  if (whole > 17 || whole < -4) {
    *to++ = digits[0];
    if (n > 1) {
      *to++ = point;
      memcpy (to, digits + 1, (size_t) n - 1);
      to += n - 1;
    }
    *to++ = 'e';
    return nprof_format_i64 (to, whole - 1);
  }
  for (int k = 0; k < whole; k++)
    *to++ = k < n ? digits[k] : '0';
  if (whole <= 0)
    *to++ = '0';
  if (n <= whole)
    return to;
  *to++ = point;
  for (int k = whole; k < 0; k++)
    *to++ = '0';
  int from = whole > 0 ? whole : 0;
  memcpy (to, digits + from, (size_t) (n - from));
  return to + (n - from);
}

/* Returns the decimals of x > 0 when it has at most 15 digits, 8 of them behind the point; 0: it
 * has more. */
static inline int
nprof_few_digits (double x, char *digits, int *exponent)
{
  static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8 };
  for (int k = 0; k < 9; k++) {
    double y = x * power[k];
    if (y >= 1e15)
      return 0;
    /* y / 10^k is rounded once, so that it is what the decimal y x 10^-k reads as */
    if (y == (double) (uint64_t) y && y / power[k] == x) {
      *exponent = -k;
      return (int) (nprof_format_u64 (digits, (uint64_t) y) - digits);
    }
  }
  return 0;
}

/* Returns the fewest of 15, 16, 17 digits that read back as x > 0. */
static inline int
nprof_round_trip_digits (double x, char *digits, int *exponent)
{
  for (int n = 15;; n++) {
    char text[64], *from = text, *to = digits;
    snprintf (text, sizeof text, "%.*e", n - 1, x);
    for (; *from != 'e'; from++) /* the locale's point, whatever it is, is skipped */
      if (*from >= '0' && *from <= '9')
        *to++ = *from;
    *exponent = atoi (from + 1) - (n - 1);
    snprintf (to, 16, "e%d", *exponent);
    if (n == 17 || strtod (digits, NULL) == x)
      return n;
  }
}

/* Writes x times 10^shift: shift moves the point of the text that reads back as x, so nothing is
 * rounded.  NaN, Infinity and -Infinity have these names. */
static inline char *
nprof_format_scaled (char *to, double x, int shift, char point)
{
  char digits[40];
  int exponent = 0, n;
  if (isnan (x)) {
    memcpy (to, "NaN", 3);
    return to + 3;
  }
  if (signbit (x))
    *to++ = '-';
  x = fabs (x);
  if (isinf (x)) {
    memcpy (to, "Infinity", 8);
    return to + 8;
  }
  if (x == 0) {
    *to++ = '0';
    return to;
  }
  n = nprof_few_digits (x, digits, &exponent);
  if (!n)
    n = nprof_round_trip_digits (x, digits, &exponent);
  return nprof_format_digits (to, digits, n, exponent + shift, point);
}

static inline char *
nprof_format_double (char *to, double x)
{
  return nprof_format_scaled (to, x, 0, '.');
}

/* -- Appending numbers ----------------------------------------------------- */

static inline void
nprof_put_u64 (struct nprof_buf *b, uint64_t u)
{
  if (nprof_buf_need (b, NPROF_MAX_NUMBER))
    b->len = (size_t) (nprof_format_u64 (b->data + b->len, u) - b->data);
}

static inline void
nprof_put_i64 (struct nprof_buf *b, int64_t i)
{
  if (nprof_buf_need (b, NPROF_MAX_NUMBER))
    b->len = (size_t) (nprof_format_i64 (b->data + b->len, i) - b->data);
}

static inline void
nprof_put_decimal (struct nprof_buf *b, int64_t i, unsigned digits, char point)
{
  if (nprof_buf_need (b, NPROF_MAX_NUMBER))
    b->len = (size_t) (nprof_format_decimal (b->data + b->len, i, digits, point) - b->data);
}

static inline void
nprof_put_udecimal (struct nprof_buf *b, uint64_t u, unsigned digits, char point)
{
  if (nprof_buf_need (b, NPROF_MAX_NUMBER))
    b->len = (size_t) (nprof_format_udecimal (b->data + b->len, u, digits, point) - b->data);
}

static inline void
nprof_put_scaled (struct nprof_buf *b, double x, int shift, char point)
{
  if (nprof_buf_need (b, NPROF_MAX_NUMBER))
    b->len = (size_t) (nprof_format_scaled (b->data + b->len, x, shift, point) - b->data);
}

static inline void
nprof_put_double (struct nprof_buf *b, double x)
{
  nprof_put_scaled (b, x, 0, '.');
}

/* Puts the 16 bytes of an id128 as 32 hex digits. */
static inline void
nprof_put_id128 (struct nprof_buf *b, const void *id)
{
  const unsigned char *from = (const unsigned char *) id;
  if (!nprof_buf_need (b, 32))
    return;
  for (int k = 0; k < 16; k++) {
    b->data[b->len++] = "0123456789abcdef"[from[k] >> 4];
    b->data[b->len++] = "0123456789abcdef"[from[k] & 15];
  }
}

#endif
