/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - the state as bytes, for profiles of many ranks: places and groups with their texts,
 * durations or buckets; integers are little-endian.  Equal content gives equal bytes: places and
 * groups are sorted by their texts, durations by their size. */
#include "latency.h"

#define MAGIC "nprof latency 1\n"
enum { EXACT, HISTOGRAM };

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
put (GByteArray *to, guint64 value)
{
  guint64 le = GUINT64_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &le, sizeof le);
}

static void
put_text (const Latency *self, GByteArray *to, nprof_str str)
{
  size_t len;
  const char *text = self->host->string (self->host, str, &len);
  put (to, len);
  g_byte_array_append (to, (const guint8 *) text, (guint) len);
}

static void
put_place (Latency *self, GByteArray *to, guint number)
{
  const guint32 *key = an_key_table_key (&self->place_keys, number);
  const Place *p = &g_array_index (self->place, Place, number);
  put_text (self, to, key[P_INPUT]);
  put_text (self, to, key[P_PROCESS]);
  put_text (self, to, key[P_THREAD]);
  put (to, key[P_NUMBER]);
  put (to, p->known);
  put (to, (guint64) p->first);
  put (to, (guint64) p->last);
  put (to, rows_gaps (self, p));
}

static void
put_buckets (GByteArray *to, const Dist *d)
{
  guint64 n;
  for (guint b = dist_next_bucket (d, 0, &n); b < DIST_BUCKETS;
       b = dist_next_bucket (d, b + 1, &n)) {
    put (to, b);
    put (to, n);
  }
  put (to, G_MAXUINT64);
}

static int
compare_durations (gconstpointer pa, gconstpointer pb)
{
  gint64 a = *(const gint64 *) pa, b = *(const gint64 *) pb;
  return a < b ? -1 : a > b;
}

static void
put_durations (GByteArray *to, const Dist *d)
{
  g_autofree gint64 *values = dist_values (d);
  qsort (values, d->count, sizeof *values, compare_durations);
  for (guint64 i = 0; i < d->count; i++)
    put (to, (guint64) values[i]);
}

static void
put_group (Latency *self, GByteArray *to, guint number, const Order *order)
{
  const guint32 *key = an_key_table_key (&self->groups.keys, number);
  const Dist *d = &g_array_index (self->groups.dist, Dist, number);
  put (to, order->rank[key[G_PLACE]]);
  put_text (self, to, key[G_NAME]);
  put_text (self, to, key[G_CATEGORY]);
  put (to, d->octave ? HISTOGRAM : EXACT);
  put (to, d->count);
  if (!d->octave) {
    put_durations (to, d);
    return;
  }
  put (to, (guint64) d->total);
  put (to, (guint64) (d->total >> 64));
  put (to, (guint64) d->min);
  put (to, (guint64) d->max);
  put_buckets (to, d);
}

nprof_status
state_save (void *instance, struct nprof_output *out)
{
  Latency *self = instance;
  nprof_status status = out->write (out, MAGIC, strlen (MAGIC));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Order order;
  order_init (&order, self);
  put (bytes, (guint64) self->by);
  put (bytes, self->unended);
  put (bytes, self->place->len);
  for (guint i = 0; i < self->place->len; i++)
    put_place (self, bytes, order.places[i]);
  put (bytes, self->groups.dist->len);
  for (guint i = 0; i < self->groups.dist->len && status == NPROF_OK; i++) {
    put_group (self, bytes, order.groups[i], &order);
    status = out->write (out, bytes->data, bytes->len);
    g_byte_array_set_size (bytes, 0);
  }
  order_clear (&order);
  return status == NPROF_OK ? out->write (out, bytes->data, bytes->len) : status;
}

/* -- Merging ---------------------------------------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  const guint8 *at, *end;
  bool damaged;
} In;

static guint64
get (In *in)
{
  guint64 le;
  if (in->damaged || (gsize) (in->end - in->at) < sizeof le) {
    in->damaged = true;
    return 0;
  }
  memcpy (&le, in->at, sizeof le);
  in->at += sizeof le;
  return GUINT64_FROM_LE (le);
}

static nprof_str
get_text (In *in)
{
  guint64 len = get (in);
  if (len > (guint64) (in->end - in->at)) {
    in->damaged = true;
    return 0;
  }
  nprof_str str = in->host->intern (in->host, (const char *) in->at, len);
  in->at += len;
  return str;
}

static guint
get_place (Latency *self, In *in)
{
  guint32 key[P_WORDS];
  key[P_INPUT] = get_text (in);
  key[P_PROCESS] = get_text (in);
  key[P_THREAD] = get_text (in);
  key[P_NUMBER] = (guint32) get (in);
  guint number = rows_place (self, key);
  Place *p = &g_array_index (self->place, Place, number);
  bool known = get (in);
  gint64 first = (gint64) get (in), last = (gint64) get (in);
  if (known) {
    p->first = p->known ? MIN (p->first, first) : first;
    p->last = p->known ? MAX (p->last, last) : last;
    p->known = true;
  }
  p->gaps += get (in);
  return number;
}

static void
get_histogram (In *in, Dist *d, guint64 count)
{
  guint64 low = get (in), high = get (in), sum = 0;
  d->total = (DistSum) ((unsigned __int128) high << 64 | low);
  d->min = (gint64) get (in);
  d->max = (gint64) get (in);
  dist_make_histogram (d);
  for (guint64 bucket; !in->damaged && (bucket = get (in)) != G_MAXUINT64;) {
    guint64 n = get (in);
    if (bucket >= DIST_BUCKETS || n > count - sum)
      in->damaged = true;
    else
      dist_add_bucket (d, (guint) bucket, n);
    sum += n;
  }
  in->damaged |= sum != count || d->min < 0 || d->max < d->min;
  d->count = count;
}

static void
get_group (Latency *self, In *in, const guint *places, guint64 n_places)
{
  guint64 place = get (in);
  guint32 key[G_WORDS];
  key[G_NAME] = get_text (in);
  key[G_CATEGORY] = get_text (in);
  guint64 kind = get (in), count = get (in);
  in->damaged |= place >= n_places || kind > HISTOGRAM || !count;
  if (in->damaged)
    return;
  key[G_PLACE] = places[place];
  guint number = groups_get (&self->groups, key);
  if (kind == EXACT) {
    for (guint64 i = 0; i < count && !in->damaged; i++) {
      gint64 value = (gint64) get (in);
      in->damaged |= value < 0;
      if (!in->damaged)
        groups_add (&self->groups, number, value);
    }
    return;
  }
  Dist d = { 0 };
  get_histogram (in, &d, count);
  if (!in->damaged)
    groups_add_histogram (&self->groups, number, &d);
  dist_clear (&d);
}

nprof_status
state_merge (void *instance, const void *data, size_t len)
{
  Latency *self = instance;
  if (len < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0)
    return nprof_fail (self->host, NPROF_E_FORMAT,
                       "this is not a saved state of latency; it begins with \"%.15s\"", MAGIC);
  In in = { .host = self->host, .at = data, .end = (const guint8 *) data + len };
  in.at += strlen (MAGIC);
  guint64 by = get (&in);
  if (by != (guint64) self->by)
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "the saved state is of another by=: use the same for all ranks");
  self->unended += get (&in);
  guint64 n = get (&in);
  in.damaged |= n > (guint64) (in.end - in.at);
  g_autofree guint *places = g_new (guint, in.damaged ? 1 : n + 1);
  for (guint64 i = 0; i < n && !in.damaged; i++)
    places[i] = get_place (self, &in);
  guint64 n_groups = get (&in);
  for (guint64 i = 0; i < n_groups && !in.damaged; i++)
    get_group (self, &in, places, n);
  if (in.damaged || in.at != in.end)
    return nprof_fail (self->host, NPROF_E_FORMAT,
                       "the saved state of latency is damaged at byte %" G_GSIZE_FORMAT
                       ": save it again",
                       (gsize) (in.at - (const guint8 *) data));
  return NPROF_OK;
}
