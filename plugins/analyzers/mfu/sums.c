/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - adds up spans. */
#include "sums.h"

#include <string.h>

void
mf_sum_init (MfSum *sum, gint64 key)
{
  *sum = (MfSum){ .key = key, .first = G_MAXINT64, .last = G_MININT64 };
}

static void
add (MfSum *sum, guint8 bit, guint8 known, gint64 *to, gint64 value)
{
  if (!(known & bit))
    return;
  sum->known |= bit;
  if (__builtin_add_overflow (*to, value, to))
    sum->overflowed |= bit;
}

void
mf_sum_add (MfSum *sum, const AnSpan *span)
{
  const AnItem *item = &span->item;
  gint64 time
      = item->known & AN_KNOWS_DEVICE_TIME ? item->device_duration : span->end - span->start;
  add (sum, AN_KNOWS_FLOPS, item->known, &sum->flops, item->flops);
  add (sum, AN_KNOWS_MODEL, item->known, &sum->model_flops, item->model_flops);
  add (sum, AN_KNOWS_BYTES, item->known, &sum->bytes, item->bytes);
  sum->time += time;
  sum->unknown_time += item->known & AN_KNOWS_FLOPS ? 0 : time;
  sum->custom_time += item->custom ? time : 0;
  if (item->custom && item->known & AN_KNOWS_FLOPS)
    sum->custom_flops += item->flops;
  sum->first = MIN (sum->first, span->start);
  sum->last = MAX (sum->last, span->end);
}

void
mf_sums_init (MfSums *s)
{
  s->sums = g_array_new (FALSE, FALSE, sizeof (MfSum));
  s->small = g_array_new (FALSE, FALSE, sizeof (guint32));
  s->index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
mf_sums_clear (MfSums *s)
{
  g_array_unref (s->sums);
  g_array_unref (s->small);
  g_hash_table_unref (s->index);
}

static guint
append (MfSums *s, gint64 key)
{
  MfSum sum;
  mf_sum_init (&sum, key);
  g_array_append_val (s->sums, sum);
  return s->sums->len;
}

static guint
small_key (MfSums *s, guint key)
{
  guint len = s->small->len;
  if (key >= len) {
    g_array_set_size (s->small, MAX (key + 1, MIN (len * 2, MF_SMALL)));
    memset (&g_array_index (s->small, guint32, len), 0, (s->small->len - len) * sizeof (guint32));
  }
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

MfSum *
mf_sums_of (MfSums *s, gint64 key)
{
  if (s->last >= s->sums->len || g_array_index (s->sums, MfSum, s->last).key != key)
    s->last = (key >= 0 && key < MF_SMALL ? small_key (s, (guint) key) : other_key (s, key)) - 1;
  return &g_array_index (s->sums, MfSum, s->last);
}
