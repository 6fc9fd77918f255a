/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-samples.c - the samples: between them every message, every kind of stat and every
 * oddity of the format that the decoder knows. */
#include "xplane-samples.h"
#include "xplane-write.h"

#include <zlib.h>

#define START G_GUINT64_CONSTANT (1741722099081044120) /* of the session, Unix ns */

GByteArray *
xplane_gzip (const char *text)
{
  GByteArray *out = g_byte_array_new ();
  z_stream z = { 0 };
  deflateInit2 (&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  g_byte_array_set_size (out, (guint) deflateBound (&z, strlen (text)));
  z.next_in = (Bytef *) text;
  z.avail_in = (uInt) strlen (text);
  z.next_out = out->data;
  z.avail_out = out->len;
  deflate (&z, Z_FINISH);
  g_byte_array_set_size (out, (guint) z.total_out);
  deflateEnd (&z);
  return out;
}

static void
environment (GByteArray *space)
{
  GByteArray *plane = xp_new (0, "Task Environment");
  xp_stat (plane, 1, "profile_start_time");
  xp_stat (plane, 2, "profile_stop_time");
  pb_message (plane, 6, xs_uint (1, START));
  pb_message (plane, 6, xs_uint (2, START + 1000000000));
  pb_message (space, 1, plane);
}

/* -- A TPU core ------------------------------------------------------------------ */

enum {
  OFF = 1,
  DUR,
  CATEGORY,
  PROGRAM,
  SYMBOL,
  FLOPS,
  BREAKDOWN,
  TF_OP,
  GROUP,
  FLOW,
  ASYNC,
  CORE,
  TYPE,
  PEAK,
  HBM,
  HLO_OP,
  BYTES_ACCESSED,
  SHAPE,
  SOURCE
};

static void
tpu_stat_names (GByteArray *plane)
{
  static const char *const names[] = { "device_offset_ps",
                                       "device_duration_ps",
                                       "hlo_category",
                                       "program_id",
                                       "symbol_id",
                                       "flops",
                                       "memory_access_breakdown",
                                       "tf_op",
                                       "group_id",
                                       "flow",
                                       "_a",
                                       "core_details",
                                       "device_type_string",
                                       "peak_teraflops_per_second",
                                       "peak_hbm_bw_gigabytes_per_second",
                                       "hlo_op",
                                       "bytes_accessed",
                                       "shape_with_layout",
                                       "source" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    xp_stat (plane, i + 1, names[i]);
}

static void
tpu_metadata (GByteArray *plane)
{
  /* read 64 and write 16 bytes of HBM, read 8 of another memory */
  static const char accesses[] = "\x0a\x06\x08\x01\x10\x01\x18\x40\x0a\x06\x08\x02\x10\x01\x18\x10"
                                 "\x0a\x06\x08\x01\x10\x03\x18\x08";
  GByteArray *m = xm_new (1, "%fusion.12 = bf16[8,16]{1,0} fusion(...), kind=kOutput", "fusion.12");
  pb_message (m, 5, xs_text (CATEGORY, "output fusion"));
  pb_message (m, 5, xs_uint (PROGRAM, G_GUINT64_CONSTANT (17342868964687645945)));
  pb_message (m, 5, xs_uint (SYMBOL, 7));
  pb_message (m, 5, xs_int (FLOPS, 4096));
  pb_message (m, 5, xs_bytes (BREAKDOWN, accesses, sizeof accesses - 1));
  pb_message (m, 5, xs_text (TF_OP, "jit(f)/layer_3/dot_general:"));
  pb_message (m, 5, xs_text (SHAPE, "bf16[8,16]{1,0}"));
  pb_message (m, 5, xs_uint (BYTES_ACCESSED, 88));
  pb_message (m, 5, xs_text (SOURCE, "/app/train.py:123"));
  pb_int (m, 6, 2);
  pb_unknown (m);
  xp_entry (plane, 4, 1, m);
  xp_meta (plane, 2, "copy-start.1");
  xp_meta (plane, 3, "power");
  xp_meta (plane, 4, "jit_f(17342868964687645945)");
}

static GByteArray *
tpu_op (gint64 offset, gint64 duration, gint64 group)
{
  GByteArray *e = xe_new (1, offset, duration);
  pb_message (e, 4, xs_uint (OFF, (guint64) offset + 777));
  pb_message (e, 4, xs_uint (DUR, (guint64) duration - 3));
  pb_message (e, 4, xs_int (GROUP, group));
  return e;
}

/* An arrow of type 0 that starts (2) or ends (1) here. */
static GByteArray *
tpu_copy (gint64 offset, guint64 direction)
{
  GByteArray *e = xe_new (2, offset, 5000);
  pb_message (e, 4, xs_text (HLO_OP, "copy-start.1"));
  pb_message (e, 4, xs_int (ASYNC, 1));
  pb_message (e, 4, xs_uint (FLOW, 99 << 2 | direction));
  return e;
}

static void
tpu_counters (GByteArray *plane)
{
  GByteArray *line = xl_new (G_MAXINT64, "_counters_", 0), *e;
  xp_stat (plane, 30, "watts");
  xp_stat (plane, 31, "volts");
  e = xe_new (3, 100, 0);
  pb_message (e, 4, xs_double (30, 87.5));
  pb_message (line, 4, e);
  e = xe_new (3, 200, 0);
  pb_message (e, 4, xs_uint (30, G_GUINT64_CONSTANT (9007199254740993)));
  pb_message (e, 4, xs_int (31, -2));
  pb_message (e, 4, xs_int (GROUP, 4));
  pb_message (line, 4, e);
  pb_message (line, 4, xe_new (3, 300, 0)); /* no value */
  pb_message (plane, 3, line);
}

static void
tpu (GByteArray *space)
{
  GByteArray *plane = xp_new (2, "/device:TPU:0");
  GByteArray *ops = xl_new (3, "XLA Ops", 0), *async = xl_new (4, "Async XLA Ops", 0);
  GByteArray *modules = xl_new (2, "XLA Modules", 0);
  pb_message (modules, 4, xe_new (4, 1000, 90000));
  pb_message (ops, 4, tpu_op (1000, 40000, 0));
  pb_message (ops, 4, tpu_op (50000, 30000, 1));
  pb_unknown (ops);
  pb_int (ops, 9, 100000); /* duration_ps, display_id and display_name follow the events */
  pb_int (ops, 10, 33);
  pb_text (ops, 11, "Ops of the core");
  pb_message (async, 4, tpu_copy (2000, 2));
  pb_message (async, 4, tpu_copy (9000, 1));
  pb_message (async, 4, tpu_copy (9500, 0));
  pb_message (plane, 3, modules);
  pb_message (plane, 3, ops);
  pb_message (plane, 3, async);
  pb_message (plane, 3, xl_new (7, "Overlay", 0));
  tpu_counters (plane);
  tpu_metadata (plane);
  tpu_stat_names (plane);
  pb_message (plane, 6, xs_bytes (CORE, "(\004", 2));
  pb_message (plane, 6, xs_text (TYPE, "TPU v6 Lite"));
  pb_message (plane, 6, xs_double (PEAK, 918.0));
  pb_message (plane, 6, xs_double (HBM, 1637.993152512));
  pb_unknown (plane);
  pb_message (space, 1, plane);
}

/* -- A GPU ------------------------------------------------------------------------- */

static GByteArray *
gpu_event (gint64 metadata_id, gint64 offset, guint64 correlation)
{
  GByteArray *e = xe_new (metadata_id, offset, 700);
  pb_message (e, 4, xs_uint (1, correlation));
  pb_message (e, 4, xs_ref (2, 100));
  pb_message (e, 4, xs_ref (3, 101));
  pb_message (e, 4, xs_text (4, "jit_f"));
  pb_message (e, 4, xs_text (5, "num_bytes:64"));
  return e;
}

static void
gpu (GByteArray *space)
{
  static const char *const names[] = { "correlation_id", "kernel_details",   "tf_op",
                                       "hlo_module",     "memcpy_details",   "clock_rate",
                                       "core_count",     "memory_bandwidth", "memory_size" };
  GByteArray *plane = xp_new (0, "/device:GPU:0");
  GByteArray *kernels = xl_new (16, "Stream #16(Kernel)", 5),
             *copies = xl_new (8, "Stream #8(MemcpyOther)", 5);
  GByteArray *scopes = xl_new (-559038735, "TensorFlow Name Scope", 5);
  pb_message (kernels, 4, gpu_event (1, 10, 41));
  pb_message (copies, 4, gpu_event (2, 20, 42));
  pb_message (scopes, 4, xe_new (1, 0, 5000));
  pb_message (plane, 3, kernels);
  pb_message (plane, 3, copies);
  pb_message (plane, 3, scopes);
  xp_meta (plane, 1, "gemm_kernel");
  xp_meta (plane, 2, "MemcpyH2D");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    xp_stat (plane, i + 1, names[i]);
  xp_stat (plane, 100, "regs:32 grid:1,1,1");
  xp_stat (plane, 101, "model/dense:MatMul:");
  pb_message (plane, 6, xs_int (6, 2100000));
  pb_message (plane, 6, xs_int (7, 304));
  pb_message (plane, 6, xs_uint (8, G_GUINT64_CONSTANT (2662400000000)));
  pb_message (plane, 6, xs_uint (9, G_GUINT64_CONSTANT (206141652992)));
  pb_message (space, 1, plane);
}

/* -- A host -------------------------------------------------------------------------- */

/* Every kind of stat, and an id that no metadata defines. */
static GByteArray *
host_odd_event (void)
{
  GByteArray *e = g_byte_array_new (), *zip = xplane_gzip ("deflated text"), *s;
  pb_message (e, 4, xs_double (5, 0.25)); /* stats first, then fields in reverse */
  pb_int (e, 3, 600);
  pb_int (e, 5, 12); /* of the oneof, the last counts */
  pb_int (e, 2, 7000);
  pb_int (e, 1, 77);
  pb_message (e, 4, xs_int (6, -5));
  pb_message (e, 4, xs_uint (7, G_MAXUINT64));
  pb_message (e, 4, xs_bytes (8, "\x01\xfe", 2));
  pb_message (e, 4, xs_ref (9, 55));
  pb_message (e, 4, xs_ref (9, 999999));
  pb_message (e, 4,
              xs_text (10, "gr\xc3\xbc\xc3\x9f"
                           "e"));
  pb_message (e, 4, xs_int (888, 3));
  s = xs_new (11);
  pb_message (s, 8, zip);
  pb_message (e, 4, s);
  pb_message (e, 4, xs_new (12)); /* no value */
  s = xs_int (13, 1);
  pb_int (s, 3, 2); /* the last value counts */
  pb_unknown (s);
  pb_message (e, 4, s);
  pb_unknown (e);
  return e;
}

static GByteArray *
host_flow (gint64 meta, gint64 offset, gint64 type_stat, gint64 type, gint64 id)
{
  GByteArray *e = xe_new (meta, offset, 100);
  pb_message (e, 4, xs_int (type_stat, type));
  pb_message (e, 4, xs_int (type_stat + 1, id));
  return e;
}

static GByteArray *
host_aggregate (void)
{
  GByteArray *e = xe_aggregated (2, 123456, 10);
  pb_message (e, 4, xs_int (14, 100));
  pb_message (e, 4, xs_int (15, 99999));
  pb_message (e, 4, xs_int (16, 2));
  pb_message (e, 4, xs_text (10, "more"));
  return e;
}

static void
host (GByteArray *space)
{
  static const char *const names[] = { "_pt",
                                       "_p",
                                       "_ct",
                                       "_c",
                                       "ratio",
                                       "delta",
                                       "addr",
                                       "blob",
                                       "tf_op",
                                       "label",
                                       "packed",
                                       "void",
                                       "twice",
                                       "min_duration_ps",
                                       "self_duration_ps",
                                       "group_id" };
  GByteArray *plane = xp_new (0, "/host:CPU");
  GByteArray *line = xl_new (G_GINT64_CONSTANT (-7565713996007134123), "py_xla/1", 212990);
  pb_message (line, 4, host_flow (1, 0, 1, 12, -2002751013228737526));
  pb_message (line, 4, host_flow (2, 500, 3, 12, -2002751013228737526));
  pb_message (line, 4, host_odd_event ());
  pb_message (line, 4, xe_new (-8800332967749297542, 8000, 0)); /* an id that is a hash */
  pb_message (line, 4, g_byte_array_new ());                    /* all defaults */
  pb_message (line, 4, host_aggregate ());
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "Launch");
  xp_meta (plane, 2, "Execute");
  xp_meta (plane, -8800332967749297542, "hashed");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    xp_stat (plane, i + 1, names[i]);
  xp_stat (plane, 55, "jit(f)/relu");
  pb_message (space, 1, plane);
}

/* -- Programs --------------------------------------------------------------------------- */

static GByteArray *
hlo_shape (void)
{
  GByteArray *shape = g_byte_array_new (), *layout = g_byte_array_new ();
  pb_int (shape, 2, 16);
  pb_bytes (shape, 3, "\x80\x20\x10", 3); /* 4096, 16 */
  pb_bytes (layout, 1, "\x01\x00", 2);
  pb_message (shape, 5, layout);
  return shape;
}

static GByteArray *
hlo_instruction (gint64 id, const char *name, const char *opcode, const char *op_name)
{
  GByteArray *b = g_byte_array_new (), *meta = g_byte_array_new ();
  pb_text (b, 1, name);
  pb_text (b, 2, opcode);
  pb_message (b, 3, hlo_shape ());
  pb_text (meta, 1, "dot_general");
  pb_text (meta, 2, op_name);
  pb_text (meta, 3, "/app/train.py");
  pb_int (meta, 4, 123);
  pb_message (b, 7, meta);
  pb_int (b, 35, id);
  return b;
}

static GByteArray *
hlo_proto (void)
{
  GByteArray *proto = g_byte_array_new (), *module = g_byte_array_new ();
  GByteArray *fused = g_byte_array_new (), *main = g_byte_array_new (), *in;
  pb_text (fused, 1, "fused_computation.12");
  pb_message (fused, 2,
              hlo_instruction (G_GINT64_CONSTANT (4294967297), "param_0", "parameter", ""));
  pb_message (fused, 2,
              hlo_instruction (G_GINT64_CONSTANT (4294967298), "dot.3", "dot", "jit(f)/dot"));
  pb_int (fused, 5, 40);
  pb_int (fused, 6, G_GINT64_CONSTANT (4294967298));
  pb_text (main, 1, "main");
  in = hlo_instruction (5, "fusion.12", "fusion", "jit(f)/layer_3/dot_general");
  pb_text (in, 11, "kOutput");
  pb_bytes (in, 38, "\x28", 1);
  pb_message (main, 2, in);
  pb_int (main, 5, 41);
  pb_int (main, 6, 5);
  pb_text (module, 1, "jit_f");
  pb_text (module, 2, "main");
  pb_message (module, 3, fused);
  pb_message (module, 3, main);
  pb_int (module, 6, 41);
  pb_message (proto, 1, module);
  return proto;
}

static void
programs (GByteArray *space)
{
  GByteArray *plane = xp_new (0, "/host:metadata");
  GByteArray *m = xm_new (-1103875109021905671, "jit_f(17342868964687645945)", NULL);
  GByteArray *proto = hlo_proto ();
  pb_message (m, 5, xs_bytes (1, proto->data, proto->len));
  pb_message (m, 5, xs_text (2, "main"));
  g_byte_array_unref (proto);
  xp_entry (plane, 4, -1103875109021905671, m);
  m = xm_new (2, "broken(1)", NULL);
  pb_message (m, 5, xs_bytes (1, "\x0a\x7f", 2));
  xp_entry (plane, 4, 2, m);
  xp_stat (plane, 1, "Hlo Proto");
  xp_stat (plane, 2, "symbol_type");
  pb_message (space, 1, plane);
}

/* -- Neuron --------------------------------------------------------------------------------- */

#define NEURON "/host:Neuron-runtime:profile//abc_1/model1/node2/plugins/neuron/2023/"

static void
neuron_ops (GByteArray *space)
{
  GByteArray *plane = xp_new (1, NEURON "neuron_hlo_op.json");
  xp_stat (plane, 1, "op_0");
  xp_stat (plane, 2, "op_1");
  xp_stat (plane, 3, "total_time");
  pb_message (plane, 6, xs_text (1, "{\"name\": \"dot.3\", \"time\": 12}"));
  pb_message (plane, 6, xs_text (2, "{\"name\": \"add\", \"time\": 3}"));
  pb_message (plane, 6, xs_uint (3, 15));
  pb_message (space, 1, plane);
}

static GByteArray *
neuron_record (const char *json)
{
  GByteArray *e = xe_new (1, 5, 6); /* these times are not used */
  pb_message (e, 4, xs_text (3, json));
  return e;
}

static void
neuron_timeline (GByteArray *space)
{
  GByteArray *plane = xp_new (2, NEURON "neuron_op_timeline.json"), *line = xl_new (1, "trace", 0);
  pb_message (line, 4,
              neuron_record (
                  "{\"ph\":\"X\",\"name\":\"fused_1\",\"cat\":\"op\",\"pid\":1,\"tid\":\"HLO Ops\","
                  "\"ts\":1.0000015,\"dur\":2.5,\"args\":{\"fused\": \"a, b\"}}"));
  pb_message (line, 4,
              neuron_record ("{\"ph\":\"B\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1}"));
  pb_message (line, 4,
              neuron_record ("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
                             "\"args\":{\"name\":\"Process Execution\"}}"));
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "record");
  xp_stat (plane, 1, "displayTimeUnit");
  xp_stat (plane, 2, "neuronStartTimestampNs");
  xp_stat (plane, 3, "event");
  pb_message (plane, 6, xs_text (1, "ns"));
  pb_message (plane, 6, xs_uint (2, START + 3000));
  pb_message (space, 1, plane);
}

/* -- Whole files ------------------------------------------------------------------------------- */

static void
small (GByteArray *space)
{
  GByteArray *plane = xp_new (0, "/host:CPU"), *line = xl_new (1, "main", 3), *e;
  e = xe_new (1, 1000, 500);
  pb_message (e, 4, xs_int (1, 42));
  pb_message (line, 4, e);
  e = xe_new (2, 2000, 0);
  pb_message (e, 4, xs_text (2, "text"));
  pb_message (line, 4, e);
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "first");
  xp_meta (plane, 2, "second");
  xp_stat (plane, 1, "number");
  xp_stat (plane, 2, "words");
  pb_message (space, 1, plane);
  pb_text (space, 4, "host-0");
}

static GByteArray *
chunk (void)
{
  GByteArray *plane = xp_new (9, "/device:TPU:1");
  xp_meta (plane, 1, "first meaning");
  xp_stat (plane, 1, "device_type_string");
  pb_message (plane, 6, xs_text (1, "TPU v5"));
  return plane;
}

/* A plane in four messages: metadata alone, the same with a line, the line going on, and one
 * with an id that the others have not. */
static void
chunks (GByteArray *space)
{
  GByteArray *plane, *line;
  pb_message (space, 1, chunk ());
  for (int i = 0; i < 3; i++) {
    plane = chunk ();
    line = xl_new (3, "XLA Ops", 0);
    pb_message (line, 4, xe_new (i < 2 ? 1 : 2, 1000 * (i + 1), 10));
    pb_message (plane, 3, line);
    if (i == 2)
      xp_meta (plane, 2, "other meaning");
    pb_message (space, 1, plane);
  }
  plane = xp_new (10, "/device:TPU:1"); /* same name, another id */
  line = xl_new (3, "XLA Ops", 0);
  pb_message (line, 4, xe_new (1, 1, 1));
  pb_message (plane, 3, line);
  line = xl_new (3, "Other name", 0); /* same id, another name */
  pb_message (line, 4, xe_new (1, 1, 1));
  pb_message (plane, 3, line);
  xp_meta (plane, 1, "alone");
  pb_message (space, 1, plane);
}

static void
absolute (GByteArray *space)
{
  GByteArray *plane = xp_new (0, "/host:CPU");
  GByteArray *line = xl_new (1, "a", (gint64) START),
             *other = xl_new (2, "b", (gint64) START - 500);
  pb_message (line, 4, xe_new (1, 7, 1));
  pb_message (other, 4, xe_new (1, 0, 1));
  pb_message (plane, 3, line);
  pb_message (plane, 3, other);
  xp_meta (plane, 1, "event");
  pb_message (space, 1, plane);
}

static void
all (GByteArray *space)
{
  tpu (space);
  gpu (space);
  host (space);
  programs (space);
  neuron_ops (space);
  neuron_timeline (space);
  environment (space);
  pb_text (space, 2, "an error");
  pb_text (space, 3, "a warning");
  pb_text (space, 4, "host-0");
  pb_text (space, 4, "host-1");
  pb_unknown (space);
}

static void
neuron (GByteArray *space)
{
  neuron_ops (space);
  neuron_timeline (space);
}

static const char *const names[]
    = { "small", "all", "chunks", "absolute", "neuron", "fusion", NULL };
static void (*const makers[]) (GByteArray *) = { small, all, chunks, absolute, neuron, programs };

const char *const *
xplane_sample_names (void)
{
  return names;
}

GByteArray *
xplane_sample (const char *name)
{
  for (guint i = 0; names[i]; i++)
    if (strcmp (names[i], name) == 0) {
      GByteArray *space = g_byte_array_new ();
      makers[i](space);
      return space;
    }
  return NULL;
}
