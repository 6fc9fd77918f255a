/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - computes quantiles in the doubles of numpy and polars, because their last bit decides
 * what truncation prints. format: furiosa.md 1.3 */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

/* source: numpy/lib/_function_base_impl.py, _lerp; pandas passes 100 * q, which numpy divides */
double
summary_numpy (const gint64 *sorted, guint n, double q)
{
  double place = (n - 1) * (q * 100 / 100), below = floor (place), t = place - below;
  guint at = (guint) below;
  gint64 a = sorted[at], b = sorted[MIN (at + 1, n - 1)];
  double step = (double) (b - a);
  return t >= 0.5 ? (double) b - step * (1 - t) : (double) a + step * t;
}

/* source: polars-core, chunked_array/ops/aggregate/quantile.rs */
double
summary_polars (const gint64 *sorted, guint n, double q)
{
  double place = (n - 1) * q, below = floor (place);
  guint at = (guint) below;
  double a = (double) sorted[at], b = (double) sorted[MIN (at + 1, n - 1)];
  return (b - a) * (place - below) + a;
}

static int
ascending (const void *pa, const void *pb)
{
  gint64 a = *(const gint64 *) pa, b = *(const gint64 *) pb;
  return (a > b) - (a < b);
}

static void
line (GString *out, const char *label, gint64 value)
{
  g_string_append_printf (out, "%-30s  : %" G_GINT64_FORMAT "\n", label, value);
}

static gint64
whole (Style style, double value)
{
  return (gint64) (style == STYLE_0_9 ? trunc (value) : round (value));
}

static void
title (GString *out)
{
  static const char bar[] = "================================================\n";
  g_string_append_printf (out, "%s  Inference Results Summary\n%s", bar, bar);
}

void
summary_print (Style style, gint64 *ns, guint n, double mean, double median, GString *out)
{
  static const double quantiles[] = { .9, .95, .97, .99, .999 };
  title (out);
  line (out, "Inference counts", n);
  if (n == 0)
    return;
  qsort (ns, n, sizeof *ns, ascending);
  line (out, "Min latency (ns)", ns[0]);
  line (out, "Max latency (ns)", ns[n - 1]);
  line (out, "Mean latency (ns)", whole (style, mean));
  line (out, "Median latency (ns)", whole (style, median));
  for (gsize i = 0; i < G_N_ELEMENTS (quantiles); i++) {
    double q = quantiles[i];
    double value = style == STYLE_0_9 ? summary_numpy (ns, n, q) : summary_polars (ns, n, q);
    g_autofree char *label = g_strdup_printf ("%.1f percentile %s (ns)", q * 100,
                                              style == STYLE_0_9 ? "latency" : "Latency");
    line (out, label, whole (style, value));
  }
}
