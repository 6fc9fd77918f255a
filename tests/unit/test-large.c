/* SPDX-License-Identifier: Apache-2.0 */
/* test-large.c - blocks that grow from the heap into files below $TMPDIR: content, cleared memory,
 * where they lie, and folders that take no file. */

#include "system/large-pool.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Returns whether the folder of temporary files is on a file system that reserves blocks; where it
 * is not, blocks stay in memory. */
static gboolean
reserves_blocks (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "nprof-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_assert_cmpint (fd, >=, 0);
  gboolean reserves = fallocate (fd, 0, 0, NP_LARGE_BYTES) == 0;
  close (fd);
  unlink (path);
  return reserves;
}

/* Returns whether a file without a name is mapped at the block. */
static gboolean
lies_in_file (gconstpointer block)
{
  g_autofree char *maps = NULL, *begin = g_strdup_printf ("%lx-", (gulong) block);
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  const char *line = strstr (maps, begin);
  g_assert_nonnull (line);
  g_autofree char *text = g_strndup (line, strcspn (line, "\n"));
  return strstr (text, "(deleted)") != NULL;
}

/* Grows a block by factors of two over the limit, and looks at all of it each time. */
static void
grow_over_limit (gboolean expected)
{
  gsize size = NP_LARGE_BYTES / 4, last = 4 * (gsize) NP_LARGE_BYTES;
  guint8 *block = np_large_grow (NULL, 0, size);
  for (gsize i = 0; i < size; i++)
    g_assert_cmpuint (block[i], ==, 0);
  memset (block, 1, size);
  for (; size < last; size *= 2) {
    block = np_large_grow (block, size, 2 * size);
    for (gsize i = 0; i < size; i++)
      g_assert_cmpuint (block[i], ==, 1);
    for (gsize i = size; i < 2 * size; i++)
      g_assert_cmpuint (block[i], ==, 0);
    memset (block, 1, 2 * size);
    if (2 * size >= NP_LARGE_BYTES)
      g_assert_true (lies_in_file (block) == expected);
  }
  np_large_free (block, size);
}

static void
test_grow (void)
{
  grow_over_limit (reserves_blocks ());
}

/* A folder that is not there takes no file. */
static void
test_no_folder (void)
{
  g_autofree char *was = g_strdup (g_getenv ("TMPDIR"));
  g_setenv ("TMPDIR", "/nowhere/at/all", TRUE);
  grow_over_limit (FALSE);
  if (was)
    g_setenv ("TMPDIR", was, TRUE);
  else
    g_unsetenv ("TMPDIR");
}

/* Memory that nobody has is told to who asks for that; the block stays. */
static void
test_no_memory (void)
{
  guint8 *block = np_large_grow (NULL, 0, 16);
  block[15] = 7;
  g_assert_null (np_large_try_grow (block, 16, G_MAXSIZE / 4));
  g_assert_cmpuint (block[15], ==, 7);
  np_large_free (block, 16);
  np_large_free (NULL, 0);
  np_large_free (NULL, NP_LARGE_BYTES);
}

static void
test_array (void)
{
  const guint n = 3 * NP_LARGE_BYTES / sizeof (guint64);
  g_autoptr (NpLargeArray) array = np_large_array_new (sizeof (guint64));
  g_assert_cmpuint (array->len, ==, 0);
  for (guint i = 0; i < n; i++) {
    np_large_array_extend (array, i + 1);
    g_assert_cmpuint (g_array_index (array, guint64, i), ==, 0);
    g_array_index (array, guint64, i) = G_GUINT64_CONSTANT (3) * i + 1;
  }
  g_assert_true (lies_in_file (array->data) == reserves_blocks ());
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (g_array_index (array, guint64, i), ==, G_GUINT64_CONSTANT (3) * i + 1);
}

static int
by_upper_half (gconstpointer a, gconstpointer b)
{
  const guint64 x = *(const guint64 *) a >> 32, y = *(const guint64 *) b >> 32;
  return (x > y) - (x < y);
}

/* Of any length, equal elements stay in their order, which is their lower half.  Elements are in no
 * order, or up to `off` places from where they belong. */
static void
check_sort (guint off)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  for (guint n = 0; n < 3 * NP_LARGE_BYTES / sizeof (guint64); n = n < 40 ? n + 1 : n * 5 + 3) {
    g_autoptr (NpLargeArray) array = np_large_array_new (sizeof (guint64));
    guint64 sum = 0, sorted = 0;
    np_large_array_extend (array, n);
    for (guint i = 0; i < n; i++) {
      const guint upper = off ? i + (guint) g_rand_int_range (random, 0, (gint32) off)
                              : (guint) g_rand_int_range (random, 0, (gint32) n / 2 + 1);
      sum += g_array_index (array, guint64, i) = (guint64) upper << 32 | i;
    }
    np_large_array_sort (array, by_upper_half);
    g_assert_cmpuint (array->len, ==, n);
    for (guint i = 0; i < n; i++) {
      sorted += g_array_index (array, guint64, i);
      g_assert_true (!i
                     || g_array_index (array, guint64, i - 1) < g_array_index (array, guint64, i));
    }
    g_assert_cmpuint (sorted, ==, sum);
  }
}

static void
test_sort (void)
{
  check_sort (0);
  check_sort (1);
  check_sort (9);
  check_sort (300);
}

/* Returns the size of the k-th block: mostly small, some as large as a chunk and larger. */
static gsize
size_of_block (guint k)
{
  return k % 997 == 0 ? (2u << 20) + k : k % 101 == 0 ? 40000 + k : 1 + k % 700;
}

static void
check_block (const guint8 *block, guint k, guint8 value)
{
  for (gsize i = 0; i < size_of_block (k); i++)
    g_assert_cmpuint (block[i], ==, value);
}

/* Many blocks are filled, every second one is given back and taken anew: each is its own, and comes
 * cleared. */
static void
test_pool (gconstpointer own)
{
  enum { N = 4000 };
  NpLargePool *pool = own ? np_large_pool_new () : NULL;
  guint8 *block[N];
  for (guint k = 0; k < N; k++) {
    block[k] = np_large_pool_take (pool, size_of_block (k));
    g_assert_cmpuint ((guintptr) block[k] % 16, ==, 0);
    check_block (block[k], k, 0);
    memset (block[k], 1 + k % 255, size_of_block (k));
  }
  for (guint k = 0; k < N; k += 2)
    np_large_pool_give (pool, block[k], size_of_block (k));
  for (guint k = 0; k < N; k += 2) {
    block[k] = np_large_pool_take (pool, size_of_block (k));
    check_block (block[k], k, 0);
    memset (block[k], 1 + k % 255, size_of_block (k));
  }
  for (guint k = 0; k < N; k++) {
    check_block (block[k], k, (guint8) (1 + k % 255));
    np_large_pool_give (pool, block[k], size_of_block (k));
  }
  np_large_pool_give (pool, NULL, 100);
  np_large_pool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/large/grow", test_grow);
  g_test_add_func ("/large/no-folder", test_no_folder);
  g_test_add_func ("/large/no-memory", test_no_memory);
  g_test_add_func ("/large/array", test_array);
  g_test_add_func ("/large/sort", test_sort);
  g_test_add_data_func ("/large/pool", "own", test_pool);
  g_test_add_data_func ("/large/pool-on-heap", NULL, test_pool);
  return g_test_run ();
}
