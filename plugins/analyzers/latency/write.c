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

/* Holds the keys by which a group is sorted, side by side, because the groups lie all over
 * memory. */
typedef struct {
  DistSum total;
  guint64 name; /* of ties: the bytes behind what their names begin with */
  guint place, note, number;
} Sorted;

/* Compares what needs no texts of groups: place, work first, and total (most first). */
static int
compare_sums (const Sorted *a, const Sorted *b)
{
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  if (a->note != b->note)
    return a->note < b->note ? -1 : 1;
  return (a->total < b->total) - (a->total > b->total);
}

static int
compare_texts (const Latency *self, guint i, guint j)
{
  const guint32 *x = an_key_table_key (&self->groups.keys, i),
                *y = an_key_table_key (&self->groups.keys, j);
  int order = compare_text (self, x[G_NAME], y[G_NAME]);
  if (!order)
    order = compare_text (self, x[G_CATEGORY], y[G_CATEGORY]);
  return order ? order
               : compare_text (self, place_key (self, x)[P_THREAD], place_key (self, y)[P_THREAD]);
}

/* Compares groups of one place and sum, so that nothing depends on handles. */
static int
compare_ties (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const Sorted *a = pa, *b = pb;
  if (a->name != b->name)
    return a->name < b->name ? -1 : 1;
  return compare_texts (user, a->number, b->number);
}

static int
compare_without_texts (gconstpointer a, gconstpointer b, gpointer user)
{
  (void) user;
  return compare_sums (a, b);
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer user)
{
  const Latency *self = user;
  const guint32 *p = an_key_table_key (&self->place_keys, *(const guint *) a),
                *q = an_key_table_key (&self->place_keys, *(const guint *) b);
  int order = compare_text (self, p[P_INPUT], q[P_INPUT]);
  return order ? order : (p[P_NUMBER] > q[P_NUMBER]) - (p[P_NUMBER] < q[P_NUMBER]);
}

/* Returns where each place stands, by its number; those of one track number share it. */
static guint *
rank_places (Latency *self)
{
  guint n = self->place->len;
  g_autofree guint *sorted = g_new (guint, n + 1);
  guint *rank = g_new0 (guint, n + 1);
  for (guint i = 0; i < n; i++)
    sorted[i] = i;
  g_qsort_with_data (sorted, (int) n, sizeof *sorted, compare_places, self);
  for (guint i = 1; i < n; i++)
    rank[sorted[i]]
        = rank[sorted[i - 1]] + (compare_places (sorted + i - 1, sorted + i, self) != 0);
  return rank;
}

static const char *
name_of (const Latency *self, const Sorted *group)
{
  return nprof_text (self->host, an_key_table_key (&self->groups.keys, group->number)[G_NAME]);
}

/* Sorts groups of one place and sum by their texts. Many names begin alike, so the eight bytes
 * behind that tell nearly all of them apart. */
static void
sort_ties (Latency *self, Sorted *group, guint n)
{
  const char *first = name_of (self, group);
  gsize alike = strlen (first);
  for (guint i = 1; i < n; i++) {
    const char *name = name_of (self, group + i);
    gsize k = 0;
    while (k < alike && name[k] == first[k])
      k++;
    alike = k;
  }
  for (guint i = 0; i < n; i++) {
    char bytes[sizeof (guint64) + 1] = { 0 };
    g_strlcpy (bytes, name_of (self, group + i) + alike, sizeof bytes);
    memcpy (&group[i].name, bytes, sizeof group[i].name);
    group[i].name = GUINT64_FROM_BE (group[i].name);
  }
  g_qsort_with_data (group, (int) n, sizeof *group, compare_ties, self);
}

static NpLargeArray *
sort_groups (Latency *self)
{
  guint n = self->groups.dist->len;
  NpLargeArray *sorted = np_large_array_new (sizeof (Sorted));
  np_large_array_extend (sorted, n);
  Sorted *group = (Sorted *) (gpointer) sorted->data;
  g_autofree guint *rank = rank_places (self);
  for (guint i = 0; i < n; i++) {
    const guint32 *key = an_key_table_key (&self->groups.keys, i);
    group[i] = (Sorted){ groups_total (&self->groups, i), 0, rank[key[G_PLACE]],
                         meaning_is_note (nprof_text (self->host, key[G_CATEGORY])), i };
  }
  if (n)
    g_qsort_with_data (group, (int) n, sizeof *group, compare_without_texts, NULL);
  for (guint i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && compare_sums (group + i, group + end) == 0;)
      end++;
    if (end - i > 1)
      sort_ties (self, group + i, end - i);
  }
  return sorted;
}

static struct nprof_maybe_int
whole_sum (DistSum sum)
{
  return nprof_int_if (sum <= INT64_MAX, (int64_t) sum);
}

static const char *
method (const Latency *self, const Dist *d)
{
  if (d->octave)
    return self->method == NEAREST ? "nearest, histogram ±0.1%" : "linear, histogram ±0.1%";
  return self->method == NEAREST ? "nearest" : "linear";
}

/* -- Percentiles, of several groups at once ---------------------------------------------------- */

enum { AT_ONCE = 4096, OF_A_THREAD = 16 }; /* groups */

typedef gint64 Percentiles[G_N_ELEMENTS (milles)];

typedef struct {
  const Latency *self;
  const Sorted *group;
  guint n;
  Percentiles *found; /* of each group */
} Finding;

static const Dist *
dist_of (const Latency *self, const Sorted *group)
{
  return &g_array_index (self->groups.dist, Dist, group->number);
}

/* Finds those of the number-th few groups. */
static nprof_status
find_some (void *user, uint32_t number)
{
  const Finding *f = user;
  guint end = MIN (f->n, (number + 1) * OF_A_THREAD);
  for (guint i = number * OF_A_THREAD; i < end; i++)
    dist_percentiles (dist_of (f->self, f->group + i), milles, G_N_ELEMENTS (milles),
                      f->self->method == NEAREST, f->found[i]);
  return NPROF_OK;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
write_group (Latency *self, guint number, const gint64 *rank)
{
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&self->groups.keys, number),
                *place = place_key (self, key);
  const Dist *d = &g_array_index (self->groups.dist, Dist, number);
  const Place *p = &g_array_index (self->place, Place, key[G_PLACE]);
  DistSum total = groups_total (&self->groups, number);
  DistSum watched = (DistSum) p->last - p->first;
  const struct latency_row row = {
    .process = nprof_some_str (place[P_PROCESS]),
    .thread = nprof_some_str (place[P_THREAD]),
    .track = nprof_int_if (self->by != BY_PROCESS, place[P_NUMBER]),
    .name = nprof_some_str (key[G_NAME]),
    .category = nprof_some_str (key[G_CATEGORY]),
    .calls = nprof_some_int ((gint64) d->count),
    .total = whole_sum (total),
    .share = nprof_double_if (watched > 0, (double) total / (double) watched),
    .min = nprof_some_int (d->min),
    .mean = nprof_some_int (dist_mean (d)),
    .median = nprof_some_int (rank[0]),
    .p90 = nprof_some_int (rank[1]),
    .p95 = nprof_some_int (rank[2]),
    .p97 = nprof_some_int (rank[3]),
    .p99 = nprof_some_int (rank[4]),
    .p99_9 = nprof_some_int (rank[5]),
    .max = nprof_some_int (d->max),
    .method = nprof_some_text (method (self, d)),
    .gaps = nprof_some_int ((gint64) rows_gaps (self, p)),
  };
  return h->row (h, &latency_table, latency_cells (nprof_cell_str (place[P_INPUT]), &row).cells);
}

/* Writes the rows of n groups. */
static nprof_status
write_some (Latency *self, const Sorted *group, guint n, Percentiles *found)
{
  Finding finding = { self, group, n, found };
  guint parts = (n + OF_A_THREAD - 1) / OF_A_THREAD;
  nprof_status status = self->host->parallel (self->host, parts, find_some, &finding);
  for (guint i = 0; i < n && status == NPROF_OK; i++)
    status = write_group (self, group[i].number, found[i]);
  return status;
}

nprof_status
write_table (Latency *self)
{
  nprof_status status = self->host->table (self->host, &latency_table);
  g_autoptr (NpLargeArray) sorted = sort_groups (self);
  g_autofree Percentiles *found = g_new (Percentiles, MIN (sorted->len, AT_ONCE) + 1);
  for (guint i = 0; i < sorted->len && status == NPROF_OK; i += AT_ONCE)
    status = write_some (self, &g_array_index (sorted, Sorted, i), MIN (sorted->len - i, AT_ONCE),
                         found);
  return status;
}
