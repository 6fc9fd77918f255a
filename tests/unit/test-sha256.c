/* SPDX-License-Identifier: Apache-2.0 */
/* test-sha256.c - the SHA-256 of files of every length around a block and a piece, as GLib says it,
 * by the way of this processor and by the one without. */
#include "agent/sha256.h"

#include <glib/gstdio.h>
#include <unistd.h>

static gboolean
never (gpointer user)
{
  (void) user;
  return FALSE;
}

static gboolean
always (gpointer user)
{
  (void) user;
  return TRUE;
}

static void
check_length (int fd, const guint8 *bytes, gsize n)
{
  g_autofree char *expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, n);
  const NpSha256Blocks ways[] = { np_sha256_blocks (), NULL };
  g_assert_no_errno (ftruncate (fd, 0));
  g_assert_cmpint (pwrite (fd, bytes, n, 0), ==, (gssize) n);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_assert_cmpint (lseek (fd, 0, SEEK_SET), ==, 0);
    g_autofree char *hex = np_sha256_read (fd, ways[i], never, NULL);
    g_assert_cmpstr (hex, ==, expected);
  }
}

static void
test_lengths (void)
{
  static const gsize around[] = { 1 << 20, 2 << 20 };
  g_autofree guint8 *bytes = g_malloc ((2 << 20) + 100);
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("nprof-sha256-XXXXXX", &path, NULL);
  g_assert_cmpint (fd, >=, 0);
  for (gsize i = 0; i < (2 << 20) + 100; i++)
    bytes[i] = (guint8) g_test_rand_int ();
  for (gsize n = 0; n < 200; n++)
    check_length (fd, bytes, n);
  for (guint i = 0; i < G_N_ELEMENTS (around); i++)
    for (gsize n = around[i] - 1; n <= around[i] + 65; n += 11)
      check_length (fd, bytes, n);
  check_length (fd, bytes, 1 << 20);
  g_assert_null (np_sha256_read (fd, np_sha256_blocks (), always, NULL));
  g_close (fd, NULL);
  g_unlink (path);
}

static void
test_no_file (void)
{
  g_assert_null (np_sha256_read (-1, np_sha256_blocks (), never, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sha256/lengths", test_lengths);
  g_test_add_func ("/sha256/no-file", test_no_file);
  return g_test_run ();
}
