/* SPDX-License-Identifier: Apache-2.0 */
/* test-projection.c - rows keep the attributes that somebody wants, and no others. */

#include "rows/projection.h"

#include "random-rows.h"

static const RandomRows like = { .n_tracks = 3, .n_inputs = 2, .times = 1000, .max_attrs = 4 };

static void
assert_kept (NpProjected *kept, const struct nprof_batch *rows, const NpProjection *keep)
{
  struct nprof_batch picked = np_projected_rows (kept, rows, keep);
  guint attrs = 0;
  gboolean bytes = FALSE;
  for (guint i = 0; i < rows->n_rows; i++) {
    g_autofree char *before = print_row (rows, i, keep->keys, keep->n);
    g_autofree char *after = print_row (&picked, i, NULL, 0);
    g_assert_cmpstr (before, ==, after);
  }
  for (guint j = 0; j < rows->n_attrs; j++)
    if (!keep->keys || (rows->attr_key[j] < keep->n && keep->keys[rows->attr_key[j]])) {
      attrs++;
      bytes |= np_type_in_bytes (rows->attr_type[j]);
    }
  g_assert_cmpuint (picked.n_attrs, ==, attrs);
  g_assert_cmpint (picked.attr_at != NULL, ==, attrs > 0);
  g_assert_true (picked.bytes || !bytes);
}

/* Keys are 1 .. 5: all, none, some, and some that lie beyond those that are known. */
static void
test_random (void)
{
  static const guint8 keys[][6] = {
    { 0, 1, 1, 1, 1, 1 }, { 0 }, { 0, 1, 0, 1, 0, 0 }, { 0, 0, 0, 0, 0, 1 }, { 1, 0, 1, 1, 1, 1 }
  };
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  GRand *rand = g_rand_new_with_seed (3);
  NpProjected kept = { 0 };
  for (guint n = 0; n < 500; n++) {
    NpBatch *batch = random_batch (rand, pool, &like, n % 10 ? 40 : 2000);
    struct nprof_batch rows = np_rows_of (batch);
    for (guint k = 0; k < G_N_ELEMENTS (keys); k++) {
      assert_kept (&kept, &rows, &(NpProjection){ keys[k], 6 });
      assert_kept (&kept, &rows, &(NpProjection){ keys[k], 3 });
    }
    assert_kept (&kept, &rows, &(NpProjection){ 0 });
    np_batch_unref (batch);
  }
  np_projected_clear (&kept);
  g_rand_free (rand);
  np_pool_free (pool);
}

/* Nothing is copied where all are kept, and no text is looked for where there is none. */
static void
test_plain (void)
{
  static const guint8 keys[] = { 0, 1, 0 };
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  NpBatch *batch = np_pool_take (pool);
  NpProjected kept = { 0 };
  nprof_span (&batch->writer, 1, 1, 0, 1);
  nprof_attr_int (&batch->writer, 1, 5);
  nprof_attr_bytes (&batch->writer, 2, NPROF_TEXT, "text", 4);
  np_batch_seal (batch, 0);
  struct nprof_batch rows = np_rows_of (batch);
  g_assert_true (np_projected_rows (&kept, &rows, &(NpProjection){ 0 }).attr_key == rows.attr_key);
  g_assert_true (np_projected_rows (&kept, &rows, &(NpProjection){ 0 }).bytes == rows.bytes);
  struct nprof_batch numbers = np_projected_rows (&kept, &rows, &(NpProjection){ keys, 3 });
  g_assert_cmpuint (numbers.n_attrs, ==, 1);
  g_assert_null (numbers.bytes);
  np_projected_clear (&kept);
  np_batch_unref (batch);
  np_pool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/keep/random", test_random);
  g_test_add_func ("/keep/plain", test_plain);
  return g_test_run ();
}
