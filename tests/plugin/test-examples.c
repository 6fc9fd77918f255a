/* SPDX-License-Identifier: Apache-2.0 */
/* test-examples.c - the plugins of sdk/examples do what they say, and keep the rules: people will
 * copy them.  EXAMPLES is the folder of their modules. */

#include "testhost.h"

#include <string.h>

static const struct nprof_component *
example (guint kind, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".so", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("EXAMPLES"), file, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_test_skip ("not built here");
    return NULL;
  }
  return nprof_test_component (path, kind, name);
}

static void
add (NprofTestRun *run, const char *track, const char *name, gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track t = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, track), 0, 0);
  g_assert_cmpint (nprof_span (h->writer (h), t, nprof_intern (h, name), start, duration), ==,
                   NPROF_OK);
}

/* -- csv-log --------------------------------------------------------------- */

#define HEAD "start,duration,lane,name,batch\n"

static NprofTestRun *
read_log (const char *options, const char *text, const NprofTestConfig *config)
{
  return nprof_test_decode (example (NPROF_DECODER, "csv-log"), options, text, strlen (text),
                            config);
}

static void
test_csv_log (void)
{
  g_autoptr (NprofTestRun) run = read_log (NULL,
                                           "start,duration,lane,name,\"the \"\"batch\"\"\",b\r\n"
                                           "12.5,3.25,w 1,\"load, then \"\"run\"\"\",32,\r\n\r\n"
                                           "-1,,w,\"\",\"a\nb\",x",
                                           NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpstr (run->rows[0].name, ==, "load, then \"run\"");
  g_assert_cmpstr (run->rows[0].path, ==, "w 1");
  g_assert_cmpint (run->rows[0].start, ==, 12500000);
  g_assert_cmpint (run->rows[0].duration, ==, 3250000);
  g_assert_cmpstr (nprof_test_attr (&run->rows[0], "the \"batch\""), ==, "32");
  g_assert_null (nprof_test_attr (&run->rows[0], "b")); /* an empty field is not known */
  g_assert_cmpint (run->rows[1].start, ==, -1000000);
  g_assert_cmpint (run->rows[1].duration, ==, -1);
  g_assert_cmpstr (nprof_test_attr (&run->rows[1], "the \"batch\""), ==, "a\nb");
}

static void
test_csv_log_options (void)
{
  g_autoptr (NprofTestRun) run = read_log ("unit=s,start=t,duration=d,lane=who,name=what",
                                           "what,who,t,d\na,b,0.000000000001,2\n", NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpint (run->rows[0].start, ==, 1);
  g_assert_cmpint (run->rows[0].duration, ==, 2000000000000);
  g_autoptr (NprofTestRun) none = read_log ("lane=who", HEAD, NULL);
  nprof_test_assert_fails (none, NPROF_E_FORMAT, "no column \"who\"");
}

static void
test_csv_log_damage (void)
{
  static const char *const bad[]
      = { "1,2,a",     "1,2,a,b,c,d", "x,2,a,b,",         ",2,a,b,",
          "1,-2,a,b,", "1,2e,a,b,",   "1.0000001,2,a,b,", "9223372036854775807,2,a,b," };
  NprofTestConfig config = { .keep_going = TRUE };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *text = g_strconcat (HEAD "1,2,a,b,\n", bad[i], "\n3,4,a,b,\n", NULL);
    g_autoptr (NprofTestRun) run = read_log (NULL, text, NULL);
    nprof_test_assert_fails (run, NPROF_E_FORMAT, "byte 40: ");
    g_autoptr (NprofTestRun) kept = read_log (NULL, text, &config);
    nprof_test_assert_ok (kept);
    g_assert_cmpuint (kept->n_rows, ==, 3);
    g_assert_cmpuint (kept->damage[0].at, ==, 40);
    g_assert_cmpuint (nprof_test_count (kept, NPROF_GAP), ==, 1);
  }
  g_autoptr (NprofTestRun) open = read_log (NULL, HEAD "1,2,\"a,b,\n3,4,a,b,\n", NULL);
  nprof_test_assert_fails (open, NPROF_E_FORMAT, "byte 31: a quote is not closed");
  g_autoptr (NprofTestRun) passed = read_log (NULL, HEAD "1,2,\"a,b,\n3,4,a,b,\n", &config);
  nprof_test_assert_ok (passed);
  g_assert_cmpuint (passed->n_rows, ==, 2); /* a gap, and the line behind it */
  g_autoptr (NprofTestRun) more = read_log (NULL, HEAD "1,2,\"a\"x,b,\n", NULL);
  nprof_test_assert_fails (more, NPROF_E_FORMAT, "text behind a closing quote");
  g_autoptr (NprofTestRun) head = read_log (NULL, "start,\"duration\n", NULL);
  nprof_test_assert_fails (head, NPROF_E_FORMAT, "byte 6: a quote is not closed");
  g_autoptr (NprofTestRun) none = read_log (NULL, "", NULL);
  nprof_test_assert_fails (none, NPROF_E_FORMAT, "byte 0: expected a line");
}

static void
test_csv_log_torture (void)
{
  const char *text = HEAD "1,2,a,\"b\"\"\",c\n2,,d,e,\n";
  nprof_test_torture (example (NPROF_DECODER, "csv-log"), NULL, text, strlen (text));
}

/* -- dots and names: the smallest ------------------------------------------- */

static void
test_dots (void)
{
  g_autoptr (NprofTestRun) run
      = nprof_test_decode (example (NPROF_DECODER, "dots"), NULL, "DOTS\x02\xff", 6, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpint (run->rows[1].start, ==, 2000);
  g_assert_cmpint (run->rows[1].duration, ==, 255000);
  g_autoptr (NprofTestRun) damaged
      = nprof_test_decode (example (NPROF_DECODER, "dots"), NULL, "DOTS\0", 5, NULL);
  nprof_test_assert_fails (damaged, NPROF_E_FORMAT, "1 to 255");
  nprof_test_torture (example (NPROF_DECODER, "dots"), NULL, "DOTS\x01\0\x03", 7);
}

static void
test_names (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (example (NPROF_SINK, "names"), NULL, NULL);
  add (run, "t", "first", 0, 5);
  add (run, "t", "second", 7, -1);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==, "5\tfirst\n-1\tsecond\n");
}

/* -- json-lines ------------------------------------------------------------ */

static void
test_json_lines (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (example (NPROF_SINK, "json-lines"), NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  add (run, "cpu", "a \"b\"", -5, -1);
  nprof_set_id (w, UINT64_MAX);
  nprof_attr_int (w, nprof_intern (h, "n"), INT64_MIN);
  nprof_attr_bytes (w, nprof_intern (h, "t"), NPROF_TEXT, "x\n", 2);
  nprof_attr_bytes (w, nprof_intern (h, "j"), NPROF_JSON, "[1]", 3);
  nprof_attr_double (w, nprof_intern (h, "f"), 0.1);
  nprof_attr_bytes (w, nprof_intern (h, "i"), NPROF_ID128, "0123456789abcdef", 16);
  add (run, "cpu", "b", 0, 0);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (
      nprof_test_output (run, NULL), ==,
      "{\"kind\":\"span\",\"input\":\"input\",\"thread\":\"cpu\",\"name\":\"a \\\"b\\\"\","
      "\"start_ps\":-5,\"duration_ps\":null,\"id\":18446744073709551615,"
      "\"attributes\":{\"n\":-9223372036854775808,\"t\":\"x\\n\",\"j\":[1],\"f\":0.1,"
      "\"i\":\"30313233343536373839616263646566\"}}\n"
      "{\"kind\":\"span\",\"input\":\"input\",\"thread\":\"cpu\",\"name\":\"b\","
      "\"start_ps\":0,\"duration_ps\":0}\n");
}

static const struct nprof_table table = {
  .size = sizeof table,
  .name = "t",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "total_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "wait_ns", "ns", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "")),
};

/* An analyzer's table; a time of it stays in whole picoseconds and is named so. */
static void
test_json_lines_table (void)
{
  const struct nprof_cell cells[]
      = { nprof_cell_text ("a"), nprof_cell_int (7), nprof_cell_null (), nprof_cell_text ("b") };
  g_autoptr (NprofTestRun) run = nprof_test_open (example (NPROF_SINK, "json-lines"), NULL, NULL);
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_cell row[G_N_ELEMENTS (cells)];
  memcpy (row, cells, sizeof row);
  row[0] = nprof_cell_str (nprof_intern (h, "in"));
  g_assert_cmpint (h->row (h, &table, row), ==, NPROF_OK);
  add (run, "cpu", "a", 0, 0);
  nprof_test_finish (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==,
                   "{\"kind\":\"span\",\"input\":\"input\",\"thread\":\"cpu\",\"name\":\"a\","
                   "\"start_ps\":0,\"duration_ps\":0}\n"
                   "{\"table\":\"t\",\"input\":\"in\",\"total_ps\":7,\"wait_ns\":null,"
                   "\"text\":\"b\"}\n");
}

/* -- idle (C++) and histogram (Rust) --------------------------------------- */

static void
test_idle (void)
{
  const struct nprof_component *idle = example (NPROF_ANALYZER, "idle");
  if (!idle)
    return;
  g_autoptr (NprofTestRun) run = nprof_test_open (idle, "least=2ns", NULL);
  add (run, "t", "later", 20000, 1000);
  add (run, "u", "alone", 0, 5000);
  add (run, "t", "first", 0, 10000);
  add (run, "t", "inside", 2000, 3000);
  add (run, "t", "close", 11000, 1000); /* 1 ns: too short */
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "idle")->n_rows, ==, 2);
  g_assert_cmpstr (nprof_test_cell (run, "idle", 0, "thread"), ==, "t");
  g_assert_cmpstr (nprof_test_cell (run, "idle", 0, "gaps"), ==, "1");
  g_assert_cmpstr (nprof_test_cell (run, "idle", 0, "idle_ns"), ==, "8000");
  g_assert_cmpstr (nprof_test_cell (run, "idle", 0, "longest_at_ns"), ==, "12000");
  g_assert_null (nprof_test_cell (run, "idle", 1, "longest_ns"));
}

static void
test_idle_no_memory (void)
{
  const struct nprof_component *idle = example (NPROF_ANALYZER, "idle");
  if (!idle)
    return;
  NprofTestConfig config = { .nomem_at = 1 };
  g_autoptr (NprofTestRun) run = nprof_test_open (idle, NULL, &config);
  add (run, "t", "a", 0, 1);
  nprof_test_finish (run);
  g_assert_cmpint (run->status, ==, NPROF_E_NOMEM); /* no exception went through */
  g_assert_cmpuint (run->n_broken, ==, 0);
}

static void
test_histogram (void)
{
  const struct nprof_component *histogram = example (NPROF_SINK, "histogram");
  if (!histogram)
    return;
  g_autoptr (NprofTestRun) run = nprof_test_open (histogram, NULL, NULL);
  add (run, "t", "b", 0, 0);
  add (run, "t", "a\tb", 0, 4000);
  add (run, "t", "a\tb", 0, 7999);
  add (run, "t", "b", 0, -1);
  add (run, "t", "b", 0, INT64_MAX);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, NULL), ==,
                   "name\tfrom_ns\tto_ns\tspans\nb\t0\t1\t1\n"
                   "b\t9007199254740992\t18014398509481984\t1\nb\t-\t-\t1\na b\t4\t8\t2\n");
  NprofTestConfig full = { .write_limit = 1 };
  g_autoptr (NprofTestRun) failed = nprof_test_open (histogram, NULL, &full);
  nprof_test_finish (failed);
  nprof_test_assert_fails (failed, NPROF_E_IO, "full");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/examples/csv-log", test_csv_log);
  g_test_add_func ("/examples/csv-log/options", test_csv_log_options);
  g_test_add_func ("/examples/csv-log/damage", test_csv_log_damage);
  g_test_add_func ("/examples/csv-log/torture", test_csv_log_torture);
  g_test_add_func ("/examples/dots", test_dots);
  g_test_add_func ("/examples/names", test_names);
  g_test_add_func ("/examples/json-lines", test_json_lines);
  g_test_add_func ("/examples/json-lines/table", test_json_lines_table);
  g_test_add_func ("/examples/idle", test_idle);
  g_test_add_func ("/examples/idle/no-memory", test_idle_no_memory);
  g_test_add_func ("/examples/histogram", test_histogram);
  return g_test_run ();
}
