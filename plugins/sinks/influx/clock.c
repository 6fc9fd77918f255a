/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - converts times of rows to times of points. */
#include "clock.h"

#define PS_PER_NS 1000
/* InfluxDB keeps the outermost values for itself. */
#define FIRST_NS (G_MININT64 + 2)
#define LAST_NS (G_MAXINT64 - 1)

gboolean
clock_parse (const char *text, gint64 *unix_ns)
{
  if (g_ascii_string_to_signed (text, 10, FIRST_NS, LAST_NS, unix_ns, NULL))
    return TRUE;
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (text, NULL);
  return time && !__builtin_mul_overflow (g_date_time_to_unix (time), 1000000000, unix_ns)
         && !__builtin_add_overflow (*unix_ns, (gint64) g_date_time_get_microsecond (time) * 1000,
                                     unix_ns);
}

static gint64
floor_div (gint64 a, gint64 b)
{
  return a / b - (a % b < 0);
}

gboolean
clock_time (const struct clock *clock, gint64 ps, gint64 *time, gint64 *rest_ps)
{
  gint64 ns = floor_div (ps, PS_PER_NS), unix_ns;
  if (__builtin_add_overflow (clock->origin_ns, ns, &unix_ns) || unix_ns < FIRST_NS
      || unix_ns > LAST_NS)
    return FALSE;
  *time = floor_div (unix_ns, clock->unit_ns);
  *rest_ps = (unix_ns - *time * clock->unit_ns) * PS_PER_NS + (ps - ns * PS_PER_NS);
  return TRUE;
}
