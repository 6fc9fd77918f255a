/* SPDX-License-Identifier: Apache-2.0 */
/* test-expand.c - which files the command line names, and their labels. */

#include "base/error.h"
#include "input/input.h"
#include "own-folder.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <nprof/plugin.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  OwnFolder own;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  own_folder_enter (&f->own);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  own_folder_leave (&f->own);
}

static void
touch (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

#define PATHS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static GPtrArray *
expand (Fixture *f, const char *const *paths)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *inputs = np_inputs_expand (paths, f->own.log, &error);
  g_assert_no_error (error);
  return inputs;
}

static char *
joined (GPtrArray *inputs, gboolean labels)
{
  GString *s = g_string_new (NULL);
  for (guint i = 0; i < inputs->len; i++) {
    const NpInputPath *input = inputs->pdata[i];
    g_string_append_printf (s, "%s%s", i ? " | " : "", labels ? input->label : input->path);
  }
  return g_string_free (s, FALSE);
}

static void
assert_paths (Fixture *f, const char *const *paths, const char *expected)
{
  g_autoptr (GPtrArray) inputs = expand (f, paths);
  g_autofree char *got = joined (inputs, FALSE);
  g_assert_cmpstr (got, ==, expected);
}

static void
assert_labels (Fixture *f, const char *const *paths, const char *expected)
{
  g_autoptr (GPtrArray) inputs = expand (f, paths);
  g_autofree char *got = joined (inputs, TRUE);
  g_assert_cmpstr (got, ==, expected);
}

static void
assert_fails (Fixture *f, const char *const *paths, int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_inputs_expand (paths, f->own.log, &error));
  g_assert_error (error, NP_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("expected \"%s\" in: %s", part, error->message);
}

static void
test_named (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("b");
  touch ("a");
  touch (".hidden");
  assert_paths (f, PATHS ("b", "a", "-", "b", ".hidden"), "b | a | - | b | .hidden");
  g_autoptr (GPtrArray) inputs = expand (f, PATHS ("b", "."));
  g_assert_false (((NpInputPath *) inputs->pdata[0])->listed);
  g_assert_true (((NpInputPath *) inputs->pdata[1])->listed);
}

/* By strcmp of the whole path: '-' < '/' < 'B' < 'a'. */
static void
test_order (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("d/a/x");
  touch ("d/a-b");
  touch ("d/a.b/c");
  touch ("d/B");
  touch ("d/\xc3\xa9");
  touch ("d/.git/config");
  touch ("d/.hidden");
  assert_paths (f, PATHS ("d"), "d/B | d/a-b | d/a.b/c | d/a/x | d/\xc3\xa9");
  assert_paths (f, PATHS ("d/"), "d/B | d/a-b | d/a.b/c | d/a/x | d/\xc3\xa9");
}

static void
test_links (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("real/x");
  touch ("d/y");
  g_assert_cmpint (symlink ("../real/x", "d/file-link"), ==, 0);
  g_assert_cmpint (symlink ("../real", "d/folder-link"), ==, 0);
  g_assert_cmpint (symlink ("..", "d/up"), ==, 0);
  g_assert_cmpint (symlink ("real", "link"), ==, 0);
  g_assert_cmpint (mkfifo ("d/pipe", 0600), ==, 0);
  assert_paths (f, PATHS ("d"), "d/y");
  own_folder_said (&f->own, "d: skipped 4 links, pipes or devices", TRUE);
  assert_paths (f, PATHS ("link", "d/file-link", "d/pipe"), "link/x | d/file-link | d/pipe");
}

static void
test_depth (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("d/1/2/3/4/5/6/7/file");
  assert_paths (f, PATHS ("d"), "d/1/2/3/4/5/6/7/file");
  own_folder_said (&f->own, "not read", FALSE);
  touch ("d/1/2/3/4/5/6/7/8/file");
  assert_paths (f, PATHS ("d"), "d/1/2/3/4/5/6/7/file");
  own_folder_said (&f->own, "d/1/2/3/4/5/6/7/8: not read, it lies more than 7 folders deep", TRUE);
}

static void
test_tensorboard (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("log/plugins/profile/2024_01_02/host.xplane.pb");
  touch ("log/plugins/profile/2024_11_01/host.xplane.pb");
  touch ("log/plugins/profile/2024_11_01/other.xplane.pb");
  touch ("log/plugins/profile/note");
  touch ("log/plugins/other/a/x");
  touch ("log/plugins/other/b/x");
  g_assert_cmpint (symlink ("2024_01_02", "log/plugins/profile/latest"), ==, 0);
#define LAST                                                                                       \
  "log/plugins/profile/2024_11_01/host.xplane.pb | "                                               \
  "log/plugins/profile/2024_11_01/other.xplane.pb | log/plugins/profile/note"
  assert_paths (f, PATHS ("log/plugins/profile"), LAST);
  own_folder_said (
      &f->own,
      "log/plugins/profile: took the last of 2 runs, 2024_11_01: name the folder of another", TRUE);
  assert_paths (f, PATHS ("log"), "log/plugins/other/a/x | log/plugins/other/b/x | " LAST);
  assert_paths (f, PATHS ("log/plugins/profile/2024_01_02"),
                "log/plugins/profile/2024_01_02/host.xplane.pb");
  g_assert_cmpint (g_chdir ("log/plugins/profile"), ==, 0);
  assert_paths (f, PATHS ("."),
                "./2024_11_01/host.xplane.pb | ./2024_11_01/other.xplane.pb | ./note");
}

static void
test_errors (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("a");
  g_assert_cmpint (g_mkdir ("empty", 0700), ==, 0);
  g_assert_cmpint (symlink ("nowhere", "dangling"), ==, 0);
  assert_fails (f, PATHS ("a", "missing"), NP_EXIT_INPUT,
                "missing: cannot be read: No such file or directory: check the name");
  assert_fails (f, PATHS ("dangling"), NP_EXIT_INPUT, "dangling: cannot be read: No such file");
  assert_fails (f, PATHS ("a/b"), NP_EXIT_INPUT, "a/b: cannot be read: Not a directory");
  assert_fails (f, PATHS ("empty"), NP_EXIT_INPUT, "empty: no profile found (0 files looked at)");
  assert_fails (f, PATHS (NULL), NP_EXIT_INPUT, "no profile found (0 files looked at)");
  assert_fails (f, PATHS ("-", "a", "-"), NP_EXIT_USAGE, "-: named twice");
  assert_paths (f, PATHS ("empty", "a"), "a");
  own_folder_said (&f->own, "empty: holds no file", TRUE);
}

static void
test_labels (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("runs/a/trace.json");
  touch ("runs/b/trace.json");
  touch ("runs/ab/trace.json");
  touch ("runs/top.json");
  assert_labels (f, PATHS ("runs/a/trace.json"), "trace.json");
  assert_labels (f, PATHS ("./runs/../runs/a/trace.json"), "trace.json");
  assert_labels (f, PATHS ("runs/a/trace.json", "runs/b/trace.json"),
                 "a/trace.json | b/trace.json");
  assert_labels (f, PATHS ("runs/a/trace.json", "runs/ab/trace.json"),
                 "a/trace.json | ab/trace.json");
  assert_labels (f, PATHS ("runs"), "a/trace.json | ab/trace.json | b/trace.json | top.json");
  assert_labels (f, PATHS ("-"), "stdin");
  assert_labels (f, PATHS ("-", "runs/a/trace.json"), "stdin | trace.json");
  g_autofree char *absolute = g_build_filename (f->own.folder, "runs/b/trace.json", NULL);
  assert_labels (f, PATHS ("runs/a/trace.json", absolute), "a/trace.json | b/trace.json");
}

static void
test_distinct (Fixture *f, gconstpointer data)
{
  (void) data;
  touch ("a");
  touch ("a (2)");
  touch ("stdin");
  touch ("\xff");
  touch ("\xfe");
  assert_labels (f, PATHS ("a", "a"), "a | a (2)");
  assert_labels (f, PATHS ("a", "./a", "a (2)", "a"), "a | a (3) | a (2) | a (4)");
  assert_labels (f, PATHS ("-", "stdin"), "stdin | stdin (2)");
  assert_labels (f, PATHS ("\xfe", "\xff"), "\xef\xbf\xbd | \xef\xbf\xbd (2)");
}

/* Label sets by hand, for paths that no test can make. */
static void
assert_labelled (const char *const *paths, const char *expected)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  for (guint i = 0; paths[i]; i++) {
    NpInputPath *input = g_new0 (NpInputPath, 1);
    input->path = g_strdup (paths[i]);
    g_ptr_array_add (inputs, input);
  }
  np_inputs_label (inputs);
  g_autofree char *got = joined (inputs, TRUE);
  for (guint i = 0; i < inputs->len; i++) {
    NpInputPath *input = inputs->pdata[i];
    g_free (input->path);
    g_free (input->label);
    g_free (input);
  }
  g_assert_cmpstr (got, ==, expected);
}

/* With only the root in common, whole paths would leak into outputs. */
static void
test_root (void)
{
  assert_labelled (PATHS ("/a.json"), "a.json");
  assert_labelled (PATHS ("/a.json", "/b.json"), "a.json | b.json");
  assert_labelled (PATHS ("/data/x/a.json", "/home/jo/b.json"), "a.json | b.json");
  assert_labelled (PATHS ("/data/x/t.json", "/home/y/t.json", "/home/y/u.json"),
                   "x/t.json | y/t.json | y/u.json");
  assert_labelled (PATHS ("/data/x/t.json", "/home/x/t.json"), "t.json | t.json (2)");
  assert_labelled (PATHS ("/a.json", "/home/jo/a.json"), "a.json | jo/a.json");
}

static void
test_huge (void)
{
  const guint n = 20000;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autofree NpInputPath *all = g_new0 (NpInputPath, n);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++) {
    all[i].path = g_strdup_printf ("/data/run/rank%u/trace.json", i % (n / 2));
    g_ptr_array_add (inputs, &all[i]);
  }
  for (guint i = 0; i < 100; i++) {
    g_free (all[i].path);
    all[i].path = g_strdup ("/data/run/same");
  }
  np_inputs_label (inputs);
  g_assert_cmpstr (all[99].label, ==, "same (100)");
  g_assert_cmpstr (all[n / 2 + 100].label, ==, "rank100/trace.json (2)");
  for (guint i = 0; i < n; i++)
    g_assert_true (g_hash_table_add (seen, all[i].label));
  for (guint i = 0; i < n; i++) {
    g_free (all[i].path);
    g_free (all[i].label);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, fn) g_test_add ("/folder/" path, Fixture, NULL, set_up, fn, tear_down)
  ADD ("named", test_named);
  ADD ("order", test_order);
  ADD ("links", test_links);
  ADD ("depth", test_depth);
  ADD ("tensorboard", test_tensorboard);
  ADD ("errors", test_errors);
  ADD ("labels", test_labels);
  ADD ("distinct", test_distinct);
  g_test_add_func ("/folder/root", test_root);
  g_test_add_func ("/folder/huge", test_huge);
  return g_test_run ();
}
