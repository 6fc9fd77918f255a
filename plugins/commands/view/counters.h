/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - the figures of counters in a window: least, greatest, and mean over time. */
#pragma once

#include "sums.h"

/* Puts a row for each counter of the chosen tracks, at most n, as the member `counters`, and how
 * many there are as `counters_total`. FALSE: the query's error says why, or nobody waits any
 * more. */
gboolean np_json_counters (NpAsk *ask, const NpWindow *window, guint n);
