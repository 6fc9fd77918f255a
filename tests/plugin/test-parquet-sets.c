/* SPDX-License-Identifier: Apache-2.0 */
/* test-parquet-sets.c - a row whose attributes come from a shared set and its own is written as one
 * that has them all itself.  What those are, a plain model of the contract says. */
#include "testhost.h"

#include <string.h>

static const struct nprof_attribute *const declared[]
    = { NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", ""),
        NPROF_ATTRIBUTE (NPROF_STRING, "label", "", ""),
        NPROF_ATTRIBUTE (NPROF_BOOL, "flag", "", ""),
        NPROF_ATTRIBUTE (NPROF_ID128, "trace", "", ""), NULL };
static const char *const keys[] = { "flops", "label", "flag", "trace", "a", "b", "c" };
#define N_DECLARED 4

typedef struct {
  guint key, type;
  nprof_value value;
  const char *bytes; /* of text, json and ids        */
  gboolean placed;   /* has had a place in the map   */
} Attr;

static Attr
any_attr (GRand *rand)
{
  static const char *const texts[] = { "\"json\"", "{\"a\":1}", "", "17" };
  Attr a = { .key = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (keys)) };
  a.type = (guint) g_rand_int_range (rand, NPROF_INT64, NPROF_ID128 + 1);
  if (a.type == NPROF_DOUBLE)
    a.value.f = g_rand_int_range (rand, -3, 3) * 0.5;
  else if (a.type <= NPROF_UINT64)
    a.value.i = g_rand_boolean (rand) ? -1 : g_rand_int_range (rand, 0, 9);
  else if (a.type <= NPROF_STRING)
    a.value.u = (guint64) g_rand_int_range (rand, 0, 2);
  else if (a.type == NPROF_ID128)
    a.bytes = "0123456789abcdef";
  else
    a.bytes = texts[g_rand_int_range (rand, 0, G_N_ELEMENTS (texts))];
  if (a.bytes)
    a.value.bytes.len = (guint32) strlen (a.bytes);
  return a;
}

/* As plugin.h asks: exactly, or not at all. */
static gboolean
fits (const Attr *a)
{
  switch (a->key) {
  case 0:
    return a->type == NPROF_INT64 || (a->type == NPROF_UINT64 && a->value.u <= INT64_MAX)
           || (a->type == NPROF_DOUBLE && a->value.f == (gint64) a->value.f);
  case 1:
    return a->type == NPROF_STRING || a->type == NPROF_TEXT;
  case 2:
    return a->type == NPROF_BOOL;
  case 3:
    return a->type == NPROF_ID128;
  default:
    return FALSE;
  }
}

/* The later one counts; in the map it stands where its key first did. */
static void
override (GArray *all, Attr a)
{
  a.placed = !fits (&a);
  for (guint k = 0; k < all->len; k++) {
    Attr *old = &g_array_index (all, Attr, k);
    if (old->key != a.key)
      continue;
    if (old->placed) {
      *old = a;
      old->placed = TRUE;
      return;
    }
    g_array_remove_index (all, k);
    break;
  }
  g_array_append_val (all, a);
}

static void
put (NprofTestRun *run, const Attr *a)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  nprof_str key = nprof_intern (h, keys[a->key]);
  nprof_value value = a->value;
  if (a->type == NPROF_STRING)
    value.s = nprof_intern (h, a->value.u ? "some \"text\"" : "");
  if (a->bytes)
    nprof_attr_bytes (w, key, (guint8) a->type, a->bytes, value.bytes.len);
  else
    nprof_attr (w, key, (guint8) a->type, value);
}

static nprof_set
make_set (NprofTestRun *run, const GArray *of)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_str key[8];
  guint8 type[8];
  nprof_value value[8];
  g_autoptr (GString) bytes = g_string_new (NULL);
  for (guint k = 0; k < of->len; k++) {
    const Attr *a = &g_array_index (of, Attr, k);
    key[k] = nprof_intern (h, keys[a->key]);
    type[k] = (guint8) a->type;
    value[k] = a->value;
    if (a->type == NPROF_STRING)
      value[k].s = nprof_intern (h, a->value.u ? "some \"text\"" : "");
    if (a->bytes)
      value[k].bytes.at = (guint32) bytes->len;
    g_string_append (bytes, a->bytes ? a->bytes : "");
  }
  const struct nprof_attrs attrs = { sizeof attrs, of->len, key, type, value, bytes->str };
  return h->attrs (h, &attrs);
}

/* Writes n rows, which are all the same, as then values stand at the same place in any encoding. */
static GBytes *
written (const GArray *set, const GArray *own, guint n, const char *options)
{
  const NprofTestConfig config = { .attributes = declared };
  const struct nprof_component *sink
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "parquet");
  g_autoptr (NprofTestRun) run = nprof_test_open (sink, options, &config);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track track = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "d"), 0, 0);
  const nprof_set shared = set ? make_set (run, set) : 0;
  while (n--) {
    nprof_span (h->writer (h), track, nprof_intern (h, "x"), 1, 1);
    if (set)
      nprof_set_shared (h->writer (h), shared);
    for (guint k = 0; k < own->len; k++)
      put (run, &g_array_index (own, Attr, k));
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  return g_bytes_new (nprof_test_output (run, "events.parquet"),
                      nprof_test_output_size (run, "events.parquet"));
}

static void
test_shared_is_as_own (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  for (guint i = 0; i < 2000; i++) {
    g_autoptr (GArray) set = g_array_new (FALSE, TRUE, sizeof (Attr));
    g_autoptr (GArray) own = g_array_new (FALSE, TRUE, sizeof (Attr));
    g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Attr));
    for (gint n = g_rand_int_range (rand, 0, 6) + 1; n--;) {
      Attr a = any_attr (rand);
      g_array_append_val (set, a);
      override (all, a);
    }
    for (gint n = g_rand_int_range (rand, 0, 4); n--;) {
      Attr a = any_attr (rand);
      g_array_append_val (own, a);
      override (all, a);
    }
    g_autoptr (GBytes) expected = written (NULL, all, 1, "compression=none"),
                       found = written (set, own, 1, "compression=none");
    g_assert_true (g_bytes_equal (expected, found));
  }
}

/* A row group is full where it would be if each row had the text of its set itself. */
static void
test_groups_end_as_of_own (void)
{
  const guint n = 3000; /* groups of 64 KiB have 256 to 1024 of them */
  const guint lengths[] = { 8, 20, 100 };
  g_autofree char *text = g_strnfill (100, 'x');
  g_autoptr (GArray) none = g_array_new (FALSE, TRUE, sizeof (Attr));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (lengths); i++) {
    const guint key = i % 2 ? 1 : N_DECLARED, len = lengths[i / 2]; /* a column, or in the map */
    const Attr a = { .key = key, .type = NPROF_TEXT, .value.bytes.len = len, .bytes = text };
    g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Attr));
    g_array_append_val (all, a);
    g_autoptr (GBytes) expected = written (NULL, all, n, "row_group=64k"),
                       found = written (all, none, n, "row_group=64k"),
                       whole = written (all, none, n, "row_group=16M");
    g_assert_true (g_bytes_equal (expected, found));
    g_assert_cmpuint (g_bytes_get_size (found), >, g_bytes_get_size (whole));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parquet-sets/shared-is-as-own", test_shared_is_as_own);
  g_test_add_func ("/parquet-sets/groups-end-as-of-own", test_groups_end_as_of_own);
  return g_test_run ();
}
