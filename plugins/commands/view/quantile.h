/* SPDX-License-Identifier: Apache-2.0 */
/* quantile.h - percentiles of durations, as the analyzer latency computes them: between two, in
 * whole numbers. */
#pragma once

#include <glib.h>

/* Orders gint64, ascending: for g_array_sort. */
int np_compare_i64 (gconstpointer a, gconstpointer b);
/* `sorted` is ascending, n > 0; a `mille` of 500 is the median. */
gint64 np_quantile (const gint64 *sorted, guint64 n, guint mille);
