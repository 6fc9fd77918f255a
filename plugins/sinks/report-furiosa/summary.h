/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - prints the first page of the vendor's tool: statistics of inferences with its
 * rounding. */
#pragma once

#include <glib.h>

typedef enum { STYLE_0_9, STYLE_0_10 } Style;

/* `ns` is sorted by the call; `mean` and `median` are as table furiosa_summary has them. */
void summary_print (Style style, gint64 *ns, guint n, double mean, double median, GString *out);

/* Return quantiles by the vendor's own arithmetic, in doubles: numpy's, polars'.  `sorted` has n >=
 * 1. */
double summary_numpy (const gint64 *sorted, guint n, double q);
double summary_polars (const gint64 *sorted, guint n, double q);
