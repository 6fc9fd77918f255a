/* SPDX-License-Identifier: Apache-2.0 */
/* test-row-spool.c - rows come out of a spool as they went in. */

#include "spill/row-spool.h"

#include "base/error.h"
#include "random-rows.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>

static const RandomRows like = { .n_tracks = 5, .n_inputs = 3, .times = 1000, .max_attrs = 5 };

static char *
print_batch (const NpBatch *batch)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < batch->view.n_rows; i++) {
    g_autofree char *row = print_row (&batch->view, i, NULL, 0);
    g_string_append_printf (text, "%s\n", row);
  }
  return g_string_free (text, FALSE);
}

/* Adds n random batches; returns them as text. */
static GPtrArray *
fill (NpSpool *spool, NpPool *pool, GRand *rand, guint n)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    NpBatch *batch = random_batch (rand, pool, &like, 50);
    g_ptr_array_add (texts, print_batch (batch));
    g_assert_true (np_spool_add (spool, batch, &error));
    g_assert_no_error (error);
    np_batch_unref (batch);
  }
  return texts;
}

static void
check_next (NpSpoolReader *reader, const char *text)
{
  g_autoptr (GError) error = NULL;
  NpBatch *batch = np_spool_next (reader, &error);
  g_assert_no_error (error);
  g_assert_cmpint (batch != NULL, ==, text != NULL);
  if (!batch)
    return;
  check_optional (&batch->view);
  g_autofree char *got = print_batch (batch);
  g_assert_cmpstr (got, ==, text);
  np_batch_unref (batch);
}

static void
round_trip (guint pool_rows, guint64 limit, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (pool_rows + (guint32) limit);
  NpPool *pool = np_pool_new (pool_rows, 2);
  NpSpool *spool = np_spool_new (pool, limit);
  g_autoptr (GPtrArray) texts = fill (spool, pool, rand, n);

  /* two readers at different places */
  NpSpoolReader *a = np_spool_read (spool), *b = np_spool_read (spool);
  for (guint i = 0; i < n; i++) {
    check_next (a, texts->pdata[i]);
    if (i % 2)
      check_next (b, texts->pdata[i / 2]);
  }
  for (guint i = n / 2; i < n; i++)
    check_next (b, texts->pdata[i]);
  for (guint i = 0; i < 2; i++) {
    check_next (a, NULL);
    check_next (b, NULL);
  }
  np_spool_reader_free (a);
  np_spool_reader_free (b);
  np_spool_free (spool);
  np_pool_free (pool);
}

static void
test_memory (void)
{
  round_trip (4096, G_MAXUINT64, 100);
  round_trip (1, G_MAXUINT64, 100);
}

static void
test_file (void)
{
  for (guint pool_rows = 1; pool_rows <= 4096; pool_rows *= 16) {
    round_trip (pool_rows, 0, 50);
    round_trip (pool_rows, 5000, 101);
    round_trip (pool_rows, 100000, 2000);
  }
}

/* Rows that fit into the limit are taken even where no file can be made. */
static void
test_compact (void)
{
  g_autofree char *before = g_strdup (g_getenv ("TMPDIR"));
  g_setenv ("TMPDIR", "/nowhere/at/all", TRUE);
  NpPool *pool = np_pool_new (4096, 1);
  NpSpool *spool = np_spool_new (pool, 1000 * 29 + 64);
  NpBatch *batch = np_pool_take (pool);
  for (guint i = 0; i < 1000; i++)
    g_assert_cmpint (nprof_span (&batch->writer, 1, 1, i, 1), ==, 0);
  np_batch_seal (batch, 0);
  g_assert_true (np_spool_add (spool, batch, NULL));
  np_batch_unref (batch);
  np_spool_free (spool);
  np_pool_free (pool);
  g_setenv ("TMPDIR", before, TRUE);
}

static void
test_empty (void)
{
  NpPool *pool = np_pool_new (4, 1);
  NpSpool *spool = np_spool_new (pool, 0);
  NpSpoolReader *reader = np_spool_read (spool);
  check_next (reader, NULL);
  np_spool_reader_free (reader);
  np_spool_reader_free (NULL);
  np_spool_free (spool);
  np_spool_free (NULL);
  np_pool_free (pool);
}

/* A limit of the file's size stands for a full disk. */
static void
full_disk (void)
{
  struct rlimit limit = { 100000, 100000 };
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GError) error = NULL;
  NpPool *pool = np_pool_new (4096, 2);
  NpSpool *spool = np_spool_new (pool, 10000);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < 100000; i++) {
    NpBatch *batch = random_batch (rand, pool, &like, 50);
    ok = np_spool_add (spool, batch, &error);
    np_batch_unref (batch);
  }
  g_assert_error (error, NP_ERROR, NP_EXIT_ROOM);
  g_autofree char *start
      = g_strdup_printf ("%s: cannot write a temporary file for rows set aside, ",
                         g_getenv ("TMPDIR"));
  g_assert_true (g_str_has_prefix (error->message, start));
  g_assert_true (g_str_has_suffix (error->message, ": set TMPDIR to a folder that has room"));
  np_spool_free (spool);
  np_pool_free (pool);
}

static void
test_full_disk (void)
{
  if (g_test_subprocess ()) {
    full_disk ();
    return;
  }
  g_test_trap_subprocess (NULL, 0, (GTestSubprocessFlags) 0);
  g_test_trap_assert_passed ();
}

static void
test_no_folder (void)
{
  g_autofree char *before = g_strdup (g_getenv ("TMPDIR"));
  g_setenv ("TMPDIR", "/nowhere/at/all", TRUE);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GError) error = NULL;
  NpPool *pool = np_pool_new (4096, 2);
  NpSpool *spool = np_spool_new (pool, 0);
  NpBatch *batch = random_batch (rand, pool, &like, 50);
  g_assert_false (np_spool_add (spool, batch, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_ROOM);
  g_assert_cmpstr (error->message, ==,
                   "/nowhere/at/all: cannot make a temporary file for rows set aside, 0 bytes so "
                   "far: No such file or directory: set TMPDIR to a folder that has room");
  np_batch_unref (batch);
  np_spool_free (spool);
  np_pool_free (pool);
  g_setenv ("TMPDIR", before, TRUE);
}

/* A folder of the test's own shows that nothing stays in it. */
int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_dir_make_tmp ("nprof-test-XXXXXX", NULL);
  g_setenv ("TMPDIR", folder, TRUE);
  g_test_add_func ("/spool/empty", test_empty);
  g_test_add_func ("/spool/memory", test_memory);
  g_test_add_func ("/spool/file", test_file);
  g_test_add_func ("/spool/compact", test_compact);
  g_test_add_func ("/spool/full-disk", test_full_disk);
  g_test_add_func ("/spool/no-folder", test_no_folder);
  int status = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  return status;
}
