/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - compares whole numbers of 64 bits with decimal texts exactly: a double holds 53 bits,
 * so 2^53 + 1 would be 2^53. For conditions on rows and on cells of tables. */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Reads a number as strtod does where numbers have a point, whatever the locale of the program
 * is. */
static inline double
np_number_read (const char *text, char **end)
{
  locale_t plain = newlocale (LC_NUMERIC_MASK, "C", 0); /* glibc and musl have it ready */
  double number = strtod_l (text, end, plain);
  freelocale (plain);
  return number;
}

/* A decimal number as far as a whole one differs from it. */
struct np_decimal {
  bool negative;
  bool beyond;    /* its magnitude is 2^64 or more */
  bool fraction;  /* it lies above `whole`         */
  uint64_t whole; /* of the magnitude              */
};

static inline size_t
np_decimal_digits (const char *text, size_t len, size_t at)
{
  size_t n = 0;
  while (at + n < len && text[at + n] >= '0' && text[at + n] <= '9')
    n++;
  return n;
}

/* Reads what stands behind the digits, "e-3".  false: that is no exponent. */
static inline bool
np_decimal_exponent (const char *text, size_t len, size_t at, long *exponent)
{
  const long most = 1000000; /* more digits than any text here has */
  *exponent = 0;
  if (at == len)
    return true;
  if (text[at] != 'e' && text[at] != 'E')
    return false;
  at++;
  bool negative = at < len && text[at] == '-';
  at += at < len && (text[at] == '-' || text[at] == '+');
  size_t n = np_decimal_digits (text, len, at);
  if (!n || at + n != len)
    return false;
  for (; n; n--, at++)
    *exponent = *exponent > most ? most : *exponent * 10 + (text[at] - '0');
  *exponent = negative ? -*exponent : *exponent;
  return true;
}

static inline void
np_decimal_add_digit (struct np_decimal *d, unsigned digit)
{
  if (__builtin_mul_overflow (d->whole, (uint64_t) 10, &d->whole)
      || __builtin_add_overflow (d->whole, (uint64_t) digit, &d->whole))
    d->beyond = true;
}

/* Reads a text that is a decimal number as a whole: "-12", "1.5", "2e9".  false: it is none. */
static inline bool
np_decimal_read (const char *text, size_t len, struct np_decimal *d)
{
  size_t first = len && (*text == '-' || *text == '+'),
         whole = np_decimal_digits (text, len, first), at = first + whole;
  size_t point = at < len && text[at] == '.',
         part = point ? np_decimal_digits (text, len, at + 1) : 0;
  long exponent;
  *d = (struct np_decimal){ .negative = first && *text == '-' };
  if (!whole + !part == 2 || !np_decimal_exponent (text, len, at + point + part, &exponent))
    return false;
  long left = (long) whole + exponent; /* digits of the whole part that are to come */
  for (size_t i = 0; i < whole + part; i++, left--) {
    unsigned digit = (unsigned) (text[first + i + (i >= whole)] - '0');
    if (left > 0)
      np_decimal_add_digit (d, digit);
    else
      d->fraction |= digit != 0;
  }
  for (; left > 0 && d->whole && !d->beyond; left--)
    np_decimal_add_digit (d, 0);
  d->negative &= d->whole || d->beyond || d->fraction;
  return true;
}

/* Returns below, at or above 0 as the whole number of that sign and magnitude is below, at or above
 * the decimal one. */
static inline int
np_decimal_compare (bool negative, uint64_t magnitude, const struct np_decimal *d)
{
  if (negative != d->negative)
    return negative ? -1 : 1;
  int order = d->beyond ? -1 : (magnitude > d->whole) - (magnitude < d->whole);
  if (!order && d->fraction)
    order = -1;
  return negative ? -order : order;
}
