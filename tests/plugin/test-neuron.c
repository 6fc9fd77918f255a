/* SPDX-License-Identifier: Apache-2.0 */
/* test-neuron.c - metrics of NeuronCores from rows and tables; times against a count of every
 * picosecond on random rows. */
#include "testhost.h"

#include <nprof/keys.h>

static const struct nprof_component *neuron;

static const struct nprof_attribute *const attributes[] = {
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_ENGINE, "", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "flops_transpose", "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "hbm_read_bytes", "byte", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "hbm_write_bytes", "byte", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "event_wait", "ps", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s", ""),
  NULL,
};

static const char *const engines[] = { "tensor", "vector", "scalar", "sync", "gpsimd" };

static NprofTestRun *
open_run (const char *options, guint rows)
{
  return nprof_test_open (neuron, options,
                          &(NprofTestConfig){ .attributes = attributes, .rows = rows });
}

static nprof_track
track_of (NprofTestRun *run, const char *core, guint kind, const char *key)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track device = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "nd0"), 0, 0);
  nprof_track nc = h->track (h, device, NPROF_TRACK_CORE, nprof_intern (h, core), 0, 0);
  return key ? h->track (h, nc, kind, nprof_intern (h, key), 0, 0) : nc;
}

static struct nprof_writer *
span (NprofTestRun *run, nprof_track track, const char *category, const char *name, gint64 start,
      gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_span (w, track, nprof_intern (h, name), start, duration), ==, NPROF_OK);
  nprof_set_category (w, nprof_intern (h, category));
  return w;
}

static void
number (NprofTestRun *run, const char *key, gint64 value)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_int (h->writer (h), nprof_intern (h, key), value);
}

static void
instruction (NprofTestRun *run, const char *core, guint engine, const char *opcode, gint64 start,
             gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track track = track_of (run, core, NPROF_TRACK_ENGINE, engines[engine]);
  struct nprof_writer *w = span (run, track, "instruction", opcode, start, duration);
  nprof_attr_str (w, nprof_intern (h, NPROF_KEY_ENGINE), nprof_intern (h, engines[engine]));
}

/* device: part of its label, NULL: any */
static const char *
cell (NprofTestRun *run, const char *device, const char *metric, const char *column)
{
  const NprofTestTable *t = nprof_test_table (run, "neuron_summary");
  for (guint row = 0; row < t->n_rows; row++) {
    const char *on = nprof_test_cell (run, "neuron_summary", row, "device");
    if (g_str_equal (nprof_test_cell (run, "neuron_summary", row, "metric"), metric)
        && (!device || (on && strstr (on, device))))
      return nprof_test_cell (run, "neuron_summary", row, column);
  }
  g_assert_not_reached ();
}

#define VALUE(metric) cell (run, NULL, metric, "value")

static double
value (NprofTestRun *run, const char *metric)
{
  const char *text = VALUE (metric);
  g_assert_nonnull (text);
  return g_ascii_strtod (text, NULL);
}

static void
test_metrics (void)
{
  g_autoptr (NprofTestRun) run = open_run ("peak_flops=1e12,peak_bandwidth=1e9", 0);
  span (run, track_of (run, "nc0", 0, NULL), "execution", "exec", 0, 1000000);
  instruction (run, "nc0", 3, "DRAIN (likely)", 0, 10); /* setup: not in total_exec_time */
  instruction (run, "nc0", 0, "MATMUL", 100, 100);
  number (run, NPROF_KEY_FLOPS, 300000);
  number (run, "flops_transpose", 100000);
  number (run, "hbm_read_bytes", 100);
  number (run, "event_wait", 7);
  instruction (run, "nc0", 0, "MATMUL", 150, 100); /* overlaps */
  instruction (run, "nc0", 2, "ACTIVATE_QUANTIZE", 200, 5);
  span (run, track_of (run, "nc0", NPROF_TRACK_QUEUE, "DMA 0"), "dma", "t", 400, 50);
  number (run, NPROF_KEY_BYTES, 4096);
  number (run, "hbm_write_bytes", 100);
  span (run, track_of (run, "nc0", NPROF_TRACK_DERIVED, "throttle"), "throttle", "throttle", 0,
        250000);
  span (run, track_of (run, "nc0", NPROF_TRACK_ENGINE, "active PE"), "active", "a", 0, 900);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpfloat (value (run, "total_time"), ==, 1e-6);
  g_assert_cmpfloat (value (run, "tensor_engine_instruction_time"), ==, 200e-12);
  g_assert_cmpfloat (value (run, "tensor_engine_active_time"), ==, 150e-12);
  g_assert_cmpfloat (value (run, "tensor_engine_active_time_percent"), ==, 150e-12 / 1e-6);
  g_assert_cmpstr (VALUE ("tensor_engine_instruction_count"), ==, "2");
  g_assert_cmpstr (VALUE ("matmul_instruction_count"), ==, "2");
  g_assert_cmpstr (VALUE ("activate_instruction_count"), ==, "1");
  g_assert_cmpfloat (value (run, "tensor_engine_semaphore_wait_time"), ==, 7e-12);
  g_assert_cmpfloat (value (run, "total_exec_time"), ==, 350e-12);
  g_assert_cmpfloat (value (run, "total_active_time"), ==, 210e-12);
  g_assert_cmpfloat (value (run, "throttle_active_time_percent"), ==, 0.25);
  g_assert_null (VALUE ("dma_transfer_total_bytes")); /* packets, and no transfer around them */
  g_assert_cmpfloat_with_epsilon (value (run, "hfu_estimated_percent"), 300000 / (1e12 * 1e-6),
                                  1e-8);
  g_assert_cmpfloat (value (run, "mm_arithmetic_intensity"), ==, 1000);
  g_assert_cmpstr (VALUE ("dma_transfer_count"), ==, NULL);
  g_assert_nonnull (strstr (cell (run, NULL, "dma_transfer_count", "reason"), "DMA packets"));
  g_assert_null (cell (run, NULL, "total_time", "reason"));
  g_assert_cmpstr (cell (run, NULL, "hfu_estimated_percent", "group"), ==, "tensor_engine");
  g_assert_cmpstr (cell (run, NULL, "hfu_estimated_percent", "unit"), ==, "1");
}

static void
test_unknown (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL, 0);
  instruction (run, "nc0", 0, "pc 0x12", 0, 10);
  instruction (run, "nc0", 0, "pc 0x13", 0, -1);
  instruction (run, "nc1", 1, "IOTA", 0, 10);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_null (VALUE ("total_time"));
  g_assert_null (VALUE ("hfu_estimated_percent"));
  g_assert_null (VALUE ("hbm_read_bytes"));
  g_assert_cmpstr (VALUE ("vector_engine_instruction_count"), ==, "1");
  g_assert_true (nprof_test_logged (run, "spans without an end in the file: 1"));
}

static void
test_no_neuron (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL, 0);
  span (run, track_of (run, "nc0", NPROF_TRACK_ENGINE, "XLA Ops"), "fusion", "f", 0, 10);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "neuron_summary")->n_rows, ==, 0);
}

/* -- What tables state ------------------------------------------------------------------------- */

static const struct nprof_table metrics = {
  .size = sizeof metrics,
  .name = "neuron_metrics",
  .title = "Metrics",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "bucket", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "metric", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "value", "", "")),
};
static const struct nprof_table tensors = {
  .size = sizeof tensors,
  .name = "tensors",
  .title = "Tensors",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "usage", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "")),
};

static void
stated (NprofTestRun *run, const char *bucket, const char *metric, double x)
{
  const struct nprof_host *h = nprof_test_host (run);
  const struct nprof_cell cells[]
      = { nprof_cell_str (h->input (h, 0)->label), nprof_cell_str (nprof_intern (h, bucket)),
          nprof_cell_str (nprof_intern (h, metric)), nprof_cell_double (x) };
  h->row (h, &metrics, cells);
}

/* A summary alone: what follows is computed from what it states, as in golden figures of Trn1. */
static void
test_summary_alone (void)
{
  g_autoptr (NprofTestRun) run = open_run ("peak_flops=91.7504e12,peak_bandwidth=410e9", 0);
  const struct nprof_host *h = nprof_test_host (run);
  h->table (h, &metrics);
  stated (run, "n_a", "total_time", 0.0548241657);
  stated (run, "n_a", "hardware_flops", 636.277e9);
  stated (run, "n_a", "transpose_flops", 110.7e9);
  stated (run, "n_a", "hfu_estimated_percent", 0.9); /* not believed */
  stated (run, "n_a", "cc_op_active_time_percent", 0.5);
  stated (run, "n_a", "no_such_metric", 1);
  stated (run, "n_b", "total_time", 7);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpfloat_with_epsilon (value (run, "hfu_estimated_percent"), 0.1265, 5e-5);
  g_assert_cmpstr (cell (run, "n_a", "total_time", "formula"), ==, "as the file states it");
  g_assert_cmpstr (cell (run, "n_a", "cc_op_active_time_percent", "value"), ==, "0.5");
  g_assert_cmpstr (cell (run, "n_b", "total_time", "value"), ==, "7");
  g_assert_null (cell (run, "n_b", "hfu_estimated_percent", "value"));
}

static void
test_stated_beside_rows (void)
{
  g_autoptr (NprofTestRun) run = open_run (NULL, 0);
  const struct nprof_host *h = nprof_test_host (run);
  h->table (h, &metrics);
  h->table (h, &tensors);
  stated (run, "n_a", "total_time", 2);
  stated (run, "n_a", "tensor_engine_instruction_count", 99);
  static const char *const usages[] = { "IN", "WEIGHT", "OUT", "internal" };
  for (guint i = 0; i < 4; i++) {
    const struct nprof_cell cells[]
        = { nprof_cell_str (h->input (h, 0)->label), nprof_cell_str (nprof_intern (h, usages[i])),
            nprof_cell_uint (1u << i) };
    h->row (h, &tensors, cells);
  }
  instruction (run, "nc0", 0, "MATMUL", 0, 10);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "neuron_summary")->n_rows, <, 150); /* one core */
  g_assert_cmpstr (VALUE ("total_time"), ==, "2");
  g_assert_cmpstr (VALUE ("tensor_engine_instruction_count"), ==, "1");
  g_assert_cmpstr (VALUE ("weight_size_bytes"), ==, "2");
  g_assert_cmpstr (VALUE ("inputs_and_weights_size_bytes"), ==, "3");
  g_assert_cmpstr (VALUE ("inputs_outputs_weights_size_bytes"), ==, "7");
}

/* -- Random rows ------------------------------------------------------------------------------- */

static void
random_run (GRand *rand, guint batch)
{
  enum { LAST = 60 };
  guint8 busy[5][LAST] = { 0 }, any[LAST] = { 0 };
  gint64 total[5] = { 0 }, covered[6] = { 0 };
  g_autoptr (NprofTestRun) run = open_run (NULL, batch);
  for (guint i = 0, n = (guint) g_rand_int_range (rand, 1, 30); i < n; i++) {
    guint e = (guint) g_rand_int_range (rand, 0, 5);
    gint64 start = g_rand_int_range (rand, 0, 40), length = g_rand_int_range (rand, 0, 20);
    instruction (run, "nc0", e, "IOTA", start, length);
    total[e] += length;
    memset (busy[e] + start, 1, (size_t) length);
    memset (any + start, 1, (size_t) length);
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  for (guint at = 0; at < LAST; at++) {
    for (guint e = 0; e < 5; e++)
      covered[e] += busy[e][at];
    covered[5] += any[at];
  }
  for (guint e = 0; e < 5; e++) {
    g_autofree char *time = g_strdup_printf ("%s_engine_instruction_time", engines[e]),
                    *active = g_strdup_printf ("%s_engine_active_time", engines[e]);
    g_assert_cmpfloat (value (run, time), ==, (double) total[e] / 1e12);
    g_assert_cmpfloat (value (run, active), ==, (double) covered[e] / 1e12);
  }
  g_assert_cmpfloat (value (run, "total_active_time"), ==, (double) covered[5] / 1e12);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);
  for (guint round = 0; round < 500; round++)
    random_run (rand, 1 + round % 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  neuron = nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "neuron");
  g_test_add_func ("/neuron/metrics", test_metrics);
  g_test_add_func ("/neuron/unknown", test_unknown);
  g_test_add_func ("/neuron/no-neuron", test_no_neuron);
  g_test_add_func ("/neuron/summary-alone", test_summary_alone);
  g_test_add_func ("/neuron/stated-beside-rows", test_stated_beside_rows);
  g_test_add_func ("/neuron/random", test_random);
  return g_test_run ();
}
