/* SPDX-License-Identifier: Apache-2.0 */
/* arith.c - means and quantiles in integers of 128 bits.  format: furiosa.md 1.3 */
#include "arith.h"

#include <stdlib.h>

double
fu_quantile (const gint64 *sorted, guint n, guint thousandths)
{
  guint64 place = (guint64) (n - 1) * thousandths; /* in thousandths of a value */
  guint at = (guint) (place / 1000), part = (guint) (place % 1000);
  if (part == 0)
    return (double) sorted[at];
  FuWide step = (FuWide) sorted[at + 1] - sorted[at];
  return (double) (((long double) sorted[at] * 1000 + (long double) (step * part)) / 1000);
}

double
fu_mean (FuWide sum, guint64 n)
{
  FuWide whole = sum / (FuWide) n;
  long double part = (long double) (sum % (FuWide) n) / (long double) n;
  return (double) ((long double) whole + part);
}

gint64
fu_narrow (FuWide sum)
{
  return sum > G_MAXINT64 || sum <= G_MININT64 ? FU_UNKNOWN : (gint64) sum;
}

gint64
fu_ns (gint64 ps)
{
  gint64 whole = ps / 1000, part = ps % 1000;
  return whole + (part >= 500) - (part <= -500);
}

static int
ascending (const void *pa, const void *pb)
{
  gint64 a = *(const gint64 *) pa, b = *(const gint64 *) pb;
  return (a > b) - (a < b);
}

void
fu_sort (gint64 *values, guint n)
{
  if (n)
    qsort (values, n, sizeof *values, ascending);
}
