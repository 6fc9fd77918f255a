/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - decimal numbers in any spelling, exactly: the slow way, where scan.c reads the usual
 * form quickly. */
#include "json/scan.h"

#include <nprof/decimal.h>

#define PS_DIGITS 25 /* of int64 microseconds, in picoseconds */

/* Returns the first n digits as a number, the rest rounded: half away from zero. */
static unsigned __int128
rounded (const struct nprof_decimal *d, int64_t n)
{
  unsigned __int128 value = 0;
  for (int64_t i = 0; i < n; i++)
    value = value * 10 + nprof_decimal_digit (d, i);
  return value + (n >= 0 && nprof_decimal_digit (d, n) >= 5);
}

TeTime
te_time (const char *p, const char *end)
{
  struct nprof_decimal d;
  if (!nprof_decimal_parse (&d, p, (size_t) (end - p)))
    return (TeTime){ 0, 0, TE_NOT_A_TIME };
  if (d.n == 0)
    return (TeTime){ 0, 0, TE_EXACT };
  int64_t n = d.exponent + 6;
  if (n > PS_DIGITS)
    return (TeTime){ 0, 0, TE_TOO_FAR };
  unsigned __int128 value = rounded (&d, n);
  __int128 ps = d.negative ? -(__int128) value : (__int128) value, us = ps / TE_PS_PER_US;
  us -= us * TE_PS_PER_US > ps;
  if (us > INT64_MAX || us < INT64_MIN)
    return (TeTime){ 0, 0, TE_TOO_FAR };
  return (TeTime){ (int64_t) us, (int32_t) (ps - us * TE_PS_PER_US),
                   nprof_decimal_has_more (&d, n) ? TE_ROUNDED : TE_EXACT };
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
    if (*p < '0' || *p > '9')
      return false;
    value = value * 10 + (uint64_t) (*p - '0');
  }
  if (value > (uint64_t) INT64_MAX + negative)
    return false;
  *i = (int64_t) (negative ? 0 - value : value);
  return true;
}
