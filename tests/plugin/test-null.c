/* SPDX-License-Identifier: Apache-2.0 */
/* test-null.c - the sink null takes everything and writes nothing. */

#include "testhost.h"

static const struct nprof_table table = {
  .size = sizeof table,
  .name = "t",
  .title = "T",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "n", "", "")),
};

static void
test_takes_everything (void)
{
  const struct nprof_component *null
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "null");
  g_assert_null (null->wants);
  g_assert_null (null->options);
  g_assert_cmpuint (null->flags, ==, 0);

  g_autoptr (NprofTestRun) run = nprof_test_open (null, NULL, NULL);
  const struct nprof_host *host = nprof_test_host (run);
  struct nprof_writer *w = host->writer (host);
  nprof_track track = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "d"), 0, 0);
  for (int i = 0; i < 5000; i++)
    g_assert_cmpint (nprof_span (w, track, nprof_intern (host, "x"), i, 1), ==, NPROF_OK);
  const struct nprof_cell cells[] = { nprof_cell_str (0), nprof_cell_int (1) };
  g_assert_cmpint (host->table (host, &table), ==, NPROF_OK);
  g_assert_cmpint (host->row (host, &table, cells), ==, NPROF_OK);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_null (nprof_test_output (run, NULL));
}

static void
test_has_no_options (void)
{
  const struct nprof_component *null
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "null");
  g_autoptr (NprofTestRun) run = nprof_test_open (null, "top=1", NULL);
  g_assert_nonnull (run->usage);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/null/takes-everything", test_takes_everything);
  g_test_add_func ("/null/no-options", test_has_no_options);
  return g_test_run ();
}
