/* SPDX-License-Identifier: Apache-2.0 */
/* parse-time.c - what is wrong with a time that somebody typed. */

#include "base/parse-time.h"
#include "base/error.h"
#include <store/match.h>

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
  switch (np_time_read (text, NULL, ps)) {
  case NP_TIME_READ:
    return TRUE;
  case NP_TIME_NO_UNIT:
    return needs_unit (text, error);
  case NP_TIME_FINER:
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": finer than a picosecond: give fewer decimals", text);
  case NP_TIME_LARGE:
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": too large: times reach to 106 days from the origin", text);
  default:
    return np_error_set (error, NP_EXIT_USAGE,
                         "\"%s\": expected a time: a decimal number and ps, ns, us, ms, s or min, "
                         "such as 1.5ms",
                         text);
  }
}
