/* SPDX-License-Identifier: Apache-2.0 */
/* test-temp-file.c - files without a name, and writes that take only a part, or nothing at all. */

#include "base/temp-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static ssize_t next[8]; /* what the next calls return; 0 calls: as the kernel says */
static int next_errno;
static guint n_next, used;

/* These stand before those of libc, for the code under test as well. */
static gboolean
told (ssize_t *n, size_t len)
{
  if (used >= n_next)
    return FALSE;
  *n = next[used++];
  errno = *n < 0 ? next_errno : 0;
  if (*n > 0)
    *n = MIN (*n, (ssize_t) len);
  return TRUE;
}

ssize_t
write (int fd, const void *data, size_t len)
{
  ssize_t n;
  return told (&n, len) ? n : pwrite (fd, data, len, lseek (fd, 0, SEEK_CUR));
}

static void
expect (guint n, ssize_t a, ssize_t b, ssize_t c)
{
  next[0] = a;
  next[1] = b;
  next[2] = c;
  n_next = n;
  used = 0;
}

static void
test_write_all (void)
{
  expect (3, 2, 1, 7);
  g_assert_cmpint (np_write_all (-1, "0123456789", 10), ==, 0);
  g_assert_cmpuint (used, ==, 3);
  expect (2, 2, 0, 0); /* nothing more is taken: no second try */
  g_assert_cmpint (np_write_all (-1, "0123456789", 10), ==, ENOSPC);
  g_assert_cmpuint (used, ==, 2);
  next_errno = EINTR;
  expect (3, 4, -1, 6);
  g_assert_cmpint (np_write_all (-1, "0123456789", 10), ==, 0);
  next_errno = EIO;
  expect (2, 4, -1, 6);
  g_assert_cmpint (np_write_all (-1, "0123456789", 10), ==, EIO);
  expect (0, 0, 0, 0);
}

static void
test_no_name (void)
{
  g_autofree char *link = NULL, *seen = NULL;
  int fd = np_temp_open ();
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  link = g_strdup_printf ("/proc/self/fd/%d", fd);
  seen = g_file_read_link (link, NULL);
  g_assert_true (seen && g_str_has_suffix (seen, " (deleted)"));
  close (fd);
}

static void
test_for_plugins (void)
{
  char back[8] = { 0 };
  struct nprof_temp *temp = np_temp_new ();
  g_assert_cmpint (temp->read (temp, 0, back, 0), ==, 0);
  g_assert_cmpint (temp->read (temp, 0, back, 1), ==, EIO);
  g_assert_cmpint (temp->write (temp, 5, "world", 5), ==, 0);
  g_assert_cmpint (temp->write (temp, 0, "hello", 5), ==, 0);
  g_assert_cmpint (temp->read (temp, 3, back, 4), ==, 0);
  g_assert_cmpmem (back, 4, "lowo", 4);
  g_assert_cmpint (temp->read (temp, 8, back, 4), ==, EIO);
  temp->clear (temp);
  g_assert_cmpint (temp->read (temp, 0, back, 1), ==, EIO);
  temp->close (temp);

  g_setenv ("TMPDIR", "/nonexistent", TRUE);
  temp = np_temp_new ();
  g_assert_cmpstr (temp->folder, ==, "/nonexistent");
  g_assert_cmpint (temp->write (temp, 0, "x", 1), ==, ENOENT);
  temp->close (temp);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/temp-file/write-all", test_write_all);
  g_test_add_func ("/temp-file/no-name", test_no_name);
  g_test_add_func ("/temp-file/for-plugins", test_for_plugins);
  return g_test_run ();
}
