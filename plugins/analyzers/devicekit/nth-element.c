/* SPDX-License-Identifier: Apache-2.0 */
/* nth-element.c - deals values out into buckets by the leading bits of what they are above the
 * least, about one a bucket; then only buckets that hold a wanted rank are looked at again. */
#include "devicekit/nth-element.h"

#include <string.h>

enum { FEW = 24, BITS = 8 };

static void
sort_few (gint64 *value, guint64 n)
{
  for (guint64 i = 1; i < n; i++) {
    gint64 v = value[i];
    guint64 j = i;
    for (; j > 0 && value[j - 1] > v; j--)
      value[j] = value[j - 1];
    value[j] = v;
  }
}

static inline guint
bits_of (guint64 value)
{
  return 64 - (guint) __builtin_clzll (value);
}

typedef struct {
  gint64 least;
  guint shift;
  guint64 end[1 << BITS]; /* of each bucket */
} Buckets;

static inline guint
bucket_of (const Buckets *b, gint64 value)
{
  return (guint) ((guint64) (value - b->least) >> b->shift);
}

/* Returns FALSE when all values are the same. */
static gboolean
choose_buckets (Buckets *b, const gint64 *value, guint64 n)
{
  gint64 least = value[0], most = value[0];
  for (guint64 i = 1; i < n; i++) {
    least = MIN (least, value[i]);
    most = MAX (most, value[i]);
  }
  if (least == most)
    return FALSE;
  guint bits = MIN (BITS, bits_of (n) - 1), wide = bits_of ((guint64) (most - least));
  b->least = least;
  b->shift = wide > bits ? wide - bits : 0;
  memset (b->end, 0, sizeof *b->end << bits);
  return TRUE;
}

static void
deal_out (Buckets *b, gint64 *value, gint64 *spare, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    b->end[bucket_of (b, value[i])]++;
  guint64 at = 0;
  for (guint i = 0; at < n; i++) {
    guint64 k = b->end[i];
    b->end[i] = at;
    at += k;
  }
  for (guint64 i = 0; i < n; i++)
    spare[b->end[bucket_of (b, value[i])]++] = value[i];
  memcpy (value, spare, n * sizeof *value);
}

/* Arranges `value`, which is that of ranks from `first` on.  A value that stands at a rank is in
 * the right bucket already. */
static void
arrange_ranks (gint64 *value, gint64 *spare, guint64 first, guint64 n, const guint64 *rank,
               guint64 n_ranks)
{
  Buckets b;
  if (n <= FEW) {
    sort_few (value, n);
    return;
  }
  if (!choose_buckets (&b, value, n))
    return;
  deal_out (&b, value, spare, n);
  for (guint64 i = 0, j; i < n_ranks; i = j) {
    guint bucket = bucket_of (&b, value[rank[i] - first]);
    guint64 from = bucket ? b.end[bucket - 1] : 0, to = b.end[bucket];
    for (j = i + 1; j < n_ranks && rank[j] - first >= from && rank[j] - first < to;)
      j++;
    arrange_ranks (value + from, spare, first + from, to - from, rank + i, j - i);
  }
}

void
an_nth_elements (gint64 *value, gint64 *spare, guint64 n, const guint64 *rank, guint64 n_ranks)
{
  arrange_ranks (value, spare, 0, n, rank, n_ranks);
}
