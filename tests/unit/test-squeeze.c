/* SPDX-License-Identifier: Apache-2.0 */
/* test-squeeze.c - blocks come back as they were, whatever their values, and regular ones small. */

#include "squeeze.h"

#include "random-rows.h"

static const RandomRows like = { .n_tracks = 5, .n_inputs = 3, .times = 100000, .max_attrs = 5 };

static gsize
assert_round_trip (const struct nprof_batch *rows, const guint32 *inputs)
{
  static const NpKeep all = { 0 };
  NpPack pack = { 0 };
  g_assert_true (np_pack_add (&pack, rows, 0, rows->n_rows, inputs, &all));
  g_autofree guint8 *squeezed = g_malloc (np_squeezed_bound (pack.used));
  g_autofree guint8 *back = g_malloc (pack.used);
  gsize size = np_squeeze (pack.data, squeezed);
  g_assert_cmpuint (size, <=, np_squeezed_bound (pack.used));
  g_assert_cmpuint (size, ==, np_squeezed_size (squeezed));
  g_assert_cmpuint (pack.used, ==, np_unsqueezed_size (squeezed));
  np_unsqueeze (squeezed, back);
  NpBlock block;
  np_block_open (back, &block);
  g_assert_cmpuint (block.size, ==, pack.used);
  g_assert_cmpuint (block.rows.n_rows, ==, rows->n_rows);
  for (guint i = 0; i < rows->n_rows; i++) {
    struct nprof_batch with_input = *rows;
    with_input.input = block.rows.input;
    g_autofree char *before = print_row (&with_input, i, NULL, 0);
    g_autofree char *after = print_row (&block.rows, i, NULL, 0);
    g_assert_cmpstr (before, ==, after);
    g_assert_cmpuint (inputs ? inputs[i] : 0, ==, block.inputs ? block.inputs[i] : 0);
  }
  np_pack_clear (&pack);
  return size;
}

static void
test_random (void)
{
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  GRand *rand = g_rand_new_with_seed (7);
  guint32 inputs[NP_BATCH_ROWS];
  for (guint i = 0; i < NP_BATCH_ROWS; i++)
    inputs[i] = i / 7 % 3;
  for (guint n = 0; n < 3000; n++) {
    NpBatch *batch = random_batch (rand, pool, &like, n % 10 ? 40 : 1000);
    struct nprof_batch rows = np_rows_of (batch);
    assert_round_trip (&rows, n % 3 ? NULL : inputs);
    np_batch_unref (batch);
  }
  g_rand_free (rand);
  np_pool_free (pool);
}

/* One row of each kind of step, at the ends of what 64 bits hold. */
static void
test_extremes (void)
{
  static const gint64 times[] = { 0,
                                  -1,
                                  G_MAXINT64,
                                  G_MININT64,
                                  G_MININT64 + 1,
                                  255,
                                  256,
                                  65535,
                                  65536,
                                  G_MAXUINT32,
                                  G_GINT64_CONSTANT (1) << 32,
                                  -G_MAXINT64 };
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  for (guint a = 0; a < G_N_ELEMENTS (times); a++)
    for (guint b = 0; b < G_N_ELEMENTS (times); b++)
      for (guint c = 0; c < G_N_ELEMENTS (times); c++) {
        NpBatch *batch = np_pool_take (pool);
        const gint64 at[] = { times[a], times[b], times[c] };
        for (guint i = 0; i < 3; i++) {
          nprof_span (&batch->writer, 1 + (nprof_track) (guint64) at[i], 1, at[i], at[2 - i]);
          nprof_attr_int (&batch->writer, 3, at[(i + 1) % 3]);
        }
        np_batch_seal (batch, 0);
        struct nprof_batch rows = np_rows_of (batch);
        assert_round_trip (&rows, NULL);
        np_batch_unref (batch);
      }
  np_pool_free (pool);
}

/* What lines of operators are like: a quarter of the bytes is left. */
static void
test_regular (void)
{
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  NpBatch *batch = np_pool_take (pool);
  gint64 at = G_GINT64_CONSTANT (1000000000000);
  for (guint i = 0; i < 2000; i++) {
    gint64 duration = 1000000 + i * 37 % 5000;
    nprof_span (&batch->writer, 9, 1000 + i * 31 % 500, at, duration);
    nprof_set_shared (&batch->writer, 1 + i * 31 % 500);
    nprof_attr_int (&batch->writer, 4, at);
    nprof_attr_int (&batch->writer, 5, duration);
    at += duration + 100;
  }
  np_batch_seal (batch, 0);
  struct nprof_batch rows = np_rows_of (batch);
  g_assert_cmpuint (assert_round_trip (&rows, NULL), <, 2000 * 14);
  np_batch_unref (batch);
  np_pool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/squeeze/random", test_random);
  g_test_add_func ("/squeeze/extremes", test_extremes);
  g_test_add_func ("/squeeze/regular", test_regular);
  return g_test_run ();
}
