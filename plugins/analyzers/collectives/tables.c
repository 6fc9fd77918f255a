/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - tables collectives and communication. */
#include "collectives.h"

#include <nprof/units.h>
#include <string.h>

NPROF_TABLE (collectives, "Collectives",
             "bytes and bandwidths as nccl-tests: algbw is bytes / time, busbw what each "
             "link carries of it. A rank waits in them for the others, so they are lower "
             "bounds. efficiency: busbw_best of the links of the device. overlap and "
             "exposed add up to total.",
             COLLECTIVES)

NPROF_TABLE (communication, "Communication of devices",
             "Unions of intervals: collectives that overlap count once.", COMMUNICATION)

/* -- Order ------------------------------------------------------------------------------------- */

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

/* -- Rows -------------------------------------------------------------------------------------- */

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

/* Returns whether the group lies in one node: ranks of a node follow each other, and a group that
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
        "%s: %s has %s of the peak of %s of its links (%s): the bytes that the file "
        "states or this peak are wrong; option link of the analyzer collectives sets another",
        nprof_text (c->host, d->label), an_kind_name (key[G_KIND]), nprof_share (used).text,
        nprof_byte_rate ((double) d->link).text, nprof_text (c->host, d->link_source));
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
  const struct collectives_row row = {
    .device = nprof_any_str (d->label),
    .kind = nprof_any_str (nprof_intern (c->host, an_kind_name (key[G_KIND]))),
    .bytes = nprof_int_if (key[G_HAS_BYTES], number_of (key, G_BYTES_LOW)),
    .ranks = nprof_int_if (number_of (key, G_RANKS_LOW), number_of (key, G_RANKS_LOW)),
    .dtype = nprof_some_str (key[G_DTYPE]),
    .group = nprof_some_str (key[G_GROUP]),
    .calls = nprof_some_int ((gint64) times->count),
    .total = nprof_some_int ((gint64) total_of (g)),
    .min = nprof_some_int (times->min),
    .p50 = nprof_some_int (median),
    .algbw = nprof_some_double (byte_rate (bytes * (double) times->count, (double) times->total)),
    .busbw_p50 = nprof_some_double (bus (key, byte_rate (bytes, (double) median))),
    .busbw_best = nprof_some_double (best),
    .efficiency = nprof_some_double (efficiency (c, key, best)),
    .overlap = nprof_int_if (!d->unsure, (gint64) g->overlap),
    .exposed = nprof_int_if (!d->unsure, (gint64) total_of (g) - (gint64) g->overlap),
  };
  return c->host->row (c->host, &collectives_table,
                       collectives_cells (nprof_cell_str (d->input), &row).cells);
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
  const struct communication_row row = {
    .device = nprof_any_str (d->label),
    .calls = nprof_some_int ((gint64) calls),
    .without_bytes = nprof_some_int ((gint64) without),
    .busy = nprof_some_int ((gint64) d->busy),
    .overlap = nprof_int_if (!d->unsure, (gint64) d->overlap),
    .exposed = nprof_int_if (!d->unsure, (gint64) (d->busy - d->overlap)),
    .hidden = nprof_double_if (d->busy && !d->unsure, (double) d->overlap / (double) d->busy),
    .link = nprof_double_if (d->link, (double) d->link),
    .link_source = nprof_text_if (d->link, nprof_text (c->host, d->link_source)),
  };
  return c->host->row (c->host, &communication_table,
                       communication_cells (nprof_cell_str (d->input), &row).cells);
}

nprof_status
co_write (Collectives *c)
{
  nprof_status status = c->host->table (c->host, &collectives_table);
  g_autofree guint *groups = sorted (c, c->groups->len, by_time);
  for (guint i = 0; i < c->groups->len && status == NPROF_OK; i++)
    if (g_array_index (c->groups, Group, groups[i]).durations.count)
      status = write_group (c, groups[i]);
  if (status == NPROF_OK)
    status = c->host->table (c->host, &communication_table);
  g_autofree guint *devices = co_sorted_devices (c);
  for (guint i = 0; i < c->devices->len && status == NPROF_OK; i++)
    status = write_device (c, devices[i]);
  return status;
}
