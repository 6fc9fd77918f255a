/* SPDX-License-Identifier: Apache-2.0 */
/* percentiles.c - computes percentiles of a distribution: all at once, so that values are arranged
 * once and a histogram is walked through once, block by block. */
#include "devicekit/distribution.h"
#include "devicekit/nth-element.h"

enum { BLOCKS = DIST_OCTAVE / DIST_BLOCK }; /* of an octave */

/* Finds two ranks for each percentile, from 0, and how many thousandths from the first to the
 * second. */
static guint
ranks_of (const Dist *d, guint mille, bool nearest, guint64 *rank)
{
  if (nearest) {
    unsigned __int128 up = (unsigned __int128) d->count * mille + 999;
    rank[0] = rank[1] = up < 1000 ? 0 : (guint64) (up / 1000) - 1;
    return 0;
  }
  unsigned __int128 place = (unsigned __int128) (d->count - 1) * mille;
  guint part = (guint) (place % 1000);
  rank[0] = (guint64) (place / 1000);
  rank[1] = rank[0] + (part > 0);
  return part;
}

static guint64
sum_of (const DistBlock *block)
{
  guint64 sum = 0;
  if (block->width == 1)
    for (guint i = 0; i < DIST_BLOCK; i++)
      sum += block->count[i];
  else
    for (guint i = 0; i < DIST_BLOCK; i++)
      sum += dist_block_get (block, i);
  return sum;
}

/* It walks through the blocks of a histogram, and counts the values in those before. */
typedef struct {
  guint block;
  guint64 before;
} Walk;

static const DistBlock *
block_at (const Dist *d, guint block)
{
  const DistOctave *octave = d->octave[block / BLOCKS];
  return octave ? octave->block[block % BLOCKS] : NULL;
}

static gint64
middle_of_rank (const Walk *walk, const DistBlock *block, guint64 rank)
{
  guint64 upto = walk->before;
  guint i = 0;
  while ((upto += dist_block_get (block, i)) <= rank)
    i++;
  return dist_middle (walk->block * DIST_BLOCK + i);
}

/* Goes on from the rank before when that was less. */
static gint64
in_histogram (const Dist *d, Walk *walk, guint64 rank)
{
  if (rank < walk->before)
    *walk = (Walk){ 0 };
  for (; walk->block < DIST_BUCKETS / DIST_BLOCK; walk->block++) {
    const DistBlock *block = block_at (d, walk->block);
    guint64 sum = block ? sum_of (block) : 0;
    if (rank < walk->before + sum)
      return CLAMP (middle_of_rank (walk, block, rank), d->min, d->max);
    walk->before += sum;
  }
  return d->max;
}

/* Returns the values at ranks; the first and the last are exact. */
static void
values_in_histogram (const Dist *d, const guint64 *rank, guint n, gint64 *out)
{
  Walk walk = { .block = dist_bucket (d->min) / DIST_BLOCK };
  for (guint i = 0; i < n; i++)
    if (rank[i] == 0)
      out[i] = d->min;
    else
      out[i] = rank[i] == d->count - 1 ? d->max : in_histogram (d, &walk, rank[i]);
}

static void
values_of_ranks (const Dist *d, const guint64 *rank, guint n, gint64 *out)
{
  if (d->octave) {
    values_in_histogram (d, rank, n, out);
    return;
  }
  gint64 *value = dist_values (d);
  an_nth_elements (value, value + d->count, d->count, rank, n);
  for (guint i = 0; i < n; i++)
    out[i] = value[rank[i]];
  dist_values_free (d, value);
}

void
dist_percentiles (const Dist *d, const guint *milles, guint n, bool nearest, gint64 *out)
{
  g_autofree guint64 *rank = g_new (guint64, 2 * n);
  g_autofree gint64 *value = g_new (gint64, 2 * n);
  g_autofree guint *part = g_new (guint, n);
  for (guint i = 0; i < n; i++)
    part[i] = ranks_of (d, milles[i], nearest, rank + 2 * i);
  values_of_ranks (d, rank, 2 * n, value);
  for (guint i = 0; i < n; i++) {
    gint64 low = value[2 * i], high = value[2 * i + 1];
    DistSum step = (DistSum) (high - low) * part[i];
    out[i] = low + (gint64) ((step + 500) / 1000);
  }
}

gint64
dist_percentile (const Dist *d, guint mille, bool nearest)
{
  gint64 value;
  dist_percentiles (d, &mille, 1, nearest, &value);
  return value;
}
