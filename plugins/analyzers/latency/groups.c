/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - decides which groups keep all durations, and which become histograms.  A group is
 * exact while its count is at most a limit: the largest power of two for which the sum of MIN
 * (count, limit) over all groups fits into the memory.  Counts only grow, so the limit only falls,
 * and its end value depends on the counts alone: neither on the order of rows nor on the order in
 * which profiles are merged. */
#include "latency.h"

/* A histogram is no smaller than this many durations. */
enum { LEAST = 512 };

void
groups_init (Groups *g, guint64 memory)
{
  g->memory = memory;
  g->limit = G_GUINT64_CONSTANT (1) << 62;
  g->dist = np_large_array_new (sizeof (Dist));
  g->pool = np_large_pool_new ();
  g->outside = g_array_new (FALSE, TRUE, sizeof (DistSum));
  an_key_table_init (&g->keys, G_WORDS);
}

static Dist *
dist_of (Groups *g, guint number)
{
  return &g_array_index (g->dist, Dist, number);
}

void
groups_clear (Groups *g)
{
  for (guint i = 0; g->dist && i < g->dist->len; i++)
    dist_clear (dist_of (g, i));
  g_clear_pointer (&g->dist, np_large_array_free);
  g_clear_pointer (&g->pool, np_large_pool_free);
  g_clear_pointer (&g->outside, g_array_unref);
  an_key_table_clear (&g->keys);
}

static inline guint
get (Groups *g, guint32 place, guint32 name, guint32 category)
{
  guint number = an_key_table_get_three (&g->keys, place, name, category);
  if (number == g->dist->len) {
    np_large_array_extend (g->dist, number + 1);
    dist_of (g, number)->pool = g->pool;
  }
  return number;
}

guint
groups_get (Groups *g, const guint32 *key)
{
  return get (g, key[G_PLACE], key[G_NAME], key[G_CATEGORY]);
}

static guint64
held (Groups *g)
{
  guint64 sum = 0;
  for (guint i = 0; i < g->dist->len; i++)
    sum += MIN (dist_of (g, i)->count, g->limit);
  return sum;
}

static void
fit (Groups *g)
{
  while (g->held > g->memory / sizeof (gint64) && g->limit > LEAST) {
    g->limit /= 2;
    g->held = held (g);
  }
  for (guint i = 0; i < g->dist->len; i++)
    if (dist_of (g, i)->count > g->limit)
      dist_make_histogram (dist_of (g, i));
}

static inline void
add (Groups *g, guint number, gint64 duration)
{
  Dist *d = dist_of (g, number);
  dist_add (d, duration);
  if (d->count > g->limit)
    dist_make_histogram (d);
  else if (++g->held > g->memory / sizeof (gint64) && g->limit > LEAST)
    fit (g);
}

void
groups_add (Groups *g, guint number, gint64 duration)
{
  add (g, number, duration);
}

void
groups_add_row (Groups *g, guint32 place, guint32 name, guint32 category, gint64 duration)
{
  add (g, get (g, place, name, category), duration);
}

void
groups_add_outside (Groups *g, guint32 place, guint32 name, guint32 category, gint64 duration)
{
  guint number = get (g, place, name, category);
  if (number >= g->outside->len)
    g_array_set_size (g->outside, number + 1);
  g_array_index (g->outside, DistSum, number) += duration;
}

DistSum
groups_total (const Groups *g, guint number)
{
  DistSum outside = number < g->outside->len ? g_array_index (g->outside, DistSum, number) : 0;
  return g_array_index (g->dist, Dist, number).total - outside;
}

void
groups_add_histogram (Groups *g, guint number, const Dist *from)
{
  dist_merge (dist_of (g, number), from);
  g->held = held (g);
  fit (g);
}
