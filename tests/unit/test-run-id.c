/* SPDX-License-Identifier: Apache-2.0 */
/* test-run-id.c - the way from a folder to an input, and which runs are the same. */

#include "output/run-id.h"

#include <string.h>

static void
test_path_from (void)
{
  static const struct {
    const char *folder, *path, *way;
  } cases[] = {
    { "/a/b", "/a/b/c", "c" },        { "/a/b", "/a/c", "../c" },
    { "/a/b", "/a/bc/x", "../bc/x" }, { "/a/b/c", "/x", "../../../x" },
    { "/", "/x/y", "x/y" },           { "/a/b/c", "/a/b", "../../b" },
    { "/out", "/in/f", "../in/f" },   { "/p/out/x", "/p/in/f", "../../in/f" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *way = np_path_from (cases[i].folder, cases[i].path);
    g_assert_cmpstr (way, ==, cases[i].way);
  }
}

static char *
id (const char *folder, const char *options, const char *first, const char *second)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_ptr_array_add (inputs, (gpointer) first);
  if (second)
    g_ptr_array_add (inputs, (gpointer) second);
  return np_run_id (folder, options, inputs);
}

static void
test_runs (void)
{
  g_autofree char *one = id ("/a/out", "csv", "/a/x", NULL);
  g_autofree char *moved = id ("/b/c/out", "csv", "/b/c/x", NULL);
  g_autofree char *elsewhere = id ("/a/out", "csv", "/b/x", NULL);
  g_autofree char *options = id ("/a/out", "csv excel", "/a/x", NULL);
  g_autofree char *two = id ("/a/out", "csv", "/a/x", "/a/y");
  g_autofree char *piped = id ("/a/out", "csv", "0123", NULL);
  g_assert_cmpuint (strlen (one), ==, 40);
  g_assert_cmpstr (one, ==, moved);
  g_assert_cmpstr (one, !=, elsewhere);
  g_assert_cmpstr (one, !=, options);
  g_assert_cmpstr (one, !=, two);
  g_assert_cmpstr (one, !=, piped);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-id/path-from", test_path_from);
  g_test_add_func ("/run-id/runs", test_runs);
  return g_test_run ();
}
