/* SPDX-License-Identifier: Apache-2.0 */
/* test-steps.c - the analyzer steps: where steps are seen, which are cut, how far devices are
 * apart. */
#include "say-work.h"
#include "testhost.h"

static const struct nprof_component *steps;

typedef struct {
  NprofTestRun *run;
  const struct nprof_host *h;
  struct nprof_writer *w;
} Feed;

static const struct nprof_attribute *const attributes[]
    = { NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "", ""), NULL };

static Feed
feed_new (const char *options)
{
  Feed f
      = { .run = nprof_test_open (steps, options, &(NprofTestConfig){ .attributes = attributes }) };
  f.h = nprof_test_host (f.run);
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
span_of (Feed *f, nprof_track on, const char *category, const char *name, gint64 start,
         gint64 duration)
{
  nprof_str str = nprof_intern (f->h, name);
  g_assert_cmpint (nprof_span (f->w, on, str, start, duration), ==, NPROF_OK);
  nprof_set_category (f->w, nprof_intern (f->h, category));
  say_work (f->h, f->w);
}

static void
span (Feed *f, nprof_track on, const char *name, gint64 start, gint64 duration)
{
  span_of (f, on, "", name, start, duration);
}

/* The tables as text: a line a row, cells after the input, until those that say why no skew is
 * known. */
static void
finish (Feed *f, const char *expected_steps, const char *expected_times)
{
  nprof_test_finish (f->run);
  nprof_test_assert_ok (f->run);
  const char *const names[] = { "steps", "step_times" }, *const expected[]
                                                         = { expected_steps, expected_times };
  for (guint t = 0; t < 2; t++) {
    const NprofTestTable *table = nprof_test_table (f->run, names[t]);
    g_autoptr (GString) text = g_string_new (NULL);
    guint shown = table->n_columns - (t ? 1 : 3);
    for (guint i = 0; i < table->n_rows * table->n_columns; i++)
      if (i % table->n_columns && i % table->n_columns < shown)
        g_string_append_printf (text, "%s%s", table->cells[i] ? table->cells[i] : "-",
                                i % table->n_columns == shown - 1 ? "\n" : " ");
    if (expected[t])
      g_assert_cmpstr (text->str, ==, expected[t]);
  }
  nprof_test_run_free (f->run);
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

/* By how much each device ends a step after the first of them, and how far apart they begin it. */
static void
test_late (void)
{
  Feed f = feed_new (NULL);
  const char *const names[] = { "TPU:0", "TPU:1", "TPU:2" };
  static const gint64 starts[] = { 3, 5, 0 }, durations[] = { 97, 100, 98 };
  static const char *const late[] = { "2", "7", "0" };
  for (guint i = 0; i < 3; i++) {
    nprof_track on = track (&f, names[i], NPROF_TRACK_THREAD, "Steps");
    span (&f, on, "1", starts[i], durations[i]);
    span (&f, on, names[i], 500, 100); /* which no other device has */
  }
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpstr (nprof_test_cell (f.run, "steps", 2 * i, "begin_skew_ns"), ==, "5");
    g_assert_cmpstr (nprof_test_cell (f.run, "steps", 2 * i, "late_ns"), ==, late[i]);
    g_assert_null (nprof_test_cell (f.run, "steps", 2 * i + 1, "begin_skew_ns"));
    g_assert_null (nprof_test_cell (f.run, "steps", 2 * i + 1, "late_ns"));
  }
  nprof_test_run_free (f.run);
}

/* What the ends of two devices say depends on both: one of 10 ps beside 101 does nearly nothing,
 * and 11 apart are more than it takes. */
static void
test_no_skew (void)
{
  static const struct {
    gint64 start, duration; /* beside one of 100 from 0 */
    const char *reason;
  } cases[] = {
    { 90, 10, NULL },
    { 90, 9, "one device does nearly nothing in the step" },
    { -900, 1001, "one device does nearly nothing in the step" },
    { -900, 1000, NULL },
    { 0, 50, NULL },
    { 0, 49, "devices end the step further apart than the shortest takes" },
    { 100, 100, NULL },
    { 101, 100, "devices end the step further apart than the shortest takes" },
    { 0, -1, "not all devices have the step whole" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Feed f = feed_new (NULL);
    nprof_track a = track (&f, "TPU:0", NPROF_TRACK_THREAD, "Steps"),
                b = track (&f, "TPU:1", NPROF_TRACK_THREAD, "Steps");
    if (cases[i].start < 0)
      span (&f, b, "1", cases[i].start, cases[i].duration);
    span (&f, a, "1", 0, 100);
    if (cases[i].start >= 0)
      span (&f, b, "1", cases[i].start, cases[i].duration);
    span (&f, a, "2", 2000, 100);
    nprof_test_finish (f.run);
    nprof_test_assert_ok (f.run);
    g_assert_cmpstr (nprof_test_cell (f.run, "steps", 0, "skew_reason"), ==, cases[i].reason);
    g_assert_true (!nprof_test_cell (f.run, "steps", 0, "skew_ns") == (cases[i].reason != NULL));
    g_assert_cmpstr (nprof_test_cell (f.run, "steps", 1, "skew_reason"), ==,
                     "one device alone has the step");
    nprof_test_run_free (f.run);
  }
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

/* Annotations: what a device repeats of a host's is no step; without a host's its streams' are
 * one. */
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
          "host ProfilerStep#2 100 100 false -\n",
          "host - 2 0 100 100 100 100 100 100 100 100 - -\n");
  f = feed_new (NULL);
  one = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "stream 7");
  two = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "stream 20");
  span (&f, one, "ProfilerStep#1", 10, 80);
  span (&f, two, "ProfilerStep#1", 50, 90);
  span (&f, two, "kernel", 50, 90);
  finish (&f, "GPU 0 ProfilerStep#1 10 130 false -\n",
          "GPU 0 - 1 0 130 130 130 130 130 130 130 130 - -\n");
}

/* -- What devices did in steps ------------------------------------------------------------ */

static void
correlate (Feed *f, guint64 correlation)
{
  if (correlation)
    nprof_attr_uint (f->w, nprof_intern (f->h, NPROF_KEY_CORRELATION_ID), correlation);
}

static void
launch (Feed *f, nprof_track on, gint64 start, gint64 duration, guint64 correlation)
{
  span_of (f, on, "cuda_runtime", "launch", start, duration);
  correlate (f, correlation);
}

static void
work (Feed *f, nprof_track on, const char *cat, const char *name, gint64 start, gint64 duration,
      guint64 correlation)
{
  span_of (f, on, cat, name, start, duration);
  correlate (f, correlation);
}

static void
hide (Feed *f)
{
  f->w->kind[f->w->n_rows - 1] = (uint8_t) (f->w->kind[f->w->n_rows - 1] | 0x80);
}

/* A table as text: a line a row, from column `from` on. */
static char *
rows_of (const Feed *f, const char *name, guint from)
{
  const NprofTestTable *table = nprof_test_table (f->run, name);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < table->n_rows * table->n_columns; i++)
    if (i % table->n_columns >= from)
      g_string_append_printf (text, "%s%s", table->cells[i] ? table->cells[i] : "-",
                              i % table->n_columns == table->n_columns - 1 ? "\n" : " ");
  return g_string_free (text, FALSE);
}

static void
check_rows (const Feed *f, const char *table, const char *expected)
{
  g_autofree char *found = rows_of (f, table, 1);
  g_assert_cmpstr (found, ==, expected);
}

/* Two steps: backward on a thread of its own; a kernel of before the recording; work of the first
 * that runs in the time of the second; a copy of the second that runs ahead in the window of the
 * first. */
static void
feed_steps (Feed *f, bool hides_first)
{
  nprof_track host = track (f, "host", NPROF_TRACK_THREAD, "t"),
              other = track (f, "host", NPROF_TRACK_THREAD, "u"),
              a = track (f, "GPU 0", NPROF_TRACK_QUEUE, "7"),
              b = track (f, "GPU 0", NPROF_TRACK_QUEUE, "20");
  span (f, host, "ProfilerStep#1", 0, 100);
  if (hides_first)
    hide (f);
  span (f, host, "ProfilerStep#2", 100, 100);
  span (f, host, "outer", 5, 60);
  span (f, host, "shorter", 5, 3); /* of equal starts the shorter */
  span (f, host, "longer", 5, 4);
  span (f, other, "backward", 25, 200);
  launch (f, host, 10, 5, 1);
  launch (f, other, 45, 5, 2);
  launch (f, host, 60, 5, 3);
  launch (f, host, 102, 2, 4);
  launch (f, host, 190, 2, 5);
  work (f, a, "kernel", "early", 2, 4, 99);
  if (hides_first)
    hide (f);
  work (f, a, "kernel", "gemm", 15, 20, 1);
  if (hides_first)
    hide (f);
  work (f, b, "kernel", "ncclKernel", 50, 30, 2); /* the gap before: host until 45, launch */
  if (hides_first)
    hide (f);
  work (f, a, "kernel", "tail", 90, 50, 3); /* launched before the gap: wait         */
  if (hides_first)
    hide (f);
  work (f, b, "gpu_memcpy", "Memcpy", 105, 45, 4); /* exposed from 140 on                   */
  work (f, a, "kernel", "last", 195, 25, 5);
}

#define STEP_1                                                                                     \
  "GPU 0 ProfilerStep#1 false 6 134 100 70 30 0 0 34 14 10 10 0 0 0 0 3 3 100 0 0 134 true -\n"
#define STEP_2                                                                                     \
  "GPU 0 ProfilerStep#2 false 140 80 100 25 0 10 0 45 40 5 0 0 0 0 0 2 2 70 35 0 80 false 80\n"
#define CAUSES_1                                                                                   \
  "GPU 0 ProfilerStep#1 host backward 1 10 0.29411764705882354\n"                                  \
  "GPU 0 ProfilerStep#1 host shorter 1 2 0.058823529411764705\n"                                   \
  "GPU 0 ProfilerStep#1 host longer 1 1 0.029411764705882353\n"                                    \
  "GPU 0 ProfilerStep#1 host outer 1 1 0.029411764705882353\n"                                     \
  "GPU 0 ProfilerStep#1 launch - 2 10 0.29411764705882354\n"                                       \
  "GPU 0 ProfilerStep#1 wait - 1 10 0.29411764705882354\n"
#define CAUSES_2                                                                                   \
  "GPU 0 ProfilerStep#2 host (no span) 1 40 0.8888888888888888\n"                                  \
  "GPU 0 ProfilerStep#2 launch - 1 5 0.1111111111111111\n"

static void
test_breakdown (void)
{
  for (guint hides_first = 0; hides_first < 2; hides_first++) {
    Feed f = feed_new (NULL);
    feed_steps (&f, hides_first);
    nprof_test_finish (f.run);
    nprof_test_assert_ok (f.run);
    check_rows (&f, "step_breakdown", hides_first ? STEP_2 : STEP_1 STEP_2);
    check_rows (&f, "idle_causes", hides_first ? CAUSES_2 : CAUSES_1 CAUSES_2);
    nprof_test_run_free (f.run);
  }
}

/* Without steps: all work. Without launches: unknown. */
static void
test_whole (void)
{
  Feed f = feed_new (NULL);
  nprof_track a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
  work (&f, a, "kernel", "one", 10, 5, 1);
  work (&f, a, "kernel", "two", 20, 5, 2);
  work (&f, a, "kernel", "nothing", 30, 0, 3);
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  check_rows (&f, "step_breakdown",
              "GPU 0 - false 10 20 - 10 0 0 0 10 0 0 0 10 0 0 10 3 3 10 0 0 - false -\n");
  check_rows (&f, "idle_causes", "GPU 0 - unlinked - 2 10 1\n");
  check_rows (&f, "queue_idle", "GPU 0 7 unlinked 2 10 1\n");
  check_rows (&f, "launches", "GPU 0 7 0 - - - - - - 0 0 3\n");
  check_rows (&f, "queue_length", "GPU 0 7 - - - -\n");
  nprof_test_run_free (f.run);
}

/* Rows are missing at 17: what the device did from 15 to 20 is not known. Of a file that was cut
 * off that is so of all gaps. */
static void
test_lost (void)
{
  for (guint is_cut = 0; is_cut < 2; is_cut++) {
    Feed f = feed_new (NULL);
    nprof_track a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
    work (&f, a, "kernel", "one", 10, 5, 1);
    nprof_row (f.w, NPROF_GAP, is_cut ? f.h->track_info (f.h, a)->parent : a, 0, 17,
               is_cut ? -1 : 0);
    work (&f, a, "kernel", "two", 20, 5, 2);
    work (&f, a, "kernel", "three", 40, 5, 3);
    nprof_test_finish (f.run);
    nprof_test_assert_ok (f.run);
    check_rows (&f, "step_breakdown",
                is_cut
                    ? "GPU 0 - false 10 35 - 15 0 0 0 0 0 0 0 0 20 0 15 3 3 15 0 0 - false -\n"
                    : "GPU 0 - false 10 35 - 15 0 0 0 15 0 0 0 15 5 0 15 3 3 15 0 0 - false -\n");
    check_rows (&f, "idle_causes", is_cut ? "" : "GPU 0 - unlinked - 1 15 1\n");
    nprof_test_run_free (f.run);
  }
}

/* Operators whose end is not in the file have no duration; they once kept the run for ever. */
static void
test_without_ends (void)
{
  Feed f = feed_new (NULL);
  nprof_track host = track (&f, "host", NPROF_TRACK_THREAD, "t"),
              a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
  for (gint64 i = 0; i < 4; i++) {
    span_of (&f, host, "cpu_op", "aten::mm", i, i ? -1 : 1);
    launch (&f, host, 10 * i, -1, 1 + (guint64) i);
  }
  work (&f, a, "kernel", "one", 40, 5, 1);
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  check_rows (&f, "step_breakdown",
              "GPU 0 - false 40 5 - 5 0 0 0 0 0 0 0 0 0 0 0 1 1 5 0 0 - false -\n");
  nprof_test_run_free (f.run);
}

/* A TPU: executions of the program that took most of its time; what began before is foreign. A loop
 * outside of what lies in it is control. */
static void
test_programs (void)
{
  Feed f = feed_new (NULL);
  nprof_track modules = track (&f, "TPU:0", NPROF_TRACK_THREAD, "XLA Modules"),
              ops = track (&f, "TPU:0", NPROF_TRACK_ENGINE, "XLA Ops");
  span (&f, modules, "small", 0, 10);
  span (&f, modules, "large", 20, 30);
  span (&f, modules, "large", 60, 30);
  work (&f, ops, "loop fusion", "before", 15, 10, 0);
  work (&f, ops, "while", "while", 30, 15, 0);
  work (&f, ops, "all-reduce", "all-reduce.1", 35, 5, 0); /* within it: not hidden by it */
  work (&f, ops, "loop fusion", "fusion", 62, 8, 0);
  work (&f, ops, "copy-done", "copy-done", 75, 5, 0);
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  check_rows (&f, "step_breakdown",
              "TPU:0 large#0 false 20 30 - 5 5 0 10 10 0 0 10 0 0 5 0 2 2 20 0 0 - false -\n"
              "TPU:0 large#1 false 60 30 - 8 0 5 0 17 0 0 17 0 0 0 0 2 2 13 0 0 - false -\n");
  check_rows (&f, "idle_causes",
              "TPU:0 large#0 wait - 2 10 1\n"
              "TPU:0 large#1 wait - 2 12 0.7058823529411765\n"
              "TPU:0 large#1 dma - 1 5 0.29411764705882354\n");
  nprof_test_run_free (f.run);
}

static void
test_queues (void)
{
  Feed f = feed_new (NULL);
  nprof_track host = track (&f, "host", NPROF_TRACK_THREAD, "t"),
              a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
  launch (&f, host, 0, 10, 1);
  launch (&f, host, 12, 10, 2);
  launch (&f, host, 30, 5, 3);
  launch (&f, host, 36, 4, 4);
  work (&f, a, "kernel", "k", 5, 10, 1);       /* before its call ended    */
  work (&f, a, "kernel", "k", 20, 5, 2);       /* launched in no idle time */
  work (&f, a, "kernel", "k", 40, 20, 3);      /* launched in the gap      */
  work (&f, a, "kernel", "k", 40000000, 5, 4); /* a long wait              */
  work (&f, a, "kernel", "k", 40000010, 5, 77);
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  g_autofree char *idle = rows_of (&f, "queue_idle", 3);
  g_assert_true (g_str_has_prefix (idle, "host_wait 1 15 "));
  g_assert_nonnull (strstr (idle, "\nkernel_wait 1 5 "));
  g_assert_nonnull (strstr (idle, "\nother 1 39999940 "));
  g_assert_nonnull (strstr (idle, "\nunlinked 1 5 "));
  check_rows (&f, "launches", "GPU 0 7 4 29 40 39999965 3 38799961 39999960 1 2 1\n");
  g_autofree char *length = rows_of (&f, "queue_length", 3);
  g_assert_true (g_str_has_prefix (length, "2 "));
  g_assert_true (g_str_has_suffix (length, " 17 0\n")); /* 5..12 and 20..30 */
  nprof_test_run_free (f.run);
}

/* Chunks that went to a file are read as they were written, and many series share it. */
static void
test_many (void)
{
  Feed f = feed_new (NULL);
  nprof_track host = track (&f, "host", NPROF_TRACK_THREAD, "t"),
              a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
  const gint64 n = 400000;
  span (&f, host, "ProfilerStep#1", 0, n * 10);
  for (gint64 i = 0; i < n; i++) {
    span (&f, host, i % 2 ? "odd" : "even", i * 10, 6);
    launch (&f, host, i * 10 + 2, 1, (guint64) i + 1);
    work (&f, a, "kernel", "k", i * 10 + 5, 3, (guint64) i + 1);
  }
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  g_assert_cmpstr (nprof_test_cell (f.run, "step_breakdown", 0, "compute_ns"), ==, "1200000");
  g_assert_cmpstr (nprof_test_cell (f.run, "step_breakdown", 0, "idle_ns"), ==, "2800000");
  g_assert_cmpstr (nprof_test_cell (f.run, "step_breakdown", 0, "idle_launch_ns"), ==, "1200000");
  /* of a gap 2 lie behind the span before, 2 within this one; behind the last work 2 */
  g_autofree char *causes = rows_of (&f, "idle_causes", 3);
  g_assert_true (g_str_has_prefix (causes, "host (no span) 400000 800000 "));
  g_assert_nonnull (strstr (causes, "\nhost even 200000 400000 "));
  g_assert_nonnull (strstr (causes, "\nhost odd 200000 400000 "));
  nprof_test_run_free (f.run);
}

/* Each span of a chain begins before the one ahead of it ends, so that none is ever taken from
 * below the innermost: those that have ended are dropped, the one around all of them is not. */
static void
test_chained (void)
{
  Feed f = feed_new (NULL);
  nprof_track host = track (&f, "host", NPROF_TRACK_THREAD, "t"),
              a = track (&f, "GPU 0", NPROF_TRACK_QUEUE, "7");
  const gint64 n = 5000, end = n * 10;
  span (&f, host, "ProfilerStep#1", 0, end + 100);
  launch (&f, host, 0, 1, 1);
  span (&f, host, "around", 1, end + 50);
  work (&f, a, "kernel", "first", 2, 3, 1); /* to 5: the host is the cause from there on */
  for (gint64 i = 1; i <= n; i++)
    span (&f, host, i % 2 ? "odd" : "even", i * 10, 12);
  launch (&f, host, end + 40, 5, 2);
  work (&f, a, "kernel", "second", end + 41, 2, 2);
  nprof_test_finish (f.run);
  nprof_test_assert_ok (f.run);
  g_autofree char *causes = rows_of (&f, "idle_causes", 3);
  g_assert_nonnull (strstr (causes, "host odd 1 25000 "));
  g_assert_nonnull (strstr (causes, "host even 1 25002 ")); /* the last one, whole */
  g_assert_nonnull (strstr (causes, "host around 2 39 ")); /* 5 before, 28 and 6 behind the chain */
  nprof_test_run_free (f.run);
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
  steps = nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "steps");
  g_test_add_func ("/steps/cut", test_cut);
  g_test_add_func ("/steps/half", test_half);
  g_test_add_func ("/steps/skew", test_skew);
  g_test_add_func ("/steps/no-skew", test_no_skew);
  g_test_add_func ("/steps/late", test_late);
  g_test_add_func ("/steps/modules", test_modules);
  g_test_add_func ("/steps/annotations", test_annotations);
  g_test_add_func ("/steps/breakdown", test_breakdown);
  g_test_add_func ("/steps/whole", test_whole);
  g_test_add_func ("/steps/lost", test_lost);
  g_test_add_func ("/steps/without-ends", test_without_ends);
  g_test_add_func ("/steps/programs", test_programs);
  g_test_add_func ("/steps/queues", test_queues);
  g_test_add_func ("/steps/many", test_many);
  g_test_add_func ("/steps/chained", test_chained);
  g_test_add_func ("/steps/none", test_none);
  return g_test_run ();
}
