/* SPDX-License-Identifier: Apache-2.0 */
/* parse-time.c - times as people type them, to exact numbers. */

#include "base/parse-time.h"
#include "base/error.h"

#include <string.h>

typedef struct {
  const char *name;
  gint64 ps;
  guint decimals; /* more are less than a ps */
} Unit;

static const Unit units[]
    = { { "ns", 1000, 3 }, { "us", 1000000, 6 },       { "ms", 1000000000, 9 },
        { "ps", 1, 0 },    { "s", 1000000000000, 12 }, { "min", 60000000000000, 14 } };

#define ENOUGH ((unsigned __int128) 20 * 1000000000000000000) /* beyond int64 in any unit */

static const Unit *
find_unit (const char *name)
{
  for (guint k = 0; k < G_N_ELEMENTS (units); k++)
    if (g_str_equal (name, units[k].name))
      return &units[k];
  return NULL;
}

/* Parses digits with at most one point: their value without it, and how many stand behind it once
 * zeros at the end are left out.  Returns what follows; NULL: no digits. */
static const char *
parse_digits (const char *at, unsigned __int128 *digits, guint *decimals)
{
  guint n = 0, zeros = 0, behind = 0;
  gboolean point = FALSE;
  *digits = 0;
  for (; g_ascii_isdigit (*at) || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = TRUE;
      continue;
    }
    n++;
    if (point && *at == '0') {
      zeros++;
      continue;
    }
    behind += point ? zeros + 1 : 0; /* zeros that turn out not to be the last count */
    for (guint k = 0; k <= zeros && *digits < ENOUGH; k++)
      *digits = *digits * 10 + (k == zeros ? (guint) (*at - '0') : 0);
    zeros = 0;
  }
  *decimals = behind;
  return n ? at : NULL;
}

/* A time needs a unit, because 600 would be a guess at ns beside tables in ms; 0 is the same in
 * every unit. */
static gboolean
needs_unit (const char *text, GError **error)
{
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": a time needs its unit: write %sns, %sus, %sms or %ss (ps and min are known "
      "as well)",
      text, text, text, text, text);
}

gboolean
np_parse_time (const char *text, gint64 *ps, GError **error)
{
  gboolean negative = *text == '-', exact = TRUE;
  unsigned __int128 value;
  guint decimals;
  const char *rest = parse_digits (text + negative, &value, &decimals);
  if (rest && !*rest && value)
    return needs_unit (text, error);
  const Unit *unit = rest ? find_unit (*rest ? rest : "ps") : NULL;
  if (!unit)
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": expected a time: a decimal number and ps, ns, us, ms, s or min, "
                         "such as 1.5ms",
                         text);
  value *= (unsigned __int128) unit->ps;
  for (guint k = 0; k < decimals && k < unit->decimals; k++) {
    exact &= value % 10 == 0;
    value /= 10;
  }
  if (!exact || decimals > unit->decimals)
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": finer than a picosecond: give fewer decimals", text);
  if (value > G_MAXINT64)
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": too large: times reach to 106 days from the origin", text);
  *ps = negative ? -(gint64) value : (gint64) value;
  return TRUE;
}
