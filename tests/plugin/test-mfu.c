/* SPDX-License-Identifier: Apache-2.0 */
/* test-mfu.c - the analyzer mfu: formulas against what vendors' tools print, what counts and what
 * does not, and that unknown stays unknown. */

#include "analysis.h"

#include <math.h>

#define S G_GINT64_CONSTANT (1000000000000) /* ps */

static const struct nprof_component *
mfu (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "mfu");
}

static void
finish (NprofTestRun *run)
{
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
}

#define assert_near(a, b, relative) g_assert_cmpfloat_with_epsilon ((a), (b), fabs (b) * (relative))

/* -- Vendors' numbers -------------------------------------------------------------------------- */

/* Three values of the op_profile of xprof's own sample: all of it, idle included, and a leaf, whose
 * utilisation is shown times its share of the time. */
static void
test_xprof (void)
{
  g_autoptr (NprofTestRun) run
      = analysis_open (mfu (), "peak_flops=2.334e14,peak_bandwidth=1382388911000", 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "tpu");
  nprof_track ops = track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops");
  nprof_track modules = track_of (run, device, NPROF_TRACK_THREAD, "XLA Modules");
  gint64 all = G_GINT64_CONSTANT (3907589469062), leaf = G_GINT64_CONSTANT (67514502254);
  add_span (run, modules, "", "jit_step", 0, all);
  add_span (run, ops, "custom-call", "splash", 0, leaf);
  add_int (run, NPROF_KEY_FLOPS, G_GINT64_CONSTANT (14148392714240));
  add_int (run, NPROF_KEY_BYTES_ACCESSED, G_GINT64_CONSTANT (82476552036));
  add_text (run, NPROF_KEY_HLO_CATEGORY, "custom-call");
  add_span (run, ops, "fusion", "rest", leaf, S);
  add_int (run, NPROF_KEY_FLOPS,
           G_GINT64_CONSTANT (544406264528676) - G_GINT64_CONSTANT (14148392714240));
  finish (run);
  assert_near (double_where_operator (run, "(total)", "hfu"), 0.5969161535731864, 1e-9);
  double share = (double) leaf / (double) all;
  assert_near (double_where_operator (run, "splash", "hfu") * share, 0.015513054695538283, 1e-9);
  assert_near (double_where_operator (run, "splash", "mbu"), 0.8836966021308729, 1e-9);
  g_assert_cmpfloat (double_where_operator (run, "splash", "peak_bandwidth"), ==, 1382388911000);
  g_assert_cmpstr (cell_where (run, "mfu", "flops_source", "operator", "(total)", NULL), ==,
                   "declared; custom calls: 2.6 % of the flops, 6.3 % of the time");
}

/* A published summary of a Trn1 core (golden/neuron_summary_formulas.csv), to the digits that the
 * vendor prints. */
static void
test_neuron (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "nd");
  nprof_track core = track_of (run, device, NPROF_TRACK_CORE, "nc");
  nprof_track pe = track_of (run, core, NPROF_TRACK_ENGINE, "PE");
  add_fact (run, core, NPROF_KEY_DEVICE_TYPE);
  add_text (run, NPROF_KEY_DEVICE_TYPE, "trn1.2xlarge");
  const struct {
    const char *key;
    double value;
  } facts[] = { { "hardware_flops", 636.277e9 },
                { "transpose_flops", 110.7e9 },
                { "hbm_read_bytes", 3.995 * 1073741824 },
                { "hbm_write_bytes", 2.702 * 1073741824 } };
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++) {
    add_fact (run, core, facts[i].key);
    add_int (run, facts[i].key, (gint64) facts[i].value);
  }
  gint64 time = (gint64) (76753832.0 / 1.4e9 * 1e12); /* neuroncore_cycle_count */
  add_span (run, pe, "instruction", "MATMUL", 0, time / 2);
  add_span (run, core, "execution", "run", 0, time);
  finish (run);
  g_assert_cmpfloat_with_epsilon (double_where_operator (run, "(total)", "mfu"), 0.1045, 5e-5);
  g_assert_cmpfloat_with_epsilon (double_where_operator (run, "(total)", "hfu"), 0.1265, 5e-5);
  g_assert_cmpfloat_with_epsilon (double_where_operator (run, "(total)", "mbu"), 0.3199, 5e-5);
  g_assert_cmpfloat_with_epsilon (double_where_operator (run, "(total)", "intensity"), 73.09, 5e-2);
  g_assert_cmpfloat_with_epsilon (double_where_operator (run, "(total)", "best_mfu"), 0.3266, 5e-5);
  g_assert_cmpstr (cell_where (run, "mfu", "bound", "operator", "(total)", NULL), ==, "memory");
  g_assert_cmpstr (cell_where (run, "mfu", "flops_source", "operator", "(total)", NULL), ==,
                   "stated of an execution");
  g_assert_cmpstr (cell_where (run, "mfu", "peak_source", "operator", "(total)", NULL), ==,
                   "flops: share/devices/neuron.json (Trainium and Inferentia2 (NeuronCore-v2), "
                   "bf16); bandwidth: share/devices/neuron.json (Trainium and Inferentia2 "
                   "(NeuronCore-v2))");
}

/* -- What counts ------------------------------------------------------------------------------- */

static nprof_track
ops_track (NprofTestRun *run)
{
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  add_rate (run, device, NPROF_KEY_PEAK_FLOPS, 100);
  add_rate (run, device, NPROF_KEY_PEAK_BANDWIDTH, 10);
  return track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops");
}

static void
op (NprofTestRun *run, nprof_track track, const char *name, gint64 start, gint64 duration,
    gint64 flops, gint64 bytes)
{
  add_span (run, track, "fusion", name, start, duration);
  if (flops >= 0)
    add_int (run, NPROF_KEY_FLOPS, flops);
  if (bytes >= 0)
    add_int (run, NPROF_KEY_BYTES_ACCESSED, bytes);
}

/* while(10 flop each) around a and b: only a and b count; b twice */
static void
test_no_double_count (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "while", 0, 4 * S, 1000, 1000);
  op (run, t, "a", 0, S, 10, 1);
  op (run, t, "b", S, S, 20, 4);
  op (run, t, "b", 2 * S, S, 20, 4);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "(total)", NULL), ==, "50");
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "b", NULL), ==, "40");
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "operator", "b", NULL), ==, "0.2");
  g_assert_cmpstr (cell_where (run, "mfu", "mbu", "operator", "b", NULL), ==, "0.4");
  g_assert_cmpstr (cell_where (run, "mfu", "intensity", "operator", "b", NULL), ==, "5");
  g_assert_cmpstr (cell_where (run, "mfu", "best_mfu", "operator", "b", NULL), ==, "0.5");
  g_assert_cmpstr (cell_where (run, "mfu", "bound", "operator", "b", NULL), ==, "memory");
  g_assert_cmpstr (cell_where (run, "mfu", "best_mfu", "operator", "a", NULL), ==, "1");
  g_assert_cmpstr (cell_where (run, "mfu", "bound", "operator", "a", NULL), ==, "compute");
  g_assert_null (cell_where (run, "mfu", "flops", "operator", "while", NULL));
}

/* XLA gives no length to operators that it cannot place by the host's clock. */
static void
test_squeezed (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "copy", 0, S, 10, 1);
  op (run, t, "a", 0, 0, 20, 4);
  add_span (run, t, "custom-call", "b", 0, 0); /* neither time nor work */
  add_int (run, NPROF_KEY_STEP, 3);
  add_text (run, NPROF_KEY_HLO_CATEGORY, "custom-call");
  finish (run);
  g_assert_null (cell_where (run, "mfu", "time_ns", "operator", "b", NULL));
  g_assert_null (cell_where (run, "mfu", "time_ns", "step", "3", NULL));
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "(total)", NULL), ==, "30");
  g_assert_cmpstr (cell_where (run, "mfu", "bytes", "operator", "(total)", NULL), ==, "5");
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "copy", NULL), ==, "10");
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "a", NULL), ==, "20");
  g_assert_null (cell_where (run, "mfu", "hfu", "operator", "a", NULL)); /* of no time */
}

static void
test_idle_in_and_out (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "a", 0, S, 50, -1);
  op (run, t, "a", 3 * S, S, 50, -1);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "operator", "(total)", NULL), ==, "0.25");
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "operator", "(busy)", NULL), ==, "0.5");
  g_assert_null (cell_where (run, "mfu", "mbu", "operator", "(total)", NULL));
  g_assert_null (cell_where (run, "mfu", "bytes", "operator", "(total)", NULL));
  g_assert_null (cell_where (run, "mfu", "bound", "operator", "(total)", NULL));
}

/* Time counts as busy once, whether spans overlap, nest or run on another track. */
static void
test_busy_once (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track other = track_of (run, device, NPROF_TRACK_QUEUE, "q");
  op (run, t, "a", 0, 4 * S, 10, -1);
  op (run, t, "b", S, S, 10, -1);
  op (run, other, "c", 3 * S, 3 * S, 10, -1);
  op (run, t, "d", 8 * S, S, 10, -1);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "time_ns", "operator", "(busy)", NULL), ==,
                   "7000000000000");
}

/* A program at the edge of the selection adds neither time nor what the file states of one. */
static void
test_edges (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  add_fact (run, device, "hardware_flops");
  add_int (run, "hardware_flops", 50);
  struct nprof_writer *w = add_span (run, track_of (run, device, NPROF_TRACK_THREAD, "XLA Modules"),
                                     "", "jit_f", 0, 5 * S);
  nprof_attr (w, nprof_intern (nprof_test_host (run), NPROF_KEY_CROSSES_EDGE), NPROF_BOOL,
              (nprof_value){ .u = 1 });
  op (run, track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops"), "a", S, S, -1, -1);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "time_ns", "operator", "(total)", NULL), ==,
                   "1000000000000");
  g_assert_null (cell_where (run, "mfu", "flops", "operator", "(total)", NULL));
}

static void
test_unknown (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "gpu");
  add_span (run, track_of (run, device, NPROF_TRACK_QUEUE, "7"), "kernel", "k", 0, S);
  finish (run);
  static const char *const unknown[]
      = { "flops", "flops_source", "peak_flops", "peak_bandwidth", "peak_source", "mfu",
          "hfu",   "mbu",          "bytes",      "intensity",      "bound",       "best_mfu" };
  g_assert_cmpuint (nprof_test_table (run, "mfu")->n_rows, ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (unknown); i++)
    g_assert_null (nprof_test_cell (run, "mfu", 0, unknown[i]));
  g_assert_cmpstr (nprof_test_cell (run, "mfu", 0, "time_ns"), ==, "1000000000000");
}

/* 0 is how compilers write that they do not know; what was read and written in a main memory may be
 * 0. */
static void
test_no_bytes (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), "peak_flops=1e12,peak_bandwidth=1e12", 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track ops = track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "custom-call", "matmul", 0, S);
  add_int (run, NPROF_KEY_FLOPS, 1000);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 0);
  add_span (run, ops, "fusion", "in cache", S, S);
  add_int (run, NPROF_KEY_FLOPS, 1000);
  add_int (run, "hbm_read_bytes", 0);
  add_int (run, "hbm_write_bytes", 0);
  finish (run);
  g_assert_null (cell_where (run, "mfu", "mbu", "operator", "matmul", NULL));
  g_assert_null (cell_where (run, "mfu", "bytes", "operator", "matmul", NULL));
  g_assert_cmpfloat (double_where_operator (run, "matmul", "peak_bandwidth"), ==, 1e12);
  g_assert_cmpstr (cell_where (run, "mfu", "bytes", "operator", "in cache", NULL), ==, "0");
}

static guint
warnings_with (const NprofTestRun *run, const char *text)
{
  guint n = 0;
  for (guint i = 0; i < run->n_log; i++)
    n += strstr (run->log[i], text) != NULL;
  return n;
}

static void
test_above_peak (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), "peak_flops=1000", 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track ops = track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "fusion", "fine", 0, S);
  add_int (run, NPROF_KEY_FLOPS, 1000);
  add_span (run, ops, "fusion", "worst", S, S);
  add_int (run, NPROF_KEY_FLOPS, 7978);
  add_span (run, ops, "fusion", "bad", 2 * S, S);
  add_int (run, NPROF_KEY_FLOPS, 2000);
  add_span (run, ops, "fusion", "idle", 3 * S, 100 * S);
  add_int (run, NPROF_KEY_FLOPS, 1);
  finish (run);
  g_assert_cmpuint (warnings_with (run, "d: worst has 797.8 % of the peak of 1.00 kFLOP/s (option "
                                        "peak_flops) (and 1 more are above it)"),
                    ==, 1);
  g_autoptr (NprofTestRun) fine = analysis_open (mfu (), "peak_flops=1e6", 0);
  device = track_of (fine, 0, NPROF_TRACK_DEVICE, "d");
  add_span (fine, track_of (fine, device, NPROF_TRACK_ENGINE, "XLA Ops"), "fusion", "a", 0, S);
  add_int (fine, NPROF_KEY_FLOPS, 1000000);
  finish (fine);
  g_assert_cmpuint (warnings_with (fine, "of the peak"), ==, 0);
}

static void
test_above_bandwidth (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), "peak_flops=1e12,peak_bandwidth=1000", 0);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track ops = track_of (run, device, NPROF_TRACK_ENGINE, "XLA Ops");
  add_span (run, ops, "fusion", "at the limit", 0, S);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 1000);
  add_span (run, ops, "fusion", "worst", S, S);
  add_int (run, NPROF_KEY_BYTES_ACCESSED, 2135);
  finish (run);
  g_assert_cmpuint (warnings_with (run, "d: worst has 213.5 % of the peak of 1.00 kB/s (option "
                                        "peak_bandwidth)"),
                    ==, 1);
  g_assert_cmpuint (warnings_with (run, "of the peak"), ==, 1);
}

static void
test_some_unknown (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "a", 0, 3 * S, 50, -1);
  op (run, t, "b", 3 * S, S, -1, -1);
  op (run, t, "zero", 4 * S, S, 0, 0);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "flops_source", "operator", "(total)", NULL), ==,
                   "declared; unknown for 20.0 % of the time");
  g_assert_null (cell_where (run, "mfu", "flops", "operator", "b", NULL));
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "zero", NULL), ==, "0");
}

static void
test_beyond_int64 (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "a", 0, S, G_MAXINT64, -1);
  op (run, t, "b", S, S, 1, -1);
  finish (run);
  g_assert_null (cell_where (run, "mfu", "hfu", "operator", "(total)", NULL));
  g_assert_cmpstr (cell_where (run, "mfu", "flops_source", "operator", "(total)", NULL), ==,
                   "beyond 2^63");
}

static void
test_model_flops (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  op (run, t, "a", 0, S, 50, 2);
  add_int (run, NPROF_KEY_MODEL_FLOPS, 30);
  add_span (run, t, "fusion", "n", S, S);
  add_int (run, "hardware_flops", 40);
  add_int (run, "transpose_flops", 15);
  op (run, t, "instruction", 2 * S, S, 20, -1);
  add_int (run, "flops_transpose", 20);
  add_int (run, "hbm_read_bytes", 3);
  add_int (run, "hbm_write_bytes", 1);
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "operator", "a", NULL), ==, "0.5");
  g_assert_cmpstr (cell_where (run, "mfu", "mfu", "operator", "a", NULL), ==, "0.3");
  g_assert_cmpstr (cell_where (run, "mfu", "intensity", "operator", "a", NULL), ==, "15");
  g_assert_cmpstr (cell_where (run, "mfu", "mfu", "operator", "n", NULL), ==, "0.25");
  g_assert_cmpstr (cell_where (run, "mfu", "mfu", "operator", "instruction", NULL), ==, "0");
  g_assert_cmpstr (cell_where (run, "mfu", "mbu", "operator", "instruction", NULL), ==, "0.4");
}

/* -- Steps and layers -------------------------------------------------------------------------- */

static void
test_steps_of_device (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track steps = track_of (run, device, NPROF_TRACK_THREAD, "Steps");
  add_span (run, steps, "", "7", 0, 2 * S);
  add_span (run, steps, "", "8", 2 * S, 4 * S);
  op (run, t, "a", 0, S, 10, -1);
  op (run, t, "a", S, S, 10, -1);
  op (run, t, "a", 2 * S, S, 40, -1);
  op (run, t, "a", 7 * S, S, 99, -1); /* in none */
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "step", "7", NULL), ==, "0.1");
  g_assert_cmpstr (cell_where (run, "mfu", "time_ns", "step", "8", NULL), ==, "4000000000000");
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "step", "8", NULL), ==, "0.1");
  g_assert_null (cell_where (run, "mfu", "hfu", "step", "9", NULL));
}

/* A step of which the selection leaves out work has no row: its time is that of all its work. */
static void
test_steps_in_part (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  nprof_track device = track_of (run, 0, NPROF_TRACK_DEVICE, "d");
  nprof_track steps = track_of (run, device, NPROF_TRACK_THREAD, "Steps");
  for (int i = 0; i < 3; i++) {
    add_span (run, steps, "", (const char *[]){ "7", "8", "9" }[i], 2 * i * S, 2 * S);
    if (i == 0)
      hide (run);
  }
  op (run, t, "a", 0, S, 99, -1);
  hide (run);
  op (run, t, "a", S, S, 10, -1);
  op (run, t, "a", 2 * S, S, 40, -1);
  op (run, t, "a", 4 * S, S, 10, -1);
  op (run, t, "a", 5 * S, S, 99, -1);
  hide (run);
  finish (run);
  g_assert_null (cell_where (run, "mfu", "hfu", "step", "7", NULL));
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "step", "8", NULL), ==, "0.2");
  g_assert_null (cell_where (run, "mfu", "hfu", "step", "9", NULL));
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "operator", "(total)", NULL), ==, "60");
  g_assert_cmpstr (cell_where (run, "mfu", "time_ns", "operator", "(total)", NULL), ==,
                   "4000000000000");
}

static void
test_steps_of_rows_and_layers (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, 0);
  nprof_track t = ops_track (run);
  for (int i = 0; i < 4; i++) {
    op (run, t, "a", i * S, S, 10, -1);
    add_int (run, NPROF_KEY_STEP, i / 2);
    add_text (run, NPROF_KEY_FRAMEWORK_OP, i % 2 ? "jit(f)/mlp/dot" : "jit(f)/attention/dot");
  }
  finish (run);
  g_assert_cmpstr (cell_where (run, "mfu", "time_ns", "step", "1", NULL), ==, "2000000000000");
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "step", "1", NULL), ==, "20");
  g_assert_cmpstr (cell_where (run, "mfu", "flops_source", "step", "0", NULL), ==, "declared");
  g_assert_cmpstr (cell_where (run, "mfu", "flops", "layer", "jit(f)/mlp", NULL), ==, "20");
  g_assert_cmpstr (cell_where (run, "mfu", "hfu", "layer", "jit(f)/attention", NULL), ==, "0.1");
}

static void
test_batches (void)
{
  char *dumps[2];
  for (int k = 0; k < 2; k++) {
    g_autoptr (NprofTestRun) run = analysis_open (mfu (), NULL, k ? 1 : 0);
    nprof_track t = ops_track (run);
    for (int i = 0; i < 500; i++)
      op (run, t, i % 3 ? "a" : "b", (i * 7919) % 500 * S, S * (1 + i % 5), i, i);
    finish (run);
    dumps[k] = nprof_test_dump (run);
  }
  g_assert_cmpstr (dumps[0], ==, dumps[1]);
  g_free (dumps[0]);
  g_free (dumps[1]);
}

static void
test_bad_options (void)
{
  g_autoptr (NprofTestRun) run = analysis_open (mfu (), "devices=/there/is/no/such/folder", 0);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_OPTION, "devices=/there/is/no/such/folder: ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mfu/xprof", test_xprof);
  g_test_add_func ("/mfu/neuron", test_neuron);
  g_test_add_func ("/mfu/no-double-count", test_no_double_count);
  g_test_add_func ("/mfu/squeezed", test_squeezed);
  g_test_add_func ("/mfu/idle", test_idle_in_and_out);
  g_test_add_func ("/mfu/busy-once", test_busy_once);
  g_test_add_func ("/mfu/edges", test_edges);
  g_test_add_func ("/mfu/unknown", test_unknown);
  g_test_add_func ("/mfu/no-bytes", test_no_bytes);
  g_test_add_func ("/mfu/above-peak", test_above_peak);
  g_test_add_func ("/mfu/above-bandwidth", test_above_bandwidth);
  g_test_add_func ("/mfu/some-unknown", test_some_unknown);
  g_test_add_func ("/mfu/beyond-int64", test_beyond_int64);
  g_test_add_func ("/mfu/model-flops", test_model_flops);
  g_test_add_func ("/mfu/steps-of-device", test_steps_of_device);
  g_test_add_func ("/mfu/steps-in-part", test_steps_in_part);
  g_test_add_func ("/mfu/steps-of-rows", test_steps_of_rows_and_layers);
  g_test_add_func ("/mfu/batches", test_batches);
  g_test_add_func ("/mfu/bad-options", test_bad_options);
  return g_test_run ();
}
