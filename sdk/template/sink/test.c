/* test.c - what the sink `@NAME@` writes, and that a full disk is a failure. */

#include <nprof/testhost.h>

#define TITLE "start_ns\tduration_ns\tlane\tname\n"

static NprofTestRun *
open_sink (const char *options, const NprofTestConfig *config)
{
  return nprof_test_open (nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "@NAME@"), options,
                          config);
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
test_lines (void)
{
  g_autoptr (NprofTestRun) run = open_sink (NULL, NULL);
  add (run, NPROF_SPAN, "load", 0, 1500);
  add (run, NPROF_SPAN, "a\tb\nc", -3250, -1);
  add (run, NPROF_INSTANT, "moment", 5, 0);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==,
                   TITLE "0\t1.5\tcpu\tload\n-3.25\t-\tcpu\ta b c\n");
  g_assert_true (nprof_test_logged (run, "warning: 1 rows that are no spans"));
}

static void
test_no_title (void)
{
  g_autoptr (NprofTestRun) run = open_sink ("title=no", NULL);
  add (run, NPROF_SPAN, "load", 0, 1500);
  nprof_test_finish (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==, "0\t1.5\tcpu\tload\n");
}

static void
test_nothing (void)
{
  g_autoptr (NprofTestRun) run = open_sink (NULL, NULL);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==, TITLE);
}

static void
test_full_disk (void)
{
  NprofTestConfig config = { .write_limit = 1 };
  g_autoptr (NprofTestRun) run = open_sink (NULL, &config);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_IO, "full");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/@NAME@/lines", test_lines);
  g_test_add_func ("/@NAME@/no-title", test_no_title);
  g_test_add_func ("/@NAME@/nothing", test_nothing);
  g_test_add_func ("/@NAME@/full-disk", test_full_disk);
  return g_test_run ();
}
