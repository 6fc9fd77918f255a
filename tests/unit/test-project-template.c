/* SPDX-License-Identifier: Apache-2.0 */
/* test-project-template.c - are words replaced in texts and names, are modes kept, and is nothing
 * ever overwritten? */

#include "new/project-template.h"

#include "base/error.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

static const char *const words[] = { "NAME", "my-name", "OTHER", "@NAME@", NULL };

typedef struct {
  char *top, *from, *to;
} Folders;

static void
set_up (Folders *f, gconstpointer unused)
{
  (void) unused;
  f->top = g_dir_make_tmp ("nprof-template-XXXXXX", NULL);
  f->from = g_build_filename (f->top, "from", NULL);
  f->to = g_build_filename (f->top, "to", NULL);
  g_autofree char *deep = g_build_filename (f->from, "dot-ci", "@NAME@", NULL);
  g_assert_cmpint (g_mkdir_with_parents (deep, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (f->to, 0755), ==, 0);
}

static void
tear_down (Folders *f, gconstpointer unused)
{
  (void) unused;
  const char *const command[] = { "rm", "-r", f->top, NULL };
  g_assert_true (g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (f->top);
  g_free (f->from);
  g_free (f->to);
}

static void
put (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *found = NULL;
  g_assert_true (g_file_get_contents (path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

static void
test_words (Folders *f, gconstpointer unused)
{
  (void) unused;
  put (f->from, "@NAME@.c", "@NAME@@NAME@ NAME @UNKNOWN@ @OTHER@ a@b.org\n");
  put (f->from, "dot-ci/@NAME@/run", "");
  g_autofree char *run = g_build_filename (f->from, "dot-ci", "@NAME@", "run", NULL);
  g_assert_cmpint (g_chmod (run, 0755), ==, 0);
  g_autoptr (GError) error = NULL;
  g_assert_true (np_template_write (f->from, f->to, words, &error));
  /* a value is not replaced again */
  assert_text (f->to, "my-name.c", "my-namemy-name NAME @UNKNOWN@ @NAME@ a@b.org\n");
  g_autofree char *made = g_build_filename (f->to, ".ci", "my-name", "run", NULL);
  struct stat st;
  g_assert_cmpint (stat (made, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 0100, ==, 0100);
}

static void
test_nothing_is_overwritten (Folders *f, gconstpointer unused)
{
  (void) unused;
  put (f->from, "@NAME@.c", "new");
  put (f->to, "my-name.c", "old");
  g_autoptr (GError) error = NULL;
  g_assert_false (np_template_write (f->from, f->to, words, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_nonnull (strstr (error->message, "/to/my-name.c: File exists"));
  assert_text (f->to, "my-name.c", "old");
}

static void
test_no_template (Folders *f, gconstpointer unused)
{
  (void) unused;
  g_autofree char *from = g_build_filename (f->top, "nothing", NULL);
  g_autoptr (GError) error = NULL;
  g_assert_false (np_template_write (from, f->to, words, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_nonnull (strstr (error->message, "/nothing"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add ("/template/" name, Folders, NULL, set_up, fn, tear_down)
  ADD ("words", test_words);
  ADD ("nothing-is-overwritten", test_nothing_is_overwritten);
  ADD ("no-template", test_no_template);
  return g_test_run ();
}
