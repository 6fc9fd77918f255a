/* SPDX-License-Identifier: Apache-2.0 */
/* diff-stats.h - are two samples of durations different?  Pure; no random numbers, so the same
 * samples always give the same answer. */
#pragma once

#include <glib.h>

/* Sorts in place. */
void np_sort_values (gint64 *values, guint n);

/* Of sorted values; n > 0.  The mean of the two in the middle where n is even. */
double np_median (const gint64 *sorted, guint n);
/* Median of the distances from the median. */
double np_mad (const gint64 *sorted, guint n, double median);

/* Two-sided p of Mann and Whitney's U: the chance of ranks as unequal as these if both samples
 * came from one distribution.  Exact for at most NP_EXACT values a side without ties; else the
 * normal approximation with corrections for ties and continuity.  Both sorted, not empty. */
#define NP_EXACT 20
double np_mann_whitney (const gint64 *a, guint n_a, const gint64 *b, guint n_b);
