/* SPDX-License-Identifier: Apache-2.0 */
/* test-page-release.c - how much of a mapped file stays in memory while it is read. */

#include "input/page-watch.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE ((gsize) 40 << 20)
#define STEP 300000u

typedef struct {
  guint8 *data;
  NpPageRelease let_go;
} Fixture;

static void
set_up_bytes (Fixture *f, gsize size)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("let-go-XXXXXX", &path, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_unlink (path);
  g_assert_cmpint (ftruncate (fd, (off_t) size), ==, 0);
  f->data = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  g_assert_true (f->data != MAP_FAILED);
  close (fd);
  np_page_release_init (&f->let_go, f->data, size);
}

static void
tear_down_bytes (Fixture *f, gsize size)
{
  np_page_release_clear (&f->let_go);
  munmap (f->data, size);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  set_up_bytes (f, SIZE);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  tear_down_bytes (f, SIZE);
}

/* Also the pages around it may come with it. */
static void
look_at (const Fixture *f, gsize from, gsize to)
{
  for (gsize at = from; at < to; at += 4096)
    g_assert_cmpuint (*(volatile guint8 *) (f->data + at), ==, 0);
}

static void
look_and_read (Fixture *f, gsize from)
{
  look_at (f, from, MIN (from + STEP, SIZE));
  np_page_release_read (&f->let_go, from, from + STEP);
}

static gsize
n_resident (const Fixture *f)
{
  g_autofree char *maps = NULL;
  g_autofree char *start = g_strdup_printf ("%lx-", (gulong) f->data);
  g_assert_true (g_file_get_contents ("/proc/self/smaps", &maps, NULL, NULL));
  const char *map = g_str_has_prefix (maps, start) ? maps : strstr (maps, start);
  g_assert_nonnull (map);
  const char *rss = strstr (map, "Rss:");
  return (gsize) g_ascii_strtoull (rss + strlen ("Rss:"), NULL, 10) << 10;
}

static void
test_in_order (Fixture *f, gconstpointer data)
{
  (void) data;
  for (gsize at = 0; at < SIZE; at += STEP) {
    look_and_read (f, at);
    g_assert_cmpuint (n_resident (f), <, NP_PAGE_RELEASE_BYTES + STEP + (4 << 20));
  }
}

/* Little is not worth a call. */
static void
test_little (Fixture *f, gconstpointer data)
{
  (void) data;
  for (gsize at = 0; at + STEP < NP_PAGE_RELEASE_BYTES; at += STEP)
    look_and_read (f, at);
  g_assert_cmpuint (n_resident (f), >=, NP_PAGE_RELEASE_BYTES - 2 * STEP);
}

/* As two threads do that decode every other part. */
static void
test_out_of_order (Fixture *f, gconstpointer data)
{
  (void) data;
  for (gsize at = 0; at < SIZE; at += 2 * STEP) {
    look_and_read (f, at + STEP);
    look_and_read (f, at);
    g_assert_cmpuint (n_resident (f), <, NP_PAGE_RELEASE_BYTES + 2 * STEP + (4 << 20));
  }
}

/* Pages that were read but not released lie between pages that were. */
static void
test_all (Fixture *f, gconstpointer data)
{
  (void) data;
  look_at (f, 0, SIZE);
  g_assert_cmpuint (n_resident (f), ==, SIZE);
  np_page_release_read (&f->let_go, 1, NP_PAGE_RELEASE_BYTES / 2);
  np_page_release_read (&f->let_go, SIZE - NP_PAGE_RELEASE_BYTES, G_MAXUINT64);
  g_assert_cmpuint (n_resident (f), ==, 0);
  look_at (f, 0, SIZE);
}

/* What is kept stays while all is read, and goes when it is read once more. */
static void
test_keep (Fixture *f, gconstpointer data)
{
  (void) data;
  const gsize keep = NP_PAGE_RELEASE_BYTES + 5000;
  np_page_release_keep (&f->let_go, keep);
  look_at (f, 0, SIZE);
  np_page_release_read (&f->let_go, 0, keep - 1);
  g_assert_cmpuint (n_resident (f), ==, SIZE);
  np_page_release_read (&f->let_go, 0, SIZE);
  g_assert_cmpuint (n_resident (f), >=, keep);
  g_assert_cmpuint (n_resident (f), <=, keep + (4 << 20));
  np_page_release_keep (&f->let_go, 0);
  np_page_release_read (&f->let_go, 0, SIZE);
  g_assert_cmpuint (n_resident (f), ==, 0);
}

static void
test_nothing (Fixture *f, gconstpointer data)
{
  (void) data;
  look_at (f, 0, STEP);
  for (guint i = 0; i < 100; i++) {
    np_page_release_read (&f->let_go, SIZE, G_MAXUINT64);
    np_page_release_read (&f->let_go, STEP, 0);
    np_page_release_read (&f->let_go, G_MAXUINT64, G_MAXUINT64);
  }
  g_assert_cmpuint (n_resident (f), >=, STEP);
}

/* Who reads far without a word is watched. */
static void
test_watched (void)
{
  Fixture f = { NULL };
  const gsize allowed = 64 << 20, size = allowed * 2;
  set_up_bytes (&f, size);
  NpPageWatch *watch = np_page_watch_new (&f.let_go, allowed);
  g_assert_nonnull (watch);
  look_at (&f, 0, size);
  const gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  while (n_resident (&f) > allowed + (4 << 20)
         && g_get_monotonic_time () < deadline)
    g_thread_yield ();
  g_assert_cmpuint (n_resident (&f), <=, allowed + (4 << 20));
  np_page_watch_free (watch);
  tear_down_bytes (&f, size);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, fn) g_test_add ("/let-go/" path, Fixture, NULL, set_up, fn, tear_down)
  ADD ("in-order", test_in_order);
  ADD ("little", test_little);
  ADD ("out-of-order", test_out_of_order);
  ADD ("all", test_all);
  ADD ("keep", test_keep);
  ADD ("nothing", test_nothing);
  g_test_add_func ("/let-go/watched", test_watched);
  return g_test_run ();
}
