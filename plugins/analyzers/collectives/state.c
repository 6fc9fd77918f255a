/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - writes the state as bytes, for profiles of many ranks: devices by their labels, groups
 * by what makes them alike, durations or buckets.  Equal content gives equal bytes: all is in the
 * order of its keys. */
#include "collectives.h"
#include "devicekit/saved-state.h"

#include <string.h>

#define MAGIC "nprof collectives 2\n"

/* -- Saving ------------------------------------------------------------------------------------ */

static void
put_device (Collectives *c, GByteArray *to, guint number)
{
  const Device *d = co_device (c, number);
  an_put_text (c->host, to, d->input);
  an_put_text (c->host, to, d->label);
  an_put (to, d->order);
  an_put (to, d->link);
  an_put (to, d->link_group);
  an_put_text (c->host, to, d->link_source);
  an_put (to, d->busy);
  an_put (to, d->overlap);
  an_put (to, d->unsure);
}

static void
put_group (Collectives *c, GByteArray *to, guint number, const guint *rank)
{
  const guint32 *key = an_key_table_key (&c->keys, number);
  const Group *g = &g_array_index (c->groups, Group, number);
  an_put (to, rank[key[G_DEVICE]]);
  for (guint i = G_KIND; i < G_DTYPE; i++)
    an_put (to, key[i]);
  an_put_text (c->host, to, key[G_DTYPE]);
  an_put_text (c->host, to, key[G_GROUP]);
  an_put (to, (guint64) g->shortest);
  an_put (to, g->overlap);
  an_put_dist (to, &g->durations);
}

/* Counts groups that have a row; one without a call was made for a collective that never ended. */
static guint
count_groups (const Collectives *c)
{
  guint n = 0;
  for (guint i = 0; i < c->groups->len; i++)
    n += g_array_index (c->groups, Group, i).durations.count > 0;
  return n;
}

static void
put_all (Collectives *c, GByteArray *to)
{
  g_autofree guint *devices = co_sorted_devices (c), *groups = co_sorted_groups (c);
  g_autofree guint *rank = g_new (guint, c->devices->len + 1);
  an_put (to, c->unended);
  an_put (to, c->devices->len);
  for (guint i = 0; i < c->devices->len; i++) {
    put_device (c, to, devices[i]);
    rank[devices[i]] = i;
  }
  an_put (to, count_groups (c));
  for (guint i = 0; i < c->groups->len; i++)
    if (g_array_index (c->groups, Group, groups[i]).durations.count)
      put_group (c, to, groups[i], rank);
}

nprof_status
co_save (void *self, struct nprof_output *out)
{
  Collectives *c = self;
  co_end (c);
  co_settle (c);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  put_all (c, bytes);
  nprof_status status = out->write (out, MAGIC, strlen (MAGIC));
  return status == NPROF_OK ? out->write (out, bytes->data, bytes->len) : status;
}

/* -- Merging ----------------------------------------------------------------------------------- */

/* Merges the peaks of one device: the larger counts, in whichever order they come; and of two
 * sources the text that is less. */
static void
merge_link (const Collectives *c, Device *d, guint64 link, guint64 joins, nprof_str source)
{
  bool other = link != d->link          ? link > d->link
               : joins != d->link_group ? joins < d->link_group
                                        : co_compare_texts (c, source, d->link_source) < 0;
  if (!link || (d->link && !other))
    return;
  d->link = link;
  d->link_group = joins;
  d->link_source = source;
}

static guint
get_device (Collectives *c, AnSaved *in)
{
  nprof_str input = an_get_text (in), label = an_get_text (in);
  if (in->damaged)
    return 0;
  guint number = co_device_named (c, input, label);
  Device *d = co_device (c, number);
  guint64 order = an_get (in), link = an_get (in), joins = an_get (in);
  d->order = MIN (d->order, order);
  merge_link (c, d, link, joins, an_get_text (in));
  d->busy += an_get (in);
  d->overlap += an_get (in);
  d->unsure |= an_get (in) != 0;
  return number;
}

typedef struct {
  Collectives *c;
  guint group;
} To;

static void
add_exact (gpointer user, gint64 value)
{
  const To *to = user;
  co_add (to->c, to->group, value, value, 0);
}

static void
get_group (Collectives *c, AnSaved *in, const guint *devices, guint64 n_devices)
{
  guint64 device = an_get (in);
  guint32 key[G_WORDS];
  for (guint i = G_KIND; i < G_DTYPE; i++)
    key[i] = (guint32) an_get (in);
  key[G_DTYPE] = an_get_text (in);
  key[G_GROUP] = an_get_text (in);
  gint64 shortest = (gint64) an_get (in);
  guint64 overlap = an_get (in);
  in->damaged |= device >= n_devices || key[G_KIND] >= AN_N_KINDS || shortest < 0;
  if (in->damaged)
    return;
  key[G_DEVICE] = devices[device];
  To to = { c, co_group_of_key (c, key) };
  Dist d = { 0 };
  bool histogram = an_get_dist (in, &d, add_exact, &to);
  Group *g = &g_array_index (c->groups, Group, to.group);
  if (histogram && !in->damaged)
    dist_merge (&g->durations, &d);
  dist_clear (&d);
  if (shortest && (!g->shortest || shortest < g->shortest))
    g->shortest = shortest;
  g->overlap += overlap;
}

nprof_status
co_merge (void *self, const void *data, size_t len)
{
  Collectives *c = self;
  if (len < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return an_fail_foreign (c->host, "collectives", MAGIC);
  AnSaved in = { .host = c->host, .at = data, .end = (const guint8 *) data + len };
  in.at += strlen (MAGIC);
  c->unended += an_get (&in);
  guint64 n = an_get (&in);
  in.damaged |= n > (guint64) (in.end - in.at);
  g_autofree guint *devices = g_new (guint, in.damaged ? 1 : n + 1);
  for (guint64 i = 0; i < n && !in.damaged; i++)
    devices[i] = get_device (c, &in);
  guint64 n_groups = an_get (&in);
  for (guint64 i = 0; i < n_groups && !in.damaged; i++)
    get_group (c, &in, devices, n);
  if (in.damaged || in.at != in.end)
    return an_fail_damaged (c->host, "collectives", (gsize) (in.at - (const guint8 *) data));
  return NPROF_OK;
}
