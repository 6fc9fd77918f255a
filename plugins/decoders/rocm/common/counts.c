/* SPDX-License-Identifier: Apache-2.0 */
/* counts.c - adds up what counters counted in the dimensions of a GPU, and finds those of a
 * dispatch. */
#include "rocm.h"

static int
by_owner (gconstpointer a, gconstpointer b)
{
  const RocmCount *x = a, *y = b;
  if (x->of != y->of)
    return x->of < y->of ? -1 : 1;
  return (x->counter > y->counter) - (x->counter < y->counter);
}

void
rocm_counts_take (NpLargeArray *counts, RocmCount count)
{
  np_large_array_extend (counts, counts->len + 1);
  g_array_index (counts, RocmCount, counts->len - 1) = count;
}

void
rocm_counts_add_up (NpLargeArray *counts)
{
  guint n = 0;
  np_large_array_sort (counts, by_owner);
  for (guint i = 0; i < counts->len; i++) {
    const RocmCount *count = &g_array_index (counts, RocmCount, i);
    RocmCount *last = n ? &g_array_index (counts, RocmCount, n - 1) : NULL;
    if (last && by_owner (last, count) == 0)
      last->value += count->value;
    else
      g_array_index (counts, RocmCount, n++) = *count;
  }
  counts->len = n;
}

RocmCount *
rocm_counts_of (NpLargeArray *counts, gint64 of, guint *n)
{
  guint from = 0, to = counts->len;
  while (from < to) {
    const guint middle = from + (to - from) / 2;
    if (g_array_index (counts, RocmCount, middle).of < of)
      from = middle + 1;
    else
      to = middle;
  }
  for (*n = 0; from + *n < counts->len; ++*n) {
    RocmCount *count = &g_array_index (counts, RocmCount, from + *n);
    if (count->of != of)
      break;
    count->used = true;
  }
  return *n ? &g_array_index (counts, RocmCount, from) : NULL;
}
