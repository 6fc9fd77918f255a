/* SPDX-License-Identifier: Apache-2.0 */
/* arith.h - statistics of durations, exact: means and quantiles are rounded once, to double.
 * How the vendor's tools round and print them is left to the sinks report-furiosa-*. */
#pragma once

#include <glib.h>

#define FU_UNKNOWN G_MININT64 /* a sum that does not fit int64 */

typedef __int128 FuWide;

/* Interpolates linearly at (n - 1) * q, q in thousandths.  `sorted` has n >= 1, ascending. */
double fu_quantile (const gint64 *sorted, guint n, guint thousandths);
double fu_mean (FuWide sum, guint64 n);
gint64 fu_narrow (FuWide sum);
/* Rounds picoseconds to the nearest nanosecond, halves away from zero. */
gint64 fu_ns (gint64 ps);
void fu_sort (gint64 *values, guint n);
