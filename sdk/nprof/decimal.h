/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/decimal.h - decimal numbers as text, exactly, header-only: no double, no locale, no memory.
 * What stands around a number it leaves to who found it.  All [any-thread].
 *
 *   int64_t ps;
 *   if (nprof_read_scaled (text, len, 9, &ps) > NPROF_DECIMAL_ROUNDED)      milliseconds as ps
 *     return nprof_damage (host, at, "a time that is no number, or beyond 106 days"); */
#ifndef NPROF_DECIMAL_H
#define NPROF_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What became of a text.  The first two gave a number. */
enum {
  NPROF_DECIMAL_EXACT,
  NPROF_DECIMAL_ROUNDED, /* it has digits below the unit: half away from zero */
  NPROF_DECIMAL_NONE,    /* it is no decimal number                           */
  NPROF_DECIMAL_BEYOND   /* it does not fit                                   */
};

/* -- Whole units, or nothing ----------------------------------------------- */

static inline bool
nprof_add_digit (int64_t *sum, int64_t digit, int64_t weight)
{
  int64_t part;
  return !__builtin_mul_overflow (digit, weight, &part)
         && !__builtin_add_overflow (*sum, part, sum);
}

/* Reads "-12.5" as a whole number of 1/`scale` units, exactly and never through a double: with a
 * scale of 1000000 microseconds become ps. false: it is no decimal number without exponent, finer
 * than one `scale`th, or beyond int64. */
static inline bool
nprof_read_decimal (const char *text, size_t len, int64_t scale, int64_t *value)
{
  *value = 0;
  if (!len) /* of no text there may be none */
    return false;
  const char *at = text, *end = text + len;
  const bool negative = *at == '-';
  at += negative;
  const char *point = (const char *) memchr (at, '.', (size_t) (end - at));
  const char *whole = point ? point : end;
  int64_t sum = 0;
  if (at == whole)
    return false;
  for (; at < whole; at++)
    if (*at < '0' || *at > '9' || __builtin_mul_overflow (sum, 10, &sum)
        || !nprof_add_digit (&sum, *at - '0', 1))
      return false;
  if (!nprof_add_digit (value, sum, scale))
    return false;
  for (at = point ? point + 1 : end; at < end; at++) {
    scale /= 10;
    if (*at < '0' || *at > '9' || (scale == 0 && *at != '0')
        || !nprof_add_digit (value, *at - '0', scale))
      return false;
  }
  if (negative)
    *value = -*value;
  return true;
}

/* -- Any spelling ---------------------------------------------------------- */

#define NPROF_DECIMAL_DIGITS 64 /* kept; more than any time needs */

struct nprof_decimal {
  bool negative;
  char digit[NPROF_DECIMAL_DIGITS]; /* 0 to 9, without leading zeros                 */
  int64_t n;                        /* how many there are, kept or not               */
  int64_t exponent;                 /* value = 0.d1d2d3... x 10^exponent             */
  bool more;                        /* digits that were not kept are not all zero    */
};

static inline const char *
nprof_decimal_digits (struct nprof_decimal *d, const char *at, const char *end, bool fraction)
{
  for (; at < end && *at >= '0' && *at <= '9'; at++) {
    if (!d->n && *at == '0') {
      d->exponent -= fraction;
      continue;
    }
    if (d->n < NPROF_DECIMAL_DIGITS)
      d->digit[d->n] = (char) (*at - '0');
    else
      d->more |= *at != '0';
    d->n++;
    d->exponent += !fraction;
  }
  return at;
}

/* Returns what is behind the exponent; NULL: it has no digits.  One beyond 10^9 counts as that. */
static inline const char *
nprof_decimal_exponent (struct nprof_decimal *d, const char *at, const char *end)
{
  int64_t e = 0;
  const bool negative = at < end && *at == '-';
  at += at < end && (*at == '-' || *at == '+');
  const char *from = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++)
    e = e < 1000000000 ? e * 10 + (*at - '0') : e;
  d->exponent += negative ? -e : e;
  return at > from ? at : NULL;
}

/* Reads [+-]digits[.digits][e[+-]digits], with digits on one side of the point at least, which is
 * the whole text.  false: it is something else. */
static inline bool
nprof_decimal_parse (struct nprof_decimal *d, const char *text, size_t len)
{
  memset (d, 0, sizeof *d);
  if (!len)
    return false;
  const char *at = text, *end = text + len;
  d->negative = *at == '-';
  at += *at == '-' || *at == '+';
  const char *from = at;
  at = nprof_decimal_digits (d, at, end, false);
  int64_t n_digits = at - from;
  if (at < end && *at == '.') {
    from = at + 1;
    at = nprof_decimal_digits (d, from, end, true);
    n_digits += at - from;
  }
  if (n_digits && at < end && (*at | 0x20) == 'e')
    at = nprof_decimal_exponent (d, at + 1, end);
  return n_digits && at == end;
}

/* Returns the i-th digit, from 0; 0 behind the last one that was kept. */
static inline unsigned
nprof_decimal_digit (const struct nprof_decimal *d, int64_t i)
{
  return i < d->n && i < NPROF_DECIMAL_DIGITS ? (unsigned) d->digit[i] : 0;
}

/* Returns whether the first n digits are not the whole number, so that it is rounded there. */
static inline bool
nprof_decimal_has_more (const struct nprof_decimal *d, int64_t n)
{
  bool more = d->more;
  for (int64_t i = n < 0 ? 0 : n; i < d->n && i < NPROF_DECIMAL_DIGITS; i++)
    more |= d->digit[i] != 0;
  return more;
}

/* Reads a number in any spelling as whole units of 10^-places, rounded where it is finer: seconds
 * as ps with 12, ms with 9, us with 6, ns with 3.  Returns NPROF_DECIMAL_EXACT ...; *value is 0
 * where there is no number. */
static inline int
nprof_read_scaled (const char *text, size_t len, int places, int64_t *value)
{
  struct nprof_decimal d;
  *value = 0;
  if (!nprof_decimal_parse (&d, text, len))
    return NPROF_DECIMAL_NONE;
  const int64_t n = d.exponent + places; /* digits that count */
  if (!d.n || n < 0)
    return d.n ? NPROF_DECIMAL_ROUNDED : NPROF_DECIMAL_EXACT;
  if (n > 19)
    return NPROF_DECIMAL_BEYOND;
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum = sum * 10 + nprof_decimal_digit (&d, i); /* 19 digits fit */
  sum += nprof_decimal_digit (&d, n) >= 5;
  if (sum > (uint64_t) INT64_MAX + d.negative)
    return NPROF_DECIMAL_BEYOND;
  *value = (int64_t) (d.negative ? 0 - sum : sum);
  return nprof_decimal_has_more (&d, n) ? NPROF_DECIMAL_ROUNDED : NPROF_DECIMAL_EXACT;
}

#endif
