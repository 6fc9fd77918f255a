/* SPDX-License-Identifier: Apache-2.0 */
/* bins.c - adds the two ends of an amount to their bins; the part between is a change of rate. */
#include "bins.h"

void
dv_bins_init (DvBins *b, gint64 first, gint64 width, guint n)
{
  b->first = first;
  b->width = width;
  b->n = n;
}

void
dv_bins_clear (DvBins *b)
{
  g_clear_pointer (&b->part, g_free);
  g_clear_pointer (&b->rate, g_free);
  g_clear_pointer (&b->filled, g_free);
}

static guint
bin_of (const DvBins *b, gint64 at)
{
  gint64 bin = at <= b->first ? 0 : (at - b->first) / b->width;
  return (guint) MIN (bin, (gint64) b->n - 1);
}

/* The first and the last bin reach beyond their borders. */
static void
clamp_bin (DvBins *b, guint bin)
{
  b->at = bin;
  b->from = bin ? b->first + (gint64) bin * b->width : G_MININT64;
  b->to = bin + 1 < b->n ? b->first + (gint64) (bin + 1) * b->width : G_MAXINT64;
}

void
dv_bins_add (DvBins *b, gint64 start, gint64 end, double amount)
{
  if (end <= start)
    return;
  if (start >= b->from && end < b->to) {
    b->part[b->at] += amount;
    return;
  }
  if (!b->n)
    return;
  if (!b->part) {
    b->part = g_new0 (double, b->n);
    b->rate = g_new0 (double, b->n);
    b->filled = g_new0 (gint32, b->n);
  }
  guint from = bin_of (b, start), to = bin_of (b, end);
  clamp_bin (b, to);
  if (from == to) {
    b->part[from] += amount;
    return;
  }
  double rate = amount / (double) (end - start);
  b->part[from] += rate * (double) (b->first + (gint64) (from + 1) * b->width - start);
  b->part[to] += rate * (double) (end - b->first - (gint64) to * b->width);
  if (to == from + 1)
    return;
  b->rate[from + 1] += rate;
  b->filled[from + 1]++;
  b->rate[to] -= rate;
  b->filled[to]--;
}

double *
dv_bins_sums (const DvBins *b)
{
  if (!b->part)
    return NULL;
  double *sums = g_new (double, b->n), rate = 0;
  gint32 filled = 0;
  for (guint i = 0; i < b->n; i++) {
    rate += b->rate[i];
    filled += b->filled[i];
    if (!filled)
      rate = 0; /* and not what rounding left */
    sums[i] = b->part[i] + rate * (double) b->width;
  }
  return sums;
}
