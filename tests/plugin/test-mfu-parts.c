/* SPDX-License-Identifier: Apache-2.0 */
/* test-mfu-parts.c - sums of operators and layers against adding up each span to both, in
 * particular where an operator goes from layer to layer and where a sum is beyond int64. */
#include "layer-sums.h"

#define NAMES 5
#define LAYERS 4
#define MOST 60

typedef struct {
  MfSums operators, layers;
} Plain;

static MfSum *
sum_of (MfSums *sums, gint64 key)
{
  return mf_sums_at (sums, mf_sums_index (sums, key));
}

static void
add_plainly (Plain *plain, const AnSpan *span)
{
  mf_sum_add (sum_of (&plain->operators, span->item.name), span);
  if (span->item.layer)
    mf_sum_add (sum_of (&plain->layers, span->item.layer), span);
}

static gint64
amount (gboolean huge)
{
  return huge ? g_test_rand_int_range (1, 5) * (G_MAXINT64 / 8) : g_test_rand_int_range (0, 100);
}

static AnItem
make (gboolean huge)
{
  AnItem item = { .known = (guint8) g_test_rand_int_range (0, AN_KNOWS_WORK + 1) };
  item.name = (guint32) g_test_rand_int_range (0, NAMES);
  item.layer = (guint32) g_test_rand_int_range (0, LAYERS);
  item.time = g_test_rand_int_range (0, 50);
  if (item.known & AN_KNOWS_FLOPS)
    item.flops = amount (huge);
  if (item.known & AN_KNOWS_MODEL)
    item.model_flops = amount (huge);
  if (item.known & AN_KNOWS_BYTES)
    item.bytes = amount (huge);
  if (!huge && g_test_rand_bit ())
    item.known |= AN_IS_CUSTOM;
  return item;
}

static void
assert_amount (const MfSum *found, const MfSum *expected, guint8 bit, gint64 a, gint64 b)
{
  g_assert_cmpuint (found->overflowed & bit, ==, expected->overflowed & bit);
  if (!(found->overflowed & bit))
    g_assert_cmpint (a, ==, b);
}

static void
assert_sums (const MfSums *found, const MfSums *expected)
{
  g_assert_cmpuint (found->sums->len, ==, expected->sums->len);
  for (guint i = 0; i < found->sums->len; i++) {
    const MfSum *a = mf_sums_at (found, i), *b = mf_sums_at (expected, i);
    g_assert_cmpint (a->key, ==, b->key); /* in order of their first work */
    g_assert_cmpuint (a->known, ==, b->known);
    assert_amount (a, b, AN_KNOWS_FLOPS, a->flops, b->flops);
    assert_amount (a, b, AN_KNOWS_MODEL, a->model_flops, b->model_flops);
    assert_amount (a, b, AN_KNOWS_BYTES, a->bytes, b->bytes);
    g_assert_cmpint (a->time, ==, b->time);
    g_assert_cmpint (a->unknown_time, ==, b->unknown_time);
    g_assert_cmpint (a->custom_time, ==, b->custom_time);
    g_assert_cmpint (a->custom_flops, ==, b->custom_flops);
    g_assert_cmpint (a->link_time, ==, b->link_time);
  }
}

static void
one_case (gboolean huge)
{
  MfLayerSums layer_sums;
  Plain plain;
  mf_layer_sums_init (&layer_sums);
  mf_sums_init (&plain.operators);
  mf_sums_init (&plain.layers);
  for (int n = g_test_rand_int_range (0, MOST); n > 0; n--) {
    const AnSpan span
        = { .item = make (huge), .kind.class = g_test_rand_bit () ? MF_OVER_LINK : MF_ON_DEVICE };
    mf_layer_sums_soon (&layer_sums, span.item.name);
    mf_layer_sums_add (&layer_sums, &span);
    add_plainly (&plain, &span);
  }
  mf_layer_sums_end (&layer_sums);
  assert_sums (&layer_sums.operators, &plain.operators);
  assert_sums (&layer_sums.layers, &plain.layers);
  mf_layer_sums_clear (&layer_sums);
  mf_sums_clear (&plain.operators);
  mf_sums_clear (&plain.layers);
}

static void
test_parts (void)
{
  for (int i = 0; i < 5000; i++)
    one_case (i % 4 == 0);
}

/* Keys of all sorts: small, beyond what is small, and below 0. */
static void
test_keys (void)
{
  static const gint64 keys[]
      = { 0, 7, -1, MF_SMALL, 3, G_MAXINT64, -1, 7, MF_SMALL - 1, G_MININT64 };
  static const guint indices[] = { 0, 1, 2, 3, 4, 5, 2, 1, 6, 7 };
  MfSums sums;
  mf_sums_init (&sums);
  for (int round = 0; round < 2; round++)
    for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
      g_assert_cmpuint (mf_sums_index (&sums, keys[i]), ==, indices[i]);
      g_assert_cmpint (mf_sums_at (&sums, indices[i])->key, ==, keys[i]);
    }
  mf_sums_clear (&sums);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mfu-parts/parts", test_parts);
  g_test_add_func ("/mfu-parts/keys", test_keys);
  return g_test_run ();
}
