/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - tables collectives and communication. */
#include "collectives.h"

#include "devicekit/cells.h"

#include <string.h>

#define KEY(type, name, help) NPROF_KEY_COLUMN (type, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define RATE(name, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, name, "byte/s", help)

/* clang-format off */
const struct nprof_table co_table = {
  .size = sizeof co_table,
  .name = "collectives",
  .title = "Collectives",
  .note = "bytes and bandwidths as nccl-tests: algbw is bytes / time, busbw what each link carries of it. "
          "A rank waits in them for the others, so they are lower bounds. efficiency: busbw_best of the "
          "links of the device. overlap and exposed add up to total.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "device", "device or core"),
      KEY (NPROF_STRING, "kind", "allreduce, allgather, ..."),
      NPROF_KEY_COLUMN (NPROF_INT64, "bytes", "byte", "S of nccl-tests"),
      KEY (NPROF_INT64, "ranks", "of the group"),
      KEY (NPROF_STRING, "dtype", "of the elements"),
      KEY (NPROF_STRING, "group", "ranks of the group, else its name"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "calls", "", ""),
      PS ("total_ns", "sum of durations"),
      PS ("min_ns", "shortest"),
      PS ("p50_ns", "median"),
      RATE ("algbw", "bytes of all calls / total_ns"),
      RATE ("busbw_p50", "by the median"),
      RATE ("busbw_best", "by the shortest"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "efficiency", "1", "busbw_best of the links of the device"),
      PS ("overlap_ns", "while something computes"),
      PS ("exposed_ns", "while nothing computes")),
};

const struct nprof_table co_devices_table = {
  .size = sizeof co_devices_table,
  .name = "communication",
  .title = "Communication of devices",
  .note = "Unions of intervals: collectives that overlap count once.",
  .columns = NPROF_COLUMNS (
      KEY (NPROF_STRING, "device", "device or core"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "calls", "", "collectives"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "without_bytes", "", "of which the file does not tell the bytes"),
      PS ("busy_ns", "some collective under way"),
      PS ("overlap_ns", "while something computes"),
      PS ("exposed_ns", "while nothing computes"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "hidden", "1", "overlap_ns / busy_ns"),
      RATE ("link", "peak of the links of the device, one way"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "link_source", "", "where that comes from")),
};
/* clang-format on */

/* -- Order ------------------------------------------------------------------------------------------- */

int
co_compare_texts (const Collectives *c, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (c->host, a), nprof_text (c->host, b));
}

static int
compare_devices (const Collectives *c, guint a, guint b)
{
  const Device *x = co_device (c, a), *y = co_device (c, b);
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  int order = co_compare_texts (c, x->input, y->input);
  return order ? order : co_compare_texts (c, x->label, y->label);
}

static int
by_device (gconstpointer a, gconstpointer b, gpointer user)
{
  return compare_devices (user, *(const guint *) a, *(const guint *) b);
}

static const guint32 *
key_of (const Collectives *c, guint group)
{
  return an_key_table_key (&c->keys, group);
}

/* Sorts by numbers, then texts: nothing of it depends on the order of rows. */
static int
by_key (gconstpointer a, gconstpointer b, gpointer user)
{
  const Collectives *c = user;
  const guint32 *x = key_of (c, *(const guint *) a), *y = key_of (c, *(const guint *) b);
  if (x[G_DEVICE] != y[G_DEVICE])
    return compare_devices (c, x[G_DEVICE], y[G_DEVICE]);
  for (guint i = G_KIND; i < G_DTYPE; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  int order = co_compare_texts (c, x[G_DTYPE], y[G_DTYPE]);
  return order ? order : co_compare_texts (c, x[G_GROUP], y[G_GROUP]);
}

/* Sums the parts inside the window. */
static DistSum
total_of (const Group *g)
{
  return g->durations.total - g->outside;
}

/* Sorts by device, then the most time first. */
static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const Collectives *c = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = key_of (c, i), *y = key_of (c, j);
  DistSum m = total_of (&g_array_index (c->groups, Group, i)),
          n = total_of (&g_array_index (c->groups, Group, j));
  if (x[G_DEVICE] == y[G_DEVICE] && m != n)
    return m > n ? -1 : 1;
  return by_key (a, b, user);
}

static guint *
sorted (Collectives *c, guint n, GCompareDataFunc order)
{
  guint *numbers = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  g_qsort_with_data (numbers, (gint) n, sizeof *numbers, order, c);
  return numbers;
}

guint *
co_sorted_devices (Collectives *c)
{
  return sorted (c, c->devices->len, by_device);
}

guint *
co_sorted_groups (Collectives *c)
{
  return sorted (c, c->groups->len, by_key);
}

static int
by_place (gconstpointer a, gconstpointer b, gpointer user)
{
  const Collectives *c = user;
  return an_place_compare (c->host, co_device (c, *(const guint *) a)->track,
                           co_device (c, *(const guint *) b)->track);
}

void
co_settle (Collectives *c)
{
  guint n = 0;
  g_autofree guint *own = g_new (guint, c->devices->len + 1);
  for (guint i = 0; i < c->devices->len; i++)
    if (co_device (c, i)->track)
      own[n++] = i;
  g_qsort_with_data (own, (gint) n, sizeof *own, by_place, c);
  for (guint i = 0; i < n; i++) {
    Device *d = co_device (c, own[i]);
    AnPeak peak = an_peaks_of (c->peaks, d->track);
    d->order = i;
    if (isnan (peak.link))
      continue;
    d->link = (guint64) peak.link;
    d->link_group = (guint64) peak.link_group;
    d->link_source = nprof_intern (c->host, peak.link_source);
  }
}

/* -- Rows ---------------------------------------------------------------------------------------------- */

static gint64
number_of (const guint32 *key, guint low)
{
  return (gint64) ((guint64) key[low + 1] << 32 | key[low]);
}

static double
byte_rate (double bytes, double ps)
{
  return ps > 0 ? bytes * 1e12 / ps : NAN;
}

static double
bus (const guint32 *key, double algbw)
{
  gint64 ranks = number_of (key, G_RANKS_LOW);
  gint64 share = ranks > 1 ? an_kind_bus_share (key[G_KIND], ranks) : 0;
  return share ? algbw * (double) share / (double) ranks : NAN;
}

/* Tells whether the group lies in one node: ranks of a node follow each other, and a group that
 * lies in two nodes talks over the network. */
static bool
is_near (const Collectives *c, const guint32 *key, gint64 joins)
{
  gint64 ranks = number_of (key, G_RANKS_LOW);
  if (!joins)
    return true;
  if (!ranks || ranks > joins)
    return false;
  const char *text = nprof_text (c->host, key[G_GROUP]);
  if (*text != '[' && *text != '{')
    return true;
  AnRanks listed = an_ranks_of_text (text, key[G_KIND] == AN_KIND_PERMUTE);
  return listed.first > listed.last || listed.first / joins == listed.last / joins;
}

static double
efficiency (const Collectives *c, const guint32 *key, double busbw)
{
  const Device *d = co_device (c, key[G_DEVICE]);
  if (!d->link || !is_near (c, key, (gint64) d->link_group))
    return NAN;
  double used = busbw / (double) d->link;
  if (used > 1.0005)
    nprof_log (
        c->host, NPROF_WARNING,
        "%s: %s has %.1f %% of the peak of %g byte/s of its links (%s): the bytes that the file "
        "states or this peak are wrong; option link of the analyzer collectives sets another",
        nprof_text (c->host, d->label), an_kind_name (key[G_KIND]), 100 * used, (double) d->link,
        nprof_text (c->host, d->link_source));
  return used;
}

static nprof_status
write_group (Collectives *c, guint number)
{
  const guint32 *key = key_of (c, number);
  const Group *g = &g_array_index (c->groups, Group, number);
  const Dist *times = &g->durations;
  const Device *d = co_device (c, key[G_DEVICE]);
  double bytes = key[G_HAS_BYTES] ? (double) number_of (key, G_BYTES_LOW) : NAN;
  gint64 median = dist_percentile (times, 500, false);
  double best = bus (key, byte_rate (bytes, (double) g->shortest));
  const struct nprof_cell cells[] = {
    nprof_cell_str (d->input),
    nprof_cell_str (d->label),
    nprof_cell_str (nprof_intern (c->host, an_kind_name (key[G_KIND]))),
    key[G_HAS_BYTES] ? nprof_cell_int (number_of (key, G_BYTES_LOW)) : nprof_cell_null (),
    number_of (key, G_RANKS_LOW) ? nprof_cell_int (number_of (key, G_RANKS_LOW))
                                 : nprof_cell_null (),
    an_str_cell (key[G_DTYPE]),
    an_str_cell (key[G_GROUP]),
    nprof_cell_int ((gint64) times->count),
    nprof_cell_int ((gint64) total_of (g)),
    nprof_cell_int (times->min),
    nprof_cell_int (median),
    an_double_cell (byte_rate (bytes * (double) times->count, (double) times->total)),
    an_double_cell (bus (key, byte_rate (bytes, (double) median))),
    an_double_cell (best),
    an_double_cell (efficiency (c, key, best)),
    an_sure_cell (!d->unsure, (gint64) g->overlap),
    an_sure_cell (!d->unsure, (gint64) total_of (g) - (gint64) g->overlap),
  };
  return c->host->row (c->host, &co_table, cells);
}

static nprof_status
write_device (Collectives *c, guint number)
{
  const Device *d = co_device (c, number);
  guint64 calls = 0, without = 0;
  for (guint i = 0; i < c->groups->len; i++) {
    const guint32 *key = key_of (c, i);
    guint64 n = key[G_DEVICE] == number ? g_array_index (c->groups, Group, i).durations.count : 0;
    calls += n;
    without += key[G_HAS_BYTES] ? 0 : n;
  }
  if (!calls)
    return NPROF_OK;
  const struct nprof_cell cells[]
      = { nprof_cell_str (d->input),
          nprof_cell_str (d->label),
          nprof_cell_int ((gint64) calls),
          nprof_cell_int ((gint64) without),
          nprof_cell_int ((gint64) d->busy),
          an_sure_cell (!d->unsure, (gint64) d->overlap),
          an_sure_cell (!d->unsure, (gint64) (d->busy - d->overlap)),
          d->busy && !d->unsure ? nprof_cell_double ((double) d->overlap / (double) d->busy)
                                : nprof_cell_null (),
          d->link ? nprof_cell_double ((double) d->link) : nprof_cell_null (),
          d->link ? nprof_cell_text (nprof_text (c->host, d->link_source)) : nprof_cell_null () };
  return c->host->row (c->host, &co_devices_table, cells);
}

nprof_status
co_write (Collectives *c)
{
  nprof_status status = c->host->table (c->host, &co_table);
  g_autofree guint *groups = sorted (c, c->groups->len, by_time);
  for (guint i = 0; i < c->groups->len && status == NPROF_OK; i++)
    if (g_array_index (c->groups, Group, groups[i]).durations.count)
      status = write_group (c, groups[i]);
  if (status == NPROF_OK)
    status = c->host->table (c->host, &co_devices_table);
  g_autofree guint *devices = co_sorted_devices (c);
  for (guint i = 0; i < c->devices->len && status == NPROF_OK; i++)
    status = write_device (c, devices[i]);
  return status;
}
