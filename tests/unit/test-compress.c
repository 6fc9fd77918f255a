/* SPDX-License-Identifier: Apache-2.0 */
/* test-compress.c - blocks come back as they were, whatever their values, and regular ones
 * small. */

#include "spill/compress.h"

#include "random-rows.h"
#include "spill/compress-column.h"

#include <string.h>

static const RandomRows like = { .n_tracks = 5, .n_inputs = 3, .times = 100000, .max_attrs = 5 };

static gsize
assert_round_trip (const struct nprof_batch *rows, const guint32 *inputs)
{
  NpPack pack = { 0 };
  g_assert_true (np_pack_add (&pack, rows, 0, rows->n_rows, inputs));
  g_autofree guint8 *compressed = g_malloc (np_compressed_bound (pack.used));
  g_autofree guint8 *back = g_malloc (pack.used);
  gsize size = np_compress (pack.data, compressed);
  g_assert_cmpuint (size, <=, np_compressed_bound (pack.used));
  g_assert_cmpuint (size, ==, np_compressed_size (compressed));
  g_assert_cmpuint (pack.used, ==, np_decompressed_size (compressed));
  np_decompress (compressed, back);
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

/* These columns are like lines of operators: a quarter of the bytes is left. */
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

/* -- Columns ------------------------------------------------------------------------------ */

/* As this processor does it and plainly: the same bytes, and the same values back. */
static gsize
assert_column (const void *column, guint n, guint size)
{
  const NpColumnCodec *here = np_column_codec (),
                      *plain = np_column_codec_named ("np_column_codec_plain");
  gsize bytes = (gsize) n * size, bound = NP_COLUMN_HEAD + bytes;
  g_autofree guint8 *a = g_malloc (bound), *b = g_malloc (bound), *back = g_malloc (bytes);
  gsize used = (gsize) (here->put (a, column, n, size) - a);
  g_assert_cmpuint (used, <=, bound);
  g_assert_cmpmem (a, used, b, (gsize) (plain->put (b, column, n, size) - b));
  g_assert_true (here->get (a, back, n, size) == a + used);
  g_assert_cmpmem (column, bytes, back, bytes);
  memset (back, 0x55, bytes);
  g_assert_true (plain->get (b, back, n, size) == b + used);
  g_assert_cmpmem (column, bytes, back, bytes);
  return used;
}

static guint64
random_u64 (GRand *rand)
{
  return (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
}

/* Every width of values and of differences, and every length around that of a vector. */
static void
test_columns (void)
{
  GRand *rand = g_rand_new_with_seed (11);
  guint64 wide[70];
  guint32 narrow[70];
  guint8 small[70];
  for (guint round = 0; round < 70 * 65 * 2; round++) {
    guint n = 1 + round % 70, bits = round / 70 % 65;
    guint64 sum = random_u64 (rand);
    for (guint i = 0; i < n; i++) {
      guint64 value = bits ? random_u64 (rand) >> (64 - bits) : 0;
      sum = round % 2 ? sum + value : value;
      wide[i] = sum;
      narrow[i] = (guint32) sum;
      small[i] = (guint8) sum;
    }
    assert_column (wide, n, 8);
    assert_column (narrow, n, 4);
    assert_column (small, n, 1);
  }
  g_rand_free (rand);
}

/* Values of which so many of 64 are no zeros; returns how many there are. */
static guint
fill_sparse (GRand *rand, guint64 *wide, guint32 *narrow, guint n, gint32 of_64, guint bits)
{
  guint others = 0;
  for (guint i = 0; i < n; i++) {
    gboolean is_other = g_rand_int_range (rand, 0, 64) < of_64;
    wide[i] = is_other ? random_u64 (rand) >> (64 - bits) | 1 : 0;
    narrow[i] = (guint32) wide[i];
    others += is_other;
  }
  return others;
}

/* Zeros with a few others between them, around the lengths of a word of bits and the longest. */
static void
test_sparse (void)
{
  static const guint lengths[] = { 63, 64, 65, 127, 128, 129, 4000, 4095, 4096, 4097 };
  static const gint32 densities[] = { 0, 1, 12, 16, 20, 64 };
  GRand *rand = g_rand_new_with_seed (13);
  g_autofree guint64 *wide = g_new (guint64, 4097);
  g_autofree guint32 *narrow = g_new (guint32, 4097);
  for (guint round = 0; round < 20 * G_N_ELEMENTS (lengths) * G_N_ELEMENTS (densities); round++) {
    guint n = lengths[round % G_N_ELEMENTS (lengths)];
    gint32 density = densities[round / G_N_ELEMENTS (lengths) % G_N_ELEMENTS (densities)];
    guint others = fill_sparse (rand, wide, narrow, n, density, 1 + round % 64);
    gsize used = assert_column (wide, n, 8), half = assert_column (narrow, n, 4);
    if (others > n / 4 || n < 64 || n > 4096)
      continue;
    g_assert_cmpuint (used, <=, NP_COLUMN_HEAD + 1 + (n + 63) / 64 * 8 + others * 8);
    g_assert_cmpuint (half, <=, NP_COLUMN_HEAD + 1 + (n + 63) / 64 * 8 + others * 4);
  }
  g_rand_free (rand);
}

/* One value, wherever it stands. */
static void
test_lonely (void)
{
  for (guint i = 0; i < 200; i++) {
    guint64 wide[200] = { 0 };
    guint32 narrow[200] = { 0 };
    wide[i] = G_MAXUINT64;
    narrow[i] = 1;
    g_assert_cmpuint (assert_column (wide, 200, 8), ==, NP_COLUMN_HEAD + 1 + 4 * 8);
    g_assert_cmpuint (assert_column (narrow, 200, 4), ==, NP_COLUMN_HEAD + 1 + 4 * 8);
  }
}

static void
test_widths (void)
{
  static const guint64 same[] = { 7, 7, 7, 7, 7 }, steps[] = { 5, 1000005, 2000005, 3000005 },
                       small[] = { 1000000, 1000255, 1000000 }, signs[] = { 0, G_MAXUINT64, 0 };
  g_assert_cmpuint (assert_column (same, 5, 8), ==, NP_COLUMN_HEAD);
  g_assert_cmpuint (assert_column (steps, 4, 8), ==, NP_COLUMN_HEAD);
  g_assert_cmpuint (assert_column (small, 3, 8), ==, NP_COLUMN_HEAD + 3);
  g_assert_cmpuint (assert_column (signs, 3, 8), ==, NP_COLUMN_HEAD + 3);
  g_assert_null (np_column_codec_named ("none"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compress/random", test_random);
  g_test_add_func ("/compress/extremes", test_extremes);
  g_test_add_func ("/compress/regular", test_regular);
  g_test_add_func ("/compress/columns", test_columns);
  g_test_add_func ("/compress/sparse", test_sparse);
  g_test_add_func ("/compress/lonely", test_lonely);
  g_test_add_func ("/compress/widths", test_widths);
  return g_test_run ();
}
