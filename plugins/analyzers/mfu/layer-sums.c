/* SPDX-License-Identifier: Apache-2.0 */
/* layer-sums.c - keeps the part of each operator that its sums do not have yet. */
#include "layer-sums.h"

void
mf_layer_sums_init (MfLayerSums *p)
{
  mf_sums_init (&p->operators);
  mf_sums_init (&p->layers);
  p->in_layer = np_large_array_new (sizeof (MfSum));
}

void
mf_layer_sums_clear (MfLayerSums *p)
{
  mf_sums_clear (&p->operators);
  mf_sums_clear (&p->layers);
  np_large_array_free (p->in_layer);
}

static void
settle_sum (MfLayerSums *p, guint at)
{
  const MfSum *in_layer = &g_array_index (p->in_layer, MfSum, at);
  mf_sum_join (mf_sums_at (&p->operators, at), in_layer);
  if (in_layer->key)
    mf_sum_join (mf_sums_at (&p->layers, mf_sums_index (&p->layers, in_layer->key)), in_layer);
}

/* Begins a layer; its place is that of its first work, not of when that is settled. */
MfSum *
mf_layer_sums_begin (MfLayerSums *p, guint at, guint32 layer)
{
  if (at < p->in_layer->len)
    settle_sum (p, at);
  else
    np_large_array_extend (p->in_layer, at + 1);
  if (layer)
    mf_sums_index (&p->layers, layer);
  MfSum *in_layer = &g_array_index (p->in_layer, MfSum, at);
  mf_sum_init (in_layer, layer);
  return in_layer;
}

void
mf_layer_sums_end (MfLayerSums *p)
{
  for (guint i = 0; i < p->in_layer->len; i++)
    settle_sum (p, i);
  p->in_layer->len = 0;
}
