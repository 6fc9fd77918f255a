/* SPDX-License-Identifier: Apache-2.0 */
/* quantile.c - percentiles of durations. */

#include "quantile.h"

int
np_compare_i64 (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

gint64
np_quantile (const gint64 *sorted, guint64 n, guint mille)
{
  guint64 at = (n - 1) * mille, k = at / 1000, rest = at % 1000;
  if (!rest)
    return sorted[k];
  guint64 step
      = (guint64) (sorted[k + 1] - sorted[k]); /* may have 63 bits: the product has more than 64 */
  return sorted[k] + (gint64) (step / 1000 * rest + (step % 1000 * rest + 500) / 1000);
}
