/* SPDX-License-Identifier: Apache-2.0 */
/* layer-sums.h - sums what operators and layers did.  Most operators are of one layer, so that a
 * span is added to one sum, that of its operator in its layer, and the sums of both are made of
 * these. */
#ifndef MFU_LAYER_SUMS_H
#define MFU_LAYER_SUMS_H

#include "devicekit/work.h"
#include "sums.h"

typedef struct {
  MfSums operators,
      layers;       /* by name, by layer: whole after mf_layer_sums_end                    */
  NpLargeArray *in_layer; /* of MfSum, beside operators.sums: what is not yet in these; key is
                               its layer, 0 none                                              */
} MfLayerSums;

void mf_layer_sums_init (MfLayerSums *layer_sums);
void mf_layer_sums_clear (MfLayerSums *layer_sums);
void mf_layer_sums_end (MfLayerSums *layer_sums);
/* Begins an operator that is in another layer than before, or new: from now on it adds to that. */
MfSum *mf_layer_sums_begin (MfLayerSums *layer_sums, guint at, guint32 layer);

/* Prefetches the sum of a span of that name that will end soon: most are short, and there are more
 * operators than a cache holds. */
static AN_PREFETCHES void
mf_layer_sums_soon (const MfLayerSums *p, guint32 name)
{
  guint at = name < p->operators.small->len ? g_array_index (p->operators.small, guint32, name) : 0;
  if (!at || at > p->in_layer->len)
    return;
  __builtin_prefetch (&g_array_index (p->in_layer, MfSum, at - 1), 1);
  __builtin_prefetch (&g_array_index (p->in_layer, MfSum, at - 1).custom_flops, 1);
}

/* Adds a span that lies around no other. */
static inline void
mf_layer_sums_add (MfLayerSums *p, const AnSpan *span)
{
  const AnItem *item = &span->item;
  guint at = mf_sums_index (&p->operators, item->name);
  MfSum *in_layer = at < p->in_layer->len ? &g_array_index (p->in_layer, MfSum, at) : NULL;
  if (!in_layer || in_layer->key != item->layer)
    in_layer = mf_layer_sums_begin (p, at, item->layer);
  mf_sum_add (in_layer, span);
}

#endif
