/* SPDX-License-Identifier: Apache-2.0 */
/* time-text.c - a time in a sentence of the viewer: three decimals of the largest unit that fits. */

#include "view/time-text.h"

#include <math.h>

char *
np_time_text (gint64 ps)
{
  static const struct {
    const char *unit;
    double ps;
  } units[] = { { "s", 1e12 }, { "ms", 1e9 }, { "us", 1e6 }, { "ns", 1e3 } };
  guint i = 0;
  while (i < G_N_ELEMENTS (units) - 1 && fabs ((double) ps) < units[i].ps)
    i++;
  return g_strdup_printf ("%.3f %s", (double) ps / units[i].ps, units[i].unit);
}
