/* SPDX-License-Identifier: Apache-2.0 */
/* distribution.c - keeps durations as they come, sorted once; or counted in buckets.  There are
 * thousands of distributions in a profile, most of them of small numbers: each takes the bytes that
 * it needs. */
#include "devicekit/distribution.h"

#include <string.h>

enum { BLOCKS = DIST_OCTAVE / DIST_BLOCK }; /* of an octave */
enum { SMALL = 64 }; /* values: up to here room doubles, from then on it grows by a quarter */

static gsize
block_bytes (gsize width)
{
  return sizeof (DistBlock) + DIST_BLOCK * width;
}

static gsize
value_bytes (guint64 room, guint width)
{
  return room * width + sizeof (guint64);
}

static void
block_free (const Dist *d, DistBlock *block)
{
  if (block)
    np_large_pool_give (d->pool, block, block_bytes (block->width));
}

static void
octave_free (const Dist *d, DistOctave *octave)
{
  for (guint i = 0; octave && i < BLOCKS; i++)
    block_free (d, octave->block[i]);
  np_large_pool_give (d->pool, octave, sizeof *octave);
}

void
dist_clear (Dist *d)
{
  for (guint i = 0; d->octave && i < DIST_OCTAVES; i++)
    octave_free (d, d->octave[i]);
  np_large_pool_give (d->pool, d->octave, DIST_OCTAVES * sizeof *d->octave);
  np_large_pool_give (d->pool, d->value, value_bytes (d->room, d->width));
  *d = (Dist){ .pool = d->pool };
}

/* -- Buckets ---------------------------------------------------------------------------- */

/* Returns the bucket: below two octaves each value has its own; then the 9 bits behind the first
 * decide. */
guint
dist_bucket (gint64 value)
{
  if (value < 2 * DIST_OCTAVE)
    return (guint) value;
  guint shift = 63 - (guint) __builtin_clzll ((guint64) value) - 9;
  return (shift + 1) * DIST_OCTAVE + (guint) (value >> shift) - DIST_OCTAVE;
}

gint64
dist_middle (guint bucket)
{
  if (bucket < 2 * DIST_OCTAVE)
    return bucket;
  guint shift = bucket / DIST_OCTAVE - 1;
  gint64 low = (gint64) (bucket % DIST_OCTAVE + DIST_OCTAVE) << shift;
  return low + ((gint64) 1 << shift) / 2;
}

static inline void
block_set (DistBlock *block, guint i, guint64 n)
{
  switch (block->width) {
  case 1:
    block->count[i] = (guint8) n;
    break;
  case 2:
    ((guint16 *) (void *) block->count)[i] = (guint16) n;
    break;
  case 4:
    ((guint32 *) (void *) block->count)[i] = (guint32) n;
    break;
  default:
    ((guint64 *) (void *) block->count)[i] = n;
  }
}

static DistBlock *
block_new (const Dist *d, guint width)
{
  DistBlock *block = np_large_pool_take (d->pool, block_bytes (width));
  block->width = width;
  return block;
}

static DistBlock *
block_widen (const Dist *d, DistBlock *block, guint64 n)
{
  DistBlock *wide = block_new (d, n <= G_MAXUINT16 ? 2 : n <= G_MAXUINT32 ? 4 : 8);
  for (guint i = 0; i < DIST_BLOCK; i++)
    block_set (wide, i, dist_block_get (block, i));
  block_free (d, block);
  return wide;
}

void
dist_add_bucket (Dist *d, guint bucket, guint64 n)
{
  DistOctave **octave = d->octave + bucket / DIST_OCTAVE;
  if (!*octave)
    *octave = np_large_pool_take (d->pool, sizeof **octave);
  DistBlock **block = (*octave)->block + bucket % DIST_OCTAVE / DIST_BLOCK;
  if (!*block)
    *block = block_new (d, 1);
  guint64 sum = dist_block_get (*block, bucket % DIST_BLOCK) + n;
  if ((*block)->width < 8 && sum >> 8 * (*block)->width)
    *block = block_widen (d, *block, sum);
  block_set (*block, bucket % DIST_BLOCK, sum);
}

guint
dist_next_bucket (const Dist *d, guint bucket, guint64 *n)
{
  while (bucket < DIST_BUCKETS) {
    const DistOctave *octave = d->octave[bucket / DIST_OCTAVE];
    const DistBlock *block = octave ? octave->block[bucket % DIST_OCTAVE / DIST_BLOCK] : NULL;
    guint step = !octave ? DIST_OCTAVE : !block ? DIST_BLOCK : 1;
    if (step == 1 && (*n = dist_block_get (block, bucket % DIST_BLOCK)))
      return bucket;
    bucket += step - bucket % step;
  }
  return DIST_BUCKETS;
}

void
dist_make_histogram (Dist *d)
{
  if (d->octave)
    return;
  d->octave = np_large_pool_take (d->pool, DIST_OCTAVES * sizeof *d->octave);
  for (guint64 i = 0; i < d->count; i++)
    dist_add_bucket (d, dist_bucket (dist_value (d, i)), 1);
  np_large_pool_give (d->pool, d->value, value_bytes (d->room, d->width));
  d->value = NULL;
  d->room = d->width = 0;
}

void
dist_merge (Dist *d, const Dist *from)
{
  dist_make_histogram (d);
  guint64 n;
  for (guint b = dist_next_bucket (from, 0, &n); b < DIST_BUCKETS;
       b = dist_next_bucket (from, b + 1, &n))
    dist_add_bucket (d, b, n);
  d->min = d->count ? MIN (d->min, from->min) : from->min;
  d->max = d->count ? MAX (d->max, from->max) : from->max;
  d->total += from->total;
  d->count += from->count;
}

/* -- Values: little-endian, one behind the other, and room for the 8 bytes of a load ------- */

static guint
width_of (gint64 value)
{
  return value ? (guint) (71 - __builtin_clzll ((guint64) value)) / 8 : 1;
}

static inline gint64
load (const guint8 *from, guint64 i, guint width)
{
  guint64 le;
  memcpy (&le, from + i * width, sizeof le);
  return (gint64) (GUINT64_FROM_LE (le) & G_MAXUINT64 >> (64 - 8 * width));
}

static inline void
store (guint8 *to, guint64 i, guint width, gint64 value)
{
  guint64 le = GUINT64_TO_LE ((guint64) value);
  memcpy (to + i * width, &le, width);
}

/* Stores a value where nothing is behind it yet. */
static inline void
store_last (guint8 *to, guint64 i, guint width, gint64 value)
{
  guint64 le = GUINT64_TO_LE ((guint64) value);
  memcpy (to + i * width, &le, sizeof le);
}

/* One value alone is its least: most groups of a profile with many names are no larger. */
gint64
dist_value (const Dist *d, guint64 i)
{
  return d->value ? load (d->value, i, d->width) : d->min;
}

static void
make_room (Dist *d, guint width)
{
  guint64 room
      = d->count < d->room ? d->room : d->room + (d->room < SMALL ? d->room : d->room / 4) + 4;
  guint8 *value = np_large_pool_take (d->pool, value_bytes (room, width));
  if (width == d->width)
    memcpy (value, d->value, d->count * width);
  else
    for (guint64 i = 0; i < d->count; i++)
      store (value, i, width, dist_value (d, i));
  np_large_pool_give (d->pool, d->value, value_bytes (d->room, d->width));
  d->value = value;
  d->room = room;
  d->width = width;
}

/* Returns whether the value fits; never for a histogram. */
static inline bool
has_room (const Dist *d, gint64 value)
{
  return d->count < d->room && !((guint64) value >> (8 * d->width - 1) >> 1);
}

static inline void
note_value (Dist *d, gint64 value)
{
  d->min = MIN (d->min, value);
  d->max = MAX (d->max, value);
  d->total += value;
  d->count++;
}

static __attribute__ ((noinline)) void
add_without_room (Dist *d, gint64 value)
{
  if (!d->count)
    d->min = d->max = value;
  if (d->octave) {
    note_value (d, value);
    dist_add_bucket (d, dist_bucket (value), 1);
    return;
  }
  if (!d->count) {
    note_value (d, value);
    return;
  }
  make_room (d, MAX (d->width, width_of (MAX (d->max, value))));
  dist_add (d, value);
}

void
dist_add (Dist *d, gint64 value)
{
  if (!has_room (d, value)) {
    add_without_room (d, value);
    return;
  }
  store_last (d->value, d->count, d->width, value);
  note_value (d, value);
}

static gsize
bytes_of_values (const Dist *d)
{
  return 2 * d->count * sizeof (gint64);
}

gint64 *
dist_values (const Dist *d)
{
  gint64 *value = np_large_grow (NULL, 0, bytes_of_values (d));
  for (guint64 i = 0; i < d->count; i++)
    value[i] = dist_value (d, i);
  return value;
}

void
dist_values_free (const Dist *d, gint64 *values)
{
  np_large_free (values, bytes_of_values (d));
}

gint64
dist_mean (const Dist *d)
{
  return (gint64) ((d->total + d->count / 2) / d->count);
}
