/* SPDX-License-Identifier: Apache-2.0 */
/* test-cpp.c - a plugin in C++17 loads, decodes and fails like one in C. */

#include "testhost.h"

static const struct nprof_component *
cpp (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "cpp");
}

static void
test_decodes (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (cpp (), NULL, "cab", 3, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpstr (run->rows[1].name, ==, "a");
  g_assert_cmpint (run->rows[2].start, ==, 2000);
  g_assert_cmpstr (nprof_test_attr (&run->rows[2], "step"), ==, "2");
}

static void
test_exception_is_a_status (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (cpp (), NULL, "ca!", 3, NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, "byte 2: `!` is not allowed");
}

static void
test_probe (void)
{
  g_assert_cmpint (nprof_test_probe (cpp (), "cab", 3, "a"), ==, 90);
  g_assert_cmpint (nprof_test_probe (cpp (), "", 0, "a"), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpp/decodes", test_decodes);
  g_test_add_func ("/cpp/exception", test_exception_is_a_status);
  g_test_add_func ("/cpp/probe", test_probe);
  return g_test_run ();
}
