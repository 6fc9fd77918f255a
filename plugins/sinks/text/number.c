/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - numbers as texts that GLib frees. */

#include "number.h"

char *
number_text (struct nprof_figure figure, gboolean *rounded)
{
  if (rounded && figure.rounded)
    *rounded = TRUE;
  return g_strconcat (figure.number, *figure.unit ? " " : "", figure.unit, NULL);
}

char *
number_date (gint64 unix_ns, gboolean *rounded)
{
  gint64 second = unix_ns / 1000000000, ns = unix_ns % 1000000000;
  if (ns < 0) {
    ns += 1000000000;
    second--;
  }
  if (ns % 1000000)
    *rounded = TRUE;
  g_autoptr (GDateTime) at = g_date_time_new_from_unix_utc (second);
  g_autofree char *base = at ? g_date_time_format (at, "%Y-%m-%dT%H:%M:%S") : NULL;
  if (!base)
    return g_strdup_printf ("%" G_GINT64_FORMAT " ns", unix_ns);
  return ns == 0 ? g_strconcat (base, "Z", NULL)
                 : g_strdup_printf ("%s.%03dZ", base, (int) (ns / 1000000));
}
