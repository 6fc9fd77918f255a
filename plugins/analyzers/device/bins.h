/* SPDX-License-Identifier: Apache-2.0 */
/* bins.h - spreads amounts over time, in bins of one width: O(1) an amount, however long it
 * takes. */
#ifndef DEVICE_BINS_H
#define DEVICE_BINS_H

#include <glib.h>

typedef struct {
  gint64 first, width; /* ps */
  guint n;
  guint at;            /* the bin of the amount last added, for the next often lies in it */
  gint64 from, to;     /* what lies in it                                 */
  double *part;        /* of spans that fill the bin in part              */
  double *rate;        /* a ps, of those that fill it: change to the bin before */
  gint32 *filled;      /* by how many: change to the bin before           */
} DvBins;

/* Makes bins, which have no array while nothing was added. */
void dv_bins_init (DvBins *bins, gint64 first, gint64 width, guint n);
void dv_bins_clear (DvBins *bins);
/* Spreads the amount evenly over start .. end, which lie within the bins (clamped). */
void dv_bins_add (DvBins *bins, gint64 start, gint64 end, double amount);
/* Returns the sums of all bins: n, transfer full; NULL: nothing was added. */
double *dv_bins_sums (const DvBins *bins);

#endif
