/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - exact sums of what work states, by a key: a step, a layer, an operator. */
#ifndef MFU_SUMS_H
#define MFU_SUMS_H

#include "devicekit/device-sweep.h"
#include "system/large.h"

/* The key of a sum whose flops are those that an execution states of itself; no step has it. */
#define MF_OF_EXECUTION G_MININT64

typedef struct {
  gint64 key;
  guint8 known;               /* AN_KNOWS_...: of some of the work                    */
  guint8 overflowed;          /* the same bits: beyond int64, and so unknown          */
  bool partial;               /* a step: the selection leaves out work of it          */
  gint64 flops, model_flops, bytes;
  gint64 time;                /* ps, of all of it                                     */
  gint64 unknown_time;        /* of what states no flops                              */
  gint64 custom_time, custom_flops; /* of custom calls: declared by hand              */
  gint64 link_time;           /* of what waits for other devices or the host          */
  gint64 first, last;         /* start of the first, end of the last: where mf_sum_reach
                                 was told of it                                       */
} MfSum;

void mf_sum_init (MfSum *sum, gint64 key);
/* Adds all sums of the other; amounts are not negative, so that the order does not matter: a sum
 * beyond int64 is so in any. */
void mf_sum_join (MfSum *sum, const MfSum *other);

static inline void
mf_add (MfSum *sum, gint64 *to, gint64 value, guint8 bit)
{
  if (__builtin_add_overflow (*to, value, to))
    sum->overflowed |= bit;
}

/* These are classes of spans for mfu: those over links take as long as the links do, whatever they
 * read of the main memory. */
enum { MF_ON_DEVICE, MF_OVER_LINK };

/* Adds a span that lies around no other.  It is dense, since it is done for each: an unknown number
 * of an item is 0 and adds nothing. */
static inline void
mf_sum_add (MfSum *sum, const AnSpan *span)
{
  const AnItem *item = &span->item;
  sum->known |= item->known;
  mf_add (sum, &sum->flops, item->flops, AN_KNOWS_FLOPS);
  mf_add (sum, &sum->model_flops, item->model_flops, AN_KNOWS_MODEL);
  mf_add (sum, &sum->bytes, item->bytes, AN_KNOWS_BYTES);
  sum->time += item->time;
  sum->unknown_time += item->known & AN_KNOWS_FLOPS ? 0 : item->time;
  sum->link_time += span->kind.class == MF_OVER_LINK ? item->time : 0;
  if (item->known & AN_IS_CUSTOM) {
    sum->custom_time += item->time;
    sum->custom_flops += item->flops;
  }
}

static inline void
mf_sum_reach (MfSum *sum, gint64 start, gint64 end)
{
  sum->first = MIN (sum->first, start);
  sum->last = MAX (sum->last, end);
}

/* Most keys need no hash, because handles and indices count up from 0. */
#define MF_SMALL (1 << 22)

typedef struct {
  NpLargeArray *sums;  /* of MfSum, in order of their first work */
  NpLargeArray *small; /* of guint32: 1 + index of keys 0 .. MF_SMALL - 1, as far as needed */
  GHashTable *index; /* other keys to 1 + index                */
  guint last;        /* index of the one of those last asked for */
} MfSums;

void mf_sums_init (MfSums *sums);
void mf_sums_clear (MfSums *sums);
/* Returns the index of the key's sum, and makes it when it is new. */
guint mf_sums_find (MfSums *sums, gint64 key);

/* Returns the index of the key's sum. */
static inline guint
mf_sums_index (MfSums *s, gint64 key)
{
  guint32 at = key >= 0 && key < s->small->len ? g_array_index (s->small, guint32, key) : 0;
  return at ? at - 1 : mf_sums_find (s, key);
}

static inline MfSum *
mf_sums_at (const MfSums *s, guint index)
{
  return &g_array_index (s->sums, MfSum, index);
}

#endif
