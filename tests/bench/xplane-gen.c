/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-gen.c - writes an XSpace of a given size that has the shape of what TPU runs record:
 * which planes, lines and stats there are, on events or on their metadata, and in which order.
 * The numbers mean nothing.  usage: xplane-gen MEGABYTES FILE
 *
 * Field numbers: openxla/xla, tsl/profiler/protobuf/xplane.proto (xplane.proto in this folder). */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_DEVICES = 8, N_OPS = 1500, N_ASYNC = 200, N_METADATA = 2100, N_REFS = 400 };
enum { N_THREADS = 64, N_HOST_NAMES = 300 };

/* Ids of metadata of a device plane: operators from 1, then these. */
enum { META_ASYNC = N_OPS + 1, META_MODULE = 1900, META_STEP = 2000, N_STEP_NAMES = 100 };
enum { STAT_REF = 1000 }; /* the first id of strings that stats refer to */

static const char *const stat_names[] = { NULL,
                                          "device_offset_ps",
                                          "device_duration_ps",
                                          "run_id",
                                          "replica_id",
                                          "queue_id",
                                          "_ct",
                                          "_c",
                                          "_pt",
                                          "_p",
                                          "group_id",
                                          "hlo_category",
                                          "program_id",
                                          "symbol_id",
                                          "flops",
                                          "model_flops",
                                          "bytes_accessed",
                                          "memory_access_breakdown",
                                          "raw_bytes_accessed",
                                          "shape_with_layout",
                                          "tf_op",
                                          "source",
                                          "deduplicated_name",
                                          "all_reduce_unique_id",
                                          "hlo_op",
                                          "_a",
                                          "flow",
                                          "id",
                                          "device_type_string",
                                          "peak_teraflops_per_second",
                                          "Hlo Proto" };
enum {
  DEVICE_OFFSET = 1,
  DEVICE_DURATION,
  RUN_ID,
  REPLICA_ID,
  QUEUE_ID,
  CONSUMER_TYPE,
  CONSUMER,
  PRODUCER_TYPE,
  PRODUCER,
  GROUP_ID,
  HLO_CATEGORY,
  PROGRAM_ID,
  SYMBOL_ID,
  FLOPS,
  MODEL_FLOPS,
  BYTES_ACCESSED,
  MEMORY_BREAKDOWN,
  RAW_BYTES,
  SHAPE,
  TF_OP,
  SOURCE,
  DEDUPLICATED,
  ALL_REDUCE_ID,
  HLO_OP,
  ASYNC,
  FLOW,
  ID,
  DEVICE_TYPE,
  PEAK_TERAFLOPS,
  HLO_PROTO,
  N_STATS
};
G_STATIC_ASSERT (G_N_ELEMENTS (stat_names) == N_STATS);

/* -- Protobuf ---------------------------------------------------------------- */

static void
put_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[10];
  guint n = 0;
  do {
    bytes[n++] = (guint8) (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
    value >>= 7;
  } while (value != 0);
  g_byte_array_append (out, bytes, n);
}

static void
put_number (GByteArray *out, guint field, guint64 value)
{
  put_varint (out, field << 3);
  put_varint (out, value);
}

static void
put_bytes (GByteArray *out, guint field, const void *data, gsize len)
{
  put_varint (out, field << 3 | 2);
  put_varint (out, len);
  g_byte_array_append (out, data, (guint) len);
}

static void
put_text (GByteArray *out, guint field, const char *text)
{
  put_bytes (out, field, text, strlen (text));
}

/* Appends `inner` as a message and empties it for its next use. */
static void
put_message (GByteArray *out, guint field, GByteArray *inner)
{
  put_bytes (out, field, inner->data, inner->len);
  g_byte_array_set_size (inner, 0);
}

static guint64
next_random (void)
{
  static guint64 state = 88172645463325252u; /* xorshift64; the same file each time */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* -- Stats: the value's field number is its type in XStat ---------------------- */

enum { VALUE_DOUBLE = 2, VALUE_UINT64, VALUE_INT64, VALUE_STRING, VALUE_BYTES, VALUE_REF };

static void
put_stat_number (GByteArray *out, guint field, guint stat, guint type, guint64 value)
{
  GByteArray *inner = g_byte_array_sized_new (24);
  put_number (inner, 1, stat);
  put_number (inner, type, value);
  put_message (out, field, inner);
  g_byte_array_unref (inner);
}

static void
put_stat_data (GByteArray *out, guint field, guint stat, guint type, const void *data, gsize len)
{
  GByteArray *inner = g_byte_array_sized_new ((guint) len + 16);
  put_number (inner, 1, stat);
  put_bytes (inner, type, data, len);
  put_message (out, field, inner);
  g_byte_array_unref (inner);
}

static void
put_stat_text (GByteArray *out, guint field, guint stat, const char *text)
{
  put_stat_data (out, field, stat, VALUE_STRING, text, strlen (text));
}

static void
put_stat_double (GByteArray *out, guint field, guint stat, double value)
{
  GByteArray *inner = g_byte_array_sized_new (24);
  put_number (inner, 1, stat);
  put_varint (inner, VALUE_DOUBLE << 3 | 1);
  g_byte_array_append (inner, (const guint8 *) &value, sizeof value);
  put_message (out, field, inner);
  g_byte_array_unref (inner);
}

/* -- Planes -------------------------------------------------------------------- */

static guint64 n_events;

static void
begin_event (GByteArray *event, guint64 metadata, guint64 offset_ps, guint64 duration_ps)
{
  put_number (event, 1, metadata);
  put_number (event, 2, offset_ps);
  put_number (event, 3, duration_ps);
}

static void
end_event (GByteArray *line, GByteArray *event)
{
  put_message (line, 4, event);
  n_events++;
}

static void
begin_line (GByteArray *line, guint64 id, const char *name)
{
  put_number (line, 1, id);
  put_text (line, 2, name);
}

/* Both maps of a plane: {1: id, 2: {1: id, 2: name, ...}}. */
static void
put_map_entry (GByteArray *plane, guint field, guint64 id, GByteArray *value)
{
  GByteArray *entry = g_byte_array_new ();
  put_number (entry, 1, id);
  put_message (entry, 2, value);
  put_message (plane, field, entry);
  g_byte_array_unref (entry);
}

static void
put_named (GByteArray *plane, guint field, guint64 id, const char *name)
{
  GByteArray *value = g_byte_array_new ();
  put_number (value, 1, id);
  put_text (value, 2, name);
  put_map_entry (plane, field, id, value);
  g_byte_array_unref (value);
}

static void
put_stat_metadata (GByteArray *plane)
{
  for (guint id = 1; id < N_STATS; id++)
    put_named (plane, 5, id, stat_names[id]);
  for (guint i = 0; i < N_REFS; i++) {
    g_autofree char *text = g_strdup_printf ("bf16[%u,%u]{1,0:T(8,128)(2,1)}", i * 8, i * 16);
    put_named (plane, 5, STAT_REF + i, text);
  }
}

/* One operator: the constants of all its events. */
static void
put_operator (GByteArray *plane, guint id)
{
  static const char *const categories[]
      = { "convolution fusion", "loop fusion", "output fusion",   "copy",
          "all-reduce",         "custom-call", "data formatting", "while" };
  static const guint8 breakdown[] = { 0x0a, 6, 8, 1, 16, 1, 24, 64, 0x0a, 6, 8, 2, 16, 1, 24, 64 };
  g_autofree char *shown = g_strdup_printf ("%s.%u", id % 4 ? "fusion" : "copy", id);
  g_autofree char *text = g_strdup_printf (
      "%%%s = bf16[4096,8192]{1,0:T(8,128)(2,1)} fusion(bf16[4096,8192]{1,0:T(8,128)(2,1)} "
      "%%param.%u, bf16[8192]{0:T(1024)(128)(2,1)} %%param.%u), kind=kOutput, "
      "calls=%%fused_computation.%u, metadata={op_name=\"jit(step)/layer_%u/dot_general\"}",
      shown, id + 1, id + 2, id, id % 32);
  GByteArray *value = g_byte_array_new ();
  put_number (value, 1, id);
  put_text (value, 2, text);
  put_text (value, 4, shown);
  put_stat_text (value, 5, HLO_CATEGORY, categories[id % G_N_ELEMENTS (categories)]);
  put_stat_number (value, 5, PROGRAM_ID, VALUE_UINT64, 17342868964687645945u);
  put_stat_number (value, 5, SYMBOL_ID, VALUE_UINT64, id);
  put_stat_number (value, 5, FLOPS, VALUE_INT64, next_random () >> 26);
  put_stat_number (value, 5, MODEL_FLOPS, VALUE_INT64, next_random () >> 26);
  put_stat_number (value, 5, BYTES_ACCESSED, VALUE_INT64, next_random () >> 34);
  put_stat_data (value, 5, MEMORY_BREAKDOWN, VALUE_BYTES, breakdown, sizeof breakdown);
  put_stat_number (value, 5, RAW_BYTES, VALUE_INT64, next_random () >> 34);
  put_stat_text (value, 5, SHAPE, "bf16[4096,8192]{1,0:T(8,128)(2,1)}");
  put_stat_text (value, 5, TF_OP, "jit(step)/jit(main)/transformer/layer_3/dot_general:");
  put_stat_text (value, 5, SOURCE, "train.py:123");
  if (id % 5 == 0)
    put_stat_text (value, 5, DEDUPLICATED, "fusion.1");
  put_map_entry (plane, 4, id, value);
  g_byte_array_unref (value);
}

typedef struct {
  GByteArray *steps, *modules, *ops, *async;
  GByteArray *event;
  guint64 now; /* ps */
  guint step;
} Device;

static void
put_op (Device *self, guint k)
{
  guint64 duration = 200000 + next_random () % 4000000;
  GByteArray *event = self->event;
  begin_event (event, 1 + k % 1400, self->now, duration);
  put_stat_number (event, 4, DEVICE_OFFSET, VALUE_UINT64, self->now + 777);
  put_stat_number (event, 4, DEVICE_DURATION, VALUE_UINT64, duration - 3);
  if (k % 3 == 0)
    put_stat_number (event, 4, GROUP_ID, VALUE_INT64, self->step);
  if (k % 50 == 0)
    put_stat_number (event, 4, ALL_REDUCE_ID, VALUE_UINT64, next_random () >> 20);
  if (k % 7 == 0)
    put_stat_number (event, 4, FLOW, VALUE_UINT64, next_random () >> 8);
  end_event (self->ops, event);
  self->now += duration + 1250;
}

/* A copy that runs beside the operators and overlaps its neighbours. */
static void
put_async (Device *self, guint k)
{
  g_autofree char *name = g_strdup_printf ("copy-start.%u", k);
  GByteArray *event = self->event;
  begin_event (event, META_ASYNC + k % N_ASYNC, self->now - 100000, 4000000);
  put_stat_text (event, 4, HLO_OP, name);
  put_stat_number (event, 4, ASYNC, VALUE_INT64, 1);
  put_stat_number (event, 4, FLOW, VALUE_UINT64, next_random () >> 8);
  put_stat_number (event, 4, ID, VALUE_UINT64, next_random () >> 30);
  end_event (self->async, event);
}

static void
put_step (Device *self)
{
  guint64 begin = self->now;
  GByteArray *event = self->event;
  for (guint k = 0; k < N_OPS; k++) {
    put_op (self, k);
    if (k % 3 == 1)
      put_async (self, k);
  }
  begin_event (event, META_MODULE, begin, self->now - begin);
  put_stat_number (event, 4, RUN_ID, VALUE_UINT64, next_random () >> 34);
  put_stat_number (event, 4, REPLICA_ID, VALUE_INT64, 0);
  put_stat_number (event, 4, QUEUE_ID, VALUE_UINT64, 1);
  put_stat_number (event, 4, CONSUMER_TYPE, VALUE_INT64, 8);
  put_stat_number (event, 4, CONSUMER, VALUE_INT64, next_random () >> 2);
  end_event (self->modules, event);
  begin_event (event, META_STEP + self->step % N_STEP_NAMES, begin - 500, self->now - begin + 1000);
  put_stat_number (event, 4, GROUP_ID, VALUE_INT64, self->step++);
  end_event (self->steps, event);
  self->now += 30000000;
}

static GByteArray *
make_device (guint number, gsize size)
{
  GByteArray *plane = g_byte_array_new ();
  g_autofree char *name = g_strdup_printf ("/device:TPU:%u", number);
  Device self = { g_byte_array_new (),
                  g_byte_array_new (),
                  g_byte_array_new (),
                  g_byte_array_new (),
                  g_byte_array_new (),
                  3000000000u + number * 1000,
                  0 };
  put_number (plane, 1, 2 + 8 * number);
  put_text (plane, 2, name);
  begin_line (self.steps, 1, "Steps");
  begin_line (self.modules, 2, "XLA Modules");
  begin_line (self.ops, 3, "XLA Ops");
  begin_line (self.async, 4, "Async XLA Ops");
  while ((gsize) self.ops->len + self.async->len < size)
    put_step (&self);
  put_message (plane, 3, self.steps);
  put_message (plane, 3, self.modules);
  put_message (plane, 3, self.ops);
  put_message (plane, 3, self.async);
  for (guint id = 1; id <= N_METADATA; id++)
    put_operator (plane, id);
  put_stat_metadata (plane);
  put_stat_text (plane, 6, DEVICE_TYPE, "TPU v6 Lite");
  put_stat_double (plane, 6, PEAK_TERAFLOPS, 918.0);
  g_byte_array_unref (self.steps);
  g_byte_array_unref (self.modules);
  g_byte_array_unref (self.ops);
  g_byte_array_unref (self.async);
  g_byte_array_unref (self.event);
  return plane;
}

/* The four sorts of events that host threads have. */
static void
put_host_stats (GByteArray *event, guint sort)
{
  switch (sort) {
  case 0:
    put_stat_number (event, 4, CONSUMER_TYPE, VALUE_INT64, 2);
    put_stat_number (event, 4, CONSUMER, VALUE_INT64, next_random ());
    break;
  case 1:
    put_stat_number (event, 4, PRODUCER_TYPE, VALUE_INT64, 2);
    put_stat_number (event, 4, PRODUCER, VALUE_INT64, next_random ());
    put_stat_number (event, 4, TF_OP, VALUE_REF, STAT_REF + next_random () % N_REFS);
    break;
  case 2:
    put_stat_number (event, 4, ID, VALUE_INT64, next_random () >> 40);
    put_stat_number (event, 4, SHAPE, VALUE_REF, STAT_REF + next_random () % N_REFS);
    put_stat_number (event, 4, BYTES_ACCESSED, VALUE_INT64, next_random () >> 30);
    put_stat_double (event, 4, FLOPS, 0.25);
    break;
  default:
    put_stat_number (event, 4, RUN_ID, VALUE_INT64, next_random () >> 33);
    put_stat_number (event, 4, QUEUE_ID, VALUE_INT64, 1);
    put_stat_number (event, 4, GROUP_ID, VALUE_INT64, 5);
  }
}

static void
put_thread (GByteArray *plane, gsize size)
{
  guint64 id = next_random (), now = 1000;
  g_autofree char *name = g_strdup_printf ("py_xla_execute/%" G_GUINT64_FORMAT, id);
  GByteArray *line = g_byte_array_new (), *event = g_byte_array_new ();
  begin_line (line, id, name);
  put_text (line, 11, name);
  put_number (line, 3, 212990);
  while (line->len < size) {
    guint64 duration = 1000 + next_random () % 9000000;
    begin_event (event, 1 + next_random () % N_HOST_NAMES, now, duration);
    put_host_stats (event, next_random () % 4);
    end_event (line, event);
    now += duration + 5000;
  }
  put_message (plane, 3, line);
  g_byte_array_unref (line);
  g_byte_array_unref (event);
}

static GByteArray *
make_host (gsize size)
{
  GByteArray *plane = g_byte_array_new ();
  put_number (plane, 1, 0);
  put_text (plane, 2, "/host:CPU");
  for (guint i = 0; i < N_THREADS; i++)
    put_thread (plane, size / N_THREADS);
  for (guint id = 1; id <= N_HOST_NAMES; id++) {
    g_autofree char *name = g_strdup_printf ("PjRtStreamExecutorLoadedExecutable::Execute%u", id);
    put_named (plane, 4, id, name);
  }
  put_stat_metadata (plane);
  return plane;
}

/* Compiled programs, as large blobs that no run looks into. */
static GByteArray *
make_programs (gsize size)
{
  GByteArray *plane = g_byte_array_new (), *value = g_byte_array_new ();
  g_autofree guint8 *blob = g_malloc (size);
  for (gsize i = 0; i < size; i++)
    blob[i] = (guint8) next_random ();
  put_text (plane, 2, "/host:metadata");
  put_number (value, 1, 1);
  put_text (value, 2, "jit_step(17342868964687645945)");
  put_stat_data (value, 5, HLO_PROTO, VALUE_BYTES, blob, size);
  put_map_entry (plane, 4, 1, value);
  put_stat_metadata (plane);
  g_byte_array_unref (value);
  return plane;
}

static void
write_plane (FILE *file, GByteArray *plane)
{
  GByteArray *head = g_byte_array_new ();
  put_varint (head, 1 << 3 | 2);
  put_varint (head, plane->len);
  fwrite (head->data, 1, head->len, file);
  fwrite (plane->data, 1, plane->len, file);
  g_byte_array_unref (head);
  g_byte_array_unref (plane);
}

int
main (int argc, char **argv)
{
  double megabytes = argc == 3 ? g_ascii_strtod (argv[1], NULL) : 0;
  if (!(megabytes > 0 && megabytes <= 8000)) {
    fprintf (stderr, "usage: xplane-gen MEGABYTES FILE\n");
    return 1;
  }
  FILE *file = fopen (argv[2], "wb");
  if (file == NULL) {
    fprintf (stderr, "xplane-gen: %s: %s\n", argv[2], g_strerror (errno));
    return 1;
  }
  gsize size = (gsize) (megabytes * 1e6);
  for (guint i = 0; i < N_DEVICES; i++)
    write_plane (file, make_device (i, size / 100 * 81 / N_DEVICES));
  write_plane (file, make_programs (size / 100 * 2));
  write_plane (file, make_host (size / 100 * 17));
  if (ferror (file) || fclose (file) != 0) {
    fprintf (stderr, "xplane-gen: %s: %s\n", argv[2], g_strerror (errno));
    return 1;
  }
  printf ("%" G_GUINT64_FORMAT " events\n", n_events);
  return 0;
}
