/* SPDX-License-Identifier: Apache-2.0 */
/* time.c - times as people type them, to exact numbers. */
#include "match.h"

#include <string.h>

typedef unsigned __int128 Wide;

static const struct unit {
  const char *name;
  int64_t ps;
  unsigned decimals; /* more are less than a ps */
} units[] = { { "ns", 1000, 3 }, { "us", 1000000, 6 },       { "ms", 1000000000, 9 },
              { "ps", 1, 0 },    { "s", 1000000000000, 12 }, { "min", 60000000000000, 14 } };

#define ENOUGH ((Wide) 20 * 1000000000000000000) /* beyond int64 in any unit */

static const struct unit *
find_unit (const char *name)
{
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (!strcmp (name, units[k].name))
      return &units[k];
  return NULL;
}

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Reads digits with at most one point: their value without it, and how many stand behind it once
 * zeros at the end are left out.  Returns what follows; NULL: no digits. */
static const char *
read_digits (const char *at, Wide *digits, unsigned *decimals)
{
  unsigned n = 0, zeros = 0, behind = 0;
  bool point = false;
  *digits = 0;
  for (; is_digit (*at) || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    n++;
    if (point && *at == '0') {
      zeros++;
      continue;
    }
    behind += point ? zeros + 1 : 0; /* zeros that turn out not to be the last count */
    for (unsigned k = 0; k <= zeros && *digits < ENOUGH; k++)
      *digits = *digits * 10 + (k == zeros ? (unsigned) (*at - '0') : 0);
    zeros = 0;
  }
  *decimals = behind;
  return n ? at : NULL;
}

enum np_time_read
np_time_read (const char *text, const char *unitless, int64_t *ps)
{
  const bool negative = *text == '-';
  bool exact = true;
  Wide value;
  unsigned decimals;
  const char *rest = read_digits (text + negative, &value, &decimals);
  if (!rest)
    return NP_TIME_WRONG;
  if (!*rest && value && !unitless)
    return NP_TIME_NO_UNIT;
  const struct unit *unit = find_unit (*rest ? rest : unitless ? unitless : "ps");
  if (!unit)
    return NP_TIME_WRONG;
  value *= (Wide) unit->ps;
  for (unsigned k = 0; k < decimals && k < unit->decimals; k++) {
    exact &= value % 10 == 0;
    value /= 10;
  }
  if (!exact || decimals > unit->decimals)
    return NP_TIME_FINER;
  if (value > INT64_MAX)
    return NP_TIME_LARGE;
  *ps = negative ? -(int64_t) value : (int64_t) value;
  return NP_TIME_READ;
}
