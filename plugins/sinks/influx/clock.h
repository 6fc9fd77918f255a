/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - converts times of rows to times of points: Unix time in the precision that is asked
 * for, and the rest that does not fit. */
#pragma once

#include <glib.h>

struct clock {
  gint64 origin_ns; /* Unix time of the run's time 0           */
  gint64 unit_ns;   /* 1, 1000, 1000000, 1000000000            */
};

/* Parses option epoch: Unix time in ns, or ISO 8601 with its zone ("2025-01-31T12:00:00Z"). */
gboolean clock_parse (const char *text, gint64 *unix_ns);
/* Converts ps from the origin to a time in units, rounded down; *rest_ps is the rest behind it.
 * FALSE: such a time cannot be stored. */
gboolean clock_time (const struct clock *clock, gint64 ps, gint64 *time, gint64 *rest_ps);
