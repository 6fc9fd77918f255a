/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome.c - the sink chrome: events to the letter, lanes, arrows, and that json-glib
 * reads the file.  Whether Perfetto takes all of it is asked by test-chrome-perfetto.c. */
#include "testhost.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <nprof/keys.h>
#include <string.h>
#include <zlib.h>

#define HEAD "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["

typedef struct {
  NprofTestRun *run;
  const struct nprof_host *h;
  nprof_track device, thread;
} Trace;

static void
open_trace (Trace *t, const NprofTestConfig *config)
{
  const NprofTestConfig usual = { .label = "a.pb" };
  const struct nprof_component *chrome
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "chrome");
  t->run = nprof_test_open (chrome, NULL, config ? config : &usual);
  t->h = nprof_test_host (t->run);
  t->device = t->h->track (t->h, 0, NPROF_TRACK_DEVICE, nprof_intern (t->h, "TPU:0"), 0, 3);
  t->thread = t->h->track (t->h, t->device, NPROF_TRACK_THREAD, nprof_intern (t->h, "ops"), 0, -2);
}

static struct nprof_writer *
span (Trace *t, nprof_track track, const char *name, gint64 start, gint64 duration)
{
  struct nprof_writer *w = t->h->writer (t->h);
  g_assert_cmpint (nprof_span (w, track, nprof_intern (t->h, name), start, duration), ==, NPROF_OK);
  return w;
}

static void
flow (Trace *t, nprof_track track, guint64 number, const char *phase, gint64 time)
{
  struct nprof_writer *w = t->h->writer (t->h);
  nprof_row (w, NPROF_FLOW, track, nprof_intern (t->h, "launch"), time, 0);
  nprof_set_flow (w, number);
  nprof_set_category (w, nprof_intern (t->h, "ac2g"));
  nprof_attr_str (w, nprof_intern (t->h, NPROF_KEY_FLOW_PHASE), nprof_intern (t->h, phase));
}

static guint
count_of (const char *text, const char *word)
{
  guint n = 0;
  for (const char *at = text; at && (at = strstr (at, word)); at += strlen (word))
    n++;
  return n;
}

/* The events as lines, without the M events when plain is set; checks that all is JSON. */
static char *
finish (Trace *t, gboolean plain)
{
  nprof_test_finish (t->run);
  nprof_test_assert_ok (t->run);
  const char *text = nprof_test_output (t->run, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  json_parser_load_from_data (parser, text, (gssize) nprof_test_output_size (t->run, NULL), &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (text, HEAD));
  const char *end = strstr (text, "\n],\n\"otherData\":");
  g_assert_nonnull (end);
  g_autofree char *events = g_strndup (text + strlen (HEAD), (gsize) (end - text) - strlen (HEAD));
  g_auto (GStrv) lines = g_strsplit (events, "\n", -1);
  GString *out = g_string_new (NULL);
  for (guint k = 0; lines[k]; k++) {
    gsize len = strlen (lines[k]);
    if (len && !(plain && strstr (lines[k], "\"ph\":\"M\"")))
      g_string_append_printf (out, "%.*s\n", (int) (len - g_str_has_suffix (lines[k], ",")),
                              lines[k]);
  }
  return g_string_free (out, FALSE);
}

static void
check (Trace *t, gboolean plain, const char *expected)
{
  g_autofree char *events = finish (t, plain);
  g_assert_cmpstr (events, ==, expected);
  nprof_test_run_free (t->run);
}

/* -- Events ---------------------------------------------------------------- */

static void
test_nothing (void)
{
  Trace t;
  open_trace (&t, NULL);
  check (&t, FALSE, "");
}

static void
test_span (void)
{
  Trace t;
  open_trace (&t, NULL);
  struct nprof_writer *w = span (&t, t.thread, "dot", 5000000, 12000);
  nprof_set_category (w, nprof_intern (t.h, "compute"));
  span (&t, t.thread, "add", 5020001, 999);
  span (&t, t.thread, "sub", 5030000, 0);
  check (&t, FALSE,
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"TPU:0\",\"kind\":"
         "\"device\"}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":3}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"ops\","
         "\"kind\":\"thread\",\"key\":\"ops\"}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_sort_index\",\"args\":{\"sort_"
         "index\":-2}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.012,\"name\":\"dot\",\"cat\":"
         "\"compute\"}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"dur\":0.001,\"name\":\"add\","
         "\"args\":{\"start_ps\":5020001,\"duration_ps\":999}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.030,\"dur\":0.000,\"name\":\"sub\"}\n");
}

/* Rounded down from the run's first ns, also before the origin: -1 ps lies in ns -1. */
/* Kineto has a process "" of which it says nothing more; Perfetto takes an order as 32 bits. */
static void
test_no_name (void)
{
  Trace t;
  open_trace (&t, NULL);
  nprof_track nameless = t.h->track (t.h, 0, NPROF_TRACK_PROCESS, 0, 0, INT64_C (1) << 40);
  span (&t, nameless, "n", 0, 1000);
  g_autofree char *text = finish (&t, FALSE);
  g_assert_cmpuint (count_of (text, "\"args\":{\"name\":\"(no name)\""), ==, 2);
  g_assert_cmpuint (count_of (text, "\"sort_index\":2147483647}"), ==, 2);
}

static void
test_before_origin (void)
{
  Trace t;
  open_trace (&t, NULL);
  span (&t, t.thread, "a", -1500, 1499);
  span (&t, t.thread, "b", -1, 2);
  check (&t, TRUE,
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.001,\"name\":\"a\","
         "\"args\":{\"start_ps\":-1500,\"duration_ps\":1499}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"dur\":0.001,\"name\":\"b\","
         "\"args\":{\"start_ps\":-1,\"duration_ps\":2}}\n");
}

static void
test_kinds (void)
{
  Trace t;
  open_trace (&t, NULL);
  nprof_str x = nprof_intern (t.h, "x");
  struct nprof_writer *w = t.h->writer (t.h);
  nprof_instant (w, t.thread, x, 1000);
  nprof_row (w, NPROF_GAP, t.thread, x, 2000, 5000);
  nprof_counter (w, t.thread, x, 3000, 0.5);
  nprof_attr_int (w, nprof_intern (t.h, "k"), 1);
  nprof_counter (w, t.thread, x, 4000, NAN);
  nprof_row (w, NPROF_COUNTER, t.thread, x, 5000, 0); /* without a value */
  nprof_counter (w, t.device, x, 6000, 1);            /* a parent comes first */
  span (&t, t.thread, "open", 7000, -1);
  check (&t, TRUE,
         "{\"ph\":\"C\",\"pid\":1,\"ts\":0.005,\"name\":\"x\",\"args\":{\"value\":1}}\n"
         "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"s\":\"t\",\"ts\":0.000,\"name\":\"x\"}\n"
         "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"s\":\"t\",\"ts\":0.001,\"name\":\"GAP: "
         "x\",\"cname\":\"terrible\",\"cat\":\"\","
         "\"args\":{\"duration_ps\":5000}}\n"
         "{\"ph\":\"C\",\"pid\":1,\"ts\":0.002,\"name\":\"x\",\"id\":\"ops\",\"args\":{\"value\":0."
         "5},\"attributes\":{\"k\":1}}\n"
         "{\"ph\":\"C\",\"pid\":1,\"ts\":0.003,\"name\":\"x\",\"id\":\"ops\",\"args\":{\"value\":"
         "\"NaN\"}}\n"
         "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"s\":\"t\",\"ts\":0.004,\"name\":\"x\"}\n"
         "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0.006,\"name\":\"open\"}\n");
}

static void
test_args (void)
{
  static const char source[]
      = "{ \"k\": [1, NaN], \"n\": 7, \"id\": 5, \"e\": \"\\ud83d\\ude00\" }";
  Trace t;
  open_trace (&t, NULL);
  struct nprof_writer *w = span (&t, t.thread, "q\"\\\n\xc3\xa9", 0, 0);
  nprof_set_id (w, G_MAXUINT64);
  nprof_set_parent (w, 1);
  nprof_set_value (w, INFINITY);
  nprof_attr_int (w, nprof_intern (t.h, "n"), 7);
  nprof_attr_uint (w, nprof_intern (t.h, "big"), INT64_C (9007199254740993));
  nprof_attr_str (w, nprof_intern (t.h, "id"), nprof_intern (t.h, "own"));
  nprof_attr_bytes (w, nprof_intern (t.h, "text"), NPROF_TEXT, "a\0b", 3);
  nprof_attr_bytes (w, nprof_intern (t.h, "trace_id"), NPROF_ID128, "0123456789abcdef", 16);
  nprof_attr (w, nprof_intern (t.h, "yes"), NPROF_BOOL, (nprof_value){ .u = 0 });
  nprof_attr_bytes (w, nprof_intern (t.h, "args"), NPROF_JSON, source, sizeof source - 1);
  w = span (&t, t.thread, "z", 1, 0);
  nprof_attr_bytes (w, nprof_intern (t.h, "args"), NPROF_JSON, "[1]", 3);
  w = span (&t, t.thread, "e", 1000, 0);
  nprof_attr_bytes (w, nprof_intern (t.h, "args"), NPROF_JSON, "{}", 2);
  check (&t, TRUE,
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.000,\"name\":"
         "\"q\\\"\\\\\\n\xc3\xa9\",\"args\":{"
         "\"id\":\"18446744073709551615\",\"parent\":1,\"value\":\"Infinity\",\"n\":7,"
         "\"big\":\"9007199254740993\",\"attr_id\":\"own\",\"text\":\"a\xe2\x90\x80"
         "b\","
         "\"trace_id\":\"30313233343536373839616263646566\",\"yes\":false,"
         "\"k\":[1,\"NaN\"],\"e\":\"\xf0\x9f\x98\x80\"}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.000,\"name\":\"z\","
         "\"args\":{\"start_ps\":1,\"duration_ps\":0,\"args\":[1]}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"dur\":0.000,\"name\":\"e\"}\n");
}

/* -- Lanes ----------------------------------------------------------------- */

static void
test_lanes (void)
{
  Trace t;
  open_trace (&t, NULL);
  span (&t, t.thread, "a", 0, 10000);
  span (&t, t.thread, "in a", 2000, 8000);
  span (&t, t.thread, "over a", 5000, 10000);
  span (&t, t.thread, "after a", 10000, 1000);
  check (&t, FALSE,
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"TPU:0\",\"kind\":"
         "\"device\"}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":3}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"ops\","
         "\"kind\":\"thread\",\"key\":\"ops\"}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_sort_index\",\"args\":{\"sort_"
         "index\":-2}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.010,\"name\":\"a\"}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.002,\"dur\":0.008,\"name\":\"in a\"}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"ops "
         "(2)\",\"kind\":\"thread\",\"lane_of\":2}}\n"
         "{\"ph\":\"M\",\"pid\":1,\"tid\":3,\"name\":\"thread_sort_index\",\"args\":{\"sort_"
         "index\":-2}}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.005,\"dur\":0.010,\"name\":\"over a\"}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.010,\"dur\":0.001,\"name\":\"after a\"}\n");
}

/* Nothing may end within a span that has no end: its lane is open from there on. */
static void
test_unclosed_lanes (void)
{
  Trace t;
  open_trace (&t, NULL);
  span (&t, t.thread, "a", 0, 10000);
  span (&t, t.thread, "open", 5000, -1);
  span (&t, t.thread, "b", 20000, 1000);
  span (&t, t.thread, "over b", 20500, 2000);
  check (&t, TRUE,
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.010,\"name\":\"a\"}\n"
         "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":0.005,\"name\":\"open\"}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"dur\":0.001,\"name\":\"b\"}\n"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.020,\"dur\":0.002,\"name\":\"over b\","
         "\"args\":{\"start_ps\":20500,\"duration_ps\":2000}}\n");
}

/* Rows that an analyzer adds to a track come behind its decoded ones, from the beginning again. The
 * lanes of then are not used again, since it is unknown what is in them. */
static void
test_second_pass (void)
{
  struct nprof_component as_written
      = *nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "chrome");
  as_written.order = NPROF_ORDER_INPUT;
  g_autoptr (NprofTestRun) run = nprof_test_open (&as_written, NULL, NULL);
  Trace t = { .run = run, .h = nprof_test_host (run) };
  t.thread = t.h->track (t.h, 0, NPROF_TRACK_THREAD, nprof_intern (t.h, "ops"), 0, 0);
  span (&t, t.thread, "a", 0, 10000);
  span (&t, t.thread, "b", 20000, 10000);
  span (&t, t.thread, "over a", 5000, 10000);
  g_autofree char *events = finish (&t, TRUE);
  g_assert_cmpstr (
      events, ==,
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.010,\"name\":\"a\"}\n"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"dur\":0.010,\"name\":\"b\"}\n"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.005,\"dur\":0.010,\"name\":\"over a\"}\n");
}

static void
test_async (void)
{
  Trace t;
  open_trace (&t, NULL);
  nprof_track q = t.h->track (t.h, t.device, NPROF_TRACK_ASYNC, nprof_intern (t.h, "copies"), 0, 0);
  nprof_set_category (span (&t, q, "a", 0, 10000), nprof_intern (t.h, "dma"));
  span (&t, q, "b", 5000, 10000);
  span (&t, q, "c", 10000, -1);
  nprof_instant (t.h->writer (t.h), q, nprof_intern (t.h, "i"), 11000);
  check (&t, TRUE,
         "{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"2\"},\"ts\":0.000,\"name\":\"a\","
         "\"cat\":\"dma\"}\n"
         "{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"3\"},\"ts\":0.005,\"name\":\"b\","
         "\"cat\":\"\"}\n"
         "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"2\"},\"ts\":0.010,\"name\":\"a\","
         "\"cat\":\"dma\"}\n"
         "{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"2\"},\"ts\":0.010,\"name\":\"c\","
         "\"cat\":\"\"}\n"
         "{\"ph\":\"n\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"2\"},\"ts\":0.011,\"name\":\"i\","
         "\"cat\":\"\"}\n"
         "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"id2\":{\"local\":\"3\"},\"ts\":0.015,\"name\":\"b\","
         "\"cat\":\"\"}\n");
}

/* -- Arrows ---------------------------------------------------------------- */

static void
test_flows (void)
{
  Trace t;
  open_trace (&t, NULL);
  nprof_track stream = t.h->track (t.h, t.device, NPROF_TRACK_QUEUE, nprof_intern (t.h, "q"), 0, 0);
  span (&t, t.thread, "call", 0, 10000);
  span (&t, stream, "kernel", 20000, 10000);
  span (&t, stream, "late kernel", 25000, 10000);
  flow (&t, t.thread, 77, "begin", 1000);
  flow (&t, stream, 77, "end", 25000); /* bound to what starts there, on the second lane */
  flow (&t, t.thread, 77, "begin", 5000);
  flow (&t, stream, 77, "step", 26000);
  flow (&t, t.thread, 78, "begin", 5000);   /* alone */
  flow (&t, stream, 79, "end", 50000);      /* in no span */
  flow (&t, stream, 80, "sideways", 26000); /* it is unknown which end */
  g_autofree char *events = finish (&t, TRUE);
  g_assert_cmpstr (
      events, ==,
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.010,\"name\":\"call\"}\n"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.020,\"dur\":0.010,\"name\":\"kernel\"}\n"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":4,\"ts\":0.025,\"dur\":0.010,\"name\":\"late kernel\"}\n"
      "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":0.005,\"bp\":\"e\",\"id\":1,\"name\":\"launch\","
      "\"cat\":\"ac2g\"}\n"
      "{\"ph\":\"f\",\"pid\":1,\"tid\":4,\"ts\":0.025,\"bp\":\"e\",\"id\":1,\"name\":\"launch\","
      "\"cat\":\"ac2g\"}\n"
      "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":0.005,\"bp\":\"e\",\"id\":2,\"name\":\"launch\","
      "\"cat\":\"ac2g\"}\n"
      "{\"ph\":\"t\",\"pid\":1,\"tid\":4,\"ts\":0.026,\"bp\":\"e\",\"id\":2,\"name\":\"launch\","
      "\"cat\":\"ac2g\"}\n");
  g_assert_true (nprof_test_logged (t.run, "2 ends of flows have no other end"));
  g_assert_true (nprof_test_logged (t.run, "1 ends of flows lie in no span of a thread"));
  g_assert_true (nprof_test_logged (t.run, "1 ends of flows do not say whether they begin"));
  g_assert_nonnull (strstr (nprof_test_output (t.run, NULL),
                            "\"flow_ends_alone\":2,\"flow_ends_without_span\":1"));
  nprof_test_run_free (t.run);
}

static void
test_steps (void)
{
  Trace t;
  open_trace (&t, NULL);
  span (&t, t.thread, "call", 0, 10000);
  flow (&t, t.thread, 5, "begin", 1000);
  flow (&t, t.thread, 5, "end", 3000);
  flow (&t, t.thread, 5, "step", 2000);
  flow (&t, t.thread, 5, "step", 4000); /* and on to another end */
  flow (&t, t.thread, 5, "end", 5000);
  g_autofree char *events = finish (&t, TRUE);
  g_autoptr (GString) phases = g_string_new (NULL);
  for (const char *at = events; (at = strstr (at, "\"ph\":\"")); at += 6)
    g_string_append_c (phases, at[6]);
  g_assert_cmpstr (phases->str, ==, "Xstfstf");
  nprof_test_run_free (t.run);
}

/* -- The whole file -------------------------------------------------------- */

static void
test_other_data (void)
{
  const NprofTestConfig config = { .label = "dir/a.pb", .origin = INT64_C (1700000000000000000) };
  Trace t;
  open_trace (&t, &config);
  struct nprof_writer *w = t.h->writer (t.h);
  nprof_row (w, NPROF_FACT, t.device, nprof_intern (t.h, "peak_flops"), 0, 0);
  nprof_attr_double (w, nprof_intern (t.h, "peak_flops"), 9.2e14);
  nprof_set_category (w, nprof_intern (t.h, "file"));
  span (&t, t.thread, "a", 7500, 0);
  g_free (finish (&t, TRUE));
  const char *other = strstr (nprof_test_output (t.run, NULL), "\"otherData\"");
  g_assert_nonnull (strstr (other, "\"origin_unix_ns\":\"1700000000000000000\",\"ts_0_ns\":7,"));
  g_assert_nonnull (strstr (other, "\"inputs\":[\n{\"input\":\"dir/a.pb\""));
  g_assert_nonnull (
      strstr (other,
              "\"facts\":[\n{\"input\":\"dir/a.pb\",\"process\":\"TPU:0\",\"track\":\"TPU:0\","
              "\"key\":\"peak_flops\",\"value\":920000000000000,\"source\":\"file\"}]}}\n"));
  nprof_test_run_free (t.run);
}

static char *
many (guint rows, const char *name)
{
  const NprofTestConfig config = { .label = "a.pb", .rows = rows, .target_name = name };
  Trace t;
  open_trace (&t, &config);
  for (guint k = 0; k < 3000; k++) {
    span (&t, k % 3 ? t.thread : t.device, k % 5 ? "x" : "y", k * 700, k % 7 * 900);
    if (k % 4 == 0)
      flow (&t, k % 8 ? t.thread : t.device, k / 8, k % 8 ? "begin" : "end", k * 700);
  }
  nprof_test_finish (t.run);
  nprof_test_assert_ok (t.run);
  gsize size = nprof_test_output_size (t.run, NULL);
  char *text = g_memdup2 (nprof_test_output (t.run, NULL), size + 1);
  nprof_test_run_free (t.run);
  return text;
}

static void
test_batches (void)
{
  g_autofree char *whole = many (0, "t.json"), *single = many (1, "t.json");
  g_assert_cmpstr (whole, ==, single);
}

static void
test_gzip (void)
{
  g_autofree char *plain = many (0, "t.json"), *packed = many (0, "t.json.gz"),
                  *again = many (7, "t.json.gz");
  gsize size = strlen (plain);
  g_autofree char *unpacked = g_malloc0 (size + 1);
  z_stream z = { .next_in = (Bytef *) packed,
                 .avail_in = (uInt) size,
                 .next_out = (Bytef *) unpacked,
                 .avail_out = (uInt) size };
  g_assert_cmpint (inflateInit2 (&z, 15 + 16), ==, Z_OK);
  g_assert_cmpint (inflate (&z, Z_FINISH), ==, Z_STREAM_END);
  g_assert_cmpuint (z.total_out, ==, size);
  g_assert_cmpmem (packed, z.total_in, again, z.total_in);
  inflateEnd (&z);
  g_assert_cmpstr (unpacked, ==, plain);
}

/* -- Parts ----------------------------------------------------------------- */

static void
assert_json (NprofTestRun *run, const char *name)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_assert_nonnull (nprof_test_output (run, name));
  json_parser_load_from_data (parser, nprof_test_output (run, name),
                              (gssize) nprof_test_output_size (run, name), &error);
  g_assert_no_error (error);
}

static NprofTestRun *
open_split (const char *target_name, guint target)
{
  const NprofTestConfig config = { .label = "a.pb", .target_name = target_name, .target = target };
  return nprof_test_open (nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "chrome"),
                          "split_mb=1", &config);
}

/* 3000 spans of 1 KB on each of two threads, and three arrows: within the first part, within the
 * last, and from one to the other. */
static NprofTestRun *
run_split (const char *target_name)
{
  Trace t = { .run = open_split (target_name, 0) };
  t.h = nprof_test_host (t.run);
  t.device = t.h->track (t.h, 0, NPROF_TRACK_DEVICE, nprof_intern (t.h, "TPU:0"), 0, 3);
  t.thread = t.h->track (t.h, t.device, NPROF_TRACK_THREAD, nprof_intern (t.h, "ops"), 0, -2);
  nprof_track other = t.h->track (t.h, t.device, NPROF_TRACK_THREAD, nprof_intern (t.h, "b"), 0, 0);
  g_autofree char *name = g_strnfill (1000, 'n');
  for (guint k = 0; k < 6000; k++)
    span (&t, k < 3000 ? t.thread : other, name, (gint64) (k % 3000) * 1000000, 999000);
  flow (&t, t.thread, 1, "begin", 500);
  flow (&t, other, 1, "end", 1000500);
  flow (&t, t.thread, 2, "begin", 2998000500);
  flow (&t, other, 2, "end", 2999000500);
  flow (&t, t.thread, 3, "begin", 600);
  flow (&t, other, 3, "end", 2999000600);
  nprof_test_finish (t.run);
  nprof_test_assert_ok (t.run);
  return t.run;
}

/* Each part is a trace of a stretch of time, and together they hold each event once. */
static void
test_parts (void)
{
  static const char *const names[]
      = { NULL,           "trace-2.json", "trace-3.json", "trace-4.json",
          "trace-5.json", "trace-6.json", "trace-7.json" };
  g_autoptr (NprofTestRun) run = run_split (NULL);
  guint spans = 0;
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    const char *text = nprof_test_output (run, names[k]);
    assert_json (run, names[k]);
    g_assert_cmpuint (nprof_test_output_size (run, names[k]), <, 1010000);
    g_assert_cmpuint (count_of (text, "\"thread_name\""), ==, 2);
    g_assert_cmpuint (count_of (text, "\"process_name\""), ==, 1);
    g_assert_cmpuint (count_of (text, "\"ph\":\"s\""), ==, k == 0 || k == 6);
    g_assert_cmpuint (count_of (text, "\"ph\":\"f\""), ==, k == 0 || k == 6);
    spans += count_of (text, "\"ph\":\"X\"");
  }
  g_assert_cmpuint (spans, ==, 6000);
  g_assert_null (nprof_test_output (run, "trace-8.json"));
  g_assert_nonnull (strstr (nprof_test_output (run, NULL), "\"part\":1,\"parts\":7"));
  g_assert_true (nprof_test_logged (run, "1 flows go from one file of the trace to another"));
}

static void
test_part_names (void)
{
  static const char *const names[][2] = { { "a.b.json", "a.b-2.json" },
                                          { "t.json.gz", "t-2.json.gz" },
                                          { "trace", "trace-2" },
                                          { "t.gz", "t-2.gz" },
                                          { ".json", ".json-2" } };
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    g_autoptr (NprofTestRun) run = run_split (names[k][0]);
    g_assert_nonnull (nprof_test_output (run, names[k][1]));
  }
}

static void
test_one_part (void)
{
  g_autoptr (NprofTestRun) empty = open_split (NULL, 0);
  nprof_test_finish (empty);
  nprof_test_assert_ok (empty);
  assert_json (empty, NULL);
  g_assert_null (nprof_test_output (empty, "trace-2.json"));
  g_autoptr (NprofTestRun) out = open_split (NULL, NPROF_TARGET_STDOUT);
  nprof_test_finish (out);
  nprof_test_assert_fails (out, NPROF_E_OPTION, "split_mb=1: stdout cannot be split");
}

static void
test_huge_name (void)
{
  Trace t;
  open_trace (&t, NULL);
  g_autofree char *name = g_strnfill (100000, '\001');
  span (&t, t.thread, name, 0, 0);
  g_autofree char *events = finish (&t, TRUE);
  g_assert_cmpuint (strlen (events), >, 600000);
  nprof_test_run_free (t.run);
}

static void
test_disk_full (void)
{
  const NprofTestConfig config = { .write_limit = 10 };
  Trace t;
  open_trace (&t, &config);
  span (&t, t.thread, "x", 0, 0);
  nprof_test_finish (t.run);
  nprof_test_assert_fails (t.run, NPROF_E_IO, "full");
  nprof_test_run_free (t.run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chrome/nothing", test_nothing);
  g_test_add_func ("/chrome/span", test_span);
  g_test_add_func ("/chrome/no-name", test_no_name);
  g_test_add_func ("/chrome/before-origin", test_before_origin);
  g_test_add_func ("/chrome/kinds", test_kinds);
  g_test_add_func ("/chrome/args", test_args);
  g_test_add_func ("/chrome/lanes", test_lanes);
  g_test_add_func ("/chrome/unclosed-lanes", test_unclosed_lanes);
  g_test_add_func ("/chrome/second-pass", test_second_pass);
  g_test_add_func ("/chrome/async", test_async);
  g_test_add_func ("/chrome/flows", test_flows);
  g_test_add_func ("/chrome/steps", test_steps);
  g_test_add_func ("/chrome/other-data", test_other_data);
  g_test_add_func ("/chrome/batches", test_batches);
  g_test_add_func ("/chrome/gzip", test_gzip);
  g_test_add_func ("/chrome/parts", test_parts);
  g_test_add_func ("/chrome/part-names", test_part_names);
  g_test_add_func ("/chrome/one-part", test_one_part);
  g_test_add_func ("/chrome/huge-name", test_huge_name);
  g_test_add_func ("/chrome/disk-full", test_disk_full);
  return g_test_run ();
}
