/* SPDX-License-Identifier: Apache-2.0 */
/* test-install-paths.c - are nprof's own folders found in the build tree, in an installed tree that
 * was moved, and from code that lies in neither? */

#include "base/install-paths.h"

#include <glib/gstdio.h>

static char *
make (const char *top, const char *below)
{
  char *folder = g_build_filename (top, below, NULL);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  return folder;
}

/* This program lies in the build tree. */
static void
test_build_tree (void)
{
  g_autofree char *data = np_data_folder ();
  g_assert_nonnull (data);
  g_assert_true (g_path_is_absolute (data));
  g_autofree char *sample = g_build_filename (data, "samples", "synthetic_tpu.xplane.pb", NULL);
  g_assert_true (g_file_test (sample, G_FILE_TEST_IS_REGULAR));
  g_autofree char *plugins = np_installed_plugins ();
  g_autofree char *index = g_build_filename (plugins, "null.plugin", NULL);
  g_assert_true (g_file_test (index, G_FILE_TEST_IS_REGULAR));
}

static void
assert_found (const char *top, const char *below)
{
  g_autofree char *code = make (top, below);
  g_autofree char *data = np_data_folder_from (code);
  g_autofree char *expected_data = g_build_filename (top, NP_DATADIR, "nprof", NULL);
  g_assert_cmpstr (data, ==, expected_data);
  g_autofree char *plugins = np_installed_plugins_from (code);
  g_autofree char *expected = g_build_filename (top, NP_LIBDIR, "nprof", "plugins", NULL);
  g_assert_cmpstr (plugins, ==, expected);
}

static void
test_moved (void)
{
  g_autofree char *top = g_dir_make_tmp ("nprof-installed-XXXXXX", NULL);
  g_autofree char *share = make (top, NP_DATADIR "/nprof");
  assert_found (top, NP_BINDIR);
  assert_found (top, NP_LIBDIR);
  g_assert_cmpint (g_rmdir (share), ==, 0);
  g_autofree char *code = make (top, NP_BINDIR);
  g_assert_null (np_data_folder_from (code));
  g_autofree char *command = g_strdup_printf ("rm -r '%s'", top);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
}

static void
test_elsewhere (void)
{
  g_autofree char *plugins = np_installed_plugins_from ("/somewhere/else");
  g_assert_cmpstr (plugins, ==, NP_PREFIX "/" NP_LIBDIR "/nprof/plugins");
  g_autofree char *unknown = np_installed_plugins_from (NULL);
  g_assert_cmpstr (unknown, ==, plugins);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/installed/build-tree", test_build_tree);
  g_test_add_func ("/installed/moved", test_moved);
  g_test_add_func ("/installed/elsewhere", test_elsewhere);
  return g_test_run ();
}
