/* SPDX-License-Identifier: Apache-2.0 */
/* test-text.c - the sink text: what its pages look like, that nothing is cut, hidden or
 * rounded in silence, and that names cannot reach a terminal as commands. */

#include "testhost.h"

#include <math.h>
#include <string.h>

static const struct nprof_table latency = {
  .size = sizeof latency,
  .name = "latency",
  .title = "Latency by name",
  .note = "A note.",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "name", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "count", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "total_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "moved", "byte", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mfu", "1", "")),
};

static const struct nprof_table types = {
  .size = sizeof types,
  .name = "types",
  .title = "Types",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_UINT64, "number", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "origin_unix_ns", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_BOOL, "cut", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_JSON, "properties", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_ID128, "trace", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "peak_flops", "flop/s", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "")),
};

static const struct nprof_table devices = {
  .size = sizeof devices,
  .name = "devices",
  .title = "Devices",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "device", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "busy_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "busy_reason", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "reason", "", "")),
};

static NprofTestRun *
open_text (const char *options, const NprofTestConfig *config)
{
  const struct nprof_component *text
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "text");
  return nprof_test_open (text, options, config);
}

static void
add (NprofTestRun *run, const struct nprof_table *table, const struct nprof_cell *cells)
{
  const struct nprof_host *host = nprof_test_host (run);
  g_assert_cmpint (host->row (host, table, cells), ==, NPROF_OK);
}

static void
announce (NprofTestRun *run, const struct nprof_table *table)
{
  const struct nprof_host *host = nprof_test_host (run);
  g_assert_cmpint (host->table (host, table), ==, NPROF_OK);
}

static void
add_latency (NprofTestRun *run, const char *name, guint64 count, gint64 total, double share,
             guint64 moved)
{
  const struct nprof_host *host = nprof_test_host (run);
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (host, "a.pb")),
                                      nprof_cell_str (nprof_intern (host, name)),
                                      nprof_cell_uint (count),
                                      nprof_cell_int (total),
                                      nprof_cell_double (share),
                                      nprof_cell_uint (moved),
                                      nprof_cell_null () };
  add (run, &latency, cells);
}

static void
add_three (NprofTestRun *run)
{
  announce (run, &latency);
  add_latency (run, "fusion.1", 1234, G_GINT64_CONSTANT (1234567000), 0.5, 1 << 20);
  add_latency (run, "copy", 7, G_GINT64_CONSTANT (9000000000), 0.25, 3 << 19);
  add_latency (run, "漢字", 1, 500, 0.0001, 0);
}

static const char *
finish (NprofTestRun *run)
{
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  return nprof_test_output (run, NULL);
}

static char *
page (const char *options, void (*fill) (NprofTestRun *run), const NprofTestConfig *config)
{
  g_autoptr (NprofTestRun) run = open_text (options, config);
  fill (run);
  return g_strdup (finish (run));
}

#define assert_has(text, part)                                                                     \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!strstr ((text), (part)))                                                                  \
      g_error ("%s: \"%s\" is not in:\n%s", G_STRLOC, (part), text);                               \
  }                                                                                                \
  G_STMT_END
#define assert_lacks(text, part)                                                                   \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (strstr ((text), (part)))                                                                   \
      g_error ("%s: \"%s\" is in:\n%s", G_STRLOC, (part), text);                                   \
  }                                                                                                \
  G_STMT_END

/* -- Plain ----------------------------------------------------------------- */

static void
test_plain (void)
{
  g_autofree char *text = page (NULL, add_three, NULL);
  g_assert_cmpstr (text, ==,
                   "Latency by name\n"
                   "  input  name      count    total   share     moved\n"
                   "  a.pb   fusion.1  1,234  1.23 ms  50.0 %  1.00 MiB\n"
                   "  a.pb   copy          7  9.00 ms  25.0 %  1.50 MiB\n"
                   "  a.pb   漢字          1   500 ps  <0.1 %       0 B\n"
                   "  unknown in every row: mfu\n"
                   "  A note.\n"
                   "\n"
                   "Numbers are scaled and rounded; --format json or csv has them exactly.\n");
}

/* A reason is there where something is unknown; that there is none is not unknown. */
static void
add_devices (NprofTestRun *run)
{
  const struct nprof_host *host = nprof_test_host (run);
  const char *names[] = { "TPU:0", "TPU:1" };
  announce (run, &devices);
  for (guint i = 0; i < 2; i++)
    add (run, &devices,
         (struct nprof_cell[]){ nprof_cell_str (nprof_intern (host, "a.pb")),
                                nprof_cell_str (nprof_intern (host, names[i])),
                                i ? nprof_cell_null () : nprof_cell_int (9000000),
                                i ? nprof_cell_text ("its clock is unknown") : nprof_cell_null (),
                                nprof_cell_null () });
}

static void
test_reasons (void)
{
  g_autofree char *text = page (NULL, add_devices, NULL);
  assert_has (text, "  a.pb   TPU:0   9.00 us  -\n"
                    "  a.pb   TPU:1   unknown  its clock is unknown\n");
  assert_lacks (text, "every row");
}

static void
add_exact (NprofTestRun *run)
{
  announce (run, &latency);
  add_latency (run, "a", 1, G_GINT64_CONSTANT (1500000000), 0.5, 1024);
}

static void
test_exact_says_nothing (void)
{
  g_autofree char *text = page (NULL, add_exact, NULL);
  assert_has (text, "1.50 ms");
  assert_lacks (text, "rounded");
}

static void
add_zeros (NprofTestRun *run)
{
  announce (run, &latency);
  for (int i = 0; i < 9; i++)
    add_latency (run, "idle", 1, 0, 0, 0);
  add_latency (run, "busy", 1, G_GINT64_CONSTANT (5000000000), 1, 5 << 20);
}

/* Each value has a unit of its own. */
static void
test_units (void)
{
  g_autofree char *text = page (NULL, add_zeros, NULL);
  assert_has (text, "  5.00 ms  ");
  assert_has (text, "     0 ps  ");
  assert_has (text, "  5.00 MiB\n");
}

static void
add_many (NprofTestRun *run)
{
  announce (run, &latency);
  for (int i = 0; i < 143; i++) {
    g_autofree char *name = g_strdup_printf ("op.%d", i);
    add_latency (run, name, (guint64) (i * 37 % 143), 1000 * i, 0.1, 1);
  }
}

static void
test_top (void)
{
  g_autofree char *preset = page (NULL, add_many, NULL);
  assert_has (preset, "op.19 ");
  assert_lacks (preset, "op.20 ");
  assert_has (preset, "… and 123 more; top=0 shows all\n");
  g_autofree char *three = page ("top=3", add_many, NULL);
  assert_has (three, "op.2 ");
  assert_lacks (three, "op.3 ");
  assert_has (three, "… and 140 more");
  g_autofree char *all = page ("top=0", add_many, NULL);
  assert_has (all, "op.142 ");
  assert_lacks (all, "more");
}

static void
test_by (void)
{
  g_autofree char *total = page ("by=total_ns,top=2", add_many, NULL);
  assert_has (total, "op.142");
  assert_has (total, "op.141");
  assert_lacks (total, "op.140");
  g_autofree char *shown = page ("by=total,top=2", add_many, NULL);
  g_assert_cmpstr (shown, ==, total);
  g_autofree char *name = page ("by=name,top=2", add_many, NULL);
  assert_has (name, "op.0 ");
  assert_has (name, "op.1 ");
  g_autofree char *count = page ("by=count,top=1", add_many, NULL); /* 37 i = 142 modulo 143 */
  assert_has (count, " 142 ");
}

/* Equal rows stay in their order, unknown ones come last. */
static void
add_unknowns (NprofTestRun *run)
{
  announce (run, &types);
  for (guint i = 0; i < 4; i++) {
    const struct nprof_cell cells[]
        = { nprof_cell_str (0),
            nprof_cell_uint (i),
            nprof_cell_null (),
            nprof_cell_null (),
            nprof_cell_null (),
            nprof_cell_null (),
            i == 0 ? nprof_cell_null () : nprof_cell_double (i == 1 ? (double) NAN : 5),
            nprof_cell_text ("x") };
    add (run, &types, cells);
  }
}

static void
test_by_unknown_last (void)
{
  g_autofree char *text = page ("by=peak_flops", add_unknowns, NULL);
  const char *two = strstr (text, " 2 "), *three = strstr (text, " 3 "),
             *nan = strstr (text, "NaN"), *unknown = strstr (text, "unknown");
  g_assert_true (two && three && nan && unknown);
  g_assert_true (two < three && three < nan && nan < unknown);
}

static void
test_by_no_column (void)
{
  g_autoptr (NprofTestRun) run = open_text ("by=nonsense", NULL);
  add_three (run);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_OPTION,
                           "by=nonsense: no table has a column of that name; "
                           "there are: name, total_ns, count, share, input, moved, mfu");
}

/* -- Width ----------------------------------------------------------------- */

static void
add_long (NprofTestRun *run)
{
  announce (run, &latency);
  add_latency (run, "jit(train_step)/transformer/layer_17/attention/query/dot_general.4711", 1, 5,
               0.5, 1);
  add_latency (run, "short", 1, 5, 0.5, 1);
}

/* Every line of a page, in characters (no wide ones). */
static glong
widest (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  glong most = 0;
  for (guint i = 0; lines[i]; i++)
    most = MAX (most, g_utf8_strlen (lines[i], -1));
  return most;
}

static void
test_names_are_cut_to_fit (void)
{
  g_autofree char *text = page ("width=72", add_long, NULL);
  assert_has (text, "jit(train_step)/transf…eneral.4711  ");
  assert_has (text, "1 name cut; --format json or csv shows them whole\n");
  g_assert_cmpint (widest (text), <=, 72);
  g_autofree char *wide = page ("width=500", add_long, NULL);
  assert_has (wide, "jit(train_step)/transformer/layer_17/attention/query/dot_general.4711");
  assert_lacks (wide, "cut");
}

static void
test_wide_tables_are_split (void)
{
  g_autofree char *text = page ("width=40", add_three, NULL);
  assert_has (text, "  #  input  name      count    total\n");
  assert_has (text, "\n\n  #  name       share     moved\n  1  fusion.1  50.0 %  1.00 MiB\n");
  assert_lacks (text, "cut");
}

static void
test_terminal_width (void)
{
  const NprofTestConfig narrow
      = { .target = NPROF_TARGET_STDOUT, .is_terminal = TRUE, .columns = 66 };
  g_unsetenv ("TERM");
  g_autofree char *text = page (NULL, add_long, &narrow);
  assert_has (text, "1 name cut");
  const NprofTestConfig file = { .target = NPROF_TARGET_FILE };
  g_autofree char *in_file = page (NULL, add_long, &file);
  assert_lacks (in_file, "cut");
  assert_lacks (in_file, "#");
}

static void
test_colour (void)
{
  const NprofTestConfig terminal
      = { .target = NPROF_TARGET_STDOUT, .is_terminal = TRUE, .columns = 100 };
  const NprofTestConfig pipe = { .target = NPROF_TARGET_STDOUT };
  g_setenv ("TERM", "xterm", TRUE);
  g_unsetenv ("NO_COLOR");
  g_autofree char *coloured = page (NULL, add_three, &terminal);
  assert_has (coloured, "\033[1mLatency by name\033[0m\n");
  g_autofree char *piped = page (NULL, add_three, &pipe);
  assert_lacks (piped, "\033");
  g_setenv ("NO_COLOR", "1", TRUE);
  g_autofree char *refused = page (NULL, add_three, &terminal);
  g_assert_cmpstr (refused, ==, piped);
  g_setenv ("NO_COLOR", "", TRUE);
  g_autofree char *empty = page (NULL, add_three, &terminal);
  g_assert_cmpstr (empty, ==, coloured);
  g_unsetenv ("NO_COLOR");
  g_setenv ("TERM", "dumb", TRUE);
  g_autofree char *dumb = page (NULL, add_three, &terminal);
  g_assert_cmpstr (dumb, ==, piped);
}

/* -- Cells ----------------------------------------------------------------- */

static void
add_types (NprofTestRun *run)
{
  announce (run, &types);
  struct nprof_cell json = nprof_cell_text ("{\"rank\": \"3\"}"),
                    id = nprof_cell_text ("0123456789abcdef"), cut = nprof_cell_uint (1);
  json.type = NPROF_JSON;
  id.type = NPROF_ID128;
  cut.type = NPROF_BOOL;
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (nprof_test_host (run), "a.pb")),
                                      nprof_cell_uint (G_MAXUINT64),
                                      nprof_cell_int (G_GINT64_CONSTANT (1700000000004000000)),
                                      cut,
                                      json,
                                      id,
                                      nprof_cell_double (197e12),
                                      nprof_cell_text ("a|b_c _d_ <b>*\033[31m\n") };
  add (run, &types, cells);
}

static void
test_types (void)
{
  g_autofree char *text = page ("width=300", add_types, NULL);
  assert_has (text,
              "  a.pb   18446744073709551615  2023-11-14T22:13:20.004Z  yes  {\"rank\": \"3\"}  "
              "30313233343536373839616263646566  197 TFLOP/s  a|b_c _d_ <b>*\\x1b[31m\\x0a\n");
}

static void
test_markdown (void)
{
  g_autofree char *text = page ("format=markdown", add_types, NULL);
  assert_has (text, "## Types\n\n| input | number | origin | cut |");
  assert_has (text, "| a\\|b_c \\_d\\_ \\<b\\>\\*\\\\x1b\\[31m\\\\x0a |\n");
  assert_lacks (text, "\033");
  g_autofree char *three = page ("format=markdown,top=2", add_three, NULL);
  assert_has (three, "| input | name | count | total | share | moved |\n"
                     "| --- | --- | ---: | ---: | ---: | ---: |\n"
                     "| a.pb | fusion.1 | 1,234 | 1.23 ms | 50.0 % | 1.00 MiB |\n");
  assert_has (three, "… and 1 more; top=0 shows all\n");
  assert_has (three, "unknown in the rows shown: mfu\n"); /* the third is not looked at */
  assert_has (three, "A note.\n");
  g_autofree char *name = page ("format=markdown,width=40", add_long, NULL);
  assert_has (name, "jit(train_step)/transformer/layer_17/attention/query/dot_general.4711");
}

static void
test_json (void)
{
  g_autofree char *text = page ("format=json", add_three, NULL);
  g_assert_cmpstr (
      text, ==,
      "{\"tables\":[\n"
      "  {\"name\":\"latency\",\"title\":\"Latency by name\",\"note\":\"A note.\","
      "\"columns\":[\"input\",\"name\",\"count\",\"total_ps\",\"share\",\"moved\",\"mfu\"],"
      "\"units\":[\"\",\"\",\"\",\"ps\",\"1\",\"byte\",\"1\"],\n"
      "   \"rows\":[\n"
      "    [\"a.pb\",\"fusion.1\",1234,1234567000,0.5,1048576,null],\n"
      "    [\"a.pb\",\"copy\",7,9000000000,0.25,1572864,null],\n"
      "    [\"a.pb\",\"漢字\",1,500,0.0001,0,null]],\n"
      "   \"rows_left_out\":0}\n"
      "],\n"
      "\"not_in_this_run\":[]}\n");
}

static void
test_json_types (void)
{
  g_autofree char *text = page ("format=json", add_types, NULL);
  assert_has (text, "[\"a.pb\",18446744073709551615,1700000000004000000,true,{\"rank\":\"3\"},"
                    "\"30313233343536373839616263646566\",1");
  assert_has (text, "\"a|b_c _d_ <b>*\\u001b[31m\\n\"]");
}

static void
add_bad_json (NprofTestRun *run)
{
  static const char *const texts[] = { "{\"a\": NaN}", "[1,", "\"\xc2\x9b\x7f\xe2\x80\xae\"" };
  announce (run, &types);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    struct nprof_cell json = nprof_cell_text (texts[i]);
    json.type = NPROF_JSON;
    const struct nprof_cell cells[]
        = { nprof_cell_str (0),
            nprof_cell_uint (i),
            nprof_cell_null (),
            nprof_cell_null (),
            json,
            nprof_cell_null (),
            nprof_cell_double (i == 0 ? (double) NAN : -(double) INFINITY),
            nprof_cell_null () };
    add (run, &types, cells);
  }
}

static void
test_json_of_others (void)
{
  g_autofree char *text = page ("format=json", add_bad_json, NULL);
  assert_has (text, "[\"\",0,null,null,{\"a\":\"NaN\"},null,\"NaN\",null]");
  assert_has (text, "[\"\",1,null,null,\"[1,\",null,\"-Infinity\",null]");
  assert_has (text, "[\"\",2,null,null,\"\\u009b\\u007f\\u202e\",null,");
}

static void
test_json_says_what_is_left_out (void)
{
  g_autoptr (NprofTestRun) run = open_text ("format=json,top=2", NULL);
  add_many (run);
  assert_has (finish (run), "\"rows_left_out\":141}");
  g_assert_true (
      nprof_test_logged (run, "table latency: 141 of 143 rows left out; top=0 writes all"));
}

static void
add_escapes (NprofTestRun *run)
{
  announce (run, &latency);
  add_latency (run,
               "\033]0;owned\007\xc2\x9b"
               "31m\xe2\x80\xae"
               "a\r\n\x7f\xff",
               1, 5, 0.5, 1);
}

static void
test_nothing_raw (void)
{
  const char *const formats[] = { "format=plain", "format=markdown", "format=json" };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *text = page (formats[i], add_escapes, NULL);
    assert_has (text, "owned");
    for (const char *p = text; *p; p++)
      g_assert_true ((guchar) *p >= 0x20 ? *p != 0x7f : *p == '\n');
    assert_lacks (text, "\xc2\x9b");
    assert_lacks (text, "\xe2\x80\xae");
    g_assert_true (g_utf8_validate (text, -1, NULL));
  }
}

/* -- Which tables ---------------------------------------------------------- */

static void
add_both (NprofTestRun *run)
{
  add_three (run);
  add_types (run);
}

static void
add_one_empty (NprofTestRun *run)
{
  announce (run, &types);
  add_three (run);
}

static void
test_tables (void)
{
  g_autofree char *both = page ("tables=types+latency", add_both, NULL);
  g_assert_true (strstr (both, "Types\n") < strstr (both, "Latency by name\n"));
  g_autofree char *one = page ("tables=latency+other", add_both, NULL);
  assert_lacks (one, "Types\n");
  assert_has (one, "Not in this run: other\n");
  g_autofree char *json = page ("format=json,tables=latency+other", add_both, NULL);
  assert_has (json, "\"not_in_this_run\":[\"other\"]}");
  g_autofree char *empty = page (NULL, add_one_empty, NULL);
  assert_has (empty, "Tables without rows: types\n");
}

static void
test_tables_none (void)
{
  g_autoptr (NprofTestRun) run = open_text ("tables=other", NULL);
  add_both (run);
  nprof_test_finish (run);
  nprof_test_assert_fails (
      run, NPROF_E_OPTION,
      "tables=other: this run has no such table; it has: events, latency, types");
}

static void
add_rows (NprofTestRun *run)
{
  const struct nprof_host *host = nprof_test_host (run);
  struct nprof_writer *w = host->writer (host);
  nprof_track device = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "tpu0"), 0, 0);
  nprof_track ops = host->track (host, device, NPROF_TRACK_QUEUE, nprof_intern (host, "ops"), 0, 0);
  nprof_str dot = nprof_intern (host, "dot");
  for (int i = 0; i < 3; i++)
    g_assert_cmpint (nprof_span (w, ops, dot, i * 1000000, i == 1 ? -1 : 500000), ==, NPROF_OK);
  g_assert_cmpint (nprof_counter (w, ops, nprof_intern (host, "power"), 0, 2.5), ==, NPROF_OK);
}

static void
test_counts_without_tables (void)
{
  g_autofree char *text = page (NULL, add_rows, NULL);
  assert_has (text, "span        3\n");
  assert_has (text, "counter     1\n");
  assert_has (text, "No component of this run made a table.\n");
  assert_lacks (text, "instant");
}

static void
test_events (void)
{
  g_autofree char *text = page ("tables=events", add_rows, NULL);
  assert_has (text, "   1 us   unknown");
  assert_has (text, "ops");
  assert_has (text, "csv has them");
  g_autofree char *by = page ("tables=events,by=start_ns,top=1,format=json", add_rows, NULL);
  assert_has (by, "2000000,500000,3,\"tpu0\",\"ops\",\"span\",\"\",\"dot\",null,null,null,null]]");
  assert_has (by, "\"rows_left_out\":3}");
}

static void
test_events_do_not_depend_on_batches (void)
{
  const NprofTestConfig single = { .rows = 1 };
  g_autofree char *whole = page ("tables=events", add_rows, NULL);
  g_autofree char *cut = page ("tables=events", add_rows, &single);
  g_assert_cmpstr (whole, ==, cut);
}

static void
test_full_disk (void)
{
  const NprofTestConfig config = { .write_limit = 10 };
  g_autoptr (NprofTestRun) run = open_text (NULL, &config);
  add_many (run);
  g_assert_cmpint (nprof_test_finish (run), ==, NPROF_E_IO);
}

/* -- Pages of one input ---------------------------------------------------- */

static const NprofTestConfig of_a = { .label = "a.pb" };

static void
test_one_input (void)
{
  g_autofree char *plain = page (NULL, add_exact, &of_a);
  g_assert_true (g_str_has_prefix (plain, "Profile: a.pb\n\nLatency by name\n  name  count  "));
  g_autofree char *markdown = page ("format=markdown", add_exact, &of_a);
  g_assert_true (g_str_has_prefix (markdown, "# Profile: a.pb\n\n## Latency by name\n\n| name |"));
  g_autofree char *json = page ("format=json", add_exact, &of_a);
  assert_has (json, "[\"a.pb\",\"a\",1,1500000000,0.5,1024,null]");
  assert_lacks (json, "Profile");
  g_autofree char *other = page (NULL, add_both, &(NprofTestConfig){ .label = "b.pb" });
  assert_lacks (other, "Profile");
  assert_has (other, "  input  name");
}

static const struct nprof_table inputs = {
  .size = sizeof inputs,
  .name = "inputs",
  .title = "Inputs",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_TEXT, "decoder", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "version", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "start_ns", "ps", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "end_ns", "ps", "")),
};

static void
add_input (NprofTestRun *run, const char *label, struct nprof_cell start, struct nprof_cell end)
{
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (nprof_test_host (run), label)),
                                      nprof_cell_text ("lines"), nprof_cell_null (), start, end };
  add (run, &inputs, cells);
}

static void
add_profile (NprofTestRun *run)
{
  add_input (run, "a.pb", nprof_cell_int (G_MININT64), nprof_cell_int (G_MAXINT64));
}

static void
add_timeless_profile (NprofTestRun *run)
{
  add_input (run, "a.pb", nprof_cell_null (), nprof_cell_null ());
}

static void
add_two_inputs (NprofTestRun *run)
{
  add_input (run, "a.pb", nprof_cell_int (0), nprof_cell_int (5));
  add_input (run, "b.pb", nprof_cell_int (0), nprof_cell_int (5));
}

static void
test_profile (void)
{
  g_autofree char *text = page (NULL, add_profile, &of_a);
  g_assert_cmpstr (
      text, ==,
      "Profile: a.pb\n"
      "  decoder  lines\n"
      "  version  unknown\n"
      "  time     -9223372.036854775808 s to 9223372.036854775807 s, 18,446,744 s long\n"
      "\n"
      "Numbers are scaled and rounded; --format json or csv has them exactly.\n");
  g_autofree char *timeless = page (NULL, add_timeless_profile, &of_a);
  assert_has (timeless, "  time     unknown\n");
  g_autofree char *two = page (NULL, add_two_inputs, &of_a);
  assert_has (two, "Inputs\n  input  decoder  start   end\n  a.pb   lines     0 ps  5 ps\n");
}

static void
add_escaped_profile (NprofTestRun *run)
{
  add_input (run, "a\033[31m.pb", nprof_cell_int (0), nprof_cell_int (5));
}

static void
test_no_raw_input (void)
{
  const NprofTestConfig escaped = { .label = "a\033[31m.pb" };
  g_autofree char *plain = page (NULL, add_escaped_profile, &escaped);
  assert_has (plain, "Profile: a\\x1b[31m.pb\n");
  g_autofree char *markdown = page ("format=markdown", add_escaped_profile, &escaped);
  assert_has (markdown, "# Profile: a\\\\x1b\\[31m.pb\n");
  assert_lacks (markdown, "\033");
}

/* -- Tracks ---------------------------------------------------------------- */

static const struct nprof_table tracks = {
  .size = sizeof tracks,
  .name = "tracks",
  .title = "Tracks",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_UINT64, "track", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "parent", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "kind", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "key", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "label", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "thread", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "sort", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "rows", "", "")),
};

static void
add_track (NprofTestRun *run, guint64 number, guint64 parent, const char *name, gint64 order)
{
  const struct nprof_host *host = nprof_test_host (run);
  nprof_str str = nprof_intern (host, name);
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (host, "a.pb")),
                                      nprof_cell_uint (number),
                                      parent ? nprof_cell_uint (parent) : nprof_cell_null (),
                                      nprof_cell_text ("thread"),
                                      nprof_cell_str (str),
                                      parent ? nprof_cell_str (str) : nprof_cell_null (),
                                      nprof_cell_str (str),
                                      nprof_cell_int (order),
                                      nprof_cell_uint (number * 1000) };
  add (run, &tracks, cells);
}

static void
add_tracks (NprofTestRun *run)
{
  add_track (run, 1, 0, "a.pb", 0);
  add_track (run, 2, 1, "late", 7);
  add_track (run, 3, 1, "early", -7);
  add_track (run, 4, 2, "below late", 1);
  add_track (run, 5, 3, "second\033", 1);
  add_track (run, 6, 3, "first", 0);
  add_track (run, 7, 3, "third", 1);
}

static void
test_tree (void)
{
  g_autofree char *text = page (NULL, add_tracks, &of_a);
  g_assert_cmpstr (text, ==,
                   "Profile: a.pb\n"
                   "\n"
                   "Tracks\n"
                   "  name            kind     rows  track\n"
                   "  a.pb            thread  1,000      1\n"
                   "    early         thread  3,000      3\n"
                   "      first       thread  6,000      6\n"
                   "      second\\x1b  thread  5,000      5\n"
                   "      third       thread  7,000      7\n"
                   "    late          thread  2,000      2\n"
                   "      below late  thread  4,000      4\n"
                   "\n");
  g_autofree char *top = page ("top=3", add_tracks, &of_a);
  assert_has (top, "    late   thread  2,000      2\n  … and 4 more; top=0 shows all\n");
}

static void
add_orphan (NprofTestRun *run)
{
  add_track (run, 1, 0, "a.pb", 0);
  add_track (run, 2, 9, "orphan", 0);
}

/* Nothing is left out because it fits no tree. */
static void
test_no_tree (void)
{
  const char *head = "  track   parent  kind    thread";
  g_autofree char *orphan = page (NULL, add_orphan, &of_a);
  assert_has (orphan, head);
  assert_has (orphan, "  orphan ");
  g_autofree char *sorted = page ("by=kind", add_tracks, &of_a);
  assert_has (sorted, head);
  g_autofree char *markdown = page ("format=markdown", add_tracks, &of_a);
  assert_has (markdown, "| track | parent | kind | thread | sort | rows |\n");
  assert_has (markdown, "key: as thread; label: as thread, or unknown\n");
}

static void
add_deep_tracks (NprofTestRun *run)
{
  for (guint64 n = 1; n <= 5000; n++)
    add_track (run, n, n - 1, "down", 0);
}

static void
test_deep_tree (void)
{
  g_autofree char *text = page ("top=0", add_deep_tracks, &of_a);
  assert_has (text, "  5,000,000   5000\n");
  assert_lacks (text, "cut");
  g_assert_cmpint (widest (text), <=, 100);
}

/* -- Facts ----------------------------------------------------------------- */

static const struct nprof_table facts = {
  .size = sizeof facts,
  .name = "facts",
  .title = "Facts",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_UINT64, "track", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "key", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "value", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "unit", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "source", "", "")),
};

static void
add_fact (NprofTestRun *run, guint64 track, const char *key, const char *value, const char *unit)
{
  const struct nprof_host *host = nprof_test_host (run);
  const struct nprof_cell cells[] = { nprof_cell_str (nprof_intern (host, "a.pb")),
                                      nprof_cell_uint (track),
                                      nprof_cell_str (nprof_intern (host, key)),
                                      nprof_cell_text (value),
                                      nprof_cell_text (unit),
                                      nprof_cell_str (nprof_intern (host, "stat x")) };
  add (run, &facts, cells);
}

static void
add_alike (NprofTestRun *run)
{
  add_tracks (run);
  for (guint64 track = 2; track <= 7; track += track == 5 ? 2 : 1) { /* 6 has none */
    add_fact (run, track, "peak_flops", "197000000000000", "flop/s");
    add_fact (run, track, "memory_size", "1610612736", "byte");
    add_fact (run, track, "clock", "1.2345678e9", "Hz");
  }
}

static void
test_facts (void)
{
  g_autofree char *text = page ("tables=facts", add_alike, &of_a);
  g_assert_cmpstr (text, ==,
                   "Profile: a.pb\n"
                   "\n"
                   "Facts of late to second\\x1b (4 tracks), third\n"
                   "  key          value        source\n"
                   "  peak_flops   197 TFLOP/s  stat x\n"
                   "  memory_size  1.50 GiB     stat x\n"
                   "  clock        1.23 GHz     stat x\n"
                   "\n"
                   "Numbers are scaled and rounded; --format json or csv has them exactly.\n");
  g_autofree char *json = page ("tables=facts,format=json", add_alike, &of_a);
  assert_has (json, "[\"a.pb\",7,\"peak_flops\",\"197000000000000\",\"flop/s\",\"stat x\"]");
  g_autofree char *top = page ("tables=facts,top=2", add_alike, &of_a);
  assert_has (top, "late to second\\x1b (4 tracks), third\n"); /* joined, then cut */
  assert_has (top, "… and 1 more; top=0 shows all\n");
}

static void
add_different (NprofTestRun *run)
{
  add_fact (run, 2, "size", "18446744073709551615", "byte");
  add_fact (run, 3, "size", "2048", "byte");
  add_fact (run, 3, "limit", "0.25", "W");
  add_fact (run, 3, "name", "197", "");
  add_fact (run, 3, "odd", "12 and more", "byte");
  add_fact (run, 3, "none", NULL, "byte");
}

static void
test_facts_of_different_tracks (void)
{
  g_autofree char *text = page (NULL, add_different, &of_a);
  assert_has (text, "Facts\n  key    value           track    source\n");
  assert_has (text, "  size   16,777,216 TiB  track 2  stat x\n");
  assert_has (text, "  size   2.00 KiB        track 3  stat x\n");
  assert_has (text, "  limit  0.25 W          track 3  stat x\n");
  assert_has (text, "  name   197             track 3  stat x\n");
  assert_has (text, "  odd    12 and more     track 3  stat x\n");
  assert_has (text, "  none   unknown         track 3  stat x\n");
}

/* -- What is not printed --------------------------------------------------- */

static void
test_tables_if_there (void)
{
  g_autofree char *text = page ("tables=latency+types?+other?", add_one_empty, NULL);
  assert_lacks (text, "types");
  assert_lacks (text, "other");
  g_autofree char *both = page ("tables=types?+latency", add_both, NULL);
  g_assert_true (strstr (both, "Types\n") < strstr (both, "Latency by name\n"));
  g_autofree char *json = page ("format=json,tables=latency+types?+other?", add_one_empty, NULL);
  assert_has (json, "\"name\":\"types\"");
  assert_has (json, "\"not_in_this_run\":[\"other\"]}");
}

static void
add_more (NprofTestRun *run)
{
  add_both (run);
  add_tracks (run);
  announce (run, &facts);
}

static void
test_rest (void)
{
  g_autofree char *text = page ("tables=types,rest", add_more, NULL);
  assert_has (text, "Not shown: latency (3 rows), tracks (7 rows)\n"
                    "To see them: nprof run -s text:tables=latency+tracks -o - INPUT\n");
  g_autofree char *quiet = page ("tables=types", add_more, NULL);
  assert_lacks (quiet, "Not shown");
  g_autofree char *all = page ("rest", add_more, NULL);
  assert_lacks (all, "Not shown");
  g_autofree char *json = page ("tables=types,rest,format=json", add_more, NULL);
  assert_lacks (json, "Not shown");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/plain", test_plain);
  g_test_add_func ("/text/reasons", test_reasons);
  g_test_add_func ("/text/exact-says-nothing", test_exact_says_nothing);
  g_test_add_func ("/text/unit", test_units);
  g_test_add_func ("/text/top", test_top);
  g_test_add_func ("/text/by", test_by);
  g_test_add_func ("/text/by/unknown-last", test_by_unknown_last);
  g_test_add_func ("/text/by/no-column", test_by_no_column);
  g_test_add_func ("/text/width/names", test_names_are_cut_to_fit);
  g_test_add_func ("/text/width/split", test_wide_tables_are_split);
  g_test_add_func ("/text/width/terminal", test_terminal_width);
  g_test_add_func ("/text/colour", test_colour);
  g_test_add_func ("/text/types", test_types);
  g_test_add_func ("/text/markdown", test_markdown);
  g_test_add_func ("/text/json", test_json);
  g_test_add_func ("/text/json/types", test_json_types);
  g_test_add_func ("/text/json/of-others", test_json_of_others);
  g_test_add_func ("/text/json/left-out", test_json_says_what_is_left_out);
  g_test_add_func ("/text/nothing-raw", test_nothing_raw);
  g_test_add_func ("/text/tables", test_tables);
  g_test_add_func ("/text/tables/none", test_tables_none);
  g_test_add_func ("/text/counts", test_counts_without_tables);
  g_test_add_func ("/text/events", test_events);
  g_test_add_func ("/text/events/batches", test_events_do_not_depend_on_batches);
  g_test_add_func ("/text/one-input", test_one_input);
  g_test_add_func ("/text/profile", test_profile);
  g_test_add_func ("/text/profile/nothing-raw", test_no_raw_input);
  g_test_add_func ("/text/tree", test_tree);
  g_test_add_func ("/text/tree/none", test_no_tree);
  g_test_add_func ("/text/tree/deep", test_deep_tree);
  g_test_add_func ("/text/facts", test_facts);
  g_test_add_func ("/text/facts/different", test_facts_of_different_tracks);
  g_test_add_func ("/text/tables/if-there", test_tables_if_there);
  g_test_add_func ("/text/rest", test_rest);
  g_test_add_func ("/text/full-disk", test_full_disk);
  return g_test_run ();
}
