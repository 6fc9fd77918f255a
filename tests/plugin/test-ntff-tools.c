/* SPDX-License-Identifier: Apache-2.0 */
/* test-ntff-tools.c - what the decoder ntff makes of the outputs of the Neuron tools: against what
 * the generator knows, by hand for what it lacks, damaged, and beside other formats. */
#include "testhost.h"

#include <glib/gstdio.h>

#define BUCKET "n_47cf9972d42798d236caa68952d0d29a76d8bd66"

static const struct nprof_component *decoder;

typedef struct {
  char *text;
  GHashTable *expected;
} Sample;

static void
sample_clear (Sample *s)
{
  g_clear_pointer (&s->text, g_free);
  g_clear_pointer (&s->expected, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

static const char *const names[]
    = { "synthetic_device.json", "synthetic_system.json",  "synthetic_system_new.json",
        "synthetic_events.json", "synthetic_summary.json", "synthetic_summary.txt" };

static char *
take_file (const char *folder, const char *name, const char *ending)
{
  char *text = NULL;
  g_autofree char *full = g_strconcat (name, ending, NULL);
  g_autofree char *path = g_build_filename (folder, full, NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_remove (path);
  return text;
}

static Sample
make (const char *name, guint seed, const char *instructions)
{
  GError *error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("nprof-tools-XXXXXX", &error);
  g_autofree char *number = g_strdup_printf ("%u", seed);
  const char *argv[] = { g_getenv ("PYTHON"),
                         g_getenv ("TOOLS_MAKE"),
                         folder,
                         "--seed",
                         number,
                         "--instructions",
                         instructions,
                         NULL };
  int status = -1;
  Sample s = { NULL, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                               &status, &error));
  g_assert_cmpint (status, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *text = take_file (folder, names[i], "");
    g_autofree char *table = take_file (folder, names[i], ".tsv");
    if (!g_str_equal (names[i], name))
      continue;
    s.text = g_steal_pointer (&text);
    g_auto (GStrv) lines = g_strsplit (table, "\n", -1);
    for (guint k = 0; lines[k] && *lines[k]; k++) {
      g_auto (GStrv) pair = g_strsplit (lines[k], "\t", 2);
      g_hash_table_insert (s.expected, g_strdup (pair[0]), g_strdup (pair[1]));
    }
  }
  g_rmdir (folder);
  return s;
}

static gint64
expected (const Sample *s, const char *key)
{
  const char *text = g_hash_table_lookup (s->expected, key);
  g_assert_nonnull (text);
  return g_ascii_strtoll (text, NULL, 10);
}

static NprofTestRun *
decode_text (const char *text, const char *options)
{
  NprofTestRun *run = nprof_test_decode (decoder, options, text, strlen (text), NULL);
  nprof_test_assert_ok (run);
  return run;
}

static gint64
sum (const NprofTestRun *run, const char *path, const char *category, guint *n)
{
  gint64 total = 0;
  *n = 0;
  for (guint i = 0; i < run->n_rows; i++) {
    const NprofTestRow *row = &run->rows[i];
    if (row->kind != NPROF_SPAN || (path && !g_str_has_suffix (row->path, path))
        || !g_str_equal (row->category, category))
      continue;
    total += row->duration;
    ++*n;
  }
  return total;
}

/* -- Against the generator -------------------------------------------------------------------- */

static gint64
sum_attr (const NprofTestRun *run, const char *category, const char *key)
{
  gint64 total = 0;
  for (guint i = 0; i < run->n_rows; i++) {
    const char *text = nprof_test_attr (&run->rows[i], key);
    if (text && g_str_equal (run->rows[i].category, category))
      total += g_ascii_strtoll (text, NULL, 10);
  }
  return total;
}

static guint
count_opcode (const NprofTestRun *run, const char *path, const char *name)
{
  guint n = 0;
  for (guint i = 0; i < run->n_rows; i++)
    n += g_str_has_suffix (run->rows[i].path, path) && g_str_equal (run->rows[i].name, name)
         && g_strcmp0 (nprof_test_attr (&run->rows[i], "opcode"), name) == 0;
  return n;
}

static void
test_device (void)
{
  static const char *const engines[] = { "PE", "ACT", "POOL", "DVE", "SP" };
  for (guint seed = 1; seed <= 5; seed++) {
    g_auto (Sample) s = make (names[0], seed, "60");
    g_autoptr (NprofTestRun) run = decode_text (s.text, NULL);
    guint n, all = 0;
    gint64 total = 0, first = G_MAXINT64;
    for (guint i = 0; i < G_N_ELEMENTS (engines); i++) {
      g_autofree char *path = g_strconcat ("Neuron device 2/NeuronCore 1/", engines[i], NULL);
      g_autofree char *key = g_strconcat (engines[i], " busy_ps", NULL);
      g_assert_cmpint (sum (run, path, "instruction", &n), ==, expected (&s, key));
      all += n;
    }
    g_assert_cmpuint (all, ==, expected (&s, "spans"));
    g_assert_cmpuint (count_opcode (run, "/PE", "MATMUL"), ==, expected (&s, "PE MATMUL"));
    g_assert_cmpint (sum_attr (run, "instruction", "hbm_read_bytes"), ==,
                     expected (&s, "hbm_read"));
    total = sum (run, NULL, "dma", &n);
    g_assert_cmpuint (n, ==, expected (&s, "dma"));
    g_assert_cmpint (total, ==, 7000 * n);
    g_assert_cmpint (sum_attr (run, "dma", "bytes"), ==, expected (&s, "dma bytes"));
    for (guint i = 0; i < run->n_rows; i++)
      if (run->rows[i].kind != NPROF_FACT)
        first = MIN (first, run->rows[i].start);
    g_assert_cmpint (first, ==, 0);
    g_assert_cmpint (run->origin, ==, NPROF_NO_EPOCH);
  }
}

static void
test_device_rest (void)
{
  g_auto (Sample) s = make (names[0], 3, "20");
  g_autoptr (NprofTestRun) run = decode_text (s.text, NULL);
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "peak_flops"), ==, "91750400000000");
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "peak_bandwidth"), ==, "410000000000");
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "clock_rate"), ==, "2800000000");
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "model_flops"), ==, "123456");
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "bytes_accessed"), ==, "11");
  g_assert_cmpstr (nprof_test_cell (run, "tensors", 0, "shape"), ==, "[2048,512]");
  g_assert_cmpstr (nprof_test_cell (run, "tensors", 0, "usage"), ==, "input");
  g_assert_cmpstr (nprof_test_cell (run, "tensors", 1, "bytes"), ==, "8");
  g_assert_cmpstr (nprof_test_property (run, "instance_type"), ==, "trn1.2xlarge");
  g_assert_cmpstr (nprof_test_property (run, "time_unit"), ==, "ns");
  g_assert_cmpstr (nprof_test_cell (run, "neuron_details", 0, "section"), ==,
                   "stack_frame_function_name");
  g_assert_cmpuint (nprof_test_skips (run, "node of a tensor"), ==, 1);
  const NprofTestRow *row = nprof_test_row (run, "MATMUL");
  g_assert_true (g_str_has_prefix (nprof_test_attr (row, "hlo_op"), "add."));
  g_assert_true (g_str_has_prefix (nprof_test_attr (row, "hlo_text"), "%add."));
  g_assert_cmpstr (nprof_test_attr (row, "engine"), ==, "tensor");
  g_assert_nonnull (strstr (nprof_test_attr (row, "args"), "\"operands\": \"S["));
  g_assert_null (strstr (nprof_test_attr (row, "args"), "layer"));
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "qSpill0"), "tensor"), ==, "weights");
  row = nprof_test_row (run, "active");
  g_assert_cmpstr (row->path, ==, "Neuron device 2/NeuronCore 1/active PE");
  g_assert_cmpint (row->duration, ==, 50000);
  g_assert_cmpint (nprof_test_row (run, "layer_0")->duration, ==, 9000);
}

static void
test_system (void)
{
  for (guint which = 1; which <= 2; which++) {
    g_auto (Sample) s = make (names[which], which, "50");
    g_autoptr (NprofTestRun) run = decode_text (s.text, NULL);
    guint runtime, framework;
    gint64 total = sum (run, NULL, "runtime", &runtime) + sum (run, NULL, "framework", &framework);
    g_assert_cmpuint (runtime + framework, ==, expected (&s, "events"));
    g_assert_cmpint (total, ==, expected (&s, "duration_ps"));
    g_assert_cmpint (run->origin, ==, expected (&s, "origin"));
    const NprofTestRow *row = nprof_test_row (run, "nrt_tensor_write");
    g_assert_cmpint (row->start, ==, expected (&s, "first_ps"));
    g_assert_cmpstr (row->path, ==, "host 1/process 701/nrt-nc-000 thread 1627711");
    g_assert_cmpuint (row->id, ==, 1);
    g_assert_cmpstr (nprof_test_attr (row, "bytes"), ==, "4");
    g_assert_cmpstr (nprof_test_attr (row, "tensor"), ==, "w0");
    g_assert_cmpfloat (nprof_test_row (run, "mem_usage/usage")->value, ==, 51805806592.0);
    g_assert_cmpfloat (nprof_test_row (run, "cpu_util/47")->value, ==, 2.3255813);
    if (which == 2)
      g_assert_cmpstr (nprof_test_fact (run, NULL, "memory_size"), ==, "17179869184");
  }
}

static void
test_events (void)
{
  g_auto (Sample) s = make (names[3], 5, "50");
  g_autoptr (NprofTestRun) run = decode_text (s.text, NULL);
  guint runtime, hardware;
  gint64 starts = 0;
  g_assert_cmpint (sum (run, NULL, "runtime", &runtime), ==, expected (&s, "host_ps"));
  g_assert_cmpint (sum (run, "NeuronCore 1", "hardware", &hardware), ==,
                   expected (&s, "hardware_ps"));
  g_assert_cmpuint (runtime + hardware, ==, expected (&s, "spans"));
  for (guint i = 0; i < run->n_rows; i++)
    if (g_str_equal (run->rows[i].name, "nc_exec_running"))
      starts += run->rows[i].start;
  g_assert_cmpint (starts, ==, expected (&s, "hardware_start_ps"));
  g_assert_cmpint (run->origin, ==, expected (&s, "origin"));
  g_assert_cmpstr (nprof_test_property (run, "data_version"), ==, "2");
}

static const char *
metric (const NprofTestRun *run, const char *name, const char *column)
{
  const NprofTestTable *table = nprof_test_table (run, "neuron_metrics");
  for (guint i = 0; table && i < table->n_rows; i++)
    if (g_str_equal (nprof_test_cell (run, "neuron_metrics", i, "metric"), name))
      return nprof_test_cell (run, "neuron_metrics", i, column);
  g_error ("no metric %s", name);
}

static void
test_summaries (void)
{
  for (guint which = 4; which <= 5; which++) {
    g_auto (Sample) s = make (names[which], 1, "1");
    g_autoptr (NprofTestRun) run = decode_text (s.text, NULL);
    g_assert_cmpstr (metric (run, "total_time", "value"), ==, "0.017");
    g_assert_cmpstr (metric (run, "total_time", "unit"), ==, "s");
    g_assert_cmpstr (nprof_test_fact (run, "Neuron device 2", "model_flops"), ==,
                     g_hash_table_lookup (s.expected, "model_flops"));
    if (which == 4) {
      g_assert_cmpstr (metric (run, "mfu_estimated_percent", "value"), ==, "0.1806");
      g_assert_cmpstr (metric (run, "mfu_estimated_percent", "unit"), ==, "1");
      g_assert_cmpstr (metric (run, "mfu_estimated_percent", "bucket"), ==, BUCKET);
      g_assert_null (metric (run, "hfu_estimated_percent", "value"));
      g_assert_cmpstr (metric (run, "hfu_estimated_percent", "text"), ==, "NaN");
    } else {
      g_assert_cmpstr (metric (run, "nc_idx", "group"), ==, "overall_stats");
      g_assert_cmpstr (metric (run, "tensor_engine_instruction_count", "group"), ==,
                       "tensor_engine");
    }
  }
}

/* -- By hand ----------------------------------------------------------------------------------- */

/* The example of the vendor's guide, as it stands there. */
static void
test_guide (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{ \"summary\": [ { \"total_time\": 0.017, \"event_count\": 11215 } ], \"instruction\": [ { "
      "\"timestamp\": 10261883214, \"duration\": 148, \"label\": \"TensorMatrix\", \"hlo_name\": "
      "\"%add.1 = add(%dot, %custom-call.44)\", \"opcode\": \"MATMUL\", \"operands\": \"S[5]\" } ] "
      "}",
      NULL);
  const NprofTestRow *row = nprof_test_row (run, "MATMUL");
  g_assert_cmpint (row->duration, ==, 148000);
  g_assert_cmpstr (row->path, ==, "Neuron device/NeuronCore/PE");
  g_assert_cmpstr (nprof_test_attr (row, "hlo_op"), ==, "add.1");
  g_assert_cmpstr (nprof_test_attr (row, "args"), ==,
                   "{\"label\": \"TensorMatrix\",\"operands\": \"S[5]\"}");
}

/* Times that total_time proves to be ps; and the option that says so. */
static void
test_unit (void)
{
  static const char text[]
      = "{\"instruction\":[{\"timestamp\":1000000000,\"duration\":700,\"subgroup\":\"Sync\","
        "\"opcode\":\"A\"},"
        "{\"timestamp\":2000000000,\"duration\":1.5,\"subgroup\":\"Sync\",\"opcode\":\"B\"}],"
        "\"summary\":[{\"total_time\":%s}]}";
  g_autofree char *ps = g_strdup_printf (text, "0.001"), *ns = g_strdup_printf (text, "1.0");
  g_autofree char *odd = g_strdup_printf (text, "1e6");
  g_autoptr (NprofTestRun) as_ps = decode_text (ps, NULL), as_ns = decode_text (ns, NULL);
  g_assert_cmpint (nprof_test_row (as_ps, "A")->duration, ==, 700);
  g_assert_cmpint (nprof_test_row (as_ps, "B")->start, ==, 1000000000);
  g_assert_true (nprof_test_logged (as_ps, "times are taken for ps, not ns"));
  g_assert_cmpint (nprof_test_row (as_ns, "A")->duration, ==, 700000);
  g_assert_cmpint (nprof_test_row (as_ns, "B")->duration, ==, 1500);
  g_autoptr (NprofTestRun) told = decode_text (ps, "unit=ns"), strange = decode_text (odd, NULL);
  g_assert_cmpint (nprof_test_row (told, "A")->duration, ==, 700000);
  g_assert_true (
      nprof_test_logged (strange, "times the total_time of the summary; unit= says otherwise"));
}

/* Records without a place are counted, with their first byte; all others are read. */
static void
test_wrong_types (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{\"instruction\":[{\"timestamp\":1,\"opcode\":\"X\"},{\"timestamp\":\"soon\",\"opcode\":"
      "\"X\"},"
      "{\"opcode\":\"X\"},7,null,{\"timestamp\":5,\"duration\":NaN,\"opcode\":\"N\"},"
      "{\"timestamp\":6,\"duration\":-2,\"opcode\":\"M\"},{\"timestamp\":null,\"opcode\":\"X\"},"
      "{\"timestamp\":7,\"duration\":\"3\",\"opcode\":\"S\",\"subgroup\":\"Odd\",\"pc\":\"x\"},"
      "{\"timestamp\":1e40,\"opcode\":\"X\"}],"
      "\"instruction\":[{\"timestamp\":9,\"duration\":1,\"opcode\":\"again\",\"opcode\":\"twice\"}]"
      ","
      "\"dma\":3,\"summary\":\"x\",\"neff_node\":[{\"size\":5}],"
      "\"pending_dma\":[{\"timestamp\":4,\"value\":12}],\"annotation\":[{\"timestamp\":4,\"name\":"
      "\"here\"}]}",
      NULL);
  g_assert_cmpuint (nprof_test_skips (run, "instruction"), ==, 6);
  g_assert_cmpuint (nprof_test_skips (run, "end of a record"), ==, 2);
  g_assert_cmpuint (nprof_test_skips (run, "dma"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "summary"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "tensor"), ==, 1);
  g_assert_cmpint (nprof_test_row (run, "N")->duration, ==, -1);
  g_assert_cmpint (nprof_test_row (run, "M")->duration, ==, -1);
  g_assert_cmpint (nprof_test_row (run, "S")->duration, ==, 3000);
  g_assert_cmpstr (nprof_test_row (run, "S")->path, ==, "Neuron device/NeuronCore/Odd");
  g_assert_nonnull (strstr (nprof_test_attr (nprof_test_row (run, "S"), "args"), "\"pc\":\"x\""));
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "again"), "args"), ==,
                   "{\"opcode\":\"twice\"}");
  g_assert_cmpfloat (nprof_test_row (run, "pending_dma")->value, ==, 12);
  g_assert_cmpuint (nprof_test_row (run, "here")->kind, ==, NPROF_INSTANT);
}

static void
test_semaphores_and_cores (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{\"metadata\":[{\"hbm_ddr_bandwidth\":1,\"tensor_engine_clock_freq\":2.4,\"neuroncore_idx\":"
      "3}],"
      "\"semaphore\":[{\"timestamp\":1,\"id\":\"S[10] "
      "(q)\",\"value\":2,\"update_source\":\"Tensor\","
      "\"pcore_idx\":1},{\"timestamp\":2,\"id\":7,\"value\":1,\"update_source\":\"AXI\"}],"
      "\"throttle\":[{\"timestamp\":3,\"duration\":4,\"k\":1,\"n\":2,\"type\":\"activity_0\"}],"
      "\"cc_op\":[{\"start_ts\":5,\"end_ts\":8,\"operation\":\"AllGather\",\"stream_index\":0}],"
      "\"cc_instruction\":[{\"start_ts\":5,\"duration_ns\":8,\"core_idx\":2,\"description\":"
      "\"step\"}],"
      "\"dma\":[{\"timestamp\":5,\"duration\":1,\"engine_idx\":2,\"queue_idx\":3,\"transfer_"
      "bytes\":9}],"
      "\"instruction\":[{\"start_ts\":9,\"end_ts\":\"11\",\"opcode\":\"A\",\"engine\":\"vector\","
      "\"pcore_idx\":1}]}",
      NULL);
  const NprofTestRow *row = nprof_test_row (run, "semaphore 10");
  g_assert_cmpstr (row->category, ==, "semaphore");
  g_assert_cmpfloat (row->value, ==, 2);
  g_assert_cmpstr (nprof_test_row (run, "semaphore 7")->path, ==, "Neuron device/NeuronCore 3/AXI");
  g_assert_cmpint (nprof_test_row (run, "limited to 1/2")->duration, ==, 4000);
  g_assert_cmpstr (nprof_test_row (run, "AllGather")->category, ==, "collective");
  g_assert_cmpstr (nprof_test_row (run, "step")->path, ==, "Neuron device/NeuronCore 3/CC-core 2");
  g_assert_cmpint (nprof_test_row (run, "step")->duration, ==, 8000);
  g_assert_cmpstr (nprof_test_row (run, "queue 3")->path, ==,
                   "Neuron device/NeuronCore 3/DMA 2 queue 3");
  g_assert_cmpstr (nprof_test_row (run, "A")->path, ==,
                   "Neuron device/NeuronCore 3, physical core 1/DVE");
  g_assert_cmpint (nprof_test_row (run, "A")->duration, ==, 2000);
}

#define EVENT(type, phase, tracking, data, time)                                                   \
  "{\"event_type\":\"" type "\",\"phase\":\"" phase                                                \
  "\",\"nc_idx\":0,\"thread_id\":1,\"tracking_id\":" #tracking ",\"data\":{" data                  \
  "},\"timestamp_ns\":" #time "}"

/* Times that the runtime has put on the host's clock stay; without a sync point none is made up. */
static void
test_clocks (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{\"data_version\":2,\"events\":[" EVENT ("host", "start", 1, "", 2000000000000000000) "," EVENT ("aligned", "start", 2, "\"nc_timestamp_ns\":5", 2000000000000000100) "," EVENT (
          "aligned", "stop", 2, "\"nc_timestamp_ns\":9",
          2000000000000000104) "," EVENT ("lost", "instant", 3, "\"nc_timestamp_ns\":7",
                                          7) "," EVENT ("host", "stop", 9, "",
                                                        2000000000000000050) "," EVENT ("mark",
                                                                                        "instant",
                                                                                        0,
                                                                                        "\"size\":"
                                                                                        "5",
                                                                                        2000000000000000060) "," EVENT ("done",
                                                                                                                        "start",
                                                                                                                        4,
                                                                                                                        "",
                                                                                                                        2000000000000000070) "," EVENT ("done",
                                                                                                                                                        "stop",
                                                                                                                                                        4,
                                                                                                                                                        "\"allocated_bytes\":3",
                                                                                                                                                        2000000000000000071) ",5,{\"event_type\":\"x\"}]}",
      NULL);
  g_assert_cmpint (nprof_test_row (run, "host")->duration, ==, -1);
  g_assert_cmpint (nprof_test_row (run, "aligned")->start, ==, 100000);
  g_assert_cmpint (nprof_test_row (run, "aligned")->duration, ==, 4000);
  g_assert_null (nprof_test_row (run, "lost"));
  g_assert_cmpuint (nprof_test_skips (run, "runtime event"), ==, 3);
  g_assert_cmpuint (nprof_test_skips (run, "stop of a runtime event"), ==, 1);
  g_assert_true (nprof_test_logged (run, "no timestamp_sync_point of their cores"));
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "mark"), "bytes"), ==, "5");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "done"), "stop_data"), ==,
                   "{\"allocated_bytes\":3}");
  g_assert_cmpint (run->origin, ==, G_GINT64_CONSTANT (2000000000000000000));
}

/* Ids count in each section and for each core: a column for them would join what is apart. */
static void
test_ids (void)
{
  g_autoptr (NprofTestRun) run
      = decode_text ("{\"instruction\":[{\"timestamp\":1,\"opcode\":\"A\",\"id\":1}],"
                     "\"dma\":[{\"timestamp\":1,\"transfer_size\":4,\"id\":1}]}",
                     NULL);
  g_assert_cmpuint (run->n_rows, ==, 2);
  for (guint i = 0; i < run->n_rows; i++) {
    g_assert_cmpuint (run->rows[i].id, ==, 0);
    g_assert_cmpstr (nprof_test_attr (&run->rows[i], "args"), ==, "{\"id\":1}");
  }
}

/* Attributes that a stop has and its start has not are kept, and only those. */
static void
test_stop_args (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{\"events\":[{\"event_type\":\"a\",\"phase\":\"start\",\"thread_id\":1,\"id\":7,"
      "\"timestamp_ns\":10},{\"event_type\":\"a\",\"phase\":\"stop\",\"thread_id\":1,"
      "\"id\":8,\"timestamp_ns\":12,\"error\":\"x\"}]}",
      NULL);
  g_assert_cmpuint (run->n_rows, ==, 1);
  g_assert_cmpstr (nprof_test_attr (run->rows, "args"), ==, "{\"id\":7}");
  g_assert_cmpstr (nprof_test_attr (run->rows, "stop_args"), ==, "{\"id\":8,\"error\":\"x\"}");
  g_assert_null (nprof_test_attr (run->rows, "stop_data"));
}

/* Nothing may walk along all that is open: this took minutes once. */
static void
test_many_open (void)
{
  enum { STARTS = 200000 };
  g_autoptr (GString) text = g_string_new ("{\"events\":[");
  for (guint i = 0; i < STARTS; i++)
    g_string_append_printf (text, "{\"event_type\":\"a\",\"phase\":\"start\",\"timestamp_ns\":%u},",
                            1000 + i);
  g_string_append_printf (text, "{\"event_type\":\"a\",\"phase\":\"stop\",\"timestamp_ns\":%u}]}",
                          1005 + STARTS);
  g_autoptr (NprofTestRun) run = decode_text (text->str, NULL);
  guint closed = 0;
  g_assert_cmpuint (run->n_rows, ==, STARTS);
  for (guint i = 0; i < run->n_rows; i++) {
    closed += run->rows[i].duration >= 0;
    if (run->rows[i].duration >= 0)
      g_assert_cmpint (run->rows[i].duration, ==, 6000); /* the last start's */
  }
  g_assert_cmpuint (closed, ==, 1);
}

/* Starts of one key lie within each other; those without a stop have no end. */
static void
test_nested (void)
{
  g_autoptr (NprofTestRun) run
      = decode_text ("{\"events\":[" EVENT ("a", "start", 1, "", 1000) "," EVENT (
                         "a", "start", 1, "",
                         1010) "," EVENT ("a", "start", 1, "",
                                          1020) "," EVENT ("a", "stop", 1, "",
                                                           1021) "," EVENT ("a", "stop", 1, "",
                                                                            1050) "]}",
                     NULL);
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpint (run->rows[0].duration, ==, 1000);
  g_assert_cmpint (run->rows[1].duration, ==, 40000);
  g_assert_cmpint (run->rows[2].duration, ==, -1);
  g_assert_cmpint (run->rows[2].start, ==, 0);
}

/* The guide shows events as members of an object; ids count in each process. */
static void
test_system_by_hand (void)
{
  g_autoptr (NprofTestRun) run = decode_text (
      "{\"Neuron_Runtime_API_Event\":{\"duration\":27094,\"group\":\"nrt-nc-003\",\"id\":1,"
      "\"parent_id\":0,"
      "\"instance_id\":\"i-1\",\"process_id\":\"7\",\"name\":\"nrt_execute\",\"timestamp\":"
      "1729888371056597613},"
      "\"Framework_Event\":{\"duration\":1,\"group\":\"framework-8\",\"instance_id\":\"i-1\","
      "\"name\":\"f\","
      "\"process_id\":\"8\",\"thread_id\":8,\"id\":1,\"timestamp\":1729888382798557372},"
      "\"trace_events\":{\"A\":{\"duration\":5,\"group\":\"nrt-nc-003\",\"name\":\"nc_exec_"
      "running\","
      "\"lnc_idx\":\"3\",\"process_id\":\"7\",\"timestamp\":1729888371056597700}}}",
      NULL);
  g_assert_cmpint (nprof_test_row (run, "nrt_execute")->duration, ==, 27094000);
  g_assert_cmpuint (nprof_test_row (run, "nrt_execute")->id, ==, 1);
  g_assert_cmpuint (nprof_test_row (run, "f")->id, >, G_GUINT64_CONSTANT (1) << 63);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "f"), "args"), ==, "{\"id\":1}");
  g_assert_cmpstr (nprof_test_row (run, "nc_exec_running")->path, ==,
                   "host/process 7/Neuron device/NeuronCore 3");
  g_assert_cmpstr (nprof_test_row (run, "nc_exec_running")->category, ==, "hardware");
}

/* Groups within a bucket, two buckets of one device, a flat one. */
static void
test_summary_shapes (void)
{
  g_autoptr (NprofTestRun) run
      = decode_text ("{\"" BUCKET
                     "\":{\"overall_stats\":{\"total_time\":1,\"model_flops\":5},\"nd_idx\":0},"
                     "\"p_47cf9972d42798d236caa68952d0d29a76d8bd66\":{\"model_flops\":\"6\",\"nd_"
                     "idx\":0,\"x\":[1]}}",
                     NULL);
  g_assert_cmpstr (metric (run, "total_time", "group"), ==, "overall_stats");
  g_assert_cmpstr (nprof_test_fact (run, "Neuron device 0", "model_flops"), ==, "5");
  g_assert_cmpstr (
      nprof_test_fact (run, "Neuron device 0/NeuronCore/p_47cf9972d42798d236caa68952d0d29a76d8bd66",
                       "model_flops"),
      ==, "6");
  g_assert_cmpstr (metric (run, "x", "text"), ==, "[1]");
  g_autoptr (NprofTestRun) flat
      = decode_text ("{\"total_time\": 2, \"event_count\": 3, \"model_flops\": 4}", NULL);
  g_assert_cmpstr (metric (flat, "event_count", "value"), ==, "3");
  g_autoptr (NprofTestRun) text = decode_text (
      "== " BUCKET
      " ==\n\nnc_idx: 0\ntotal_time = 1.5\n| event_count | 7 |\n12 13\nnc_idx: 1\ntotal_time = 2\n",
      NULL);
  g_assert_cmpstr (metric (text, "event_count", "value"), ==, "7");
  g_assert_cmpstr (nprof_test_cell (text, "neuron_metrics", 0, "bucket"), ==, BUCKET);
  g_assert_cmpstr (nprof_test_cell (text, "neuron_metrics", 3, "bucket"), ==, "2");
  g_assert_cmpuint (nprof_test_skips (text, "line of a summary"), ==, 1);
}

/* -- Damage ------------------------------------------------------------------------------------ */

/* Cut at every fifth byte, with NPROF_TEST_ALL at every one: an error that names a byte, or with
 * keep_going the rows until then; never a crash, and what is no longer known as one of ours is
 * refused as any file is. */
static void
test_cut (void)
{
  for (guint which = 0; which < G_N_ELEMENTS (names); which++) {
    g_auto (Sample) s = make (names[which], 1, "2");
    gsize len = strlen (s.text);
    guint before = 0;
    while (len && g_ascii_isspace (s.text[len - 1]))
      len--;
    for (gsize cut = 0; cut < len; cut += g_getenv ("NPROF_TEST_ALL") ? 1 : 5) {
      NprofTestConfig on = { .keep_going = TRUE };
      gboolean own = nprof_test_probe (decoder, s.text, cut, "x") > 0;
      g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, s.text, cut, NULL);
      g_autoptr (NprofTestRun) kept = nprof_test_decode (decoder, NULL, s.text, cut, &on);
      if (which == 5 && own)
        nprof_test_assert_ok (run);
      else
        nprof_test_assert_fails (run, NPROF_E_FORMAT, own ? "" : "neuron-profile view");
      if (!own || which == 5)
        continue;
      nprof_test_assert_ok (kept);
      g_assert_cmpuint (kept->n_damage, ==, 1);
      g_assert_cmpuint (nprof_test_count (kept, NPROF_GAP), ==, 0); /* the core's: cli-damage */
      g_assert_cmpuint (kept->n_rows, >=, which == 0 || which == 3 ? 0 : before);
      before = kept->n_rows;
    }
  }
}

static void
test_torture (void)
{
  for (guint which = 0; which < G_N_ELEMENTS (names); which++) {
    g_auto (Sample) s = make (names[which], 2, "4");
    nprof_test_torture (decoder, NULL, s.text, strlen (s.text));
  }
}

static void
assert_damaged (const char *text, const char *why)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, text, strlen (text), NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, why);
}

static void
test_damage (void)
{
#define HEAD "{\"instruction\":[{\"timestamp\":1,\"opcode\":\"A\"}"
  assert_damaged (HEAD " {}]}", "neither a comma nor the bracket that closes");
  assert_damaged (HEAD "}", "neither a comma nor the bracket that closes");
  assert_damaged (HEAD ",", "the file ends here");
  assert_damaged (HEAD "],5:6}", "no key where one was expected");
  assert_damaged (HEAD "],\"x\" 5}", "no : behind a key");
  assert_damaged (HEAD "],\"x\":[{\"a\":\"\n\"}]}", "a control byte within a string");
  assert_damaged (HEAD "]} x", "more follows it");
  g_autoptr (NprofTestRun) comma = decode_text (HEAD ",],}", NULL);
  g_assert_cmpuint (comma->n_rows, ==, 1);
}

/* -- Beside other formats ---------------------------------------------------------------------- */

static void
test_probe (void)
{
  static const char *const others[] = {
    "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"instruction\"}]}",
    "{\"schemaVersion\":1,\"traceEvents\":[]}",
    "[{\"ph\":\"X\",\"ts\":1}]",
    "[]",
    "{}",
    "",
    "{\"metadata\":{},\"otherData\":{}}",
    "{\"events\":[{\"type\":1}],\"version\":2}",
    "{\"instruction\":\"Alice's parents have three daughters\",\"output\":\"x\"}",
    "{\"summary\":[{\"words\":1}]}",
    "total_time\n",
    "a b\nc d\n",
    "trace_id,parent,span\n",
    "{\"rocprofiler-sdk-tool\":[]}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_cmpint (nprof_test_probe (decoder, others[i], strlen (others[i]), "x.json"), ==, 0);
  for (guint which = 0; which < G_N_ELEMENTS (names); which++) {
    g_auto (Sample) s = make (names[which], 1 + which % 2, "250");
    int bid = nprof_test_probe (decoder, s.text, strlen (s.text), "x");
    g_assert_cmpint (bid, ==, which == 5 ? 60 : 90);
  }
}

static void
test_options (void)
{
  g_auto (Sample) s = make (names[4], 1, "1");
  g_autoptr (NprofTestRun) run = decode_text (s.text, "neff=model.neff,unit=ps");
  g_assert_true (
      nprof_test_logged (run, "neff= is not used: a neuron-profile summary-json stands alone"));
  g_assert_true (nprof_test_logged (run, "unit= is not used"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  decoder = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "ntff");
  g_test_add_func ("/ntff-tools/device", test_device);
  g_test_add_func ("/ntff-tools/device-rest", test_device_rest);
  g_test_add_func ("/ntff-tools/system", test_system);
  g_test_add_func ("/ntff-tools/events", test_events);
  g_test_add_func ("/ntff-tools/summaries", test_summaries);
  g_test_add_func ("/ntff-tools/guide", test_guide);
  g_test_add_func ("/ntff-tools/unit", test_unit);
  g_test_add_func ("/ntff-tools/wrong-types", test_wrong_types);
  g_test_add_func ("/ntff-tools/semaphores-and-cores", test_semaphores_and_cores);
  g_test_add_func ("/ntff-tools/clocks", test_clocks);
  g_test_add_func ("/ntff-tools/nested", test_nested);
  g_test_add_func ("/ntff-tools/ids", test_ids);
  g_test_add_func ("/ntff-tools/stop-args", test_stop_args);
  g_test_add_func ("/ntff-tools/many-open", test_many_open);
  g_test_add_func ("/ntff-tools/system-by-hand", test_system_by_hand);
  g_test_add_func ("/ntff-tools/summary-shapes", test_summary_shapes);
  g_test_add_func ("/ntff-tools/cut", test_cut);
  g_test_add_func ("/ntff-tools/torture", test_torture);
  g_test_add_func ("/ntff-tools/damage", test_damage);
  g_test_add_func ("/ntff-tools/probe", test_probe);
  g_test_add_func ("/ntff-tools/options", test_options);
  return g_test_run ();
}
