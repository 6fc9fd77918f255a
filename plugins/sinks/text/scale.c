/* SPDX-License-Identifier: Apache-2.0 */
/* scale.c - picks units and formats numbers. */

#include "scale.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *unit;
  Scale steps[6]; /* ascending, ends with a NULL suffix */
} Family;

static const Family families[] = {
  { "ps",
    { { "ps", 1, 3, TRUE },
      { "ns", 1000, 3, TRUE },
      { "us", 1000000, 3, TRUE },
      { "ms", 1000000000, 3, TRUE },
      { "s", 1000000000000, 3, TRUE } } },
  { "ns",
    { { "ns", 1, 3, TRUE },
      { "us", 1000, 3, TRUE },
      { "ms", 1000000, 3, TRUE },
      { "s", 1000000000, 3, TRUE } } },
  { "byte",
    { { "B", 1, 1, TRUE },
      { "KiB", 1 << 10, 1, TRUE },
      { "MiB", 1 << 20, 1, TRUE },
      { "GiB", 1 << 30, 1, TRUE },
      { "TiB", G_GINT64_CONSTANT (1) << 40, 1, TRUE } } },
  { "byte/s",
    { { "B/s", 1, 1, TRUE },
      { "kB/s", 1000, 1, TRUE },
      { "MB/s", 1000000, 1, TRUE },
      { "GB/s", 1000000000, 1, TRUE } } },
  { "flop",
    { { "FLOP", 1, 1, TRUE },
      { "MFLOP", 1000000, 1, TRUE },
      { "GFLOP", 1000000000, 1, TRUE },
      { "TFLOP", 1000000000000, 1, TRUE } } },
  { "flop/s",
    { { "FLOP/s", 1, 1, TRUE },
      { "GFLOP/s", 1000000000, 1, TRUE },
      { "TFLOP/s", 1000000000000, 1, TRUE } } },
  { "Hz", { { "Hz", 1, 1, TRUE }, { "MHz", 1000000, 1, TRUE }, { "GHz", 1000000000, 3, TRUE } } },
};

Scale
scale_choose (const char *unit, double middle)
{
  if (strcmp (unit, "1") == 0)
    return (Scale){ "%", 0, 1, TRUE };
  for (guint f = 0; f < G_N_ELEMENTS (families); f++) {
    if (strcmp (unit, families[f].unit) != 0)
      continue;
    const Scale *best = families[f].steps;
    for (const Scale *s = best; s < families[f].steps + 6 && s->suffix; s++)
      if (middle >= (double) s->factor)
        best = s;
    return *best;
  }
  return (Scale){ unit, 1, 3, TRUE };
}

static guint64
power_of_ten (guint n)
{
  guint64 p = 1;
  while (n--)
    p *= 10;
  return p;
}

/* Appends digits with a comma before each group of three of the whole part. */
static void
append_grouped (GString *out, const char *digits)
{
  gsize whole = strcspn (digits, ".");
  for (gsize i = 0; i < whole; i++) {
    if (i > 0 && (whole - i) % 3 == 0)
      g_string_append_c (out, ',');
    g_string_append_c (out, digits[i]);
  }
  g_string_append (out, digits + whole);
}

/* `digits` is the magnitude as decimal; `nothing`: it is not zero but its digits are. */
static char *
dress (const Scale *scale, gboolean negative, gboolean nothing, const char *digits)
{
  GString *out = g_string_new (NULL);
  if (nothing)
    g_string_append_printf (out, negative ? ">-" : "<");
  else if (negative)
    g_string_append_c (out, '-');
  g_autofree char *least = g_strdup_printf ("0.%0*d", (int) MAX (scale->decimals, 1), 1);
  if (scale->grouped)
    append_grouped (out, nothing ? least : digits);
  else
    g_string_append (out, nothing ? least : digits);
  if (*scale->suffix)
    g_string_append_printf (out, " %s", scale->suffix);
  return g_string_free (out, FALSE);
}

char *
scale_int (const Scale *scale, gboolean negative, guint64 magnitude, gboolean *rounded)
{
  if (scale->factor == 0)
    return scale_double (scale, negative ? -(double) magnitude : (double) magnitude, rounded);
  guint64 factor = (guint64) scale->factor;
  if (factor == 1) {
    g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, magnitude);
    return dress (scale, negative, FALSE, digits);
  }
  guint64 ten = power_of_ten (scale->decimals); /* 2^40 * 1000 stays far below 2^64 */
  guint64 whole = magnitude / factor, rest = (magnitude % factor) * ten;
  guint64 part = (rest + factor / 2) / factor;
  if (rest % factor)
    *rounded = TRUE;
  whole += part / ten;
  part %= ten;
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT, whole,
                                             (int) scale->decimals, part);
  return dress (scale, negative, magnitude && !whole && !part, digits);
}

static char *
dress_powers (const Scale *scale, const char *format, double value, gboolean *rounded)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (digits, sizeof digits, format, value);
  if (g_ascii_strtod (digits, NULL) != value)
    *rounded = TRUE;
  return g_strconcat (digits, *scale->suffix ? " " : "", scale->suffix, NULL);
}

char *
scale_double (const Scale *scale, double value, gboolean *rounded)
{
  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value < 0 ? "-inf" : "inf");
  double scaled = scale->factor ? value / (double) scale->factor : value * 100;
  if (fabs (scaled) >= 1e15) /* more digits than a double has */
    return dress_powers (scale, "%.6g", scaled, rounded);
  char format[] = { '%', '.', (char) ('0' + scale->decimals), 'f', 0 };
  char digits[64];
  g_ascii_formatd (digits, sizeof digits, format, fabs (scaled));
  double shown = g_ascii_strtod (digits, NULL);
  if (fabs (shown - fabs (scaled)) > 1e-12 * shown) /* more than what scaling itself costs */
    *rounded = TRUE;
  if (value != 0 && shown == 0 && scale->factor == 1 && !*scale->suffix) /* its unit is elsewhere */
    return dress_powers (scale, "%.3g", scaled, rounded);
  return dress (scale, signbit (value) && value != 0, value != 0 && shown == 0, digits);
}

char *
scale_date (gint64 unix_ns, gboolean *rounded)
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
