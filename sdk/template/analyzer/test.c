/* test.c - what the analyzer `@NAME@` counts and sums, and what it leaves out. */

#include <nprof/testhost.h>

static NprofTestRun *
analyze (const char *options)
{
  return nprof_test_open (nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "@NAME@"),
                          options, NULL);
}

static void
add (NprofTestRun *run, guint8 kind, const char *name, gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track track = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "cpu"), 0, 0);
  g_assert_cmpint (nprof_row (h->writer (h), kind, track, nprof_intern (h, name), start, duration),
                   ==, NPROF_OK);
}

static void
test_counts (void)
{
  g_autoptr (NprofTestRun) run = analyze (NULL);
  add (run, NPROF_SPAN, "load", 0, 1500);
  add (run, NPROF_SPAN, "store", 5, 7);
  add (run, NPROF_SPAN, "load", 2000, 500);
  add (run, NPROF_SPAN, "load", 3000, -1);
  add (run, NPROF_INSTANT, "load", 4000, 0);
  add (run, NPROF_SPAN, "open", 5000, -1);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "@TABLE@")->n_rows, ==, 3);
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "name"), ==, "load");
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "spans"), ==, "3");
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "unclosed"), ==, "1");
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "total_ns"), ==, "2000");
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 1, "name"), ==, "store");
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 2, "name"), ==, "open");
  g_assert_null (nprof_test_cell (run, "@TABLE@", 2, "total_ns")); /* not known */
}

static void
test_least (void)
{
  g_autoptr (NprofTestRun) run = analyze ("least=2");
  add (run, NPROF_SPAN, "once", 0, 1);
  add (run, NPROF_SPAN, "twice", 0, 1);
  add (run, NPROF_SPAN, "twice", 1, 1);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "@TABLE@")->n_rows, ==, 1);
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "name"), ==, "twice");
}

/* A sum that no longer fits is unknown, and never wrong. */
static void
test_overflow (void)
{
  g_autoptr (NprofTestRun) run = analyze (NULL);
  add (run, NPROF_SPAN, "long", 0, INT64_MAX / 2);
  add (run, NPROF_SPAN, "long", 0, INT64_MAX / 2);
  add (run, NPROF_SPAN, "long", 0, 2);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_null (nprof_test_cell (run, "@TABLE@", 0, "total_ns"));
  g_assert_cmpstr (nprof_test_cell (run, "@TABLE@", 0, "spans"), ==, "3");
}

static void
test_nothing (void)
{
  g_autoptr (NprofTestRun) run = analyze (NULL);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "@TABLE@")->n_rows, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/@NAME@/counts", test_counts);
  g_test_add_func ("/@NAME@/least", test_least);
  g_test_add_func ("/@NAME@/overflow", test_overflow);
  g_test_add_func ("/@NAME@/nothing", test_nothing);
  return g_test_run ();
}
