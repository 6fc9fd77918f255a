/* SPDX-License-Identifier: Apache-2.0 */
/* test-csv.c - the sink csv: what the files hold to the letter, and that libcsv's parser reads
 * back what went in. */
#include "testhost.h"

#include <csv.h>
#include <math.h>
#include <nprof/row.h>
#include <string.h>

#define HEAD                                                                                       \
  "input,start_ns,duration_ns,track,process,thread,kind,category,name,value,id,parent,flow"

static const struct nprof_attribute *const declared[]
    = { NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", ""),
        NPROF_ATTRIBUTE (NPROF_INT64, "wait_ns", "ns", ""),
        NPROF_ATTRIBUTE (NPROF_STRING, "name", "", ""), NULL };

static const struct nprof_table latency = {
  .size = sizeof latency,
  .name = "latency",
  .title = "Latency",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "name", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "total_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mean_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "origin_unix_ns", "ns", ""),
                            NPROF_VALUE_COLUMN (NPROF_BOOL, "cut", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_JSON, "properties", "", "")),
};

static const NprofTestConfig usual = { .attributes = declared, .label = "a.pb" };

static const struct nprof_component *
component (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "csv");
}

static NprofTestRun *
open_csv (const char *options)
{
  return nprof_test_open (component (), options, &usual);
}

static nprof_track
device (const struct nprof_host *h, const char *label)
{
  return h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, label), nprof_intern (h, label), 0);
}

static nprof_track
thread (const struct nprof_host *h, nprof_track parent, const char *label)
{
  return h->track (h, parent, NPROF_TRACK_THREAD, nprof_intern (h, label), nprof_intern (h, label),
                   0);
}

/* A span, with what the caller adds before the next. */
static struct nprof_writer *
add_span (NprofTestRun *run, nprof_track track, const char *name, gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_span (w, track, nprof_intern (h, name), start, duration), ==, NPROF_OK);
  return w;
}

static void
check_events (NprofTestRun *run, const char *expected)
{
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, "events.csv"), ==, expected);
}

/* -- events.csv ------------------------------------------------------------ */

static void
test_nothing (void)
{
  g_autoptr (NprofTestRun) run = open_csv (NULL);
  check_events (run, HEAD ",flops,wait_ns,attr_name,attributes\n");
}

static void
test_rows (void)
{
  g_autoptr (NprofTestRun) run = open_csv (NULL);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track tpu = device (h, "TPU:0"), ops = thread (h, tpu, "XLA Ops");
  struct nprof_writer *w = add_span (run, ops, "dot", 1234567, 12000);
  nprof_set_category (w, nprof_intern (h, "compute"));
  nprof_set_id (w, G_MAXUINT64);
  nprof_set_parent (w, 3);
  nprof_set_flow (w, 4);
  nprof_attr_int (w, nprof_intern (h, "flops"), -5);
  nprof_attr_int (w, nprof_intern (h, "wait_ns"), 1500);
  nprof_attr_str (w, nprof_intern (h, "name"), nprof_intern (h, "its, own"));
  add_span (run, ops, "open", -1, -1);
  nprof_counter (w, tpu, nprof_intern (h, "power"), 5000, 0.5);
  nprof_instant (w, h->track (h, 0, NPROF_TRACK_QUEUE, nprof_intern (h, "q7"), 0, 0),
                 nprof_intern (h, ""), 7);
  check_events (run,
                HEAD ",flops,wait_ns,attr_name,attributes\n"
                     "a.pb,1234.567,12,3,TPU:0,XLA Ops,span,compute,dot,,18446744073709551615,3,4,"
                     "-5,1500,\"its, own\",\n"
                     "a.pb,-0.001,,3,TPU:0,XLA Ops,span,,open,,,,,,,,\n"
                     "a.pb,5,0,2,TPU:0,TPU:0,counter,,power,0.5,,,,,,,\n"
                     "a.pb,0.007,0,4,,q7,instant,,\"\",,,,,,,,\n");
}

static void
test_kinds (void)
{
  g_autoptr (NprofTestRun) run = open_csv ("columns=kind+value");
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  nprof_track t = device (h, "d");
  for (guint kind = NPROF_SPAN; kind <= NPROF_GAP; kind++) {
    nprof_row (w, (guint8) kind, t, nprof_intern (h, kind == NPROF_FACT ? "flops" : "x"), 0, 0);
    if (kind == NPROF_FACT)
      nprof_attr_int (w, nprof_intern (h, "flops"), 1);
    if (kind == NPROF_FLOW) {
      nprof_set_flow (w, 1);
      nprof_attr_str (w, nprof_intern (h, "flow_phase"), nprof_intern (h, "begin"));
    }
    if (kind == NPROF_COUNTER)
      nprof_set_value (w, NAN);
  }
  check_events (run, "kind,value\nspan,\ninstant,\ncounter,NaN\nflow,\nfact,\ngap,\n");
}

static void
test_attributes (void)
{
  g_autoptr (NprofTestRun) run = open_csv ("columns=flops+attributes");
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track t = device (h, "d");
  nprof_str s = nprof_intern (h, "s");
  struct nprof_writer *w = add_span (run, t, "x", 0, 0);
  nprof_attr_double (w, nprof_intern (h, "flops"), 0.5); /* no integer */
  nprof_attr_str (w, s, nprof_intern (h, "a \"b\"\n\033"));
  nprof_attr_bytes (w, nprof_intern (h, "args"), NPROF_JSON, "{\"k\": [NaN]}", 12);
  nprof_attr_bytes (w, nprof_intern (h, "trace_id"), NPROF_ID128, "0123456789abcdef", 16);
  nprof_attr_uint (w, nprof_intern (h, "big"), G_MAXUINT64);
  nprof_attr (w, nprof_intern (h, "yes"), NPROF_BOOL, (nprof_value){ .u = 1 });
  nprof_attr_double (w, nprof_intern (h, "inf"), INFINITY);
  w = add_span (run, t, "y", 0, 0);
  nprof_attr_double (w, nprof_intern (h, "flops"), 3);
  check_events (
      run, "flops,attributes\n"
           ",\"{\"\"flops\"\":0.5,\"\"s\"\":\"\"a \\\"\"b\\\"\"\\n\\u001b\"\","
           "\"\"args\"\":{\"\"k\"\":[\"\"NaN\"\"]},"
           "\"\"trace_id\"\":\"\"30313233343536373839616263646566\"\","
           "\"\"big\"\":18446744073709551615,\"\"yes\"\":true,\"\"inf\"\":\"\"Infinity\"\"}\"\n"
           "3,\n");
  g_assert_true (nprof_test_logged (run, "1 values of \"flops\" do not fit the column's type"));
}

static void
test_shared (void)
{
  g_autoptr (NprofTestRun) run = open_csv ("columns=flops+attributes");
  const struct nprof_host *h = nprof_test_host (run);
  const nprof_str keys[] = { nprof_intern (h, "flops"), nprof_intern (h, "mode") };
  const guint8 types[] = { NPROF_INT64, NPROF_INT64 };
  const nprof_value values[] = { { .i = 1 }, { .i = 2 } };
  const struct nprof_attrs attrs = { sizeof attrs, 2, keys, types, values, "" };
  nprof_set set = h->attrs (h, &attrs);
  struct nprof_writer *w = add_span (run, device (h, "d"), "x", 0, 0);
  nprof_set_shared (w, set);
  nprof_attr_int (w, keys[0], 10);
  w = add_span (run, device (h, "d"), "y", 0, 0);
  nprof_set_shared (w, set);
  check_events (run, "flops,attributes\n10,\"{\"\"mode\"\":2}\"\n1,\"{\"\"mode\"\":2}\"\n");
}

/* -- Options --------------------------------------------------------------- */

static void
check_one (const char *options, gint64 start, gint64 duration, const char *expected)
{
  g_autoptr (NprofTestRun) run = open_csv (options);
  add_span (run, device (nprof_test_host (run), "d"), "n", start, duration);
  check_events (run, expected);
}

static void
test_time (void)
{
  check_one ("columns=start_ns+duration_ns", 1234567, 1000, "start_ns,duration_ns\n1234.567,1\n");
  check_one ("time=us,columns=start_us+duration_ns", 1234567, 1000,
             "start_us,duration_us\n1.234567,0.001\n");
  check_one ("time=ms,columns=start_ns", G_MININT64, 0, "start_ms\n-9223372036.854775808\n");
  check_one ("time=s,columns=start_ns", G_MAXINT64, 0, "start_s\n9223372.036854775807\n");
  check_one ("time=s,columns=start_ns+wait_ns", 1, 0, "start_s,wait_s\n0.000000000001,\n");
}

static void
test_dialects (void)
{
  check_one ("delimiter=;,decimal=\\,,columns=start_ns+name", 1500, 0, "start_ns;name\n1,5;n\n");
  check_one ("delimiter=tab,columns=start_ns+name", 1500, 0, "start_ns\tname\n1.5\tn\n");
  check_one ("delimiter=|,columns=name+start_ns+name", 1500, 0, "name|start_ns|name\nn|1.5|n\n");
}

static void
check_refused (const char *options, const char *why)
{
  g_autoptr (NprofTestRun) run = open_csv (options);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_OPTION, why);
}

static void
test_refused (void)
{
  check_refused ("decimal=\\,,delimiter=comma",
                 "decimal=,: it is the delimiter too; add delimiter=semicolon");
  check_refused ("delimiter=ab", "delimiter=ab: expected one character");
  check_refused ("delimiter=.", "delimiter=.: expected one character that no number holds");
  check_refused ("delimiter=\\\"", "expected one character");
  check_refused ("columns=start_nss",
                 "there is no column \"start_nss\"; did you mean \"start_ns\"?");
  check_refused ("columns=zzzzzzzzzzzz", "there are: input, start_ns");
  check_refused ("columns=name+", "there is no column \"\"");
  check_refused ("split_rows=1", "split_rows=1: a file has its header and at least one row");
  check_refused ("table=latncy", "table=latncy: this run makes no such table");
}

static void
test_split (void)
{
  g_autoptr (NprofTestRun) run = open_csv ("split_rows=3,columns=name");
  const struct nprof_host *h = nprof_test_host (run);
  for (guint k = 0; k < 5; k++) {
    char name[] = { (char) ('a' + k), 0 };
    add_span (run, device (h, "d"), name, 0, 0);
  }
  check_events (run, "name\na\nb\n");
  g_assert_cmpstr (nprof_test_output (run, "events-2.csv"), ==, "name\nc\nd\n");
  g_assert_cmpstr (nprof_test_output (run, "events-3.csv"), ==, "name\ne\n");
  g_assert_null (nprof_test_output (run, "events-4.csv"));
}

static void
test_excel (void)
{
  static const char *const names[]
      = { "=1+1", "+x", "-5", "-5.5e3", "@a,b", "\tx", "\rx", "1234567890123456", "123456789012345",
          "a=b",  "-" };
  g_autoptr (NprofTestRun) run = open_csv ("excel=yes,columns=id+name+start_ns");
  const struct nprof_host *h = nprof_test_host (run);
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    struct nprof_writer *w = add_span (run, device (h, "d"), names[k], -5000, 0);
    nprof_set_id (w, k == 0 ? G_MAXUINT64 : 999999999999999);
  }
  check_events (run, "\xef\xbb\xbfid,name,start_ns\r\n"
                     "'18446744073709551615,'=1+1,-5\r\n"
                     "999999999999999,'+x,-5\r\n"
                     "999999999999999,-5,-5\r\n"
                     "999999999999999,-5.5e3,-5\r\n"
                     "999999999999999,\"'@a,b\",-5\r\n"
                     "999999999999999,\"'\tx\",-5\r\n"
                     "999999999999999,\"'\rx\",-5\r\n"
                     "999999999999999,'1234567890123456,-5\r\n"
                     "999999999999999,123456789012345,-5\r\n"
                     "999999999999999,a=b,-5\r\n"
                     "999999999999999,'-,-5\r\n");
}

/* A sheet has no more lines, so that the next file begins there. */
static void
test_excel_splits (void)
{
  enum { LINES = 1048576 };
  g_autoptr (NprofTestRun) run = open_csv ("excel=yes,columns=flow");
  nprof_track t = device (nprof_test_host (run), "d");
  for (guint k = 0; k < LINES; k++)
    add_span (run, t, "x", k, 0);
  nprof_set_flow (add_span (run, t, "x", LINES, 0), 7);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_output_size (run, "events.csv"), ==, 3 + 4 + 2 * (gsize) LINES);
  g_assert_cmpstr (nprof_test_output (run, "events-2.csv"), ==,
                   "\xef\xbb\xbf"
                   "flow\r\n\r\n7\r\n");
}

static void
test_excel_values (void)
{
  g_autoptr (NprofTestRun) run = open_csv ("excel=yes,columns=value+name");
  const struct nprof_host *h = nprof_test_host (run);
  const double values[] = { -INFINITY, INFINITY, NAN, -1.5 };
  for (guint k = 0; k < G_N_ELEMENTS (values); k++)
    nprof_counter (h->writer (h), device (h, "d"), h->intern (h, "\0=1", 3), 0, values[k]);
  nprof_instant (h->writer (h), device (h, "d"), nprof_intern (h, "\n=1"), 0);
  check_events (run, "\xef\xbb\xbfvalue,name\r\n"
                     "'-Infinity,\xe2\x90\x80=1\r\n"
                     "Infinity,\xe2\x90\x80=1\r\n"
                     "NaN,\xe2\x90\x80=1\r\n"
                     "-1.5,\xe2\x90\x80=1\r\n"
                     ",\"'\n=1\"\r\n");
}

/* A terminal obeys control characters; files keep them. */
static void
test_terminal (void)
{
  static const char nasty[] = "a\033[2J\0\x7f\r\xc2\x9b\xc3\xa9\tb";
  NprofTestConfig config = usual;
  config.target = NPROF_TARGET_STDOUT;
  for (guint terminal = 0; terminal < 2; terminal++) {
    config.is_terminal = (int) terminal;
    g_autoptr (NprofTestRun) run = nprof_test_open (component (), "columns=name", &config);
    const struct nprof_host *h = nprof_test_host (run);
    nprof_instant (h->writer (h), device (h, "d"), h->intern (h, nasty, sizeof nasty - 1), 0);
    nprof_test_finish (run);
    nprof_test_assert_ok (run);
    g_autoptr (GString) raw = g_string_new ("name\n\"");
    g_string_append_len (raw, nasty, sizeof nasty - 1);
    g_string_append (raw, "\"\n");
    gsize size = nprof_test_output_size (run, NULL);
    if (terminal)
      g_assert_cmpstr (nprof_test_output (run, NULL), ==,
                       "name\n\"a\xe2\x90\x9b[2J\xe2\x90\x80\xe2\x90\xa1\xe2\x90\x8d"
                       "\xef\xbf\xbd\xc3\xa9\tb\"\n");
    else
      g_assert_cmpmem (nprof_test_output (run, NULL), size, raw->str, raw->len);
  }
}

/* -- Tables ---------------------------------------------------------------- */

static void
add_latency (NprofTestRun *run, const char *name)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_cell json = nprof_cell_text ("{\"a\":1}");
  json.type = NPROF_JSON;
  struct nprof_cell yes = nprof_cell_uint (1);
  yes.type = NPROF_BOOL;
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (h, "a.pb")),
                                      nprof_cell_str (nprof_intern (h, name)),
                                      nprof_cell_int (1234500),
                                      nprof_cell_double (0.1),
                                      nprof_cell_int (INT64_C (1700000000123456789)),
                                      yes,
                                      json };
  g_assert_cmpint (h->row (h, &latency, cells), ==, NPROF_OK);
  const struct nprof_cell unknown[]
      = { cells[0],           nprof_cell_null (), nprof_cell_null (), nprof_cell_null (),
          nprof_cell_null (), nprof_cell_null (), nprof_cell_null () };
  g_assert_cmpint (h->row (h, &latency, unknown), ==, NPROF_OK);
}

static const struct nprof_table values
    = { .size = sizeof values,
        .name = "t",
        .title = "T",
        .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_JSON, "j", "", "")) };

static void
check_json (const char *json, const char *expected)
{
  g_autoptr (NprofTestRun) run = open_csv ("table=t,columns=j,delimiter=;");
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_cell cells[] = { nprof_cell_text ("a.pb"), nprof_cell_text (json) };
  cells[0] = nprof_cell_str (nprof_intern (h, "a.pb"));
  cells[1].type = NPROF_JSON;
  h->table (h, &values);
  g_assert_cmpint (h->row (h, &values, cells), ==, NPROF_OK);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_autofree char *whole = g_strconcat ("j\n", expected, "\n", NULL);
  g_assert_cmpstr (nprof_test_output (run, "t.csv"), ==, whole);
}

/* One row is one line; nothing but space between tokens is touched. */
static void
test_json (void)
{
  check_json ("[1,2]", "[1,2]");
  check_json (" {\n \"a\" : [ 1 ,\r\n\t2 ] } \n", "\"{\"\"a\"\":[1,2]}\"");
  check_json ("[\" a : \\\" b\\\\\" , NaN]", "\"[\"\" a : \\\"\" b\\\\\"\",NaN]\"");
  check_json ("1 \n 2", "1 2");
  check_json ("true", "true");
  check_json ("\"open \n ", "\"\"\"open \n \"");
  check_json ("\"x\\", "\"\"\"x\\\"");
  check_json (" \n ", "\"\"");
  check_json ("", "\"\"");
}

static NprofTestRun *
run_table (const char *options, guint target)
{
  NprofTestConfig config = usual;
  config.target = target;
  NprofTestRun *run = nprof_test_open (component (), options, &config);
  const struct nprof_host *h = nprof_test_host (run);
  if (run->status == NPROF_OK) {
    add_span (run, device (h, "d"), "row", 0, 0);
    h->table (h, &latency);
    add_latency (run, "");
  }
  nprof_test_finish (run);
  return run;
}

static void
test_table (void)
{
  g_autoptr (NprofTestRun) run = run_table (NULL, 0);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, "latency.csv"), ==,
                   "input,name,total_ns,mean_ns,origin_unix_ns,cut,properties\n"
                   "a.pb,\"\",1234.5,0.0001,1700000000123456789,true,\"{\"\"a\"\":1}\"\n"
                   "a.pb,,,,,,\n");
  g_autoptr (NprofTestRun) scaled = run_table ("time=us", 0);
  g_assert_cmpstr (nprof_test_output (scaled, "latency.csv"), ==,
                   "input,name,total_us,mean_us,origin_unix_us,cut,properties\n"
                   "a.pb,\"\",1.2345,1e-7,1700000000123456.789,true,\"{\"\"a\"\":1}\"\n"
                   "a.pb,,,,,,\n");
}

static void
test_one_table (void)
{
  g_autoptr (NprofTestRun) rows = run_table ("columns=name", NPROF_TARGET_STDOUT);
  nprof_test_assert_ok (rows);
  g_assert_cmpstr (nprof_test_output (rows, NULL), ==, "name\nrow\n");
  g_autoptr (NprofTestRun) table
      = run_table ("table=latency,columns=total_ns+input", NPROF_TARGET_STDOUT);
  nprof_test_assert_ok (table);
  g_assert_cmpstr (nprof_test_output (table, NULL), ==, "total_ns,input\n1234.5,a.pb\n,a.pb\n");
  g_autoptr (NprofTestRun) alone = run_table ("table=latency,columns=input", 0);
  nprof_test_assert_ok (alone);
  g_assert_null (nprof_test_output (alone, "events.csv"));
  g_assert_cmpstr (nprof_test_output (alone, "latency.csv"), ==, "input\na.pb\na.pb\n");
  g_autoptr (NprofTestRun) near = run_table ("table=latncy", NPROF_TARGET_STDOUT);
  nprof_test_assert_fails (near, NPROF_E_OPTION, "did you mean \"latency\"?");
  g_autoptr (NprofTestRun) other = run_table ("table=lately", NPROF_TARGET_STDOUT);
  nprof_test_assert_fails (other, NPROF_E_OPTION, "it makes: events, latency;");
  g_autoptr (NprofTestRun) column = run_table ("table=latency,columns=totl_ns", 0);
  nprof_test_assert_fails (
      column, NPROF_E_OPTION,
      "table latency: there is no column \"totl_ns\"; did you mean \"total_ns\"?");
  g_autoptr (NprofTestRun) split = run_table ("split_rows=9", NPROF_TARGET_STDOUT);
  nprof_test_assert_fails (split, NPROF_E_OPTION, "stdout cannot be split");
}

/* A file that the user names: what stdout would get, and further parts beside it. */
static void
test_one_file (void)
{
  NprofTestConfig config = usual;
  config.target = NPROF_TARGET_FILE;
  config.target_name = "x.csv";
  g_autoptr (NprofTestRun) run
      = nprof_test_open (component (), "columns=name,split_rows=2", &config);
  const struct nprof_host *h = nprof_test_host (run);
  for (guint k = 0; k < 3; k++)
    add_span (run, device (h, "d"), "n", 0, 0);
  h->table (h, &latency);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==, "name\nn\n");
  g_assert_cmpstr (nprof_test_output (run, "x-2.csv"), ==, "name\nn\n");
  g_assert_cmpstr (nprof_test_output (run, "x-3.csv"), ==, "name\nn\n");
  g_assert_null (nprof_test_output (run, "latency.csv"));
}

/* -- An independent reader ------------------------------------------------- */

static void
keep_cell (void *text, size_t len, void *data)
{
  g_ptr_array_add (data, g_strndup (text ? text : "", len));
}

static void
test_read_back (void)
{
  static const char *const odd[]
      = { "plain",    "a,b",          "\"", "\"\"x\"", "line\nbreak", "cr\r", " led",
          "trailed ", "\xe6\xbc\xa2", "'",  ";",       "\t",          "" };
  g_autofree char *huge = g_strnfill (100000, '"');
  g_autoptr (NprofTestRun) run = open_csv ("columns=name+start_ns+attributes");
  const struct nprof_host *h = nprof_test_host (run);
  for (guint k = 0; k < 3 * G_N_ELEMENTS (odd); k++)
    add_span (run, device (h, "d"), odd[k % G_N_ELEMENTS (odd)], k * 1000, 0);
  add_span (run, device (h, "d"), huge, 0, 0);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);

  struct csv_parser parser;
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  csv_init (&parser, CSV_STRICT | CSV_STRICT_FINI);
  gsize size = nprof_test_output_size (run, "events.csv");
  g_assert_cmpuint (csv_parse (&parser, nprof_test_output (run, "events.csv"), size, keep_cell,
                               NULL, cells),
                    ==, size);
  g_assert_cmpint (csv_fini (&parser, keep_cell, NULL, cells), ==, 0);
  csv_free (&parser);
  g_assert_cmpuint (cells->len, ==, 3 * (3 * G_N_ELEMENTS (odd) + 2));
  for (guint k = 0; k < 3 * G_N_ELEMENTS (odd); k++) {
    g_autofree char *start = g_strdup_printf ("%u", k);
    g_assert_cmpstr (cells->pdata[3 * (k + 1)], ==, odd[k % G_N_ELEMENTS (odd)]);
    g_assert_cmpstr (cells->pdata[3 * (k + 1) + 1], ==, start);
  }
  g_assert_cmpstr (cells->pdata[cells->len - 3], ==, huge);
}

static char *
many_rows (guint batch_rows)
{
  NprofTestConfig config = usual;
  config.rows = batch_rows;
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "split_rows=1000", &config);
  const struct nprof_host *h = nprof_test_host (run);
  for (guint k = 0; k < 2500; k++)
    nprof_set_id (add_span (run, device (h, k % 3 ? "a" : "b"), k % 5 ? "x" : "y,z", k, k % 7), k);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  return g_strconcat (nprof_test_output (run, "events.csv"),
                      nprof_test_output (run, "events-2.csv"),
                      nprof_test_output (run, "events-3.csv"), NULL);
}

static void
test_batches (void)
{
  g_autofree char *whole = many_rows (0), *single = many_rows (1);
  g_assert_cmpstr (whole, ==, single);
}

static void
test_disk_full (void)
{
  NprofTestConfig config = usual;
  config.write_limit = 10;
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), NULL, &config);
  add_span (run, device (nprof_test_host (run), "d"), "x", 0, 0);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_IO, "full");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv/nothing", test_nothing);
  g_test_add_func ("/csv/rows", test_rows);
  g_test_add_func ("/csv/kinds", test_kinds);
  g_test_add_func ("/csv/attributes", test_attributes);
  g_test_add_func ("/csv/shared", test_shared);
  g_test_add_func ("/csv/time", test_time);
  g_test_add_func ("/csv/dialects", test_dialects);
  g_test_add_func ("/csv/refused", test_refused);
  g_test_add_func ("/csv/split", test_split);
  g_test_add_func ("/csv/excel", test_excel);
  g_test_add_func ("/csv/excel-splits", test_excel_splits);
  g_test_add_func ("/csv/excel-values", test_excel_values);
  g_test_add_func ("/csv/terminal", test_terminal);
  g_test_add_func ("/csv/json", test_json);
  g_test_add_func ("/csv/one-file", test_one_file);
  g_test_add_func ("/csv/table", test_table);
  g_test_add_func ("/csv/one-table", test_one_table);
  g_test_add_func ("/csv/read-back", test_read_back);
  g_test_add_func ("/csv/batches", test_batches);
  g_test_add_func ("/csv/disk-full", test_disk_full);
  return g_test_run ();
}
