/* SPDX-License-Identifier: Apache-2.0 */
/* test-xplane.c - the decoder xplane on files that are made here: every message and stat,
 * damage of every kind, and the same rows whichever way events are read.  Files of real
 * profilers: test-xplane-data.c. */
#include "../tools/xplane-samples.h"
#include "../tools/xplane-write.h"
#include "testhost.h"

static const struct nprof_component *decoder;

static NprofTestRun *
decode (const GByteArray *file, const char *options, const NprofTestConfig *config)
{
  return nprof_test_decode (decoder, options, file->data, file->len, config);
}

static NprofTestRun *
decode_sample (const char *name)
{
  g_autoptr (GByteArray) file = xplane_sample (name);
  NprofTestRun *run = decode (file, NULL, NULL);
  nprof_test_assert_ok (run);
  return run;
}

/* The k-th row of a name and kind. */
static const NprofTestRow *
row_of (const NprofTestRun *run, guint kind, const char *name, guint k)
{
  for (guint i = 0; i < run->n_rows; i++)
    if (run->rows[i].kind == kind && strcmp (run->rows[i].name, name) == 0 && k-- == 0)
      return &run->rows[i];
  g_error ("no such row: %s", name);
}

#define assert_attr(row, key, text) g_assert_cmpstr (nprof_test_attr ((row), (key)), ==, (text))

/* -- What the rows say -------------------------------------------------------------- */

static void
test_small (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("small");
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpint (run->origin, ==, NPROF_NO_EPOCH);
  g_assert_cmpstr (run->rows[0].path, ==, "/host:CPU/main");
  g_assert_cmpint (run->rows[0].start, ==, 4000);
  g_assert_cmpint (run->rows[0].duration, ==, 500);
  assert_attr (&run->rows[0], "number", "42");
  g_assert_cmpuint (run->rows[1].kind, ==, NPROF_SPAN);
  g_assert_cmpint (run->rows[1].duration, ==, 0);
  assert_attr (&run->rows[1], "words", "text");
}

static void
test_tpu (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *op = row_of (run, NPROF_SPAN, "fusion.12", 1);
  g_assert_cmpint (run->origin, ==, G_GINT64_CONSTANT (1741722099081044120));
  g_assert_cmpstr (op->path, ==, "/device:TPU:0/Ops of the core");
  g_assert_cmpstr (op->category, ==, "output fusion");
  g_assert_cmpint (op->start, ==, 50000);
  g_assert_cmpint (op->duration, ==, 30000);
  g_assert_cmpuint (op->id, ==, 0);
  assert_attr (op, "hlo_text", "%fusion.12 = bf16[8,16]{1,0} fusion(...), kind=kOutput");
  assert_attr (op, "program_id", "17342868964687645945");
  assert_attr (op, "flops", "4096");
  assert_attr (op, "bytes_read", "64");
  assert_attr (op, "bytes_written", "16");
  assert_attr (op, "framework_op", "jit(f)/layer_3/dot_general");
  assert_attr (op, "shape", "bf16[8,16]{1,0}");
  assert_attr (op, "device_offset", "50777");
  assert_attr (op, "device_duration", "29997");
  assert_attr (op, "step", "1");
  assert_attr (op, "child_id", "[2]");
}

static void
test_gpu (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *kernel = row_of (run, NPROF_SPAN, "gemm_kernel", 0);
  g_assert_cmpstr (kernel->path, ==, "/device:GPU:0/Stream #16(Kernel)");
  g_assert_cmpstr (kernel->category, ==, "compute");
  g_assert_cmpint (kernel->start, ==, 5010);
  assert_attr (kernel, "correlation_id", "41");
  assert_attr (kernel, "kernel_details", "regs:32 grid:1,1,1");
  assert_attr (kernel, "framework_op", "model/dense:MatMul");
  assert_attr (kernel, "hlo_module", "jit_f");
  g_assert_cmpstr (nprof_test_row (run, "MemcpyH2D")->category, ==, "memcpy");
}

static void
test_facts (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  g_assert_cmpstr (nprof_test_fact (run, "/device:TPU:0", "peak_flops"), ==, "918000000000000");
  g_assert_cmpstr (nprof_test_fact (run, "/device:TPU:0", "peak_bandwidth"), ==, "1637993152512");
  g_assert_cmpstr (nprof_test_fact (run, "/device:TPU:0", "device_type"), ==, "TPU v6 Lite");
  g_assert_cmpstr (nprof_test_fact (run, "/device:GPU:0", "clock_rate"), ==, "2100000000");
  g_assert_cmpstr (nprof_test_fact (run, "/device:GPU:0", "core_count"), ==, "304");
  g_assert_cmpstr (nprof_test_fact (run, "/device:GPU:0", "memory_size"), ==, "206141652992");
  g_assert_cmpstr (nprof_test_fact (run, "/device:GPU:0", "peak_bandwidth"), ==, "2662400000000");
  g_assert_cmpstr (nprof_test_row (run, "peak_flops")->category, ==,
                   "stat peak_teraflops_per_second");
  g_assert_cmpstr (nprof_test_cell (run, "planes", 0, "stat"), ==, "core_details");
  g_assert_cmpstr (nprof_test_cell (run, "planes", 0, "value"), ==, "2804");
  g_assert_true (nprof_test_logged (run, "an error"));
  g_assert_true (nprof_test_logged (run, "a warning"));
}

/* A plane with those of the stats that are given; -1 and NULL: not there. */
static NprofTestRun *
decode_gpu (const char *plane_name, const char *vendor, gint64 major, gint64 minor,
            const char *name)
{
  g_autoptr (GByteArray) space = g_byte_array_new ();
  GByteArray *plane = xp_new (0, plane_name), *line = xl_new (1, "Stream #1", 0);
  pb_message (line, 4, xe_new (1, 0, 10));
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "kernel");
  xp_stat (plane, 1, "device_vendor");
  xp_stat (plane, 2, "compute_cap_major");
  xp_stat (plane, 3, "compute_cap_minor");
  xp_stat (plane, 4, "gpu_device_name");
  if (vendor)
    pb_message (plane, 6, xs_text (1, vendor));
  if (major >= 0)
    pb_message (plane, 6, xs_int (2, major));
  if (minor >= 0)
    pb_message (plane, 6, xs_uint (3, (guint64) minor));
  if (name)
    pb_message (plane, 6, xs_text (4, name));
  pb_message (space, 1, plane);
  return decode (space, NULL, NULL);
}

/* A GPU without a name is known by its vendor and compute capability; by less it is not. */
static void
test_capability (void)
{
  static const struct {
    const char *plane, *vendor;
    gint64 major, minor;
    const char *name, *type;
  } cases[] = {
    { "/device:GPU:0", "AMD", 9, 4, NULL, "AMD compute capability 9.4" },
    { "/device:GPU:0", "Nvidia", 9, 0, NULL, "Nvidia compute capability 9.0" },
    { "/device:GPU:0", "Nvidia", 9, 0, "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3" },
    { "/device:GPU:0", NULL, 7, 0, NULL, NULL },
    { "/device:GPU:0", "", 7, 0, NULL, NULL },
    { "/device:GPU:0", "AMD", 9, -1, NULL, NULL },
    { "/device:GPU:0", "AMD", -1, 4, NULL, NULL },
    { "/device:TPU:0", "AMD", 9, 4, NULL, NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (NprofTestRun) run = decode_gpu (cases[i].plane, cases[i].vendor, cases[i].major,
                                               cases[i].minor, cases[i].name);
    nprof_test_assert_ok (run);
    g_assert_cmpstr (nprof_test_fact (run, cases[i].plane, "device_type"), ==, cases[i].type);
  }
}

/* Every kind of stat, in an event whose fields come in no usual order. */
static void
test_stats (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *odd = row_of (run, NPROF_SPAN, "#77", 0);
  g_assert_cmpint (odd->start, ==, 212990000 + 7000);
  g_assert_cmpint (odd->duration, ==, 600);
  assert_attr (odd, "ratio", "0.25");
  assert_attr (odd, "delta", "-5");
  assert_attr (odd, "addr", "18446744073709551615");
  assert_attr (odd, "blob", "01fe");
  assert_attr (odd, "framework_op", "999999"); /* a reference to nothing; the last counts */
  assert_attr (odd, "label",
               "gr\xc3\xbc\xc3\x9f"
               "e");
  assert_attr (odd, "stat_888", "3");
  assert_attr (odd, "packed", "deflated text");
  assert_attr (odd, "void", NULL);
  assert_attr (odd, "twice", "2");
  g_assert_true (nprof_test_logged (run, "metadata id 77"));
  g_assert_cmpint (nprof_test_row (run, "hashed")->start, ==, 212990000 + 8000);
  g_assert_cmpint (nprof_test_row (run, "#0")->start, ==, 212990000);
}

static void
test_flows (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *from = row_of (run, NPROF_FLOW, "Launch", 0),
                     *to = row_of (run, NPROF_FLOW, "Execute", 0);
  g_assert_cmpuint (nprof_test_count (run, NPROF_FLOW), ==, 4);
  g_assert_cmpstr (from->category, ==, "tpu_launch");
  g_assert_cmpuint (from->flow, !=, 0);
  g_assert_cmpuint (from->flow, ==, to->flow);
  assert_attr (from, "flow_phase", "begin");
  assert_attr (to, "flow_phase", "end");
  g_assert_cmpuint (from->parent, ==, row_of (run, NPROF_SPAN, "Launch", 0)->id);
  g_assert_cmpint (from->start, ==, row_of (run, NPROF_SPAN, "Launch", 0)->start);
  from = row_of (run, NPROF_FLOW, "copy-start.1", 0);
  to = row_of (run, NPROF_FLOW, "copy-start.1", 1);
  g_assert_cmpuint (from->flow, ==, to->flow);
  g_assert_cmpstr (from->category, ==, "flow");
  assert_attr (from, "flow_phase", "begin");
  assert_attr (to, "flow_phase", "end");
}

static void
test_counters (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *one = row_of (run, NPROF_COUNTER, "power", 0);
  const NprofTestRow *big = row_of (run, NPROF_COUNTER, "power/watts", 0);
  g_assert_cmpuint (nprof_test_count (run, NPROF_COUNTER), ==, 3);
  g_assert_true (one->has_value);
  g_assert_cmpfloat (one->value, ==, 87.5);
  g_assert_cmpfloat (big->value, ==, 9007199254740992.0);
  assert_attr (big, "value", "9007199254740993");
  assert_attr (big, "step", "4");
  g_assert_cmpfloat (row_of (run, NPROF_COUNTER, "power/volts", 0)->value, ==, -2);
  g_assert_cmpint (row_of (run, NPROF_SPAN, "power", 0)->start, ==, 300);
}

static void
test_aggregates (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  g_assert_cmpuint (nprof_test_table (run, "aggregates")->n_rows, ==, 1);
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "name"), ==, "Execute");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "calls"), ==, "10");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "total_ns"), ==, "123456");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "min_ns"), ==, "100");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "self_ns"), ==, "99999");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "step"), ==, "2");
  g_assert_cmpstr (nprof_test_cell (run, "aggregates", 0, "attributes"), ==,
                   "{\"label\":\"more\"}");
}

static void
test_fusions (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("fusion");
  const NprofTestTable *table = nprof_test_table (run, "hlo_instructions");
  g_assert_cmpuint (table->n_rows, ==, 3);
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "program_id"), ==,
                   "17342868964687645945");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "fusion"), ==, "fusion.12");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "instruction"), ==, "dot.3");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "opcode"), ==, "dot");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "framework_op"), ==, "jit(f)/dot");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "shape"), ==, "bf16[4096,16]{1,0}");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "source"), ==, "/app/train.py:123");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 1, "root"), ==, "true");
  g_assert_null (nprof_test_cell (run, "hlo_instructions", 2, "fusion"));
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 2, "entry"), ==, "true");
  g_assert_cmpstr (nprof_test_cell (run, "hlo_instructions", 2, "fusion_kind"), ==, "kOutput");
  g_assert_cmpuint (nprof_test_skips (run, "HLO proto"), ==, 1);
}

static void
test_chunks (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("chunks");
  g_assert_cmpuint (run->n_rows, ==, 6);
  g_assert_cmpuint (nprof_test_count (run, NPROF_FACT), ==, 1);
  g_assert_cmpuint (run->rows[1].track, ==, run->rows[2].track);
  g_assert_cmpuint (run->rows[1].track, ==, run->rows[3].track);
  g_assert_cmpstr (run->rows[2].name, ==, "first meaning");
  g_assert_cmpstr (run->rows[3].name, ==, "other meaning");
  g_assert_cmpuint (run->rows[4].track, !=, run->rows[1].track);
  g_assert_cmpuint (run->rows[5].track, !=, run->rows[4].track);
  g_assert_cmpstr (run->rows[5].path, ==, "/device:TPU:1/Other name");
}

static NprofTestRun *
decode_device (const char *name, const char *line_name, gint64 line_id)
{
  g_autoptr (GByteArray) space = g_byte_array_new ();
  GByteArray *plane = xp_new (1, name), *line = xl_new (line_id, line_name, 0);
  pb_message (line, 4, xe_new (1, 100, 5));
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "gemm");
  pb_message (space, 1, plane);
  NprofTestRun *run = decode (space, NULL, NULL);
  nprof_test_assert_ok (run);
  return run;
}

/* Lines of a device: without a name they are streams; those of which it is unknown what they hold
 * are told of. */
static void
test_lines (void)
{
  static const struct {
    const char *plane, *line;
    gint64 id;
    guint kind, n_log;
  } cases[] = {
    { "/device:GPU:0", "", 7, NPROF_TRACK_QUEUE, 0 },
    { "/device:GPU:0", "Stream #7(Kernel)", 7, NPROF_TRACK_QUEUE, 0 },
    { "/device:GPU:0", "Stream 7", 7, NPROF_TRACK_QUEUE, 0 },
    { "/device:TPU:0", "XLA Ops", 3, NPROF_TRACK_ENGINE, 0 },
    { "/device:TPU:0", "Async XLA Ops", 4, NPROF_TRACK_ASYNC, 0 },
    { "/device:GPU:0", "Something else", 7, NPROF_TRACK_THREAD, 1 },
    { "/device:GPU:0", "XLA Ops", -559038736, NPROF_TRACK_DERIVED, 1 },
    { "/host:CPU", "", 7, NPROF_TRACK_THREAD, 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (NprofTestRun) run = decode_device (cases[i].plane, cases[i].line, cases[i].id);
    g_assert_cmpuint (nprof_test_track (run, run->rows[0].track)->kind, ==, cases[i].kind);
    guint warnings = 0;
    for (guint k = 0; k < run->n_log; k++)
      warnings += strstr (run->log[k], "no line of it is known to hold work (\"") != NULL;
    g_assert_cmpuint (warnings, ==, cases[i].n_log);
  }
}

static void
test_absolute (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("absolute");
  g_assert_cmpint (run->origin, ==, G_GINT64_CONSTANT (1741722099000000000));
  g_assert_cmpint (run->rows[0].start, ==, G_GINT64_CONSTANT (81044120007));
  g_assert_cmpint (run->rows[1].start, ==, G_GINT64_CONSTANT (81043620000));
}

static void
test_neuron (void)
{
  g_autoptr (NprofTestRun) run = decode_sample ("all");
  const NprofTestRow *row = nprof_test_row (run, "fused_1");
  g_assert_true (g_str_has_suffix (row->path, "/Process Execution/HLO Ops"));
  g_assert_cmpint (row->start, ==, 3000000 + 1000001);
  g_assert_cmpint (row->duration, ==, 2500000);
  g_assert_cmpstr (row->category, ==, "compute");
  assert_attr (row, "cat", "op");
  assert_attr (row, "hlo_op", "fused_1");
  assert_attr (row, "args", "{\"fused\": \"a, b\"}");
  g_assert_cmpuint (nprof_test_skips (run, "trace event of phase"), ==, 1);
  g_assert_cmpstr (nprof_test_cell (run, "neuron_ops", 1, "record"), ==,
                   "{\"name\": \"add\", \"time\": 3}");
}

/* -- What is wanted ------------------------------------------------------------------- */

static void
test_wanted (void)
{
  static const char *const none[] = { NULL }, *const step[] = { "step", NULL };
  g_autoptr (GByteArray) file = xplane_sample ("all");
  g_autoptr (NprofTestRun) all = decode (file, NULL, NULL);
  g_autoptr (NprofTestRun) rows = decode (file, NULL, &(NprofTestConfig){ .wanted = none });
  g_autoptr (NprofTestRun) some = decode (file, NULL, &(NprofTestConfig){ .wanted = step });
  nprof_test_assert_ok (rows);
  nprof_test_assert_ok (some);
  g_assert_cmpuint (rows->n_rows, ==, all->n_rows);
  g_assert_cmpuint (some->n_rows, ==, all->n_rows);
  const NprofTestRow *op = row_of (rows, NPROF_SPAN, "fusion.12", 0);
  g_assert_cmpuint (op->n_attrs, ==, 0);
  g_assert_cmpstr (op->category, ==, "output fusion");
  op = row_of (some, NPROF_SPAN, "fusion.12", 0);
  g_assert_cmpuint (op->n_attrs, ==, 1);
  assert_attr (op, "step", "0");
}

/* A declared key has values of its type; what does not fit goes by another. */
static void
test_types (void)
{
  g_autoptr (GByteArray) space = g_byte_array_new ();
  GByteArray *plane = xp_new (0, "/host:CPU"), *line = xl_new (1, "t", 0), *e = xe_new (1, 0, 1);
  pb_message (e, 4, xs_double (1, 2.5));
  pb_message (e, 4, xs_double (2, 8.0));
  pb_message (e, 4, xs_text (3, "three"));
  pb_message (e, 4, xs_int (4, 4));
  pb_message (e, 4, xs_int (5, -1));
  pb_message (e, 4, xs_uint (6, G_MAXUINT64));
  pb_message (e, 4, xs_int (7, 7));
  pb_message (e, 4, xs_text (8, "many"));
  pb_message (line, 4, e);
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "event");
  static const char *const names[] = { "flops",      "model_flops",    "group_id",   "shape",
                                       "program_id", "bytes_accessed", "clock_rate", "core_count" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    xp_stat (plane, i + 1, names[i]);
  pb_message (space, 1, plane);
  g_autoptr (NprofTestRun) run = decode (space, NULL, NULL);
  nprof_test_assert_ok (run);
  assert_attr (&run->rows[0], "flops", NULL);
  assert_attr (&run->rows[0], "stat flops", "2.5");
  assert_attr (&run->rows[0], "model_flops", "8");
  assert_attr (&run->rows[0], "stat group_id", "three");
  assert_attr (&run->rows[0], "shape", "4");
  assert_attr (&run->rows[0], "program_id", "18446744073709551615");
  assert_attr (&run->rows[0], "stat bytes_accessed", "18446744073709551615");
  assert_attr (&run->rows[0], "clock_rate", "7");
  assert_attr (&run->rows[0], "stat core_count", "many");
}

/* -- Damage ------------------------------------------------------------------------------ */

static GByteArray *
one_event_file (GByteArray *event, gint64 timestamp_ns)
{
  GByteArray *space = g_byte_array_new (), *plane = xp_new (0, "/host:CPU");
  GByteArray *line = xl_new (1, "t", timestamp_ns);
  pb_message (line, 4, xe_new (1, 100, 5));
  pb_message (line, 4, event);
  pb_message (line, 4, xe_new (1, 200, 5));
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "fine");
  xp_stat (plane, 1, "stat");
  pb_message (space, 1, plane);
  return space;
}

/* Refused with that text; with --keep-going a gap between the others. */
static void
assert_damage (GByteArray *event, const char *text)
{
  g_autoptr (GByteArray) file = one_event_file (event, 0);
  g_autoptr (NprofTestRun) run = decode (file, NULL, NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, text);
  g_autoptr (NprofTestRun) on = decode (file, NULL, &(NprofTestConfig){ .keep_going = TRUE });
  nprof_test_assert_ok (on);
  g_assert_cmpuint (on->n_damage, ==, 1);
  g_assert_cmpuint (on->n_rows, ==, 3);
  g_assert_cmpuint (on->rows[1].kind, ==, NPROF_GAP);
  g_assert_cmpint (on->rows[1].start, ==, 100);
  g_assert_cmpint (on->rows[2].start, ==, 200);
}

static GByteArray *
raw_event (const char *bytes, guint len)
{
  return g_byte_array_append (g_byte_array_new (), (const guint8 *) bytes, len);
}

static void
test_damage (void)
{
  assert_damage (raw_event ("\x22\x05x", 3),
                 "byte 30: stat: length 5 runs past the end 33 of its event");
  assert_damage (raw_event ("\x08\xff", 2), "the varint is cut off");
  assert_damage (raw_event ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
                 "more than 10 bytes");
  assert_damage (raw_event ("\x0b\x0c", 2), "wire type 3 does not occur");
  assert_damage (raw_event ("\x0f", 1), "wire type 7 does not occur");
  assert_damage (raw_event ("\x00\x00", 2), "field number 0");
  assert_damage (raw_event ("\x22\x02\x08\xff", 4), "stat: a field of it cannot be read");
  assert_damage (raw_event ("\x22\x04\x08\x01\x42\x00", 6), "compressed text cannot be inflated");
  assert_damage (xe_new (1, 0, -7), "its duration is negative");
  assert_damage (xe_new (1, G_MAXINT64, 1), "more than 106 days");
}

static void
test_damage_above (void)
{
  g_autoptr (NprofTestRun) empty = nprof_test_decode (decoder, NULL, "", 0, NULL);
  nprof_test_assert_fails (empty, NPROF_E_FORMAT, "the file is empty");
  g_autoptr (NprofTestRun) mangled
      = nprof_test_decode (decoder, NULL, "\n\xef\xbf\xbd\xef\x05x", 7, NULL);
  nprof_test_assert_fails (mangled, NPROF_E_FORMAT,
                           "length 1575968751 at byte 0 runs past the end 7 of its message");

  g_autoptr (GByteArray) far = one_event_file (xe_new (1, 1, 1), G_MININT64);
  g_autoptr (NprofTestRun) lost = decode (far, NULL, NULL);
  nprof_test_assert_fails (lost, NPROF_E_FORMAT, "line: its timestamp is more than 106 days");
  g_autoptr (NprofTestRun) on = decode (far, NULL, &(NprofTestConfig){ .keep_going = TRUE });
  nprof_test_assert_ok (on);
  g_assert_cmpuint (on->n_damage, ==, 1);
  g_assert_cmpuint (on->n_rows, ==, 0); /* that rows may be missing the core says: cli-damage */
}

/* Cut anywhere, a file is refused with a place, but for the ends of whole records. */
static void
test_truncated (void)
{
  g_autoptr (GByteArray) file = xplane_sample ("small");
  guint fine = 0;
  for (guint n = 0; n < file->len; n++) {
    g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, file->data, n, NULL);
    g_assert_cmpuint (run->n_broken, ==, 0);
    g_assert_true (run->status == NPROF_OK || run->status == NPROF_E_FORMAT);
    fine += run->status == NPROF_OK;
    if (run->status && n)
      g_assert_nonnull (strstr (run->failure, "byte "));
    g_autoptr (NprofTestRun) on = nprof_test_decode (decoder, NULL, file->data, n,
                                                     &(NprofTestConfig){ .keep_going = TRUE });
    g_assert_cmpint (on->status, ==, n ? NPROF_OK : NPROF_E_FORMAT);
  }
  g_assert_cmpuint (fine, ==, 1); /* between the plane and the host name */
}

/* Any byte changed: never a crash, never a broken rule. */
static void
test_mutated (void)
{
  g_autoptr (GByteArray) file = xplane_sample ("all");
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < 3000; i++) {
    g_autoptr (GByteArray) bad = g_byte_array_new ();
    g_byte_array_append (bad, file->data, file->len);
    for (gint k = g_rand_int_range (rand, 1, 4); k > 0; k--)
      bad->data[g_rand_int_range (rand, 0, (gint32) bad->len)] = (guint8) g_rand_int (rand);
    g_autoptr (NprofTestRun) run = decode (bad, NULL, &(NprofTestConfig){ .keep_going = i & 1 });
    if (run->n_broken)
      g_error ("mutation %u: %s", i, run->broken[0]);
  }
}

/* -- Ways of reading ------------------------------------------------------------------------ */

/* An event of random fields in random order; most are as usual. */
static GByteArray *
random_event (GRand *rand)
{
  GByteArray *e
      = xe_new (g_rand_int_range (rand, 0, 5), g_rand_int (rand) >> g_rand_int_range (rand, 0, 31),
                g_rand_int (rand) >> g_rand_int_range (rand, 0, 31));
  for (gint k = g_rand_int_range (rand, 0, 5); k > 0; k--) {
    gint64 id = g_rand_int_range (rand, 0, 12);
    guint64 v = (guint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 33);
    switch (g_rand_int_range (rand, 0, 7)) {
    case 0:
      pb_message (e, 4, xs_uint (id, v));
      break;
    case 1:
      pb_message (e, 4, xs_int (id, -(gint64) v));
      break;
    case 2:
      pb_message (e, 4, xs_double (id, (double) v / 8));
      break;
    case 3:
      pb_message (e, 4,
                  xs_text (id, v & 256 ? "some text"
                                       : "te\xff"
                                         "xt:"));
      break;
    case 4:
      pb_message (e, 4, xs_ref (id, v & 15));
      break;
    case 5:
      pb_message (e, 4, xs_bytes (id, "bytes", 5));
      break;
    default:
      pb_message (e, 4, xs_int (id, (gint64) (v & 1023)));
      break;
    }
  }
  if (g_rand_int_range (rand, 0, 8) == 0)
    pb_int (e, (guint) g_rand_int_range (rand, 2, 7), g_rand_int (rand));
  if (g_rand_int_range (rand, 0, 16) == 0 && e->len > 2) /* broken */
    e->data[g_rand_int_range (rand, 0, (gint32) e->len)] = (guint8) g_rand_int (rand);
  return e;
}

/* Takes the event; now and then its tag is longer than it must be, which protobuf allows. */
static void
put_event (GByteArray *line, GByteArray *event, GRand *rand)
{
  if (g_rand_int_range (rand, 0, 12)) {
    pb_message (line, 4, event);
    return;
  }
  g_autoptr (GByteArray) usual = g_byte_array_new ();
  pb_message (usual, 4, event);
  g_byte_array_append (line, (const guint8 *) "\xa2\x80\x00", 3);
  g_byte_array_append (line, usual->data + 1, usual->len - 1);
}

static GByteArray *
random_file (guint32 seed)
{
  static const char *const names[] = { "_pt",   "_p",         "_ct",      "_c",  "flow",   "tf_op",
                                       "flops", "program_id", "group_id", "own", "hlo_op:" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GByteArray *space = g_byte_array_new (), *plane = xp_new (0, "/host:CPU"),
             *line = xl_new (1, "t", 3);
  for (guint i = 0; i < 60; i++)
    put_event (line, random_event (rand), rand);
  if (seed % 2)
    pb_message (plane, 3, line);
  for (gint i = 1; i < 4; i++)
    xp_meta (plane, i, "event");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    xp_stat (plane, i + 1, names[i]);
  if (seed % 2 == 0) /* its last events end where the file does */
    pb_message (plane, 3, line);
  pb_message (space, 1, plane);
  return space;
}

/* Names the first line that differs. */
static void
assert_same (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a, "\n", -1), y = g_strsplit (b, "\n", -1);
  for (guint i = 0; x[i] && y[i]; i++)
    g_assert_cmpstr (x[i], ==, y[i]);
  g_assert_cmpuint (g_strv_length (x), ==, g_strv_length (y));
}

static void
test_scans (void)
{
  static const char *const step[] = { "step", NULL };
  for (guint32 seed = 0; seed < 150; seed++) {
    g_autoptr (GByteArray) file = random_file (seed);
    NprofTestConfig config = { .keep_going = TRUE, .wanted = seed % 3 ? NULL : step };
    g_autoptr (NprofTestRun) plain = decode (file, "scan=plain", &config);
    g_autoptr (NprofTestRun) fast = decode (file, "scan=fast", &config);
    g_autoptr (NprofTestRun) best = decode (file, "scan=auto", &config);
    nprof_test_assert_ok (plain);
    g_autofree char *expected = nprof_test_dump (plain), *a = nprof_test_dump (fast),
                    *b = nprof_test_dump (best);
    assert_same (a, expected);
    assert_same (b, expected);
  }
}

/* Texts in a loop that is disturbed, more of them than are kept, and some of the same length. */
static void
test_texts (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (GByteArray) space = g_byte_array_new ();
  g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (guint));
  GByteArray *plane = xp_new (0, "/host:CPU"), *line = xl_new (1, "t", 3);
  for (guint i = 0; i < 40000; i++) {
    guint number
        = g_rand_int_range (rand, 0, 30) ? i % 700 : (guint) g_rand_int_range (rand, 0, 5000);
    g_autofree char *text = g_strdup_printf ("copy-start.%u", number);
    GByteArray *e = xe_new (1, (gint64) i * 1000, 1);
    pb_message (e, 4, xs_text (1, text));
    pb_message (line, 4, e);
    g_array_append_val (expected, number);
  }
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "event");
  xp_stat (plane, 1, "hlo_op");
  pb_message (space, 1, plane);
  g_autoptr (NprofTestRun) run = decode (space, NULL, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, expected->len);
  for (guint i = 0; i < run->n_rows; i++) {
    g_autofree char *text = g_strdup_printf ("copy-start.%u", g_array_index (expected, guint, i));
    assert_attr (&run->rows[i], "hlo_op", text);
  }
}

/* Many parts, and small batches: the same rows. */
static void
test_parts (void)
{
  g_autoptr (GByteArray) space = g_byte_array_new ();
  GByteArray *plane = xp_new (0, "/host:CPU");
  for (int l = 0; l < 3; l++) {
    GByteArray *line = xl_new (l, "t", 3);
    for (int i = 0; i < 60000; i++) {
      GByteArray *e = xe_new (1 + i % 2, (gint64) i * 1000000, i);
      pb_message (e, 4, xs_int (1, i));
      pb_message (line, 4, e);
    }
    pb_message (plane, 3, line);
  }
  xp_meta (plane, 1, "one");
  xp_meta (plane, 2, "two");
  xp_stat (plane, 1, "group_id");
  pb_message (space, 1, plane);
  g_autoptr (NprofTestRun) one = decode (space, NULL, NULL);
  nprof_test_assert_ok (one);
  g_assert_cmpuint (one->n_rows, ==, 180000);
  g_assert_cmpuint (one->progress, >=, space->len);
  g_autofree char *expected = nprof_test_dump (one);
  for (guint threads = 2; threads < 4; threads++) {
    g_autoptr (NprofTestRun) run
        = decode (space, NULL, &(NprofTestConfig){ .threads = threads, .rows = 1000 });
    g_autofree char *dump = nprof_test_dump (run);
    g_assert_true (strcmp (dump, expected) == 0);
  }
}

/* A line of several segments whose text has the bytes of events in it, and fields of the line
 * between. */
static GByteArray *
line_of_riddles (int n_events)
{
  GByteArray *line = xl_new (7, "riddles", 3);
  guint8 events[5000];
  for (gsize i = 0; i < sizeof events; i += 4)
    memcpy (events + i, "\"\2ab", 4); /* the tag of an event, 2 bytes */
  for (int i = 0; i < n_events; i++) {
    GByteArray *e = xe_new (1, (gint64) i * 1000000, i);
    gsize len = i % 5 == 0 ? 4 * (gsize) (i % 1200) : 8;
    GByteArray *stat = xs_new (1);
    pb_bytes (stat, 5, events, len);
    pb_message (e, 4, stat);
    pb_message (line, 4, e);
    if (i % 997 == 0)
      pb_unknown (line);
  }
  return line;
}

static GByteArray *
space_of_riddles (void)
{
  GByteArray *space = g_byte_array_new (), *plane = xp_new (0, "/host:CPU");
  pb_message (plane, 3, line_of_riddles (5000));
  pb_message (plane, 3, line_of_riddles (20));
  xp_meta (plane, 1, "one");
  xp_stat (plane, 1, "text");
  pb_message (space, 1, plane);
  return space;
}

static void
test_guesses (void)
{
  g_autoptr (GByteArray) space = space_of_riddles ();
  g_autofree char *expected = NULL;
  g_assert_cmpuint (space->len, >, 2 << 20);
  for (guint threads = 1; threads < 4; threads++) {
    g_autoptr (NprofTestRun) run = decode (space, NULL, &(NprofTestConfig){ .threads = threads });
    nprof_test_assert_ok (run);
    g_assert_cmpuint (run->n_rows, ==, 5020);
    for (guint i = 0; i < 5000; i++)
      g_assert_cmpint (run->rows[i].duration, ==, i);
    g_autofree char *dump = nprof_test_dump (run);
    if (expected)
      g_assert_true (strcmp (dump, expected) == 0);
    else
      expected = g_steal_pointer (&dump);
  }
}

/* The tag of an event in the middle of a long line becomes one that cannot be: the byte is
 * named. */
static void
test_damage_in_a_segment (void)
{
  for (gsize from = 1000; from < 2000000; from += 400000) {
    g_autoptr (GByteArray) space = space_of_riddles ();
    gsize at = from;
    while (!(space->data[at] == 0x22 && !memcmp (space->data + at + 2, "\x08\1\x10", 3))
           && at < space->len - 5)
      at++;
    g_assert_cmpuint (at, <, space->len - 5);
    space->data[at] = 7; /* a group of field 0 */
    g_autoptr (NprofTestRun) run
        = decode (space, NULL, &(NprofTestConfig){ .threads = 3, .log_level = -1 });
    g_autofree char *byte = g_strdup_printf ("byte %" G_GSIZE_FORMAT ":", at);
    g_assert_nonnull (run->failure);
    g_assert_nonnull (strstr (run->failure, byte));
  }
}

static void
test_torture (void)
{
  static const char *const names[] = { "small", "chunks", "neuron", "all" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GByteArray) file = xplane_sample (names[i]);
    nprof_test_torture (decoder, NULL, file->data, file->len);
  }
}

static void
test_probe (void)
{
  g_autoptr (GByteArray) file = xplane_sample ("all");
  g_assert_cmpint (nprof_test_probe (decoder, file->data, file->len, "x"), ==, 90);
  g_assert_cmpint (nprof_test_probe (decoder, file->data, 20, "x"), ==, 60);
  g_assert_cmpint (nprof_test_probe (decoder, "{}", 2, "a.xplane.pb"), ==, 20);
  g_assert_cmpint (nprof_test_probe (decoder, "{\"traceEvents\":[]}", 18, "a.json"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, "", 0, ""), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, ""),
                   ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  decoder = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "xplane");
  g_test_add_func ("/xplane/small", test_small);
  g_test_add_func ("/xplane/tpu", test_tpu);
  g_test_add_func ("/xplane/gpu", test_gpu);
  g_test_add_func ("/xplane/facts", test_facts);
  g_test_add_func ("/xplane/capability", test_capability);
  g_test_add_func ("/xplane/stats", test_stats);
  g_test_add_func ("/xplane/flows", test_flows);
  g_test_add_func ("/xplane/counters", test_counters);
  g_test_add_func ("/xplane/aggregates", test_aggregates);
  g_test_add_func ("/xplane/fusions", test_fusions);
  g_test_add_func ("/xplane/chunks", test_chunks);
  g_test_add_func ("/xplane/lines", test_lines);
  g_test_add_func ("/xplane/absolute", test_absolute);
  g_test_add_func ("/xplane/neuron", test_neuron);
  g_test_add_func ("/xplane/wanted", test_wanted);
  g_test_add_func ("/xplane/types", test_types);
  g_test_add_func ("/xplane/damage", test_damage);
  g_test_add_func ("/xplane/damage-above", test_damage_above);
  g_test_add_func ("/xplane/truncated", test_truncated);
  g_test_add_func ("/xplane/mutated", test_mutated);
  g_test_add_func ("/xplane/scans", test_scans);
  g_test_add_func ("/xplane/texts", test_texts);
  g_test_add_func ("/xplane/parts", test_parts);
  g_test_add_func ("/xplane/guesses", test_guesses);
  g_test_add_func ("/xplane/damage-in-a-segment", test_damage_in_a_segment);
  g_test_add_func ("/xplane/torture", test_torture);
  g_test_add_func ("/xplane/probe", test_probe);
  return g_test_run ();
}
