/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - table latency. */
#include "latency.h"

enum { NEAREST = 1 };
static const guint milles[] = { 500, 900, 950, 970, 990, 999 };

static int
compare_text (const Latency *self, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (self->host, a), nprof_text (self->host, b));
}

static const guint32 *
place_key (const Latency *self, const guint32 *group)
{
  return an_key_table_key (&self->place_keys, group[G_PLACE]);
}

/* Sorts by place, work first, total (most first) and names, so that nothing depends on handles. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Latency *self = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&self->groups.keys, i),
                *y = an_key_table_key (&self->groups.keys, j);
  const guint32 *p = place_key (self, x), *q = place_key (self, y);
  int order = x[G_PLACE] == y[G_PLACE] ? 0 : compare_text (self, p[P_INPUT], q[P_INPUT]);
  if (!order)
    order = (p[P_NUMBER] > q[P_NUMBER]) - (p[P_NUMBER] < q[P_NUMBER]);
  if (!order)
    order = an_is_note (self->places, x[G_CATEGORY]) - an_is_note (self->places, y[G_CATEGORY]);
  if (order)
    return order;
  DistSum m = groups_total (&self->groups, i), n = groups_total (&self->groups, j);
  if (m != n)
    return m > n ? -1 : 1;
  order = compare_text (self, x[G_NAME], y[G_NAME]);
  if (!order)
    order = compare_text (self, x[G_CATEGORY], y[G_CATEGORY]);
  return order ? order : compare_text (self, p[P_THREAD], q[P_THREAD]);
}

static struct nprof_cell
text_cell (nprof_str str)
{
  return str ? nprof_cell_str (str) : nprof_cell_null ();
}

static struct nprof_cell
sum_cell (DistSum sum)
{
  return sum > INT64_MAX ? nprof_cell_null () : nprof_cell_int ((int64_t) sum);
}

static const char *
method (const Latency *self, const Dist *d)
{
  if (d->octave)
    return self->method == NEAREST ? "nearest, histogram ±0.1%" : "linear, histogram ±0.1%";
  return self->method == NEAREST ? "nearest" : "linear";
}

static nprof_status
write_group (Latency *self, guint number)
{
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&self->groups.keys, number),
                *place = place_key (self, key);
  const Dist *d = &g_array_index (self->groups.dist, Dist, number);
  const Place *p = &g_array_index (self->place, Place, key[G_PLACE]);
  DistSum total = groups_total (&self->groups, number);
  double watched = (double) p->last - (double) p->first;
  gint64 rank[G_N_ELEMENTS (milles)];
  dist_percentiles (d, milles, G_N_ELEMENTS (milles), self->method == NEAREST, rank);
  const struct nprof_cell cells[] = {
    nprof_cell_str (place[P_INPUT]),
    text_cell (place[P_PROCESS]),
    text_cell (place[P_THREAD]),
    self->by == BY_PROCESS ? nprof_cell_null () : nprof_cell_int (place[P_NUMBER]),
    text_cell (key[G_NAME]),
    text_cell (key[G_CATEGORY]),
    nprof_cell_int ((gint64) d->count),
    sum_cell (total),
    watched > 0 ? nprof_cell_double ((double) total / watched) : nprof_cell_null (),
    nprof_cell_int (d->min),
    nprof_cell_int (dist_mean (d)),
    nprof_cell_int (rank[0]),
    nprof_cell_int (rank[1]),
    nprof_cell_int (rank[2]),
    nprof_cell_int (rank[3]),
    nprof_cell_int (rank[4]),
    nprof_cell_int (rank[5]),
    nprof_cell_int (d->max),
    nprof_cell_text (method (self, d)),
    nprof_cell_int ((gint64) rows_gaps (self, p)),
  };
  return h->row (h, &latency_table, cells);
}

nprof_status
write_table (Latency *self)
{
  nprof_status status = self->host->table (self->host, &latency_table);
  guint n = self->groups.dist->len;
  g_autofree guint *order = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare, self);
  for (guint i = 0; i < n && status == NPROF_OK; i++)
    status = write_group (self, order[i]);
  return status;
}
