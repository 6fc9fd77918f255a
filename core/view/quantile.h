/* SPDX-License-Identifier: Apache-2.0 */
/* quantile.h - percentiles of durations, as the analyzer latency computes them: between two, in whole numbers. */
#pragma once

#include <glib.h>

/* `sorted` is ascending, n > 0; a `mille` of 500 is the median. */
gint64 np_quantile (const gint64 *sorted, guint64 n, guint mille);
