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

/* Dimensions of a counter mostly come one behind the other. */
void
rocm_counts_take (Ids *counts, RocmCount count)
{
  RocmCount *last = ids_len (counts) ? ids_at (counts, ids_len (counts) - 1) : NULL;
  if (last && by_owner (last, &count) == 0)
    last->value += count.value;
  else
    *(RocmCount *) ids_add (counts, count.of) = count;
}

void
rocm_counts_add_up (Ids *counts)
{
  guint n = 0;
  np_large_array_sort (counts->rows, by_owner);
  for (guint i = 0; i < ids_len (counts); i++) {
    const RocmCount *count = ids_at (counts, i);
    RocmCount *last = n ? ids_at (counts, n - 1) : NULL;
    if (last && by_owner (last, count) == 0)
      last->value += count->value;
    else
      *(RocmCount *) ids_at (counts, n++) = *count;
  }
  counts->rows->len = n;
}

RocmCount *
rocm_counts_of (Ids *counts, gint64 of, guint *n)
{
  RocmCount *first = ids_find (counts, of);
  const RocmCount *end = ids_at (counts, ids_len (counts));
  for (*n = 0; first && first + *n < end && first[*n].of == of; ++*n)
    first[*n].used = true;
  return first;
}

void
rocm_counts_end (const Ids *counts, const struct nprof_host *host, const char *what,
                 const char *why)
{
  for (guint i = 0; i < ids_len (counts); i++)
    if (!((const RocmCount *) ids_at (counts, i))->used)
      host->skip (host, what, 0, why);
}
