/* SPDX-License-Identifier: Apache-2.0 */
/* distribution.h - the distribution of durations: all of them, or a log-linear histogram, and
 * percentiles of either. Knows nothing of nprof. */
#ifndef AN_DISTRIBUTION_H
#define AN_DISTRIBUTION_H

#include "system/large-pool.h"

#include <stdbool.h>

typedef __int128 DistSum; /* ps: no number of durations overflows it */

/* A histogram has 512 buckets of the same width in each octave.  A percentile is the middle of
 * its bucket, so at most 1/1024 = 0.098 % away. */
enum {
  DIST_OCTAVE = 512,
  DIST_OCTAVES = 64,
  DIST_BLOCK = 64,
  DIST_BUCKETS = DIST_OCTAVES * DIST_OCTAVE
};

/* Only blocks that hold something are there. Their counts have as many bytes as the largest
 * needs. */
typedef struct {
  guint64 width; /* of a count: 1, 2, 4 or 8 bytes; as large as one, so that all are aligned */
  guint8 count[];
} DistBlock;

static inline guint64
dist_block_get (const DistBlock *block, guint i)
{
  switch (block->width) {
  case 1:
    return block->count[i];
  case 2:
    return ((const guint16 *) (const void *) block->count)[i];
  case 4:
    return ((const guint32 *) (const void *) block->count)[i];
  default:
    return ((const guint64 *) (const void *) block->count)[i];
  }
}

typedef struct {
  DistBlock *block[DIST_OCTAVE / DIST_BLOCK];
} DistOctave;

typedef struct {
  guint64 count;
  DistSum total;
  gint64 min, max;
  guint8 *value;       /* count of them, while it is exact; NULL: none, or `min` alone */
  guint64 room;        /* for so many                           */
  guint width;         /* bytes of each: as many as max needs   */
  DistOctave **octave; /* DIST_OCTAVES, once it is a histogram  */
  NpLargePool *pool;   /* where these lie; NULL: on the heap    */
} Dist;

void dist_clear (Dist *dist); /* the pool stays */

/* Adds a value >= 0. */
void dist_add (Dist *dist, gint64 value);
void dist_make_histogram (Dist *dist);
/* Returns the i-th value, as they came, while it is exact. */
gint64 dist_value (const Dist *dist, guint64 i);
/* Returns all values, and as much room behind; it lies in a file where it is large. */
gint64 *dist_values (const Dist *dist);
void dist_values_free (const Dist *dist, gint64 *values); /* while the distribution is as it was */
/* Return the bucket of a value, and the value in its middle. */
guint dist_bucket (gint64 value);
gint64 dist_middle (guint bucket);
/* Adds `n` values of a bucket; only with a histogram, count and total are the caller's. */
void dist_add_bucket (Dist *dist, guint bucket, guint64 n);
/* Adds all values of a histogram, or of one without values, and makes `dist` one. */
void dist_merge (Dist *dist, const Dist *from);
/* Returns the next bucket from `bucket` on that holds something; DIST_BUCKETS: none. */
guint dist_next_bucket (const Dist *dist, guint bucket, guint64 *n);

/* Computes for count > 0 the `milles`-th thousandths, rounded to the nearest; quickest when they
 * ascend.  Linear: between the two nearest of rank (count - 1) x q; nearest: that of rank ceil
 * (count x q). */
void dist_percentiles (const Dist *dist, const guint *milles, guint n, bool nearest, gint64 *out);
gint64 dist_percentile (const Dist *dist, guint mille, bool nearest);
gint64 dist_mean (const Dist *dist);

#endif
