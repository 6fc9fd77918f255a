/* SPDX-License-Identifier: Apache-2.0 */
/* random-rows.c - makes rows and tables of every sort that a run may bring, for an analyzer or a
 * sink: in no order, at all times, of all types, and of kinds and types that only a later contract
 * may have.  The caller looks at the result. */

#include <math.h>
#include <nprof/keys.h>
#include <string.h>

#include "test-run.h"

#define DAY (INT64_C (86400) * 1000000000000)
#define FUTURE_KIND 17u /* beyond NPROF_GAP and NPROF_ID128: to be skipped */
#define FUTURE_TYPE 42u

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  nprof_track thread, device, counter, odd;
  guint variant;
} Maker;

static nprof_str
str (const Maker *f, const char *text)
{
  return nprof_intern (f->host, text);
}

/* The first call that fails counts; the writer may be full then, so nothing more is written. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    nprof_status status_ = (call);                                                                 \
    if (status_)                                                                                   \
      return status_;                                                                              \
  } while (0)

/* -- Rows ------------------------------------------------------------------ */

static void
make_tracks (Maker *f)
{
  const struct nprof_host *h = f->host;
  g_autofree char *lengthy = g_strnfill (5000, 'x');
  nprof_track process = h->track (h, 0, NPROF_TRACK_PROCESS, str (f, "1"), str (f, "process"), 0);
  f->thread = h->track (h, process, NPROF_TRACK_THREAD, str (f, "2"), str (f, "thread"), -5);
  f->device = h->track (h, 0, NPROF_TRACK_DEVICE, str (f, "/device:TPU:0"), 0, 1);
  f->counter = h->track (h, f->device, NPROF_TRACK_COUNTER, str (f, "power"), 0, 0);
  f->odd = h->track (h, f->device, NPROF_TRACK_QUEUE, str (f, "\x1b[31m\",\n\xe2\x82\xac"),
                     str (f, lengthy), INT64_MAX);
}

static nprof_status
facts (Maker *f)
{
  TRY (nprof_row (f->w, NPROF_FACT, f->device, str (f, NPROF_KEY_PEAK_FLOPS), 0, 0));
  TRY (nprof_attr_double (f->w, str (f, NPROF_KEY_PEAK_FLOPS), 1e12));
  TRY (nprof_row (f->w, NPROF_FACT, f->device, str (f, NPROF_KEY_DEVICE_TYPE), 0, 0));
  return nprof_attr_str (f->w, str (f, NPROF_KEY_DEVICE_TYPE), str (f, "TPU v0"));
}

/* Writes an operator with what decoders tell of it. */
static nprof_status
operation (Maker *f, const char *name, int64_t start, int64_t duration)
{
  TRY (nprof_span (f->w, f->device, str (f, name), start, duration));
  nprof_set_category (f->w, str (f, "fusion"));
  TRY (nprof_attr_int (f->w, str (f, NPROF_KEY_FLOPS), 1000));
  TRY (nprof_attr_int (f->w, str (f, NPROF_KEY_BYTES_ACCESSED), 64));
  TRY (nprof_attr_str (f->w, str (f, NPROF_KEY_HLO_CATEGORY), str (f, "convolution")));
  TRY (nprof_attr_str (f->w, str (f, NPROF_KEY_FRAMEWORK_OP), str (f, "jit(f)/layer_1/dot")));
  return nprof_attr_int (f->w, str (f, NPROF_KEY_STEP), 3);
}

/* Writes spans out of order, before the origin, without an end, of no length, equal, overlapping,
 * and so far away that their distance just fits. */
static nprof_status
spans (Maker *f)
{
  static const int64_t times[][2]
      = { { 5000, 1000 }, { 0, 10000 }, { -3000, 2000 },  { 5000, 1000 },
          { 5500, 1000 }, { 7000, -1 }, { 7000, 0 },      { 5000, 200 },
          { -1, 1 },      { 9999, 1 },  { -50 * DAY, 5 }, { 50 * DAY, 5 } };
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    TRY (nprof_span (f->w, i % 3 ? f->thread : f->odd, str (f, i % 2 ? "a" : "b, \"c\"\n"),
                     times[i][0], times[i][1]));
    TRY (operation (f, i % 2 ? "dot.1" : "fusion.2", times[i][0], times[i][1]));
  }
  for (guint i = 0; i < f->variant; i++) { /* what tells one rank from another */
    char name[32];
    g_snprintf (name, sizeof name, "dot.%u", 1 + i % 2 * f->variant);
    TRY (operation (f, name, 20000 + 1000 * i, 100 + 7 * f->variant));
  }
  TRY (nprof_span (f->w, f->thread, 0, 1, 1)); /* without a name */
  nprof_set_id (f->w, UINT64_MAX);
  TRY (nprof_span (f->w, f->thread, str (f, "child"), 1, 1));
  nprof_set_parent (f->w, UINT64_MAX);
  return NPROF_OK;
}

static nprof_status
counters (Maker *f)
{
  static const double values[] = { 1.5, -0.0, 1e308, 5e-324, NAN, INFINITY, -INFINITY };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    TRY (nprof_counter (f->w, f->counter, str (f, "power/W"), (int64_t) i * 100, values[i]));
  return nprof_attr_bytes (f->w, str (f, NPROF_KEY_VALUE), NPROF_JSON, "18446744073709551615", 20);
}

static nprof_status
flows (Maker *f)
{
  static const char *const phases[] = { "begin", "step", "end", "end" };
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++) {
    TRY (nprof_row (f->w, NPROF_FLOW, f->thread, str (f, "launch"), 100 * (int64_t) i, 0));
    nprof_set_category (f->w, str (f, "cuda"));
    nprof_set_flow (f->w, 7 + i / 3); /* the last one has no beginning */
    TRY (nprof_attr_str (f->w, str (f, NPROF_KEY_FLOW_PHASE), str (f, phases[i])));
  }
  return NPROF_OK;
}

static nprof_status
all_types (Maker *f)
{
  const struct nprof_value_name {
    const char *name;
    uint8_t type;
    nprof_value value;
  } numbers[] = {
    { "x.int", NPROF_INT64, { .i = INT64_MIN } }, { "x.uint", NPROF_UINT64, { .u = UINT64_MAX } },
    { "x.double", NPROF_DOUBLE, { .f = NAN } },   { "x.bool", NPROF_BOOL, { .u = 1 } },
    { "x.empty", NPROF_STRING, { .u = 0 } },      { "x.future", FUTURE_TYPE, { .u = 1 } },
  };
  TRY (nprof_span (f->w, f->thread, str (f, "all types"), 10, 10));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    TRY (nprof_attr (f->w, str (f, numbers[i].name), numbers[i].type, numbers[i].value));
  TRY (nprof_attr_bytes (f->w, str (f, "x.text"), NPROF_TEXT, "a,\"b\"\n\xe2\x82\xac", 9));
  TRY (nprof_attr_bytes (f->w, str (f, "x.none"), NPROF_TEXT, "", 0));
  TRY (nprof_attr_bytes (f->w, str (f, "x.json"), NPROF_JSON, "{\"a\": [1, NaN]}", 15));
  return nprof_attr_bytes (f->w, str (f, "x.id"), NPROF_ID128, "0123456789abcdef", 16);
}

/* Writes more attributes than a batch has room for at first, and a set that rows share. */
static nprof_status
many_attributes (Maker *f)
{
  nprof_str keys[2] = { str (f, NPROF_KEY_OP), str (f, "x.shared") };
  uint8_t types[2] = { NPROF_STRING, NPROF_INT64 };
  nprof_value values[2] = { { .u = 0 }, { .i = -7 } };
  values[0].s = str (f, "shared");
  struct nprof_attrs attrs = { sizeof attrs, 2, keys, types, values, NULL };
  TRY (nprof_instant (f->w, f->thread, str (f, "many"), 20));
  nprof_set_shared (f->w, f->host->attrs (f->host, &attrs));
  TRY (nprof_attr_int (f->w, keys[1], 8)); /* overrides the shared one */
  for (guint i = 0; i < 300; i++) {
    char name[32];
    g_snprintf (name, sizeof name, "x.many_%u", i);
    TRY (nprof_attr_int (f->w, str (f, name), i));
  }
  return NPROF_OK;
}

static nprof_status
future_row (Maker *f)
{
  return nprof_row (f->w, FUTURE_KIND, f->thread, str (f, "from tomorrow"), 30, 1);
}

static nprof_status
gap (Maker *f)
{
  return nprof_row (f->w, NPROF_GAP, f->thread, str (f, "lost"), 400, 50);
}

/* -- Tables ---------------------------------------------------------------- */

static const struct nprof_table cells_table = {
  .size = sizeof (struct nprof_table),
  .name = "testhost_cells",
  .title = "Cells of every type",
  .note = "made by the test host",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "key", "", "a string"),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "int_ns", "ps", "a time"),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "uint", "byte", "a size"),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "a ratio"),
                            NPROF_VALUE_COLUMN (NPROF_BOOL, "bool", "", "yes or no"),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "a text"),
                            NPROF_VALUE_COLUMN (NPROF_JSON, "json", "", "a JSON value"),
                            NPROF_VALUE_COLUMN (NPROF_ID128, "id", "", "an id")),
};

static const struct nprof_table empty_table = {
  .size = sizeof (struct nprof_table),
  .name = "testhost_empty",
  .title = "No rows",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "count", "", "none")),
};

static nprof_status
tables (Maker *f)
{
  const struct nprof_host *h = f->host;
  struct nprof_cell full[] = {
    nprof_cell_own_input (h),
    nprof_cell_str (str (f, "\x1b,\"\n")),
    nprof_cell_int (INT64_MIN),
    nprof_cell_uint (UINT64_MAX),
    nprof_cell_double (-INFINITY),
    { .type = NPROF_BOOL, .v.u = 1 },
    nprof_cell_text ("a,\"b\"\n"),
    { .type = NPROF_JSON, .len = 3, .v.text = "[1]" },
    { .type = NPROF_ID128, .len = 16, .v.text = "0123456789abcdef" },
  };
  struct nprof_cell unknown[G_N_ELEMENTS (full)];
  memset (unknown, 0, sizeof unknown);
  unknown[0] = nprof_cell_own_input (h);
  TRY (h->table (h, &empty_table));
  TRY (h->row (h, &cells_table, full));
  return h->row (h, &cells_table, unknown);
}

/* -- All of it ------------------------------------------------------------- */

static const struct nprof_attribute *const declared[] = {
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", "work"),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte", "traffic"),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_OP, "", "operator"),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_CATEGORY, "", "category"),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FRAMEWORK_OP, "", "path"),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step or end"),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "step"),
  NULL,
};

const struct nprof_attribute *const *
random_rows_attributes (void)
{
  return declared;
}

nprof_status
nprof_test_feed (NprofTestRun *run)
{
  static nprof_status (*const sorts[]) (Maker *)
      = { facts, spans, tables, counters, flows, all_types, many_attributes, future_row, gap };
  const struct nprof_host *host = nprof_test_host (run);
  Maker maker = { .host = host, .w = host->writer (host), .variant = run->test->config.variant };
  make_tracks (&maker);
  for (guint i = 0; i < G_N_ELEMENTS (sorts) && !run->status; i++)
    sorts[i](&maker);
  return run->status;
}
