/* SPDX-License-Identifier: Apache-2.0 */
/* test-operators.c - the analyzer operators: self time against the definition, what levels show,
 * what is merged, what stays unknown. */
#include "say-work.h"
#include "testhost.h"

static const struct nprof_component *operators;
static const char *option_text;
static guint batch_rows;

/* -- Feeding ---------------------------------------------------------------------------- */

typedef struct {
  NprofTestRun *run;
  const struct nprof_host *h;
  struct nprof_writer *w;
} Feed;

static Feed
feed_new (void)
{
  const NprofTestConfig config = { .rows = batch_rows };
  Feed f = { .run = nprof_test_open (operators, option_text, &config) };
  f.h = nprof_test_host (f.run);
  f.w = f.h->writer (f.h);
  return f;
}

static nprof_str
str (const Feed *f, const char *text)
{
  return nprof_intern (f->h, text);
}

static nprof_track
track (const Feed *f, nprof_track parent, guint kind, const char *key)
{
  return f->h->track (f->h, parent, kind, str (f, key), 0, 0);
}

static void
span (Feed *f, nprof_track on, const char *name, gint64 start, gint64 duration)
{
  g_assert_cmpint (nprof_span (f->w, on, str (f, name), start, duration), ==, NPROF_OK);
}

static void
category (Feed *f, const char *text)
{
  nprof_set_category (f->w, str (f, text));
  say_work (f->h, f->w);
}

static void
text (Feed *f, const char *key, const char *value)
{
  g_assert_cmpint (nprof_attr_str (f->w, str (f, key), str (f, value)), ==, NPROF_OK);
}

static void
number (Feed *f, const char *key, gint64 value)
{
  g_assert_cmpint (nprof_attr_int (f->w, str (f, key), value), ==, NPROF_OK);
}

static void
finish (Feed *f)
{
  nprof_test_finish (f->run);
  nprof_test_assert_ok (f->run);
}

/* The one row of the table whose cells are these: column, value, ..., NULL. */
static int
find (const NprofTestRun *run, const char *table, ...)
{
  int found = -1;
  for (guint row = 0; row < nprof_test_table (run, table)->n_rows; row++) {
    va_list args;
    va_start (args, table);
    gboolean all = TRUE;
    for (const char *column; all && (column = va_arg (args, const char *));)
      all = g_strcmp0 (nprof_test_cell (run, table, row, column), va_arg (args, const char *)) == 0;
    va_end (args);
    if (all) {
      g_assert_cmpint (found, ==, -1);
      found = (int) row;
    }
  }
  return found;
}

#define CELL(table, row, column, value)                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_assert_cmpint (row, >=, 0);                                                                  \
    g_assert_cmpstr (nprof_test_cell (f.run, table, (guint) (row), column), ==, value);            \
  }                                                                                                \
  G_STMT_END

/* -- Self time -------------------------------------------------------------------------- */

enum { NAMES = 5, TRACKS = 3, EARLIEST = -5, MOMENTS = 100 };

typedef struct {
  guint track, name;
  gint64 start, duration, device_start, device_duration;
} Row;

typedef struct {
  guint64 n;
  gint64 total, self;
} Sum;

static int
by_order (gconstpointer a, gconstpointer b)
{
  const Row *x = *(const Row *const *) a, *y = *(const Row *const *) b;
  if (x->device_start != y->device_start)
    return x->device_start < y->device_start ? -1 : 1;
  if (x->device_duration != y->device_duration)
    return x->device_duration > y->device_duration ? -1 : 1;
  /* what the pipeline's order says of the rest: by start, longest first, as they came */
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  return x < y ? -1 : 1;
}

/* Takes the moments of a child from its parent, each once. */
static void
take_moments (const Row *child, gboolean *taken, gint64 *self)
{
  for (gint64 at = 0; at < child->device_duration; at++) {
    gboolean *moment = taken + child->device_start + at - EARLIEST;
    *self -= !*moment;
    *moment = TRUE;
  }
}

/* contract: less the time in which spans run whose direct parent it is, by looking at all pairs */
static void
define (GArray *rows, guint on, Sum *sums)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, Row, i).track == on)
      g_ptr_array_add (order, &g_array_index (rows, Row, i));
  g_ptr_array_sort (order, by_order);
  g_autofree gboolean *taken = g_new0 (gboolean, MOMENTS * order->len);
  for (guint i = 0; i < order->len; i++) {
    const Row *r = order->pdata[i];
    gint64 end = r->device_start + r->device_duration;
    Sum *sum = sums + r->name;
    sum->n++;
    sum->total += r->device_duration;
    sum->self += r->device_duration;
    for (guint j = i; j-- > 0;) {
      const Row *around = order->pdata[j];
      if (around->device_start + around->device_duration >= end) {
        take_moments (r, taken + MOMENTS * j, &sums[around->name].self);
        break;
      }
    }
  }
}

static GArray *
random_rows (GRand *rand, gboolean device_times)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint n = (guint) g_rand_int_range (rand, 0, 40);
  for (guint i = 0; i < n; i++) {
    Row r = { .track = (guint) g_rand_int_range (rand, 0, TRACKS),
              .name = (guint) g_rand_int_range (rand, 0, NAMES),
              .start = g_rand_int_range (rand, 0, 60),
              .duration = g_rand_int_range (rand, 0, 30) };
    r.device_start = r.start + (device_times ? g_rand_int_range (rand, -5, 6) : 0);
    r.device_duration = device_times ? g_rand_int_range (rand, 0, 30) : r.duration;
    g_array_append_val (rows, r);
  }
  return rows;
}

enum { CASES = 50 }; /* in one run, each a device */

static void
feed_case (Feed *f, const char *name, GArray *rows, gboolean device_times)
{
  nprof_track device = track (f, 0, NPROF_TRACK_DEVICE, name), on[TRACKS];
  for (guint t = 0; t < TRACKS; t++) {
    g_autofree char *key = g_strdup_printf ("e%u", t);
    on[t] = track (f, device, NPROF_TRACK_ENGINE, key);
  }
  for (guint i = 0; i < rows->len; i++) {
    const Row *r = &g_array_index (rows, Row, i);
    char op[] = { (char) ('a' + r->name), 0 };
    span (f, on[r->track], op, r->start, r->duration);
    if (device_times) {
      number (f, NPROF_KEY_DEVICE_OFFSET, r->device_start);
      number (f, NPROF_KEY_DEVICE_DURATION, r->device_duration);
    }
  }
}

static void
check_case (Feed *run, const char *device, GArray *rows)
{
  Feed f = *run;
  Sum sums[NAMES] = { 0 };
  for (guint t = 0; t < TRACKS; t++)
    define (rows, t, sums);
  for (guint n = 0; n < NAMES; n++) {
    char op[] = { (char) ('a' + n), 0 };
    int row = find (f.run, "operators", "device", device, "level", "name", "operator", op, NULL);
    if (!sums[n].n) {
      g_assert_cmpint (row, ==, -1);
      continue;
    }
    g_autofree char *total = g_strdup_printf ("%" G_GINT64_FORMAT, sums[n].total),
                    *self = g_strdup_printf ("%" G_GINT64_FORMAT, sums[n].self),
                    *count = g_strdup_printf ("%" G_GUINT64_FORMAT, sums[n].n);
    CELL ("operators", row, "total_ns", total);
    CELL ("operators", row, "self_ns", self);
    CELL ("operators", row, "calls", count);
  }
}

/* All cases in one run.  Transfer full: what came out. */
static char *
run_cases (GArray **cases, gboolean device_times, guint rows)
{
  batch_rows = rows;
  Feed f = feed_new ();
  batch_rows = 0;
  for (guint c = 0; c < CASES; c++) {
    g_autofree char *device = g_strdup_printf ("d%u", c);
    feed_case (&f, device, cases[c], device_times);
  }
  finish (&f);
  for (guint c = 0; c < CASES; c++) {
    g_autofree char *device = g_strdup_printf ("d%u", c);
    check_case (&f, device, cases[c]);
  }
  char *dump = nprof_test_dump (f.run);
  nprof_test_run_free (f.run);
  return dump;
}

static void
test_random (gconstpointer device_times)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  for (guint round = 0; round < 60; round++) {
    GArray *cases[CASES];
    for (guint c = 0; c < CASES; c++)
      cases[c] = random_rows (rand, device_times != NULL);
    g_autofree char *first = run_cases (cases, device_times != NULL, 0);
    for (guint rows = 1; rows <= 7; rows += 6) {
      g_autofree char *dump = run_cases (cases, device_times != NULL, rows);
      g_assert_cmpstr (dump, ==, first);
    }
    for (guint c = 0; c < CASES; c++)
      g_array_unref (cases[c]);
  }
}

/* More out of order than the window holds: counted, said, and the totals hold. */
static void
test_late (void)
{
  option_text = "window=4k";
  Feed f = feed_new ();
  option_text = NULL;
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "d"),
              on = track (&f, device, NPROF_TRACK_ENGINE, "e");
  for (int i = 0; i < 1000; i++) {
    span (&f, on, "a", i * 10, 10);
    number (&f, NPROF_KEY_DEVICE_OFFSET, i == 900 ? 5 : i * 10);
    number (&f, NPROF_KEY_DEVICE_DURATION, 10);
  }
  finish (&f);
  g_assert_true (nprof_test_logged (f.run, "1 spans came later than the window"));
  int row = find (f.run, "operators", "level", "name", "operator", "a", NULL);
  CELL ("operators", row, "total_ns", "10000");
  CELL ("operators", row, "self_ns", "10000");
  nprof_test_run_free (f.run);
}

/* -- What is summed --------------------------------------------------------------------- */

/* A task of Furiosa lies around its operators; a bundle without name and length is none. */
static void
test_no_operators (void)
{
  Feed f = feed_new ();
  nprof_track npu = track (&f, 0, NPROF_TRACK_DEVICE, "npu0"),
              pe = track (&f, npu, NPROF_TRACK_CORE, "PE 0");
  span (&f, pe, "Task", 0, 100);
  category (&f, "NPU");
  span (&f, pe, "LowLevelConv2d", 10, 50);
  category (&f, "NPU");
  span (&f, pe, "", 70, 0);
  category (&f, "NPU");
  finish (&f);
  g_assert_cmpint (find (f.run, "operators", "operator", "Task", NULL), ==, -1);
  g_assert_cmpint (find (f.run, "operators", "operator", NULL, NULL), ==, -1);
  int row = find (f.run, "operators", "operator", "LowLevelConv2d", NULL);
  CELL ("operators", row, "self_ns", "50");
  CELL ("operators", row, "share", "1");
  nprof_test_run_free (f.run);
}

static void
test_work (void)
{
  Feed f = feed_new ();
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "TPU:0"),
              on = track (&f, device, NPROF_TRACK_ENGINE, "XLA Ops");
  const struct {
    const char *name, *path;
    gint64 start, duration, flops;
  } rows[] = {
    { "while", "jit(f)/while", 0, 1000, 99 }, /* holds the next two: its flop would count twice */
    { "fusion.1", "jit(f)/Net/dense/dot_general", 0, 300, 10 },
    { "fusion.1", "jit(f)/Net/dense/dot_general", 400, 300, 10 },
    { "copy", NULL, 1000, 50, -1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    span (&f, on, rows[i].name, rows[i].start, rows[i].duration);
    category (&f, rows[i].path ? "fusion" : "copy");
    text (&f, NPROF_KEY_HLO_TEXT,
          i == 0 ? "%while = (f32[2], u8[]) while(%x), body=%b"
                 : "%f = f32[2]{0:T(8,128)} fusion(f32[2] %y), kind=kLoop");
    if (rows[i].path)
      text (&f, NPROF_KEY_FRAMEWORK_OP, rows[i].path);
    if (rows[i].flops >= 0)
      number (&f, NPROF_KEY_FLOPS, rows[i].flops);
    number (&f, NPROF_KEY_BYTES_READ, 3);
    number (&f, NPROF_KEY_BYTES_WRITTEN, 4);
  }
  span (&f, on, "custom", 1100, 50); /* a kernel whose bytes are unknown */
  category (&f, "custom-call");
  text (&f, NPROF_KEY_HLO_TEXT, "%custom = f32[2] custom-call(f32[2] %y)");
  text (&f, NPROF_KEY_FRAMEWORK_OP, "jit(f)/custom");
  number (&f, NPROF_KEY_BYTES_ACCESSED, 0);
  span (&f, on, "open", 2000, -1);
  finish (&f);
  int row = find (f.run, "operators", "level", "hlo", "operator", "custom", NULL);
  CELL ("operators", row, "bytes", NULL);
  row = find (f.run, "operators", "level", "hlo", "operator", "while", NULL);
  CELL ("operators", row, "self_ns", "400");
  CELL ("operators", row, "flops", NULL);
  CELL ("operators", row, "bytes", NULL);
  CELL ("operators", row, "mfu", NULL);
  row = find (f.run, "operators", "level", "hlo", "operator", "fusion.1", NULL);
  CELL ("operators", row, "calls", "2");
  CELL ("operators", row, "mean_ns", "300");
  CELL ("operators", row, "flops", "20");
  CELL ("operators", row, "bytes", "14");
  CELL ("operators", row, "duplicates", "0");
  CELL ("operators", row, "device", "TPU:0");
  row = find (f.run, "operators", "level", "opcode", "operator", "while", NULL);
  CELL ("operators", row, "calls", "1");
  row = find (f.run, "operators", "level", "framework", "category", "dot_general", NULL);
  CELL ("operators", row, "operator", "jit(f)/Net/dense/dot_general");
  row = find (f.run, "operators", "level", "framework", "operator", NULL, NULL); /* the copy */
  CELL ("operators", row, "total_ns", "50");
  CELL ("operators", row, "flops", NULL);
  g_assert_cmpint (find (f.run, "operators", "level", "name", "operator", "copy", NULL), ==, -1);
  row = find (f.run, "operators", "level", "layer", "operator", "Net/dense", NULL);
  CELL ("operators", row, "self_ns", "600");
  row = find (f.run, "layers", "layer", "Net", NULL); /* what lies above holds it too */
  CELL ("layers", row, "busy_ns", "600");
  CELL ("layers", row, "start_ns", "0");
  CELL ("layers", row, "end_ns", "700");
  CELL ("layers", row, "flops", "20");
  g_assert_cmpuint (nprof_test_table (f.run, "layers")->n_rows, ==, 2);
  g_assert_true (nprof_test_logged (f.run, "spans without an end in the file: 1"));
  nprof_test_run_free (f.run);
}

/* flops and, where it is not 0, a duration by the device's clock. */
static nprof_set
set_of (const Feed *f, gint64 flops, gint64 duration)
{
  const nprof_str key[] = { str (f, NPROF_KEY_FLOPS), str (f, NPROF_KEY_DEVICE_OFFSET),
                            str (f, NPROF_KEY_DEVICE_DURATION) };
  const uint8_t type[] = { NPROF_INT64, NPROF_INT64, NPROF_INT64 };
  const nprof_value value[] = { { .i = flops }, { .i = 5000 }, { .i = duration } };
  const struct nprof_attrs attrs
      = { .size = sizeof attrs, .n = duration ? 3 : 1, .key = key, .type = type, .value = value };
  return f->h->attrs (f->h, &attrs);
}

/* Shared attributes are read once; a row's own ones override them. */
static void
test_sets (void)
{
  Feed f = feed_new ();
  nprof_track tpu
      = track (&f, 0, NPROF_TRACK_DEVICE, "TPU:0"),
      on = track (&f, tpu, NPROF_TRACK_ENGINE, "XLA Ops"),
      other = track (&f, track (&f, 0, NPROF_TRACK_DEVICE, "TPU:1"), NPROF_TRACK_ENGINE, "XLA Ops");
  nprof_set ten = set_of (&f, 10, 0), timed = set_of (&f, 1000, 60);
  const struct {
    nprof_track on;
    const char *name;
    nprof_set set;
    gint64 own_flops, own_duration;
  } rows[] = { { on, "a", ten, -1, -1 },   { on, "a", ten, 7, -1 },    { on, "b", ten, -1, -1 },
               { on, "a", ten, -1, 30 },   { on, "c", timed, -1, -1 }, { on, "c", timed, -1, 40 },
               { other, "a", ten, -1, -1 } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    span (&f, rows[i].on, rows[i].name, (gint64) i * 1000, 100);
    nprof_set_shared (f.w, rows[i].set);
    if (rows[i].own_flops >= 0)
      number (&f, NPROF_KEY_FLOPS, rows[i].own_flops);
    if (rows[i].own_duration >= 0) {
      number (&f, NPROF_KEY_DEVICE_OFFSET, 100000 + (gint64) i * 1000);
      number (&f, NPROF_KEY_DEVICE_DURATION, rows[i].own_duration);
    }
  }
  finish (&f);
  const struct {
    const char *device, *name, *occurrences, *total, *flops;
  } expected[] = { { "TPU:0", "a", "3", "230", "27" },
                   { "TPU:0", "b", "1", "100", "10" },
                   { "TPU:0", "c", "2", "100", "2000" },
                   { "TPU:1", "a", "1", "100", "10" } };
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    int row = find (f.run, "operators", "device", expected[i].device, "level", "name", "operator",
                    expected[i].name, NULL);
    CELL ("operators", row, "calls", expected[i].occurrences);
    CELL ("operators", row, "total_ns", expected[i].total);
    CELL ("operators", row, "flops", expected[i].flops);
  }
  nprof_test_run_free (f.run);
}

/* A negative count says nothing, and neither does a sum that no count could be. */
static void
test_no_counts (void)
{
  Feed f = feed_new ();
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "GPU:0"),
              on = track (&f, device, NPROF_TRACK_QUEUE, "7");
  span (&f, on, "k", 0, 10);
  number (&f, NPROF_KEY_FLOPS, -1);
  number (&f, NPROF_KEY_BYTES_ACCESSED, -1);
  span (&f, on, "k", 10, 10);
  number (&f, NPROF_KEY_BYTES_READ, INT64_MAX);
  number (&f, NPROF_KEY_BYTES_WRITTEN, INT64_MAX);
  finish (&f);
  int row = find (f.run, "operators", "level", "name", "operator", "k", NULL);
  CELL ("operators", row, "calls", "2");
  CELL ("operators", row, "flops", NULL);
  CELL ("operators", row, "bytes", NULL);
  nprof_test_run_free (f.run);
}

/* Clones are one operator; the same name in two programs is two. */
static void
test_same (void)
{
  Feed f = feed_new ();
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "TPU:0"),
              on = track (&f, device, NPROF_TRACK_ENGINE, "XLA Ops");
  const struct {
    const char *name;
    guint64 program;
  } rows[] = { { "add", 7 }, { "add.2", 7 }, { "add.3", 7 }, { "add", G_MAXUINT64 }, { "mul", 7 } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    span (&f, on, rows[i].name, (gint64) i * 10, 5);
    g_assert_cmpint (nprof_attr_uint (f.w, str (&f, NPROF_KEY_PROGRAM_ID), rows[i].program), ==, 0);
    if (rows[i].name[3])
      text (&f, NPROF_KEY_DEDUPLICATED, "add");
  }
  finish (&f);
  int row = find (f.run, "operators", "operator", "add (program 7)", NULL);
  CELL ("operators", row, "calls", "3");
  CELL ("operators", row, "duplicates", "2");
  CELL ("operators", row, "share", "0.6");
  row = find (f.run, "operators", "operator", "add (program 18446744073709551615)", NULL);
  CELL ("operators", row, "duplicates", "0");
  row = find (f.run, "operators", "operator", "mul", NULL);
  CELL ("operators", row, "level", "hlo");
  nprof_test_run_free (f.run);
}

/* By core, and rows that are no work. */
static void
test_cores (void)
{
  Feed f = feed_new ();
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "nd0");
  for (int core = 0; core < 2; core++) {
    nprof_track on = track (&f, device, NPROF_TRACK_CORE, core ? "nc1" : "nc0");
    span (&f, track (&f, on, NPROF_TRACK_ENGINE, "PE"), "MATMUL", 0, 10 + core);
    text (&f, NPROF_KEY_OPCODE, "MATMUL");
    text (&f, NPROF_KEY_LAYER, "Net[net]/Linear[fc]");
    span (&f, track (&f, on, NPROF_TRACK_ASYNC, "async"), "MATMUL", 0, 500);
    span (&f, track (&f, on, NPROF_TRACK_THREAD, "XLA Modules"), "MATMUL", 0, 500);
  }
  finish (&f);
  int row = find (f.run, "operators", "device", "nd0/nc1", "level", "opcode", NULL);
  CELL ("operators", row, "total_ns", "11");
  CELL ("operators", row, "share", "1");
  row = find (f.run, "layers", "layer", "Net[net]/Linear[fc]", NULL);
  CELL ("layers", row, "busy_ns", "21");
  nprof_test_run_free (f.run);
}

/* -- Kineto ----------------------------------------------------------------------------- */

/* A span of Kineto: correlation 0, arguments NULL: it says none. */
typedef struct {
  const char *name, *category;
  gint64 start, duration;
  guint64 correlation;
  const char *arguments;
} Event;

static void
events (Feed *f, nprof_track on, const Event *event, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    span (f, on, event[i].name, event[i].start, event[i].duration);
    category (f, event[i].category);
    if (event[i].correlation)
      g_assert_cmpint (nprof_attr_uint (f->w, str (f, NPROF_KEY_CORRELATION_ID),
                                        event[i].correlation),
                       ==, NPROF_OK);
    if (event[i].arguments)
      text (f, "arguments", event[i].arguments);
  }
}

typedef struct {
  Feed feed;
  nprof_track gpu, stream, process, thread;
} Torch;

static Torch
torch_new (void)
{
  Torch t = { .feed = feed_new () };
  t.gpu = track (&t.feed, 0, NPROF_TRACK_DEVICE, "GPU 0");
  t.stream = track (&t.feed, t.gpu, NPROF_TRACK_QUEUE, "stream 7");
  t.process = track (&t.feed, 0, NPROF_TRACK_PROCESS, "python3");
  t.thread = track (&t.feed, t.process, NPROF_TRACK_THREAD, "thread 1");
  return t;
}

static void
test_kineto (void)
{
  static const Event kernels[] = {
    { "gemm", "kernel", 100, 50, 1, NULL }, { "gemm", "kernel", 200, 70, 2, NULL },
    { "gemm", "kernel", 300, 20, 0, NULL }, { "add", "kernel", 400, 3, 4, NULL },
    { "add", "kernel", 410, 4, 5, NULL },   { "forward", "gpu_user_annotation", 90, 400, 0, NULL }
  };
  static const Event host[] = { { "module.py: forward", "python_function", 0, 100, 0, NULL },
                                { "aten::linear", "cpu_op", 10, 50, 0, NULL },
                                { "aten::mm", "cpu_op", 20, 30, 0, NULL },
                                { "cudaLaunchKernel", "cuda_runtime", 30, 10, 1, NULL },
                                { "cudaLaunchKernel", "cuda_runtime", 55, 5, 4, NULL },
                                { "cudaLaunchKernel", "cuda_runtime", 70, 5, 5, NULL } };
  Torch t = torch_new ();
  Feed f = t.feed;
  events (&f, t.stream, kernels, G_N_ELEMENTS (kernels));
  events (&f, t.thread, host, G_N_ELEMENTS (host));
  finish (&f);
  int row = find (f.run, "operators", "operator", "aten::linear", "device", "python3", NULL);
  CELL ("operators", row, "level", "framework");
  CELL ("operators", row, "category", "cpu_op");
  CELL ("operators", row, "total_ns", "50");
  CELL ("operators", row, "self_ns", "15"); /* without aten::mm and a launch */
  CELL ("operators", row, "host_self_ns", "15");
  row = find (f.run, "operators", "operator", "aten::mm", "device", "python3", NULL);
  CELL ("operators", row, "self_ns", "20");
  row = find (f.run, "operators", "level", "category", "operator", "kernel", NULL);
  CELL ("operators", row, "total_ns", "147");
  g_assert_cmpint (find (f.run, "operators", "operator", "cudaLaunchKernel", NULL), ==, -1);

  /* the same by the device's time: all of it is in these rows once */
  const struct {
    const char *name, *calls, *total, *self, *kernel;
  } expected[] = { { "aten::linear", "1", "53", "3", "add" },
                   { "aten::mm", "1", "50", "50", "gemm" },
                   { "(no operator)", NULL, "4", "4", "add" },
                   { "(launch not recorded)", NULL, "90", "90", "gemm" } };
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    row = find (f.run, "operators", "level", "framework", "device", "GPU 0", "operator",
                expected[i].name, NULL);
    CELL ("operators", row, "calls", expected[i].calls);
    CELL ("operators", row, "total_ns", expected[i].total);
    CELL ("operators", row, "self_ns", expected[i].self);
    CELL ("operators", row, "top_kernel", expected[i].kernel);
  }
  row = find (f.run, "operators", "operator", "aten::linear", "device", "GPU 0", NULL);
  CELL ("operators", row, "host_self_ns", "15");

  const char *const l = "operators_linked";
  row = find (f.run, l, "operator", "gemm", "linked", "true", NULL);
  CELL (l, row, "launcher", "aten::mm");
  CELL (l, row, "total_ns", "50");
  CELL (l, row, "reason", NULL);
  row = find (f.run, l, "operator", "gemm", "reason", "its launch is not in the file", NULL);
  CELL (l, row, "total_ns", "70");
  CELL (l, row, "linked", "false");
  row = find (f.run, l, "operator", "gemm", "reason", "it has no correlation id", NULL);
  CELL (l, row, "total_ns", "20");
  row = find (f.run, l, "operator", "add", "launcher", "aten::linear", NULL);
  CELL (l, row, "calls", "1");
  row = find (f.run, l, "operator", "add", "launcher", NULL, NULL);
  CELL (l, row, "linked", "true");

  row = find (f.run, "kernels", "kernel", "gemm", NULL);
  CELL ("kernels", row, "calls", "3");
  CELL ("kernels", row, "total_ns", "140");
  CELL ("kernels", row, "operator", "aten::mm");
  CELL ("kernels", row, "operators", "1");
  row = find (f.run, "kernels", "kernel", "add", NULL);
  CELL ("kernels", row, "share_so_far", "1");
  nprof_test_run_free (f.run);
}

/* -- Flops by shapes ---------------------------------------------------------------------- */

#define MM "f32[2,3] f32[3,5]" /* 60 flop, 4 * (6 + 15 + 10) bytes */

static void
check_products (Event *host, gsize n, const char *const *expected)
{
  Torch t = torch_new ();
  Feed f = t.feed;
  static const Event step[] = { { "ProfilerStep#3", "user_annotation", 0, 1000, 0, NULL } };
  events (&f, t.thread, step, 1);
  events (&f, t.thread, host, n);
  for (gsize i = 0; i < n; i++)
    if (host[i].correlation) {
      const Event kernel = { host[i].correlation == 9 ? "gemm_tf32" : "gemm",
                             "kernel",
                             host[i].start + 2000,
                             7,
                             host[i].correlation,
                             NULL };
      events (&f, t.stream, &kernel, 1);
    }
  finish (&f);
  const char *const o = "operator_flops";
  guint rows = 0;
  for (; *expected; expected += 5, rows++) {
    int row
        = find (f.run, o, "operator", expected[0], "device", *expected[3] ? "GPU 0" : NULL, NULL);
    CELL (o, row, "calls", expected[1]);
    CELL (o, row, "flops", *expected[2] ? expected[2] : NULL);
    CELL (o, row, "device_ns", *expected[3] ? expected[3] : NULL);
    CELL (o, row, "precision", *expected[4] ? expected[4] : NULL);
  }
  g_assert_cmpuint (nprof_test_table (f.run, o)->n_rows, ==, rows);
  nprof_test_run_free (f.run);
}

/* Name, calls, flops, time of the device, precision of each row. */
static void
test_products (void)
{
  static Event inner[] = { { "aten::linear", "cpu_op", 10, 80, 0, "f32[2,3] f32[5,3] -" },
                           { "aten::matmul", "cpu_op", 12, 50, 0, MM },
                           { "aten::mm", "cpu_op", 20, 30, 0, MM },
                           { "cudaLaunchKernel", "cuda_runtime", 30, 5, 1, NULL },
                           { "cudaLaunchKernel", "cuda_runtime", 70, 5, 2, NULL } };
  check_products (inner, G_N_ELEMENTS (inner),
                  (const char *const[]){ "aten::mm", "1", "60", "7", "fp32", NULL });

  /* the product says too little, or nothing: what is around it does not */
  static Event outer[] = { { "aten::linear", "cpu_op", 10, 80, 0, "f32[2,3] f32[5,3] -" },
                           { "aten::mm", "cpu_op", 20, 30, 0, "f32[2,3] f32[4,5]" },
                           { "cudaLaunchKernel", "cuda_runtime", 30, 5, 9, NULL } };
  check_products (outer, G_N_ELEMENTS (outer),
                  (const char *const[]){ "aten::linear", "1", "60", "7", "tf32", NULL });

  /* nobody says enough: the outermost is unknown, never 0 */
  static Event none[] = { { "aten::linear", "cpu_op", 10, 80, 0, NULL },
                          { "aten::addmm", "cpu_op", 20, 30, 0, NULL },
                          { "cudaLaunchKernel", "cuda_runtime", 30, 5, 1, NULL } };
  check_products (none, G_N_ELEMENTS (none),
                  (const char *const[]){ "aten::linear", "1", "", "7", "", NULL });

  /* a product in a product counts once; one without work on a device has none */
  static Event twice[] = { { "aten::convolution", "cpu_op", 10, 80, 0,
                             "f32[1,2,4,4] f32[3,2,1,1] - [1,1] [0,0] [1,1] False [0,0] 1" },
                           { "aten::cudnn_convolution", "cpu_op", 20, 30, 0,
                             "f32[1,2,4,4] f32[3,2,1,1] [0,0] [1,1] [1,1] 1 False False True" },
                           { "cudaLaunchKernel", "cuda_runtime", 30, 5, 1, NULL },
                           { "aten::mm", "cpu_op", 200, 30, 0, MM } };
  check_products (twice, G_N_ELEMENTS (twice),
                  (const char *const[]){ "aten::convolution", "1", "192", "7", "fp32", "aten::mm",
                                         "1", "60", "", "fp32", NULL });

  /* of 2021: its children tell which gradients it computes */
  static Event old[] = { { "aten::cudnn_convolution_backward", "Operator", 10, 80, 0,
                           "f32[1,2,4,4] f32[1,3,4,4] f32[3,2,1,1]" },
                         { "aten::cudnn_convolution_backward_input", "Operator", 12, 5, 0, NULL },
                         { "aten::cudnn_convolution_backward_weight", "Operator", 20, 30, 0, NULL },
                         { "cudaLaunchKernel", "Runtime", 30, 5, 1, NULL } };
  check_products (old, G_N_ELEMENTS (old),
                  (const char *const[]){ "aten::cudnn_convolution_backward", "1", "384", "7",
                                         "fp32", NULL });
}

static void
test_products_of_steps (void)
{
  static const Event host[] = { { "ProfilerStep#3", "user_annotation", 0, 100, 0, NULL },
                                { "aten::mm", "cpu_op", 20, 30, 0, MM },
                                { "cudaLaunchKernel", "cuda_runtime", 30, 5, 1, NULL },
                                { "ProfilerStep#4", "user_annotation", 100, 100, 0, NULL },
                                { "aten::mm", "cpu_op", 120, 30, 0, NULL },
                                { "cudaLaunchKernel", "cuda_runtime", 130, 5, 2, NULL } };
  static const Event kernels[]
      = { { "gemm", "kernel", 90, 50, 1, NULL }, { "gemm", "kernel", 240, 70, 2, NULL } };
  Torch t = torch_new ();
  Feed f = t.feed;
  events (&f, t.thread, host, G_N_ELEMENTS (host));
  events (&f, t.stream, kernels, G_N_ELEMENTS (kernels));
  finish (&f);
  int row = find (f.run, "step_flops", "step", "ProfilerStep#3", NULL);
  CELL ("step_flops", row, "flops", "60");
  CELL ("step_flops", row, "precision", "fp32");
  row = find (f.run, "step_flops", "step", "ProfilerStep#4", NULL);
  CELL ("step_flops", row, "flops", NULL);
  row = find (f.run, "operators", "device", "GPU 0", "operator", "aten::mm", NULL);
  CELL ("operators", row, "flops", "60");
  CELL ("operators", row, "bytes", "124");
  CELL ("operators", row, "flops_source", "shapes");
  CELL ("operators", row, "unknown_calls", "1");
  CELL ("operators", row, "mfu", NULL); /* the peak of this device is unknown */
  nprof_test_run_free (f.run);
}

/* By the file's own peak, where it states one. mfu is of the model's flops, hfu of all, as in table
 * mfu. */
static void
test_mfu (void)
{
  Feed f = feed_new ();
  nprof_track device = track (&f, 0, NPROF_TRACK_DEVICE, "TPU:0"),
              on = track (&f, device, NPROF_TRACK_ENGINE, "XLA Ops");
  g_assert_cmpint (nprof_row (f.w, NPROF_FACT, device, str (&f, NPROF_KEY_PEAK_FLOPS), 0, 0), ==,
                   0);
  g_assert_cmpint (nprof_attr_double (f.w, str (&f, NPROF_KEY_PEAK_FLOPS), 1e12), ==, NPROF_OK);
  span (&f, on, "dot", 0, 1000); /* 1 ns: 1000 flop could be done */
  text (&f, NPROF_KEY_FRAMEWORK_OP, "Net/dense/dot");
  number (&f, NPROF_KEY_FLOPS, 250);
  span (&f, on, "recompute", 1000, 1000);
  text (&f, NPROF_KEY_FRAMEWORK_OP, "Net/other/recompute");
  number (&f, NPROF_KEY_FLOPS, 500);
  number (&f, NPROF_KEY_MODEL_FLOPS, 125);
  span (&f, on, "matmul", 2000, 1000);
  text (&f, NPROF_KEY_FRAMEWORK_OP, "Net/neuron/matmul");
  number (&f, "hardware_flops", 750);
  number (&f, "transpose_flops", 250);
  finish (&f);
  const struct {
    const char *operator, * layer, *flops, *mfu, *hfu;
  } expected[] = { { "Net/dense/dot", "Net/dense", "250", "0.25", "0.25" },
                   { "Net/other/recompute", "Net/other", "500", "0.125", "0.5" },
                   { "Net/neuron/matmul", "Net/neuron", "750", "0.5", "0.75" } };
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    int row
        = find (f.run, "operators", "level", "framework", "operator", expected[i].operator, NULL);
    CELL ("operators", row, "flops", expected[i].flops);
    CELL ("operators", row, "mfu", expected[i].mfu);
    CELL ("operators", row, "hfu", expected[i].hfu);
    row = find (f.run, "layers", "layer", expected[i].layer, NULL);
    CELL ("layers", row, "mfu", expected[i].mfu);
    CELL ("layers", row, "hfu", expected[i].hfu);
  }
  nprof_test_run_free (f.run);
}

static void
test_empty (void)
{
  Feed f = feed_new ();
  finish (&f);
  g_assert_cmpuint (nprof_test_table (f.run, "operators")->n_rows, ==, 0);
  g_assert_cmpuint (nprof_test_table (f.run, "layers")->n_rows, ==, 0);
  nprof_test_run_free (f.run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  operators = nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "operators");
  g_test_add_data_func ("/operators/random", NULL, test_random);
  g_test_add_data_func ("/operators/random-device-times", "yes", test_random);
  g_test_add_func ("/operators/late", test_late);
  g_test_add_func ("/operators/work", test_work);
  g_test_add_func ("/operators/no-operators", test_no_operators);
  g_test_add_func ("/operators/sets", test_sets);
  g_test_add_func ("/operators/no-counts", test_no_counts);
  g_test_add_func ("/operators/same", test_same);
  g_test_add_func ("/operators/cores", test_cores);
  g_test_add_func ("/operators/kineto", test_kineto);
  g_test_add_func ("/operators/products", test_products);
  g_test_add_func ("/operators/products-of-steps", test_products_of_steps);
  g_test_add_func ("/operators/mfu", test_mfu);
  g_test_add_func ("/operators/empty", test_empty);
  return g_test_run ();
}
