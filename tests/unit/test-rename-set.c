/* SPDX-License-Identifier: Apache-2.0 */
/* test-rename-set.c - renames that happen all or not at all. */

#include "output/rename-set.h"

#include "base/error.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
  char *folder;
  NpLog *log;
  NpRenameSet *moves;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("nprof-moves-XXXXXX", NULL);
  g_assert_nonnull (f->folder);
  f->log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  f->moves = np_rename_set_new (f->log);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_rename_set_free (f->moves);
  np_log_free (f->log);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
}

/* Makes a file; take() checks it and removes it, expected NULL: there is none. */
static void
make (Fixture *f, const char *name, const char *content)
{
  g_autofree char *path = g_build_filename (f->folder, name, NULL);
  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static void
take (Fixture *f, const char *name, const char *expected)
{
  g_autofree char *path = g_build_filename (f->folder, name, NULL), *content = NULL;
  g_file_get_contents (path, &content, NULL, NULL);
  g_assert_cmpstr (content, ==, expected);
  g_unlink (path);
}

static void
add (Fixture *f, const char *name, const char *temp)
{
  g_autofree char *place = g_build_filename (f->folder, name, NULL);
  g_autofree char *from = temp ? g_build_filename (f->folder, temp, NULL) : NULL;
  np_rename_set_add (f->moves, name, place, from);
}

/* tear_down finds what is left over. */
static void
test_all (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  make (f, "t1", "new");
  make (f, "t2", "fresh");
  make (f, "replaced", "old");
  make (f, "stale", "old");
  add (f, "replaced", "t1");
  add (f, "fresh", "t2");
  add (f, "stale", NULL);
  add (f, "stale", NULL); /* twice does no harm */
  add (f, "missing", NULL);
  g_assert_true (np_rename_set_do (f->moves, &error));
  g_assert_no_error (error);
  np_rename_set_settle (f->moves);
  take (f, "replaced", "new");
  take (f, "fresh", "fresh");
  take (f, "stale", NULL);
}

static void
test_undone (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  make (f, "t1", "new");
  make (f, "t2", "fresh");
  make (f, "replaced", "old");
  make (f, "stale", "stale");
  make (f, "last", "last");
  add (f, "replaced", "t1");
  add (f, "fresh", "t2");
  add (f, "stale", NULL);
  add (f, "last", "no such file");
  add (f, "never", "t3");
  g_assert_false (np_rename_set_do (f->moves, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_SINK);
  g_assert_cmpstr (error->message, ==,
                   "last: No such file or directory: choose another place with -o; no file was "
                   "changed");
  take (f, "replaced", "old");
  take (f, "fresh", NULL);
  take (f, "stale", "stale");
  take (f, "last", "last");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/moves/all", Fixture, NULL, set_up, test_all, tear_down);
  g_test_add ("/moves/undone", Fixture, NULL, set_up, test_undone, tear_down);
  return g_test_run ();
}
