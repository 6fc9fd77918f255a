/* SPDX-License-Identifier: Apache-2.0 */
/* test-device.c - the analyzer device: its unions against counting moment by moment, the causes of
 * gaps, what is linked, and counters. */

#include "analysis.h"

#include <stdlib.h>
#include <string.h>

static const struct nprof_component *
device (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "device");
}

static void
finish (NprofTestRun *run)
{
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
}

static gint64
cell_int (const NprofTestRun *run, const char *table, guint row, const char *column)
{
  const char *text = nprof_test_cell (run, table, row, column);
  g_assert_nonnull (text);
  return g_ascii_strtoll (text, NULL, 10);
}

/* -- Unions, against counting every moment ----------------------------------------------------- */

#define LENGTH 60
#define MOST 20
#define STREAMS 3

enum { COMPUTE, COMMUNICATION, MEMORY, N_CLASSES };

static const char *const categories[N_CLASSES] = { "fusion", "all-reduce", "copy" };

typedef struct {
  gint64 start, end;
  int class, stream;
} Given;

static guint
make (Given *given, gboolean disjoint)
{
  guint n = (guint) g_test_rand_int_range (1, MOST);
  for (guint i = 0; i < n; i++) {
    gint64 start = g_test_rand_int_range (0, LENGTH - 1);
    given[i] = (Given){ start, g_test_rand_int_range ((int) start + 1, LENGTH),
                        g_test_rand_int_range (0, N_CLASSES),
                        disjoint ? (int) i : g_test_rand_int_range (0, STREAMS) };
  }
  return n;
}

typedef struct {
  gint64 span, busy, of[N_CLASSES], exposed, overlap;
} Counted;

/* Spans of one stream may nest; then the innermost counts, so that these have one class a
 * stream. */
static Counted
count (const Given *given, guint n)
{
  Counted c = { 0 };
  gint64 first = LENGTH, last = 0;
  for (guint i = 0; i < n; i++) {
    first = MIN (first, given[i].start);
    last = MAX (last, given[i].end);
  }
  c.span = last - first;
  for (gint64 t = first; t < last; t++) {
    gboolean under_way[N_CLASSES] = { FALSE };
    for (guint i = 0; i < n; i++)
      if (given[i].start <= t && t < given[i].end)
        under_way[given[i].class] = TRUE;
    gboolean data = under_way[COMMUNICATION] || under_way[MEMORY];
    c.busy += data || under_way[COMPUTE];
    c.exposed += data && !under_way[COMPUTE];
    c.overlap += data && under_way[COMPUTE];
    for (int k = 0; k < N_CLASSES; k++)
      c.of[k] += under_way[k];
  }
  return c;
}

static NprofTestRun *
run_given (const Given *given, guint n, const char *options, guint rows)
{
  NprofTestRun *run = analysis_open (device (), options, rows);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  for (guint i = 0; i < n; i++) {
    char key[16];
    g_snprintf (key, sizeof key, "stream %d", given[i].stream);
    add_span (run, track_of (run, d, NPROF_TRACK_QUEUE, key), categories[given[i].class], "x",
              given[i].start, given[i].end - given[i].start);
  }
  finish (run);
  return run;
}

static gint64
sum_of_gaps (const NprofTestRun *run)
{
  const NprofTestTable *gaps = nprof_test_table (run, "gaps");
  gint64 sum = 0;
  for (guint i = 0; i < gaps->n_rows; i++)
    sum += cell_int (run, "gaps", i, "duration_ns");
  return sum;
}

static void
one_case (void)
{
  Given given[MOST];
  gboolean disjoint = g_test_rand_bit ();
  guint n = make (given, disjoint);
  for (guint i = 0; i < n && !disjoint; i++)
    given[i].class = given[i].stream % N_CLASSES;
  Counted c = count (given, n);
  g_autoptr (NprofTestRun) run = run_given (given, n, g_test_rand_bit () ? "gap=0" : NULL,
                                            (guint) g_test_rand_int_range (0, 4));
  g_assert_cmpint (cell_int (run, "devices", 0, "span_ns"), ==, c.span);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, c.busy);
  g_assert_cmpint (cell_int (run, "devices", 0, "idle_ns"), ==, c.span - c.busy);
  g_assert_cmpint (cell_int (run, "devices", 0, "compute_ns"), ==, c.of[COMPUTE]);
  g_assert_cmpint (cell_int (run, "devices", 0, "communication_ns"), ==, c.of[COMMUNICATION]);
  g_assert_cmpint (cell_int (run, "devices", 0, "copy_ns"), ==, c.of[MEMORY]);
  g_assert_cmpint (cell_int (run, "devices", 0, "exposed_ns"), ==, c.exposed);
  g_assert_cmpint (cell_int (run, "devices", 0, "overlap_ns"), ==, c.overlap);
  g_assert_cmpint (cell_int (run, "categories", 0, "busy_ns"), ==, c.of[COMPUTE]);
  g_assert_cmpint (cell_int (run, "categories", 2, "busy_ns"), ==, c.of[COMMUNICATION]);
  g_assert_cmpint (cell_int (run, "categories", 3, "busy_ns"), ==, c.of[MEMORY]);
  g_assert_cmpint (sum_of_gaps (run), ==, c.span - c.busy);
}

static void
test_unions (void)
{
  for (int i = 0; i < 1000; i++)
    one_case ();
}

/* The row's own field goes before its name. */
static void
test_collectives (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), NULL, 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "GPU 0");
  nprof_track q = track_of (run, d, NPROF_TRACK_QUEUE, "stream 7");
  add_span (run, q, "kernel", "gemm", 0, 1000);
  add_span (run, q, "kernel", "own_protocol", 2000, 3000);
  add_text (run, NPROF_KEY_COLLECTIVE, "allreduce");
  add_span (run, q, "kernel", "two_shot_all_reduce_kernel", 6000, 5000);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "communication_ns"), ==, 8000);
  g_assert_cmpint (cell_int (run, "devices", 0, "compute_ns"), ==, 1000);
}

static void
test_batches (void)
{
  Given given[MOST];
  guint n = make (given, TRUE);
  char *dumps[2];
  for (guint k = 0; k < 2; k++) {
    g_autoptr (NprofTestRun) run = run_given (given, n, "gap=0,bin=1", k);
    dumps[k] = nprof_test_dump (run);
  }
  g_assert_cmpstr (dumps[0], ==, dumps[1]);
  g_free (dumps[0]);
  g_free (dumps[1]);
}

/* -- Nesting, programs, asynchronous transfers ------------------------------------------------- */

static void
test_innermost_counts (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), NULL, 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "tpu");
  nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "while", "while.1", 0, 100);
  add_span (run, ops, "loop fusion", "fusion.1", 0, 40);
  add_span (run, ops, "all-reduce", "all-reduce.1", 50, 30);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 100);
  g_assert_cmpint (cell_int (run, "devices", 0, "compute_ns"), ==, 40);
  g_assert_cmpint (cell_int (run, "devices", 0, "exposed_ns"), ==, 30);
  g_assert_cmpstr (cell_where (run, "categories", "busy_ns", "category", "control", NULL), ==,
                   "30");
  g_assert_cmpstr (cell_where (run, "categories", "share", "category", "control", NULL), ==, "0.3");
}

static void
test_async_and_programs (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "tpu");
  nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, track_of (run, d, NPROF_TRACK_THREAD, "XLA Modules"), "", "jit_f", 10, 90);
  add_span (run, ops, "loop fusion", "f", 20, 30);
  add_span (run, track_of (run, d, NPROF_TRACK_ASYNC, "Async XLA Ops"), "copy-start", "async-copy",
            40, 30);
  add_span (run, ops, "loop fusion", "f", 60, 20);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "span_ns"), ==, 90);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 50);
  g_assert_cmpint (cell_int (run, "devices", 0, "copy_ns"), ==, 30);
  g_assert_cmpint (cell_int (run, "devices", 0, "exposed_ns"), ==, 10);
  g_assert_cmpint (cell_int (run, "devices", 0, "overlap_ns"), ==, 20);
  /* in the program, before its first work; where no end of a copy was waited for; behind its
   * work */
  static const char *const causes[] = { "wait", "wait", "wait" };
  static const gint64 starts[] = { 10, 50, 80 };
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpstr (nprof_test_cell (run, "gaps", i, "cause"), ==, causes[i]);
    g_assert_cmpint (cell_int (run, "gaps", i, "start_ns"), ==, starts[i]);
  }
}

/* Time that the user did not select is not idle: of a program at the edge only its work counts. */
static void
test_edges (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "tpu");
  nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
  nprof_track copies = track_of (run, d, NPROF_TRACK_ASYNC, "Async XLA Ops");
  struct nprof_writer *w
      = add_span (run, track_of (run, d, NPROF_TRACK_THREAD, "XLA Modules"), "", "jit_f", 10, 90);
  nprof_attr (w, nprof_intern (nprof_test_host (run), NPROF_KEY_CROSSES_EDGE), NPROF_BOOL,
              (nprof_value){ .u = 1 });
  add_span (run, copies, "copy-start", "async-copy", 15, 20);
  add_span (run, ops, "loop fusion", "f", 20, 30);
  add_span (run, ops, "loop fusion", "f", 60, 20);
  add_span (run, copies, "copy-start", "async-copy", 70, 25);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "span_ns"), ==, 60);
  g_assert_cmpint (cell_int (run, "devices", 0, "idle_ns"), ==, 10);
  g_assert_cmpint (cell_int (run, "devices", 0, "copy_ns"), ==, 25); /* of it, in the span */
  g_assert_cmpint (cell_int (run, "devices", 0, "exposed_ns"), ==, 0);
  g_assert_cmpint (sum_of_gaps (run), ==, 10);
}

/* Tables list devices as their tracks stand, whichever worked first. */
static void
test_order_of_devices (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), NULL, 0);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track b = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "b"), 0, 2);
  nprof_track a = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "a"), 0, 1);
  add_span (run, track_of (run, b, NPROF_TRACK_ENGINE, "XLA Ops"), "loop fusion", "f", 1, 2);
  add_span (run, track_of (run, a, NPROF_TRACK_ENGINE, "XLA Ops"), "loop fusion", "f", 5, 2);
  finish (run);
  g_assert_cmpstr (nprof_test_cell (run, "devices", 0, "device"), ==, "a");
  g_assert_cmpstr (nprof_test_cell (run, "devices", 1, "device"), ==, "b");
}

/* Work without a length in the time of the run has computed all the same. */
static void
test_squeezed (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "peak_flops=1e12", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "loop fusion", "f", 0, 100);
  add_int (run, NPROF_KEY_FLOPS, 10);
  add_span (run, ops, "loop fusion", "g", 0, 0);
  add_int (run, NPROF_KEY_FLOPS, 40);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 100);
  g_assert_cmpstr (nprof_test_cell (run, "devices", 0, "hfu"), ==, "0.5");
}

static void
test_no_work (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), NULL, 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "loop fusion", "unclosed", 5, -1);
  add_rate (run, d, NPROF_KEY_PEAK_FLOPS, 1);
  finish (run);
  g_assert_cmpuint (nprof_test_table (run, "devices")->n_rows, ==, 0);
  g_assert_true (nprof_test_logged (run, "spans of devices without an end in the file: 1"));
}

/* -- Losses ------------------------------------------------------------------------------------ */

static void
lose (NprofTestRun *run, nprof_track track, gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  g_assert_cmpint (nprof_row (h->writer (h), NPROF_GAP, track, nprof_intern (h, "overflow"), start,
                              duration),
                   ==, NPROF_OK);
}

/* Spans of 10 ns with 10, 20, 30, 40 and 50 ns between them; which stretches a loss makes
 * unknown. */
static void
test_losses (void)
{
  static const struct {
    const char *where; /* device, lane, above, other, input */
    gint64 at, duration;
    gint64 lost;
  } cases[] = {
    { "device", 15, 0, 10 },            /* in the first                                        */
    { "lane", 15, 0, 10 },              /* of one of its engines                               */
    { "above", 15, 0, 10 },             /* of the whole input                                  */
    { "other", 15, 0, 0 },              /* of another device                                   */
    { "device", 20, 0, 10 + 20 },       /* with the row that tells of it: on either side       */
    { "device", 25, 0, 10 + 20 },       /* while it works                                      */
    { "device", 0, 0, 10 },             /* nothing lies before                                 */
    { "device", 35, 80, 20 + 30 + 40 }, /* lasts into the fourth                           */
    { "device", 35, -1, 20 + 30 + 40 + 50 }, /* no end is known                            */
    { "above", 35, -1, 20 + 30 + 40 + 50 },
    { "input", 35, -1, 10 + 20 + 30 + 40 + 50 }, /* cut off: rows of any time may be missing */
    { "device", 195, 0, 50 }, /* with the last row: nothing lies behind              */
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
    nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "all");
    nprof_track other = track_of (run, 0, NPROF_TRACK_DEVICE, "other");
    nprof_track d = track_of (run, host, NPROF_TRACK_DEVICE, "d");
    nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
    const char *where = cases[i].where;
    const struct nprof_host *h = nprof_test_host (run);
    nprof_track on = *where == 'd'   ? d
                     : *where == 'l' ? ops
                     : *where == 'a' ? host
                     : *where == 'i' ? h->track_info (h, host)->parent
                                     : other;
    for (gint64 at = 0, gap = 10; gap <= 60; at += 10 + gap, gap += 10) {
      if (cases[i].at < at && (gap == 10 || cases[i].at >= at - gap))
        lose (run, on, cases[i].at, cases[i].duration);
      add_span (run, ops, "loop fusion", "f", at, 10);
      if (cases[i].at >= at && cases[i].at < at + 10)
        lose (run, on, cases[i].at, cases[i].duration);
    }
    finish (run);
    g_assert_cmpint (cell_int (run, "devices", 0, "span_ns"), ==, 210);
    g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 60);
    g_assert_cmpint (cell_int (run, "devices", 0, "lost_ns"), ==, cases[i].lost);
    g_assert_cmpint (cell_int (run, "devices", 0, "idle_ns"), ==, 150 - cases[i].lost);
    g_assert_cmpint (sum_of_gaps (run), ==, 150 - cases[i].lost);
  }
}

/* -- Gaps and links of GPUs -------------------------------------------------------------------- */

static void
kernel (NprofTestRun *run, nprof_track stream, const char *category, const char *name, gint64 start,
        guint64 correlation)
{
  add_span (run, stream, category, name, start, 10);
  if (correlation)
    add_correlation (run, correlation);
}

static void
test_causes (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  nprof_track thread = track_of (run, host, NPROF_TRACK_THREAD, "1");
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  nprof_track stream = track_of (run, gpu, NPROF_TRACK_QUEUE, "7");
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 0, 5);
  add_correlation (run, 1);
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 25, 5);
  add_correlation (run, 2);
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 27, 5);
  add_correlation (run, 3);
  kernel (run, stream, "kernel", "gemm", 10, 1);
  kernel (run, stream, "kernel", "gemm", 40, 2);                    /* launched at 25       */
  kernel (run, stream, "kernel", "ncclDevKernel_AllReduce", 60, 3); /* queued                */
  kernel (run, stream, "gpu_memcpy", "Memcpy HtoD", 80, 0);         /* no launch in the file */
  kernel (run, stream, "kernel", "gemm", 100, 0);                   /* nor here              */
  finish (run);
  static const char *const causes[] = { "host", "launch", "wait", "unlinked", "unlinked" };
  static const gint64 starts[] = { 20, 25, 50, 70, 90 };
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 5);
  for (guint i = 0; i < 5; i++) {
    g_assert_cmpstr (nprof_test_cell (run, "gaps", i, "cause"), ==, causes[i]);
    g_assert_cmpint (cell_int (run, "gaps", i, "start_ns"), ==, starts[i]);
  }
  g_assert_cmpint (cell_int (run, "linked", 0, "rows"), ==, 5);
  g_assert_cmpint (cell_int (run, "linked", 0, "linked"), ==, 3);
  g_assert_cmpint (cell_int (run, "linked", 0, "span_ns"), ==, 60);
  g_assert_cmpint (cell_int (run, "linked", 0, "busy_ns"), ==, 30);
  g_assert_cmpint (cell_int (run, "linked", 0, "exposed_communication_ns"), ==, 10);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 50);
}

/* Work of programs has no launches: what ends a gap tells what was waited for. */
static void
test_causes_in_programs (void)
{
  static const struct {
    const char *category, *name, *cause;
  } cases[] = {
    { "copy-done", "copy-done.1", "dma" },        { "all-gather", "all-gather-done", "collective" },
    { "recv-done", "recv-done.2", "collective" }, { "copy-start", "copy-start.1", "wait" },
    { "all-reduce", "all-reduce.3", "wait" },     { "loop fusion", "fusion.1", "wait" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint program = 0; program < 3; program++) { /* the last time it is hidden */
      g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
      nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "tpu");
      nprof_track ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops");
      nprof_track modules = track_of (run, d, NPROF_TRACK_THREAD, "XLA Modules");
      add_span (run, modules, "", "jit_f", 0, program ? 12 : 30);
      if (program)
        add_span (run, modules, "", "jit_f", 15, 15);
      if (program == 2)
        hide (run);
      add_span (run, ops, "loop fusion", "f", 0, 10);
      add_span (run, ops, cases[i].category, cases[i].name, 20, 10);
      finish (run);
      const guint last = program ? 2 : 0; /* between two programs the host has given none */
      g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, last + 1);
      g_assert_cmpstr (nprof_test_cell (run, "gaps", last, "cause"), ==, cases[i].cause);
      g_assert_cmpint (cell_int (run, "gaps", last, "duration_ns"), ==, program ? 5 : 10);
      if (!program)
        continue;
      g_assert_cmpstr (nprof_test_cell (run, "gaps", 0, "cause"), ==, "wait");
      g_assert_cmpint (cell_int (run, "gaps", 0, "duration_ns"), ==, 2);
      g_assert_cmpstr (nprof_test_cell (run, "gaps", 1, "cause"), ==, "host");
      g_assert_cmpint (cell_int (run, "gaps", 1, "duration_ns"), ==, 3);
    }
}

/* When several begin at one moment, the first launched ended the gap, in whichever order they
 * come. */
static void
test_cause_of_two (void)
{
  for (guint swap = 0; swap < 2; swap++) {
    g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
    nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
    nprof_track thread = track_of (run, host, NPROF_TRACK_THREAD, "1");
    nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
    nprof_track stream = track_of (run, gpu, NPROF_TRACK_QUEUE, "7");
    nprof_track other = track_of (run, gpu, NPROF_TRACK_QUEUE, "8");
    for (guint id = 1; id <= 3; id++) {
      add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", id == 1 ? 0 : 20 + 5 * id, 2);
      add_correlation (run, id);
    }
    kernel (run, stream, "kernel", "gemm", 10, 1);
    kernel (run, stream, "kernel", "gemm", 40, swap ? 3 : 2);
    kernel (run, other, "kernel", "gemm", 40, swap ? 2 : 3);
    finish (run);
    g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 2);
    g_assert_cmpint (cell_int (run, "gaps", 0, "duration_ns"), ==, 10); /* until 30 */
    g_assert_cmpint (cell_int (run, "gaps", 1, "duration_ns"), ==, 10);
  }
}

/* With hidden launches causes are the same; hidden work is no work. */
static void
test_hidden (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  nprof_track thread = track_of (run, host, NPROF_TRACK_THREAD, "1");
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  nprof_track stream = track_of (run, gpu, NPROF_TRACK_QUEUE, "7");
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 0, 5);
  add_correlation (run, 1);
  hide (run);
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 25, 5);
  add_correlation (run, 2);
  hide (run);
  kernel (run, stream, "kernel", "gemm", 10, 1);
  kernel (run, stream, "kernel", "hidden", 22, 3);
  hide (run);
  kernel (run, stream, "kernel", "gemm", 40, 2);
  finish (run);
  g_assert_cmpint (cell_int (run, "devices", 0, "busy_ns"), ==, 20);
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 2);
  g_assert_cmpstr (nprof_test_cell (run, "gaps", 0, "cause"), ==, "host");
  g_assert_cmpint (cell_int (run, "gaps", 0, "duration_ns"), ==, 5);
  g_assert_cmpstr (nprof_test_cell (run, "gaps", 1, "cause"), ==, "launch");
}

/* Kineto's annotation begins with its kernel or before it, and a loop with what is in it: neither
 * is the work that was waited for. The name is that of which the cause is told. */
static void
test_what_ends_a_gap (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  nprof_track thread = track_of (run, host, NPROF_TRACK_THREAD, "1");
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  nprof_track one = track_of (run, gpu, NPROF_TRACK_QUEUE, "7"),
              other = track_of (run, gpu, NPROF_TRACK_QUEUE, "8");
  for (guint64 i = 1; i <= 2; i++) {
    add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", (gint64) i, 1);
    add_correlation (run, i);
  }
  kernel (run, one, "kernel", "first", 10, 0);
  add_span (run, one, "gpu_user_annotation", "ProfilerStep#6", 29, 100);
  kernel (run, one, "kernel", "gemm", 30, 0);
  kernel (run, one, "kernel", "late", 50, 2);
  kernel (run, other, "kernel", "early", 50, 1); /* at the same moment */
  add_span (run, one, "while", "while.1", 70, 40);
  add_span (run, one, "loop fusion", "fusion.2", 75, 5);
  finish (run);
  static const char *const names[] = { "gemm", "early", "fusion.2" };
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (nprof_test_cell (run, "gaps", i, "ended_by"), ==, names[i]);
}

static void
test_short_gaps_share_a_row (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=1", 0);
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  nprof_track stream = track_of (run, gpu, NPROF_TRACK_QUEUE, "7");
  for (gint64 at = 0; at < 50; at += 10)
    add_span (run, stream, "kernel", "k", at, 5);
  add_span (run, stream, "kernel", "k", 1045, 5);
  finish (run);
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 2);
  g_assert_cmpint (cell_int (run, "gaps", 0, "start_ns"), ==, 45);
  g_assert_cmpint (cell_int (run, "gaps", 0, "duration_ns"), ==, 1000);
  g_assert_null (nprof_test_cell (run, "gaps", 1, "start_ns"));
  g_assert_cmpint (cell_int (run, "gaps", 1, "duration_ns"), ==, 20);
}

/* Rows of one batch: gaps stand in the order in which they were let go, whichever the device. */
static void
test_gaps_of_devices_alternate (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  static const char *const labels[] = { "a", "b" };
  nprof_track streams[2];
  for (guint k = 0; k < 2; k++)
    streams[k]
        = track_of (run, track_of (run, 0, NPROF_TRACK_DEVICE, labels[k]), NPROF_TRACK_QUEUE, "7");
  for (gint64 at = 0; at < 8; at++)
    add_span (run, streams[at % 2], "kernel", "k", 10 * at, 5);
  finish (run);
  g_assert_cmpuint (nprof_test_table (run, "gaps")->n_rows, ==, 6);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpstr (nprof_test_cell (run, "gaps", i, "device"), ==, labels[i % 2]);
    g_assert_cmpint (cell_int (run, "gaps", i, "start_ns"), ==, 10 * i + 5);
  }
}

/* A launch counts for all that has its id, also for what seems to begin before it; behind a row
 * that waits for its launch others wait as well. */
static void
test_launches_that_begin_later (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "gap=0", 0);
  nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  nprof_track thread = track_of (run, host, NPROF_TRACK_THREAD, "1");
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  nprof_track stream = track_of (run, gpu, NPROF_TRACK_QUEUE, "7");
  kernel (run, stream, "kernel", "gemm", 10, 1);
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 25, 5);
  add_correlation (run, 1);
  kernel (run, stream, "kernel", "gemm", 40, 1);
  kernel (run, stream, "kernel", "gemm", 60, 2);
  kernel (run, stream, "kernel", "gemm", 80, 9);
  add_span (run, thread, "cuda_runtime", "cudaLaunchKernel", 95, 5);
  add_correlation (run, 2);
  kernel (run, stream, "kernel", "gemm", 100, 2);
  finish (run);
  g_assert_cmpint (cell_int (run, "linked", 0, "rows"), ==, 5);
  g_assert_cmpint (cell_int (run, "linked", 0, "linked"), ==, 4);
  static const struct {
    gint64 start;
    const char *cause;
  } gaps[]
      = { { 20, "host" }, { 25, "launch" }, { 50, "host" }, { 70, "unlinked" }, { 90, "host" } };
  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    g_assert_cmpint (cell_int (run, "gaps", i, "start_ns"), ==, gaps[i].start);
    g_assert_cmpstr (nprof_test_cell (run, "gaps", i, "cause"), ==, gaps[i].cause);
  }
}

/* -- Rows of a large file, of which only those of one device are in order ---------------------- */

#define MANY 400
#define IDS 5

typedef struct {
  enum { WORK, LOSS, ALLOCATED } what;
  gint64 start, duration;
  guint where; /* host, stream 0 .. 3 of two devices      */
  guint64 id;  /* launch, or what was launched; bytes; .. */
} Event;

enum { HOST, N_PLACES = 5 };

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Event *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

static int
by_where (gconstpointer a, gconstpointer b)
{
  const Event *x = a, *y = b;
  return x->where == y->where ? by_start (a, b) : x->where < y->where ? -1 : 1;
}

/* No two begin at once: the order of time is one. The first ones are those of each track, since
 * tables name devices in the order of their tracks. */
static void
make_events (Event *events)
{
  for (guint i = 0; i < MANY; i++) {
    guint chance = (guint) g_test_rand_int_range (0, 40);
    Event e = { .what = i < N_PLACES || chance > 3 ? WORK
                        : chance                   ? ALLOCATED
                                                   : LOSS,
                .start = 250 * (gint64) i + g_test_rand_int_range (0, 250),
                .where = i < N_PLACES ? i : (guint) g_test_rand_int_range (0, N_PLACES),
                .id = (guint64) g_test_rand_int_range (1, IDS + 1) };
    e.duration = g_test_rand_int_range (e.what == LOSS ? -1 : 1, 800);
    events[i] = e;
  }
}

static void
allocate (NprofTestRun *run, nprof_track track, const Event *e)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_autofree char *args
      = g_strdup_printf ("{\"Total Allocated\": %d, \"Device Id\": %d, \"Device Type\": 1}",
                         (int) e->id, e->where > 2);
  nprof_instant (w, track, nprof_intern (h, "[memory]"), e->start);
  nprof_attr_bytes (w, nprof_intern (h, "args"), NPROF_JSON, args, (uint32_t) strlen (args));
}

static char *
dump_of (const Event *events, const char *options)
{
  static const char *const work[] = { "kernel", "gpu_memcpy" };
  g_autoptr (NprofTestRun) run = analysis_open (device (), options, 0);
  nprof_track place[N_PLACES], host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  place[HOST] = track_of (run, host, NPROF_TRACK_THREAD, "1");
  for (guint k = 1; k < N_PLACES; k++)
    place[k] = track_of (run, track_of (run, host, NPROF_TRACK_DEVICE, k < 3 ? "0" : "1"),
                         NPROF_TRACK_QUEUE, k % 2 ? "7" : "8");
  for (guint i = 0; i < MANY; i++) {
    const Event *e = &events[i];
    nprof_track at = place[e->where];
    if (e->what == LOSS) {
      lose (run, e->where == HOST ? host : at, e->start, e->duration);
    } else if (e->what == ALLOCATED) {
      allocate (run, at, e);
    } else {
      add_span (run, at, e->where == HOST ? "cuda_runtime" : work[e->id % 2], "k", e->start,
                e->duration);
      add_correlation (run, e->id);
    }
  }
  finish (run);
  return nprof_test_dump (run);
}

/* Track by track a host's rows come before those of devices that begin earlier; ids are used again,
 * so that each launch counts for a while only. */
static void
test_track_by_track (void)
{
  Event events[MANY];
  for (int i = 0; i < 100; i++) {
    const char *options = i % 2 ? "gap=0,bin=1" : "gap=0,bin=4";
    make_events (events);
    g_autofree char *in_time = dump_of (events, options);
    qsort (events, MANY, sizeof *events, by_where);
    g_autofree char *by_track = dump_of (events, options);
    g_assert_cmpstr (by_track, ==, in_time);
  }
}

/* -- Counters and transfers -------------------------------------------------------------------- */

static double
counter_at (const NprofTestRun *run, const char *name, gint64 start)
{
  for (guint i = 0; i < run->n_rows; i++)
    if (run->rows[i].kind == NPROF_COUNTER && !strcmp (run->rows[i].name, name)
        && run->rows[i].start == start)
      return run->rows[i].value;
  g_error ("no counter %s at %" G_GINT64_FORMAT, name, start);
}

/* A tensor engine that only waits and steers is at work for no time, and that is known. */
static void
test_tensor_engine_that_waits (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "bin=1", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "nd");
  nprof_track nc = track_of (run, d, NPROF_TRACK_CORE, "nc");
  nprof_track pe = track_of (run, nc, NPROF_TRACK_ENGINE, "PE");
  nprof_track act = track_of (run, nc, NPROF_TRACK_ENGINE, "ACT");
  add_span (run, pe, "semaphore wait", "EVENT_SEMAPHORE", 0, 500);
  add_span (run, pe, "instruction", "DRAIN", 500, 600);
  add_span (run, act, "instruction", "ACTIVATE", 0, 3000);
  finish (run);
  g_assert_cmpfloat (counter_at (run, "TensorMatrix Utilization", 0), ==, 0);
}

static void
test_counters (void)
{
  g_autoptr (NprofTestRun) run
      = analysis_open (device (), "bin=1,peak_flops=1e9,peak_bandwidth=2e12", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "nd");
  nprof_track nc = track_of (run, d, NPROF_TRACK_CORE, "nc");
  nprof_track pe = track_of (run, nc, NPROF_TRACK_ENGINE, "PE");
  nprof_track q = track_of (run, nc, NPROF_TRACK_QUEUE, "DMA 0 queue 1");
  add_span (run, pe, "instruction", "MATMUL (likely)", 0, 500); /* overlaps the next */
  add_int (run, NPROF_KEY_FLOPS, 1);
  add_span (run, pe, "instruction", "MATMUL (likely)", 250, 1750);
  add_span (run, q, "dma", "t", 0, 2000);
  add_int (run, NPROF_KEY_BYTES, 2000);
  add_span (run, q, "dma", "t", 1000, 3000);
  add_int (run, NPROF_KEY_BYTES, 6000);
  finish (run);
  g_assert_cmpfloat (counter_at (run, "TensorMatrix Utilization", 0), ==, 1);
  g_assert_cmpfloat (counter_at (run, "TensorMatrix Utilization", 2000), ==, 0);
  g_assert_cmpfloat_with_epsilon (counter_at (run, "HFU", 0), 1, 1e-12);
  g_assert_cmpfloat (counter_at (run, "HFU", 1000), ==, 0);
  g_assert_cmpfloat (counter_at (run, "DMA Throughput", 0), ==, 1e12);
  g_assert_cmpfloat (counter_at (run, "DMA Throughput", 1000), ==, 3e12);
  g_assert_cmpfloat (counter_at (run, "DMA Throughput", 2000), ==, 2e12);
  g_assert_cmpfloat (counter_at (run, "Pending DMA Count", 1000), ==, 2);
  g_assert_cmpstr (nprof_test_row (run, "HFU")->path, ==, "nd/nc/HFU");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "HFU"), "unit"), ==, "1");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "DMA Throughput"), "unit"), ==, "byte/s");
  g_assert_cmpint (cell_int (run, "dma", 0, "calls"), ==, 2);
  g_assert_cmpint (cell_int (run, "dma", 0, "bytes"), ==, 8000);
  g_assert_cmpint (cell_int (run, "dma", 0, "busy_ns"), ==, 4000);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (nprof_test_cell (run, "dma", 0, "efficiency"),
                                                  NULL),
                                  1, 1e-12);
}

/* Of an asynchronous copy that states no bytes, those that its instruction accesses; what goes to
 * the host tells nothing of the memory. */
static void
test_accessed_bytes (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "peak_bandwidth=2e12", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "/device:TPU:0"),
              ops = track_of (run, d, NPROF_TRACK_ENGINE, "XLA Ops"),
              async = track_of (run, d, NPROF_TRACK_ASYNC, "Async XLA Ops");
  add_span (run, ops, "copy-done", "copy-done.1", 0, 1000);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 4000);
  add_span (run, async, "copy-start", "async-copy", 0, 1000);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 4000);
  add_span (run, async, "copy-start", "async-copy", 1000, 3000);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 5000);
  finish (run);
  g_assert_cmpuint (nprof_test_table (run, "dma")->n_rows, ==, 1);
  g_assert_cmpint (cell_int (run, "dma", 0, "bytes"), ==, 9000);
  g_assert_cmpint (cell_int (run, "dma", 0, "busy_ns"), ==, 4000);
  g_assert_null (nprof_test_cell (run, "dma", 0, "efficiency"));
}

static guint
warnings_with (const NprofTestRun *run, const char *text)
{
  guint n = 0;
  for (guint i = 0; i < run->n_log; i++)
    n += strstr (run->log[i], text) != NULL;
  return n;
}

/* A queue that moved more than the memory can is told by its name, the worst of several alone. */
static void
test_queue_above_bandwidth (void)
{
  static const struct {
    const char *queue;
    gint64 bytes;
  } queues[] = { { "fine", 2000 }, { "worst", 5000 }, { "bad", 2500 } };
  g_autoptr (NprofTestRun) run = analysis_open (device (), "peak_bandwidth=2e12", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "nd");
  for (guint i = 0; i < G_N_ELEMENTS (queues); i++) {
    add_span (run, track_of (run, d, NPROF_TRACK_QUEUE, queues[i].queue), "dma", "t",
              2000 * (gint64) i, 1000);
    add_int (run, NPROF_KEY_BYTES, queues[i].bytes);
  }
  finish (run);
  g_assert_cmpuint (warnings_with (run, "nd: worst has 250.0 % of the peak of 2.00 TB/s (option "
                                        "peak_bandwidth) (and 1 more are above it)"),
                    ==, 1);
  g_assert_cmpuint (warnings_with (run, "of the analyzer device sets another"), ==, 1);
  g_assert_cmpuint (warnings_with (run, "of the peak"), ==, 1);
}

static void
test_memory (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "bin=1", 0);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track host = track_of (run, 0, NPROF_TRACK_PROCESS, "python");
  nprof_track gpu = track_of (run, 0, NPROF_TRACK_DEVICE, "0");
  static const struct {
    gint64 at;
    const char *args;
  } given[] = {
    { 100, "{\"Total Allocated\": 70, \"Device Id\": 0, \"Device Type\": 1}" },
    { 1200, "{\"Total Allocated\": 50, \"Device Id\": 0, \"Device Type\": 1}" },
    { 1300, "{\"Total Allocated\": 900, \"Device Id\": 0, \"Device Type\": 0}" },
    { 1400, "{\"Total Allocated\": -1, \"Device Id\": 0, \"Device Type\": 1}" },
    { 2500, "{\"Total Allocated\": 90, \"Device Id\": 0, \"Device Type\": 1}" },
    { 2600, "{\"Total Allocated\": 10, \"Device Id\": 0, \"Device Type\": 1}" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++) {
    struct nprof_writer *w = h->writer (h);
    nprof_instant (w, host, nprof_intern (h, "[memory]"), given[i].at);
    nprof_attr_bytes (w, nprof_intern (h, "args"), NPROF_JSON, given[i].args,
                      (uint32_t) strlen (given[i].args));
  }
  add_span (run, track_of (run, gpu, NPROF_TRACK_QUEUE, "7"), "kernel", "k", 0, 4000);
  finish (run);
  g_assert_cmpfloat (counter_at (run, "Device Memory", 0), ==, 70);
  g_assert_cmpfloat (counter_at (run, "Device Memory", 2000), ==, 90);
  g_assert_cmpfloat (counter_at (run, "Device Memory", 3000), ==,
                     10);                 /* no instant is in the bin */
  for (guint i = 0; i < run->n_rows; i++) /* 70 until 1200: the most of that bin */
    g_assert_cmpint (run->rows[i].start, !=, 1000);
}

static void
test_bad_options (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (device (), "bin=1", 0);
  nprof_track d = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  add_span (run, d, "kernel", "k", 0, G_GINT64_CONSTANT (2000000000));
  nprof_test_finish (run);
  nprof_test_assert_fails (
      run, NPROF_E_OPTION,
      "bin=1: gives 2000000 bins, expected at most 1000000: take a longer one");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/unions", test_unions);
  g_test_add_func ("/device/collectives", test_collectives);
  g_test_add_func ("/device/batches", test_batches);
  g_test_add_func ("/device/innermost", test_innermost_counts);
  g_test_add_func ("/device/async", test_async_and_programs);
  g_test_add_func ("/device/edges", test_edges);
  g_test_add_func ("/device/order", test_order_of_devices);
  g_test_add_func ("/device/squeezed", test_squeezed);
  g_test_add_func ("/device/losses", test_losses);
  g_test_add_func ("/device/no-work", test_no_work);
  g_test_add_func ("/device/causes", test_causes);
  g_test_add_func ("/device/causes-in-programs", test_causes_in_programs);
  g_test_add_func ("/device/cause-of-two", test_cause_of_two);
  g_test_add_func ("/device/hidden", test_hidden);
  g_test_add_func ("/device/ended-by", test_what_ends_a_gap);
  g_test_add_func ("/device/short-gaps", test_short_gaps_share_a_row);
  g_test_add_func ("/device/gaps-of-devices", test_gaps_of_devices_alternate);
  g_test_add_func ("/device/launches-later", test_launches_that_begin_later);
  g_test_add_func ("/device/track-by-track", test_track_by_track);
  g_test_add_func ("/device/counters", test_counters);
  g_test_add_func ("/device/accessed-bytes", test_accessed_bytes);
  g_test_add_func ("/device/tensor-engine-that-waits", test_tensor_engine_that_waits);
  g_test_add_func ("/device/queue-above-bandwidth", test_queue_above_bandwidth);
  g_test_add_func ("/device/memory", test_memory);
  g_test_add_func ("/device/bad-options", test_bad_options);
  return g_test_run ();
}
