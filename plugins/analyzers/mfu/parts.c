/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - keeps the part of each operator that its sums do not have yet. */
#include "parts.h"

void
mf_parts_init (MfParts *p)
{
  mf_sums_init (&p->operators);
  mf_sums_init (&p->layers);
  p->part = g_array_new (FALSE, FALSE, sizeof (MfSum));
}

void
mf_parts_clear (MfParts *p)
{
  mf_sums_clear (&p->operators);
  mf_sums_clear (&p->layers);
  g_array_unref (p->part);
}

static void
settle (MfParts *p, guint at)
{
  const MfSum *part = &g_array_index (p->part, MfSum, at);
  mf_sum_join (mf_sums_at (&p->operators, at), part);
  if (part->key)
    mf_sum_join (mf_sums_at (&p->layers, mf_sums_index (&p->layers, part->key)), part);
}

/* A layer has its place by its first work, not by when that is settled. */
MfSum *
mf_parts_begin (MfParts *p, guint at, guint32 layer)
{
  if (at < p->part->len)
    settle (p, at);
  else
    g_array_set_size (p->part, at + 1);
  if (layer)
    mf_sums_index (&p->layers, layer);
  MfSum *part = &g_array_index (p->part, MfSum, at);
  mf_sum_init (part, layer);
  return part;
}

void
mf_parts_end (MfParts *p)
{
  for (guint i = 0; i < p->part->len; i++)
    settle (p, i);
  g_array_set_size (p->part, 0);
}
