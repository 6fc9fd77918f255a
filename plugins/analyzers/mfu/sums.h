/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - exact sums of what work states, by a key: a step, a layer, an operator. */
#ifndef MFU_SUMS_H
#define MFU_SUMS_H

#include "line.h"

typedef struct {
  gint64 key;
  guint8 known;               /* AN_KNOWS_...: of some of the work                    */
  guint8 overflowed;          /* the same bits: beyond int64, and so unknown          */
  gint64 flops, model_flops, bytes;
  gint64 time;                /* ps, of all of it                                     */
  gint64 unknown_time;        /* of what states no flops                              */
  gint64 custom_time, custom_flops; /* of custom calls: declared by hand              */
  gint64 first, last;         /* start of the first, end of the last                  */
} MfSum;

void mf_sum_init (MfSum *sum, gint64 key);
/* The span lies around no other. */
void mf_sum_add (MfSum *sum, const AnSpan *span);

/* Handles and indices count up from 0, so that most keys need no hash. */
#define MF_SMALL (1 << 22)

typedef struct {
  GArray *sums;      /* of MfSum, in order of their first work */
  GArray *small;     /* of guint32: 1 + index of keys 0 .. MF_SMALL - 1, as far as needed */
  GHashTable *index; /* other keys to 1 + index                */
  guint last;        /* index of the sum last asked for        */
} MfSums;

void mf_sums_init (MfSums *sums);
void mf_sums_clear (MfSums *sums);
MfSum *mf_sums_of (MfSums *sums, gint64 key);

#endif
