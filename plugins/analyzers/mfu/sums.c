/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up spans. */
#include "sums.h"

#include <string.h>

void
mf_sum_init (MfSum *sum, gint64 key)
{
  *sum = (MfSum){ .key = key, .first = G_MAXINT64, .last = G_MININT64 };
}

void
mf_sum_join (MfSum *sum, const MfSum *other)
{
  sum->known |= other->known;
  sum->overflowed |= other->overflowed;
  mf_add (sum, &sum->flops, other->flops, AN_KNOWS_FLOPS);
  mf_add (sum, &sum->model_flops, other->model_flops, AN_KNOWS_MODEL);
  mf_add (sum, &sum->bytes, other->bytes, AN_KNOWS_BYTES);
  sum->time += other->time;
  sum->unknown_time += other->unknown_time;
  sum->custom_time += other->custom_time;
  sum->custom_flops += other->custom_flops;
  sum->link_time += other->link_time;
}

void
mf_sums_init (MfSums *s)
{
  s->sums = np_large_array_new (sizeof (MfSum));
  s->small = np_large_array_new (sizeof (guint32));
  s->index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
mf_sums_clear (MfSums *s)
{
  np_large_array_free (s->sums);
  np_large_array_free (s->small);
  g_hash_table_unref (s->index);
}

static guint
append (MfSums *s, gint64 key)
{
  guint at = s->sums->len;
  np_large_array_extend (s->sums, at + 1);
  mf_sum_init (mf_sums_at (s, at), key);
  return s->sums->len;
}

static guint
small_key (MfSums *s, guint key)
{
  guint len = s->small->len;
  if (key >= len)
    np_large_array_extend (s->small, MAX (key + 1, MIN (len * 2, MF_SMALL)));
  guint32 *at = &g_array_index (s->small, guint32, key);
  if (!*at)
    *at = append (s, key);
  return *at;
}

static guint
other_key (MfSums *s, gint64 key)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (s->index, &key));
  if (!at) {
    at = append (s, key);
    g_hash_table_insert (s->index, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (at));
  }
  return at;
}

guint
mf_sums_find (MfSums *s, gint64 key)
{
  if (key >= 0 && key < MF_SMALL)
    return small_key (s, (guint) key) - 1;
  if (s->last >= s->sums->len || mf_sums_at (s, s->last)->key != key)
    s->last = other_key (s, key) - 1;
  return s->last;
}
