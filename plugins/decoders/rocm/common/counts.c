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
rocm_counts_add_up (GArray *counts)
{
  guint n = 0;
  g_array_sort (counts, by_owner);
  for (guint i = 0; i < counts->len; i++) {
    const RocmCount *count = &g_array_index (counts, RocmCount, i);
    RocmCount *last = n ? &g_array_index (counts, RocmCount, n - 1) : NULL;
    if (last && by_owner (last, count) == 0)
      last->value += count->value;
    else
      g_array_index (counts, RocmCount, n++) = *count;
  }
  g_array_set_size (counts, n);
}

RocmCount *
rocm_counts_of (GArray *counts, gint64 of, guint *n)
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
