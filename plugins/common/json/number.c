/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - decimal numbers in any spelling, exactly: the slow way, where scan.c reads the usual
 * form quickly. */
#include "json/scan.h"

#include <string.h>

#define MOST_DIGITS 64 /* kept; more than any time needs                          */
#define PS_DIGITS 25   /* of int64 microseconds, in picoseconds                   */

typedef struct {
  bool negative;
  char digit[MOST_DIGITS]; /* without leading zeros                                 */
  int64_t n;               /* how many there are, kept or not                       */
  int64_t exponent;        /* value = 0.d1d2d3... x 10^exponent                     */
  bool more;               /* digits that were not kept are not all zero            */
} Decimal;

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static void
add_digit (Decimal *d, char c)
{
  if (d->n < MOST_DIGITS)
    d->digit[d->n] = (char) (c - '0');
  else
    d->more |= c != '0';
  d->n++;
}

static const char *
read_digits (Decimal *d, const char *p, const char *end, bool fraction)
{
  for (; p < end && is_digit (*p); p++) {
    if (d->n || *p != '0') {
      add_digit (d, *p);
      d->exponent += !fraction;
    } else {
      d->exponent -= fraction;
    }
  }
  return p;
}

static const char *
read_exponent (Decimal *d, const char *p, const char *end)
{
  int64_t e = 0;
  bool negative = p < end && *p == '-';
  p += p < end && (*p == '-' || *p == '+');
  const char *from = p;
  for (; p < end && is_digit (*p); p++)
    e = e < 1000000000 ? e * 10 + (*p - '0') : e;
  d->exponent += negative ? -e : e;
  return p > from ? p : NULL;
}

static bool
read_decimal (Decimal *d, const char *p, const char *end)
{
  *d = (Decimal){ 0 };
  d->negative = p < end && *p == '-';
  p += p < end && (*p == '-' || *p == '+');
  const char *from = p;
  p = read_digits (d, p, end, false);
  int64_t n_digits = p - from;
  if (p < end && *p == '.') {
    from = p + 1;
    p = read_digits (d, from, end, true);
    n_digits += p - from;
  }
  if (n_digits && p < end && (*p | 0x20) == 'e')
    p = read_exponent (d, p + 1, end);
  return n_digits && p == end;
}

/* Returns the first n digits as a number, the rest rounded: half away from zero. */
static unsigned __int128
rounded (const Decimal *d, int64_t n, bool *inexact)
{
  unsigned __int128 value = 0;
  for (int64_t i = 0; i < n; i++)
    value = value * 10 + (unsigned) (i < d->n && i < MOST_DIGITS ? d->digit[i] : 0);
  *inexact = d->more;
  for (int64_t i = n < 0 ? 0 : n; i < d->n && i < MOST_DIGITS; i++)
    *inexact |= d->digit[i] != 0;
  return value + (n >= 0 && n < d->n && d->digit[n] >= 5);
}

TeTime
te_time (const char *p, const char *end)
{
  Decimal d;
  if (!read_decimal (&d, p, end))
    return (TeTime){ 0, 0, TE_NOT_A_TIME };
  if (d.n == 0)
    return (TeTime){ 0, 0, TE_EXACT };
  int64_t n = d.exponent + 6;
  if (n > PS_DIGITS)
    return (TeTime){ 0, 0, TE_TOO_FAR };
  bool inexact;
  unsigned __int128 value = rounded (&d, n, &inexact);
  __int128 ps = d.negative ? -(__int128) value : (__int128) value, us = ps / TE_PS_PER_US;
  us -= us * TE_PS_PER_US > ps;
  if (us > INT64_MAX || us < INT64_MIN)
    return (TeTime){ 0, 0, TE_TOO_FAR };
  return (TeTime){ (int64_t) us, (int32_t) (ps - us * TE_PS_PER_US),
                   inexact ? TE_ROUNDED : TE_EXACT };
}

bool
te_int (const char *p, const char *end, int64_t *i)
{
  bool negative = p < end && *p == '-';
  p += negative;
  size_t n = (size_t) (end - p);
  if (n == 0 || n > 19 || (*p == '0' && (n > 1 || negative)))
    return false;
  uint64_t value = 0;
  for (; p < end; p++) {
    if (!is_digit (*p))
      return false;
    value = value * 10 + (uint64_t) (*p - '0');
  }
  if (value > (uint64_t) INT64_MAX + negative)
    return false;
  *i = (int64_t) (negative ? 0 - value : value);
  return true;
}
