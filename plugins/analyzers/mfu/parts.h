/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - what operators and layers did.  Most operators are of one layer, so that a span is added
 * to one sum, that of its operator in its layer, and the sums of both are made of these. */
#ifndef MFU_PARTS_H
#define MFU_PARTS_H

#include "devicekit/work.h"
#include "sums.h"

typedef struct {
  MfSums operators, layers; /* by name, by layer: whole after mf_parts_end                    */
  GArray *part;             /* of MfSum, beside operators.sums: what is not yet in these; key is
                               its layer, 0 none                                              */
} MfParts;

void mf_parts_init (MfParts *parts);
void mf_parts_clear (MfParts *parts);
void mf_parts_end (MfParts *parts);
/* The operator is in another layer than before, or new: from now on it adds to that. */
MfSum *mf_parts_begin (MfParts *parts, guint at, guint32 layer);

/* A span of that name will end soon: most are short, and there are more operators than a cache holds. */
static AN_PREFETCHES void
mf_parts_soon (const MfParts *p, guint32 name)
{
  guint at = name < p->operators.small->len
                 ? g_array_index (p->operators.small, guint32, name)
                 : 0;
  if (!at || at > p->part->len)
    return;
  __builtin_prefetch (&g_array_index (p->part, MfSum, at - 1), 1);
  __builtin_prefetch (&g_array_index (p->part, MfSum, at - 1).custom_flops, 1);
}

/* Of a span that lies around no other. */
static inline void
mf_parts_add (MfParts *p, const AnItem *item)
{
  guint at = mf_sums_index (&p->operators, item->name);
  MfSum *part = at < p->part->len ? &g_array_index (p->part, MfSum, at) : NULL;
  if (!part || part->key != item->layer)
    part = mf_parts_begin (p, at, item->layer);
  mf_sum_add (part, item);
}

#endif
