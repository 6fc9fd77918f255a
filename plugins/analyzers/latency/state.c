/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - writes the state as bytes, for profiles of many ranks: places and groups with their
 * texts, durations or buckets; integers are little-endian.  Equal content gives equal bytes: places
 * and groups are sorted by their texts, durations by their size. */
#include "devicekit/saved-state.h"
#include "latency.h"

#define MAGIC "nprof latency 1\n"

/* -- Order --------------------------------------------------------------------------------- */

typedef struct {
  guint *places; /* numbers of places, sorted                   */
  guint *rank;   /* of each place by its number: where it stands */
  guint *groups; /* numbers of groups, sorted                   */
} Order;

static int
compare_texts (const Latency *self, nprof_str a, nprof_str b)
{
  size_t len;
  if (a == b)
    return 0;
  return strcmp (self->host->string (self->host, a, &len),
                 self->host->string (self->host, b, &len));
}

static int
compare_places (gconstpointer pa, gconstpointer pb, gpointer user)
{
  Latency *self = user;
  const guint32 *a = an_key_table_key (&self->place_keys, *(const guint *) pa);
  const guint32 *b = an_key_table_key (&self->place_keys, *(const guint *) pb);
  static const guint texts[] = { P_INPUT, P_PROCESS, P_THREAD };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    int order = compare_texts (self, a[texts[i]], b[texts[i]]);
    if (order)
      return order;
  }
  return a[P_NUMBER] < b[P_NUMBER] ? -1 : a[P_NUMBER] > b[P_NUMBER];
}

typedef struct {
  Latency *self;
  const guint *rank;
} ByPlace;

static int
compare_groups (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const ByPlace *by = user;
  const guint32 *a = an_key_table_key (&by->self->groups.keys, *(const guint *) pa);
  const guint32 *b = an_key_table_key (&by->self->groups.keys, *(const guint *) pb);
  if (a[G_PLACE] != b[G_PLACE])
    return by->rank[a[G_PLACE]] < by->rank[b[G_PLACE]] ? -1 : 1;
  int order = compare_texts (by->self, a[G_NAME], b[G_NAME]);
  return order ? order : compare_texts (by->self, a[G_CATEGORY], b[G_CATEGORY]);
}

static guint *
numbers (guint n)
{
  guint *all = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    all[i] = i;
  return all;
}

static void
order_init (Order *order, Latency *self)
{
  guint n = self->place->len, n_groups = self->groups.dist->len;
  order->places = numbers (n);
  order->rank = numbers (n);
  order->groups = numbers (n_groups);
  g_qsort_with_data (order->places, (gint) n, sizeof (guint), compare_places, self);
  for (guint i = 0; i < n; i++)
    order->rank[order->places[i]] = i;
  ByPlace by = { self, order->rank };
  g_qsort_with_data (order->groups, (gint) n_groups, sizeof (guint), compare_groups, &by);
}

static void
order_clear (Order *order)
{
  g_free (order->places);
  g_free (order->rank);
  g_free (order->groups);
}

/* -- Saving ----------------------------------------------------------------------------- */

static void
put_place (Latency *self, GByteArray *to, guint number)
{
  const guint32 *key = an_key_table_key (&self->place_keys, number);
  const Place *p = &g_array_index (self->place, Place, number);
  an_put_text (self->host, to, key[P_INPUT]);
  an_put_text (self->host, to, key[P_PROCESS]);
  an_put_text (self->host, to, key[P_THREAD]);
  an_put (to, key[P_NUMBER]);
  an_put (to, p->known);
  an_put (to, (guint64) p->first);
  an_put (to, (guint64) p->last);
  an_put (to, rows_gaps (self, p));
}

static void
put_group (Latency *self, GByteArray *to, guint number, const Order *order)
{
  const guint32 *key = an_key_table_key (&self->groups.keys, number);
  const Dist *d = &g_array_index (self->groups.dist, Dist, number);
  an_put (to, order->rank[key[G_PLACE]]);
  an_put_text (self->host, to, key[G_NAME]);
  an_put_text (self->host, to, key[G_CATEGORY]);
  an_put_dist (to, d);
}

nprof_status
state_save (void *instance, struct nprof_output *out)
{
  Latency *self = instance;
  nprof_status status = out->write (out, MAGIC, strlen (MAGIC));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Order order;
  order_init (&order, self);
  an_put (bytes, (guint64) self->by);
  an_put (bytes, self->unended);
  an_put (bytes, self->place->len);
  for (guint i = 0; i < self->place->len; i++)
    put_place (self, bytes, order.places[i]);
  an_put (bytes, self->groups.dist->len);
  for (guint i = 0; i < self->groups.dist->len && status == NPROF_OK; i++) {
    put_group (self, bytes, order.groups[i], &order);
    status = out->write (out, bytes->data, bytes->len);
    g_byte_array_set_size (bytes, 0);
  }
  order_clear (&order);
  return status == NPROF_OK ? out->write (out, bytes->data, bytes->len) : status;
}

/* -- Merging ---------------------------------------------------------------------------- */

static guint
get_place (Latency *self, AnSaved *in)
{
  guint32 key[P_WORDS];
  key[P_INPUT] = an_get_text (in);
  key[P_PROCESS] = an_get_text (in);
  key[P_THREAD] = an_get_text (in);
  key[P_NUMBER] = (guint32) an_get (in);
  guint number = rows_place (self, key);
  Place *p = &g_array_index (self->place, Place, number);
  bool known = an_get (in);
  gint64 first = (gint64) an_get (in), last = (gint64) an_get (in);
  if (known) {
    p->first = p->known ? MIN (p->first, first) : first;
    p->last = p->known ? MAX (p->last, last) : last;
    p->known = true;
  }
  p->gaps += an_get (in);
  return number;
}

typedef struct {
  Groups *groups;
  guint number;
} To;

static void
add_exact (gpointer user, gint64 value)
{
  const To *to = user;
  groups_add (to->groups, to->number, value);
}

static void
get_group (Latency *self, AnSaved *in, const guint *places, guint64 n_places)
{
  guint64 place = an_get (in);
  guint32 key[G_WORDS];
  key[G_NAME] = an_get_text (in);
  key[G_CATEGORY] = an_get_text (in);
  in->damaged |= place >= n_places;
  if (in->damaged)
    return;
  key[G_PLACE] = places[place];
  To to = { &self->groups, groups_get (&self->groups, key) };
  Dist d = { 0 };
  if (an_get_dist (in, &d, add_exact, &to) && !in->damaged)
    groups_add_histogram (&self->groups, to.number, &d);
  dist_clear (&d);
}

nprof_status
state_merge (void *instance, const void *data, size_t len)
{
  Latency *self = instance;
  if (len < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return an_fail_foreign (self->host, "latency", MAGIC);
  AnSaved in = { .host = self->host, .at = data, .end = (const guint8 *) data + len };
  in.at += strlen (MAGIC);
  guint64 by = an_get (&in);
  if (by != (guint64) self->by)
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "the saved state is of another by=: use the same for all ranks");
  self->unended += an_get (&in);
  guint64 n = an_get (&in);
  in.damaged |= n > (guint64) (in.end - in.at);
  g_autofree guint *places = g_new (guint, in.damaged ? 1 : n + 1);
  for (guint64 i = 0; i < n && !in.damaged; i++)
    places[i] = get_place (self, &in);
  guint64 n_groups = an_get (&in);
  for (guint64 i = 0; i < n_groups && !in.damaged; i++)
    get_group (self, &in, places, n);
  if (in.damaged || in.at != in.end)
    return an_fail_damaged (self->host, "latency", (gsize) (in.at - (const guint8 *) data));
  return NPROF_OK;
}
