/* SPDX-License-Identifier: Apache-2.0 */
/* test-steps.c - the analyzer steps: where steps are seen, which are cut, how far devices are
 * apart. */
#include "testhost.h"

static const struct nprof_component *steps;

typedef struct {
  NpTestRun *run;
  const struct nprof_host *h;
  struct nprof_writer *w;
} Feed;

static Feed
feed_new (const char *options)
{
  Feed f = { .run = np_test_open (steps, options, NULL) };
  f.h = np_test_host (f.run);
  f.w = f.h->writer (f.h);
  return f;
}

static nprof_track
track (const Feed *f, const char *device, guint kind, const char *key)
{
  guint above = kind == NPROF_TRACK_THREAD && g_str_has_prefix (device, "host")
                    ? NPROF_TRACK_PROCESS
                    : NPROF_TRACK_DEVICE;
  nprof_track parent = f->h->track (f->h, 0, above, nprof_intern (f->h, device), 0, 0);
  return f->h->track (f->h, parent, kind, nprof_intern (f->h, key), 0, 0);
}

static void
span (Feed *f, nprof_track on, const char *name, gint64 start, gint64 duration)
{
  nprof_str str = nprof_intern (f->h, name);
  g_assert_cmpint (nprof_span (f->w, on, str, start, duration), ==, NPROF_OK);
}

/* The tables as text: a line a row, cells after the input. */
static void
finish (Feed *f, const char *expected_steps, const char *expected_times)
{
  np_test_finish (f->run);
  np_test_assert_ok (f->run);
  const char *const names[] = { "steps", "step_times" }, *const expected[]
                                                         = { expected_steps, expected_times };
  for (guint t = 0; t < 2; t++) {
    const NpTestTable *table = np_test_table (f->run, names[t]);
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint i = 0; i < table->n_rows * table->n_columns; i++)
      if (i % table->n_columns)
        g_string_append_printf (text, "%s%s", table->cells[i] ? table->cells[i] : "-",
                                i % table->n_columns == table->n_columns - 1 ? "\n" : " ");
    if (expected[t])
      g_assert_cmpstr (text->str, ==, expected[t]);
  }
  np_test_run_free (f->run);
}

/* formats: xplane.md 2.8: the last one is cut; XProf counts it as 0 and is 20 % off. */
static void
test_cut (void)
{
  for (guint in = 0; in < 2; in++) {
    Feed f = feed_new (in ? "cut=in" : NULL);
    nprof_track on = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps");
    span (&f, on, "3", 300, 120); /* not in order */
    span (&f, on, "1", 0, 121);
    span (&f, on, "2", 150, 119);
    span (&f, on, "4", 450, 3);
    span (&f, on, "5", 460, -1);
    finish (&f,
            "TPU:0 1 0 121 false -\n"
            "TPU:0 2 150 119 false -\n"
            "TPU:0 3 300 120 false -\n"
            "TPU:0 4 450 3 false -\n"
            "TPU:0 5 460 - true -\n",
            NULL);
    f = feed_new (in ? "cut=in" : NULL);
    on = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps");
    const gint64 durations[] = { 59, 120, 121, 120, 3 };
    for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
      char name[] = { (char) ('a' + i), 0 };
      span (&f, on, name, i * 200, durations[i]);
    }
    finish (&f,
            "TPU:0 a 0 59 true -\n"
            "TPU:0 b 200 120 false -\n"
            "TPU:0 c 400 121 false -\n"
            "TPU:0 d 600 120 false -\n"
            "TPU:0 e 800 3 true -\n",
            in ? "TPU:0 - 5 2 3 85 120 121 121 121 121 121 - -\n"
               : "TPU:0 - 3 2 120 120 120 121 121 121 121 121 - -\n");
  }
}

/* Half of the median is not shorter than it; a single step is never cut. */
static void
test_half (void)
{
  Feed f = feed_new (NULL);
  nprof_track on = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps"),
              other = track (&f, "TPU:1", NPROF_TRACK_THREAD, "Steps");
  span (&f, on, "1", 0, 60);
  span (&f, on, "2", 100, 120);
  span (&f, on, "3", 300, 120);
  span (&f, other, "9", 0, 1);
  finish (&f,
          "TPU:0 1 0 60 false -\n"
          "TPU:0 2 100 120 false -\n"
          "TPU:0 3 300 120 false -\n"
          "TPU:1 9 0 1 false -\n",
          NULL);
}

static void
test_skew (void)
{
  Feed f = feed_new (NULL);
  nprof_track a = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps"),
              b = track (&f, "TPU:1", NPROF_TRACK_THREAD, "Steps"),
              c = track (&f, "TPU:2", NPROF_TRACK_THREAD, "Steps");
  span (&f, a, "1", 0, 100);
  span (&f, b, "1", 5, 100);
  span (&f, c, "1", 0, 98);
  span (&f, a, "2", 100, 100);
  span (&f, b, "2", 105, 90);
  span (&f, a, "3", 200, 100);
  span (&f, b, "3", 200, -1);
  finish (&f,
          "TPU:0 1 0 100 false 7\n"
          "TPU:0 2 100 100 false 5\n"
          "TPU:0 3 200 100 false -\n"
          "TPU:1 1 5 100 false 7\n"
          "TPU:1 2 105 90 false 5\n"
          "TPU:1 3 200 - true -\n"
          "TPU:2 1 0 98 false 7\n",
          "TPU:0 - 3 0 100 100 100 100 100 100 100 100 6 7\n"
          "TPU:1 - 2 1 90 95 95 99 100 100 100 100 6 7\n"
          "TPU:2 - 1 0 98 98 98 98 98 98 98 98 7 7\n");
}

/* Executions of programs, where a device has no steps; matched by order when equally many. */
static void
test_modules (void)
{
  Feed f = feed_new (NULL);
  nprof_track a = track (&f, "TPU:0", NPROF_TRACK_THREAD, "XLA Modules"),
              b = track (&f, "TPU:1", NPROF_TRACK_THREAD, "XLA Modules"),
              c = track (&f, "TPU:2", NPROF_TRACK_THREAD, "XLA Modules"),
              steps_of_c = track (&f, "TPU:2", NPROF_TRACK_THREAD, "Steps");
  span (&f, a, "f", 0, 100);
  span (&f, a, "g", 100, 10);
  span (&f, a, "f", 110, 100);
  span (&f, b, "f", 0, 101);
  span (&f, b, "f", 110, 102);
  span (&f, b, "g", 300, 10);
  span (&f, b, "g", 400, 10);
  span (&f, c, "h", 0, 5);
  span (&f, steps_of_c, "7", 0, 50);
  span (&f, track (&f, "host", NPROF_TRACK_THREAD, "t"), "ProfilerStep#1", 0, 50);
  finish (&f,
          "TPU:0 f#0 0 100 false 1\n"
          "TPU:0 f#1 110 100 false 2\n"
          "TPU:0 g#0 100 10 false -\n"
          "TPU:1 f#0 0 101 false 1\n"
          "TPU:1 f#1 110 102 false 2\n"
          "TPU:1 g#0 300 10 false -\n"
          "TPU:1 g#1 400 10 false -\n"
          "TPU:2 7 0 50 false -\n",
          NULL);
}

/* Annotations: on the host, and on streams of a device, which are one step together. */
static void
test_annotations (void)
{
  Feed f = feed_new (NULL);
  nprof_track host = track (&f, "host", NPROF_TRACK_THREAD, "t"),
              one = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "stream 7"),
              two = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "stream 20");
  span (&f, host, "ProfilerStep#1", 0, 100);
  span (&f, host, "ProfilerStep#2", 100, 100);
  span (&f, one, "ProfilerStep#1", 10, 80);
  span (&f, two, "ProfilerStep#1", 50, 90);
  span (&f, two, "kernel", 50, 90);
  finish (&f,
          "host ProfilerStep#1 0 100 false -\n"
          "host ProfilerStep#2 100 100 false -\n"
          "GPU 0 ProfilerStep#1 10 130 false -\n",
          "host - 2 0 100 100 100 100 100 100 100 100 - -\n"
          "GPU 0 - 1 0 130 130 130 130 130 130 130 130 - -\n");
}

static void
test_none (void)
{
  Feed f = feed_new (NULL);
  span (&f, track (&f, "GPU 0", NPROF_TRACK_QUEUE, "stream 7"), "kernel", 0, 10);
  finish (&f, "", "");
  f = feed_new (NULL);
  nprof_track on = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps");
  span (&f, on, "1", 0, -1);
  finish (&f, "TPU:0 1 0 - true -\n", "TPU:0 - 0 1 - - - - - - - - - -\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  steps = np_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "steps");
  g_test_add_func ("/steps/cut", test_cut);
  g_test_add_func ("/steps/half", test_half);
  g_test_add_func ("/steps/skew", test_skew);
  g_test_add_func ("/steps/modules", test_modules);
  g_test_add_func ("/steps/annotations", test_annotations);
  g_test_add_func ("/steps/none", test_none);
  return g_test_run ();
}
