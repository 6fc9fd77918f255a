/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome-decoder.c - the decoder chrome: phases, identities, times, metadata, damage.  The
 * samples of real producers are test-chrome-decoder-data.c's. */
#include "testhost.h"

#include <string.h>

static const struct nprof_component *chrome;

static NprofTestRun *
decode_with (const char *options, const char *json, const NprofTestConfig *config)
{
  return nprof_test_decode (chrome, options, json, strlen (json), config);
}

static NprofTestRun *
decode (const char *json)
{
  NprofTestRun *run = decode_with (NULL, json, NULL);
  nprof_test_assert_ok (run);
  return run;
}

/* -- Phases ------------------------------------------------------------------------ */

static void
test_complete (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"k\",\"ts\":1.5,\"dur\":2.000001,\"pid\":1,"
                "\"tid\":2,\"args\":{\"correlation\":7}},"
                "{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"pid\":1,\"tid\":2}, "
                "{\"ph\":\"X\",\"name\":\"c\",\"ts\":3,\"dur\":-1,\"pid\":1,\"tid\":2}]");
  g_assert_cmpuint (run->n_rows, ==, 3);
  const NprofTestRow *a = nprof_test_row (run, "a");
  g_assert_cmpuint (a->kind, ==, NPROF_SPAN);
  g_assert_cmpint (a->start, ==, 1500000);
  g_assert_cmpint (a->duration, ==, 2000001);
  g_assert_cmpstr (a->path, ==, "1/2");
  g_assert_cmpstr (a->category, ==, "k");
  g_assert_cmpstr (nprof_test_attr (a, "phase"), ==, "X");
  g_assert_cmpstr (nprof_test_attr (a, "correlation_id"), ==, "7");
  g_assert_cmpstr (nprof_test_attr (a, "args"), ==, "{\"correlation\":7}");
  g_assert_cmpint (nprof_test_row (run, "b")->duration, ==, -1);
  g_assert_cmpint (nprof_test_row (run, "c")->duration, ==, -1);
  g_assert_cmpuint (nprof_test_skips (run, "negative dur"), ==, 1);
}

/* Sorted by time first; an end closes the last begin whatever its name. */
static void
test_slices (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"E\",\"ts\":9,\"pid\":1,\"tid\":1,\"args\":{\"r\":1}},{\"ph\":\"B\","
                "\"name\":\"out\",\"ts\":1,\"pid\":1,\"tid\":1},"
                "{\"ph\":\"B\",\"name\":\"in\",\"ts\":2,\"pid\":1,\"tid\":1},{\"ph\":\"E\","
                "\"name\":\"x\",\"ts\":4,\"pid\":1,\"tid\":1},"
                "{\"ph\":\"B\",\"name\":\"open\",\"ts\":3,\"pid\":1,\"tid\":2},{\"ph\":\"E\","
                "\"ts\":0,\"pid\":1,\"tid\":\"2\"}]");
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpint (nprof_test_row (run, "out")->duration, ==, 8000000);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "out"), "end_args"), ==, "{\"r\":1}");
  g_assert_cmpint (nprof_test_row (run, "in")->duration, ==, 2000000);
  g_assert_cmpint (nprof_test_row (run, "open")->duration, ==, -1);
  g_assert_cmpuint (nprof_test_skips (run, "phase E without B"), ==, 1);
}

static void
test_instants (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"i\",\"name\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1,\"s\":\"g\"},{\"ph\":"
                "\"I\",\"name\":\"I\",\"ts\":1,\"pid\":1,\"tid\":1},"
                "{\"ph\":\"R\",\"name\":\"R\",\"ts\":1,\"pid\":1,\"tid\":1},{\"ph\":\"N\",\"name\":"
                "\"N\",\"id\":3,\"ts\":1,\"pid\":1,\"tid\":1},"
                "{\"ph\":\"O\",\"name\":\"O\",\"id\":3,\"ts\":1,\"pid\":1,\"tid\":1},{\"ph\":\"D\","
                "\"name\":\"D\",\"id\":3,\"ts\":1,\"pid\":1,\"tid\":1},"
                "{\"ph\":\"P\",\"ts\":1},{\"ph\":\"(\",\"ts\":1},{\"ph\":\"zz\",\"ts\":1},{\"ts\":"
                "1},{\"ph\":\"i\",\"name\":\"no ts\"},{}]");
  g_assert_cmpuint (nprof_test_count (run, NPROF_INSTANT), ==, 6);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "i"), "fields"), ==, "{\"s\":\"g\"}");
  g_assert_cmpuint (nprof_test_skips (run, "phase P"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "phase ("), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "phase zz"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "event without ph"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "phase i without ts"), ==, 1);
}

/* Args that are read of some rows only are given to these, and perhaps to more. */
static void
test_args_of_some_rows (void)
{
  static const struct nprof_row_want instants
      = { .size = sizeof instants, .kinds = 1u << NPROF_INSTANT, .key = "args" };
  static const struct nprof_row_want fused
      = { .size = sizeof fused, .kinds = 1u << NPROF_SPAN, .key = "args", .member = "fused" };
  static const char text[] = "[{\"ph\":\"i\",\"name\":\"i\",\"ts\":1,\"pid\":1,\"args\":{\"a\":1}},"
                             "{\"ph\":\"X\",\"name\":\"plain\",\"ts\":1,\"dur\":1,\"pid\":1,"
                             "\"args\":{\"a\":\"fused\\\"\"}},"
                             "{\"ph\":\"X\",\"name\":\"fused\",\"ts\":3,\"dur\":1,\"pid\":1,"
                             "\"args\":{\"fused\":[\"b\"]}},"
                             "{\"ph\":\"X\",\"name\":\"none\",\"ts\":5,\"dur\":1,\"pid\":1}]";
  const char *const no_key[] = { NULL };
  const struct nprof_row_want *const wants[] = { &instants, &fused, NULL };
  const NprofTestConfig config = { .wanted = no_key, .row_wants = wants };
  g_autoptr (NprofTestRun) run = decode_with (NULL, text, &config);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "i"), "args"), ==, "{\"a\":1}");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "fused"), "args"), ==,
                   "{\"fused\":[\"b\"]}");
  g_assert_null (nprof_test_attr (nprof_test_row (run, "plain"), "args"));
  g_assert_null (nprof_test_attr (nprof_test_row (run, "none"), "args"));
}

static void
test_counters (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"C\",\"name\":\"mem\",\"ts\":1,\"pid\":1,\"args\":{\"used\":12,\"free\":"
                "\"7.5\",\"bad\":\"x\",\"\":3}},"
                "{\"ph\":\"C\",\"name\":\"mem\",\"id\":9,\"ts\":2,\"pid\":1,\"args\":{\"used\":"
                "9007199254740993}},{\"ph\":\"C\",\"name\":\"e\",\"ts\":2,\"pid\":1}]");
  g_assert_cmpuint (nprof_test_count (run, NPROF_COUNTER), ==, 4);
  g_assert_cmpfloat (nprof_test_row (run, "mem/used")->value, ==, 12);
  g_assert_cmpstr (nprof_test_row (run, "mem/used")->path, ==, "1/mem");
  g_assert_cmpfloat (nprof_test_row (run, "mem/free")->value, ==, 7.5);
  g_assert_cmpfloat (nprof_test_row (run, "mem")->value, ==, 3);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "mem[9]/used"), "value"), ==,
                   "9007199254740993");
  g_assert_cmpuint (nprof_test_skips (run, "series of a counter"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "phase C without args"), ==, 1);
}

/* Rows of an event share its args; of more than 64 series the first row alone has them. */
static void
test_many_series (void)
{
  for (guint n = 64; n <= 66; n++) {
    g_autoptr (GString) text = g_string_new ("[{\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"pid\":1,"
                                             "\"args\":{\"no\":\"number\"");
    for (guint i = 1; i < n; i++)
      g_string_append_printf (text, ",\"s%u\":%u", i, i);
    g_string_append (text, "}}]");
    g_autoptr (NprofTestRun) run = decode (text->str);
    nprof_test_assert_ok (run);
    g_assert_cmpuint (nprof_test_count (run, NPROF_COUNTER), ==, n - 1);
    g_assert_nonnull (nprof_test_attr (nprof_test_row (run, "c/s1"), "args"));
    g_assert_cmpint (!nprof_test_attr (nprof_test_row (run, "c/s2"), "args"), ==, n > 64);
    g_assert_cmpfloat (nprof_test_row (run, "c/s63")->value, ==, 63);
  }
}

static void
test_async (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[{\"ph\":\"b\",\"cat\":\"net\",\"name\":\"get\",\"id\":\"0x1\",\"ts\":1,\"pid\":1,\"tid\":1}"
      ","
      "{\"ph\":\"b\",\"cat\":\"net\",\"name\":\"get\",\"id2\":{\"local\":\"0x1\"},\"ts\":2,\"pid\":"
      "1,\"tid\":1},"
      "{\"ph\":\"e\",\"cat\":\"net\",\"name\":\"get\",\"id2\":{\"local\":\"0x1\"},\"ts\":3,\"pid\":"
      "2,\"tid\":1},"
      "{\"ph\":\"n\",\"cat\":\"net\",\"name\":\"tick\",\"id\":\"0x1\",\"ts\":4,\"pid\":1,\"tid\":1}"
      ","
      "{\"ph\":\"e\",\"cat\":\"net\",\"name\":\"get\",\"id\":\"0x1\",\"ts\":6,\"pid\":2,\"tid\":1},"
      "{\"ph\":\"S\",\"cat\":\"old\",\"name\":\"s\",\"id\":5,\"ts\":1,\"pid\":1,\"tid\":1},{\"ph\":"
      "\"T\",\"cat\":\"old\",\"name\":\"s\",\"id\":5,\"ts\":2,\"pid\":1,\"tid\":1},"
      "{\"ph\":\"p\",\"cat\":\"old\",\"name\":\"s\",\"id\":5,\"ts\":3,\"pid\":1,\"tid\":1},{\"ph\":"
      "\"F\",\"cat\":\"old\",\"name\":\"s\",\"id\":5,\"ts\":9,\"pid\":1,\"tid\":1}]");
  g_assert_cmpuint (nprof_test_count (run, NPROF_SPAN), ==, 3);
  g_assert_cmpuint (nprof_test_count (run, NPROF_INSTANT), ==, 3);
  g_assert_cmpint (nprof_test_row (run, "get")->duration, ==, 5000000);
  g_assert_cmpstr (nprof_test_row (run, "get")->path, ==, "1/net");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "get"), "async_id"), ==, "0x1");
  g_assert_cmpuint (nprof_test_skips (run, "async end without begin"), ==, 1); /* another process */
}

static void
test_flows (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[{\"ph\":\"s\",\"id\":1,\"cat\":\"ac2g\",\"name\":\"ac2g\",\"ts\":1,\"pid\":1,\"tid\":1},"
      "{\"ph\":\"f\",\"id\":1,\"cat\":\"ac2g\",\"name\":\"ac2g\",\"ts\":2,\"pid\":0,\"tid\":7,"
      "\"bp\":\"e\"},"
      "{\"ph\":\"t\",\"id\":1,\"cat\":\"other\",\"name\":\"ac2g\",\"ts\":2,\"pid\":0,\"tid\":7},"
      "{\"ph\":\"X\",\"name\":\"x\",\"ts\":3,\"dur\":1,\"pid\":1,\"tid\":1,\"bind_id\":\"0x5\","
      "\"flow_out\":true},"
      "{\"ph\":\"X\",\"name\":\"y\",\"ts\":4,\"dur\":1,\"pid\":1,\"tid\":1,\"bind_id\":\"0x5\","
      "\"flow_in\":true,\"flow_out\":true},"
      "{\"ph\":\"X\",\"name\":\"z\",\"ts\":4,\"dur\":1,\"pid\":1,\"tid\":1,\"bind_id\":\"0x5\"}]");
  g_assert_cmpuint (nprof_test_count (run, NPROF_FLOW), ==, 5);
  g_assert_cmpuint (run->rows[0].flow, ==, run->rows[1].flow);
  g_assert_cmpuint (run->rows[0].flow, !=, run->rows[2].flow);
  g_assert_cmpstr (nprof_test_attr (&run->rows[0], "flow_phase"), ==, "begin");
  g_assert_cmpstr (nprof_test_attr (&run->rows[1], "flow_phase"), ==, "end");
  g_assert_cmpstr (nprof_test_attr (&run->rows[2], "flow_phase"), ==, "step");
  g_assert_cmpstr (run->rows[0].category, ==, "ac2g");
  g_assert_cmpuint (run->rows[4].kind, ==, NPROF_FLOW);
  g_assert_cmpuint (run->rows[4].parent, ==, run->rows[3].id);
  g_assert_cmpstr (nprof_test_attr (&run->rows[6], "flow_phase"), ==, "step");
  g_assert_cmpuint (nprof_test_skips (run, "bind_id"), ==, 1);
}

/* -- Identities ------------------------------------------------------------------------ */

static void
test_identities (void)
{
  static const char *const paths[]
      = { "-1/-5", "25738/25738", "25738/25738", "Spans", "Spans/007", "", "7", "8/stream 7", "9" };
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"i\",\"ts\":1,\"pid\":-1,\"tid\":-5},{\"ph\":"
                "\"i\",\"ts\":1,\"pid\":25738,\"tid\":\"25738\"},"
                "{\"ph\":\"i\",\"ts\":1,\"pid\":\"25738\",\"tid\":25738},{"
                "\"ph\":\"i\",\"ts\":1,\"pid\":\"Spans\",\"tid\":\"\"},"
                "{\"ph\":\"i\",\"ts\":1,\"pid\":\"Spans\",\"tid\":\"007\"},{"
                "\"ph\":\"i\",\"ts\":1},{\"ph\":\"i\",\"ts\":1,\"tid\":7},"
                "{\"ph\":\"i\",\"ts\":1,\"pid\":8,\"tid\":\"stream "
                "7\"},{\"ph\":\"i\",\"ts\":1,\"pid\":9,\"tid\":null}]");
  g_assert_cmpuint (run->n_rows, ==, G_N_ELEMENTS (paths));
  for (guint i = 0; i < run->n_rows; i++)
    g_assert_cmpstr (run->rows[i].path, ==, paths[i]);
  g_assert_cmpuint (run->rows[1].track, ==, run->rows[2].track);
}

/* Threads that take turns, and that do not; each pid has threads of a host and streams of a
 * device. */
static void
test_many_threads (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (GString) json = g_string_new ("[");
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  for (gint i = 0; i < 8000; i++) {
    gint turn = i < 4000 ? i : g_rand_int_range (rand, 0, 2100), pid = turn / 4 % 7 - 3,
         tid = turn / 2 % 150;
    gboolean kernel = turn % 2;
    g_string_append_printf (json,
                            "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n\",\"ts\":%d,"
                            "\"dur\":1,\"pid\":%d,\"tid\":%d}",
                            i ? "," : "", kernel ? "kernel" : "cpu_op", i, pid, tid);
    g_ptr_array_add (paths, g_strdup_printf (kernel ? pid < 0 ? "%d/stream %d" : "GPU %d/stream %d"
                                                    : "%d/%d",
                                             pid, tid));
  }
  g_string_append_c (json, ']');
  g_autoptr (NprofTestRun) run = decode (json->str);
  g_assert_cmpuint (run->n_rows, ==, paths->len);
  for (guint i = 0; i < run->n_rows; i++)
    g_assert_cmpstr (run->rows[i].path, ==, paths->pdata[i]);
}

static void
test_labels (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"first\"}},{\"ph\":"
      "\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2},"
      "{\"args\":{\"name\":\"w\\u00f6rk\"},\"tid\":\"2\",\"pid\":1,\"name\":\"thread_name\", "
      "\"ph\" : \"M\"},"
      "{\"ph\":\"X\",\"name\":\"say "
      "\\\"ph\\\":\\\"M\\\"\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{\"ph\":\"M\",\"a\":["
      "{\"ph\":\"M\"}]}},"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"last\"}},{"
      "\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"args\":{\"labels\":\"GPU 3\"}},"
      "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":1,\"args\":{\"sort_index\":-4}},{"
      "\"ph\":\"M\",\"name\":\"num_cpus\",\"args\":{\"number\":4}}]");
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpstr (run->rows[0].path, ==, "last (GPU 3)/wörk");
  g_assert_cmpstr (run->rows[1].name, ==, "say \"ph\":\"M\"");
  g_assert_cmpuint (nprof_test_skips (run, "metadata num_cpus"), ==, 1);
}

/* -- Times ------------------------------------------------------------------------------- */

static gint64
start_of (const char *ts)
{
  g_autofree char *json = g_strdup_printf ("[{\"ph\":\"i\",\"ts\":%s,\"pid\":1,\"tid\":1,\"args\":{"
                                           "\"padding\":\"0123456789012345678901\"}}]",
                                           ts);
  g_autoptr (NprofTestRun) run = decode (json);
  g_assert_cmpuint (run->n_rows, ==, 1);
  return run->rows[0].start;
}

static void
test_times (void)
{
  g_assert_cmpint (start_of ("\"1.25\""), ==, 1250000);
  g_assert_cmpint (start_of ("1.5e3"), ==, 1500000000);
  g_assert_cmpint (start_of ("2E-6"), ==, 2);
  g_assert_cmpint (start_of ("-0.000001"), ==, -1);
  g_assert_cmpint (start_of ("-3"), ==, -3000000);
  g_assert_cmpint (start_of ("-3.25"), ==, -3250000);
  g_assert_cmpint (start_of ("0.0000015"), ==, 2);
  g_assert_cmpint (start_of ("0.0000010000"), ==, 1);
  g_assert_cmpint (start_of ("12.3456789999999999"), ==, 12345679);
  g_assert_cmpint (start_of ("1712195495406752.797"), ==, G_GINT64_CONSTANT (406752797000));
}

static void
test_origin (void)
{
  g_autoptr (NprofTestRun) unix_time
      = decode ("[{\"ph\":\"i\",\"ts\":1712195495406752.797,\"pid\":1,\"tid\":1}]");
  g_assert_cmpint (unix_time->origin, ==, G_GINT64_CONSTANT (1712195495000000000));
  g_autoptr (NprofTestRun) base
      = decode ("{\"traceEvents\":[{\"ph\":\"i\",\"ts\":3605057436108.407,\"pid\":1,\"tid\":1}],"
                "\"baseTimeNanoseconds\":1727743122000000000,\"schemaVersion\":1}");
  g_assert_cmpint (base->origin, ==, G_GINT64_CONSTANT (1727743122000000000 + 3605057000000000));
  g_assert_cmpint (base->rows[0].start, ==, G_GINT64_CONSTANT (436108407000));
  g_assert_cmpstr (nprof_test_property (base, "version"), ==, "1");
  g_autoptr (NprofTestRun) none
      = decode ("[{\"ph\":\"i\",\"ts\":172187584349,\"pid\":1,\"tid\":1}]");
  g_assert_cmpint (none->origin, ==, NPROF_NO_EPOCH);
  g_assert_cmpint (none->rows[0].start, ==, G_GINT64_CONSTANT (172187584349000000));
  g_autoptr (NprofTestRun) far
      = decode ("[{\"ph\":\"i\",\"ts\":10000000000001,\"pid\":1,\"tid\":1}]");
  g_assert_cmpint (far->rows[0].start, ==, 1000000);
  g_assert_cmpstr (nprof_test_property (far, "time_zero_us"), ==, "10000000000000");
}

static void
test_too_far (void)
{
  g_autoptr (NprofTestRun) run
      = decode_with (NULL,
                     "[{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1},{\"ph\":"
                     "\"i\",\"ts\":1712195495406752,\"pid\":1,\"tid\":1}]",
                     NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT,
                           "byte 50: event: ts is more than 106 days from the origin");
  g_autoptr (NprofTestRun) dur
      = decode_with (NULL, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1e300,\"pid\":1,\"tid\":1}]", NULL);
  nprof_test_assert_fails (dur, NPROF_E_FORMAT, "it ends more than 106 days from the origin");
  g_autoptr (NprofTestRun) none
      = decode_with (NULL, "[{\"ph\":\"X\",\"ts\":\"soon\",\"pid\":1,\"tid\":1}]", NULL);
  nprof_test_assert_fails (none, NPROF_E_FORMAT, "byte 17: event: ts is no number");
}

/* -- The container --------------------------------------------------------------------------- */

#define EVENT "{\"ph\":\"X\",\"name\":\"e\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}"

static void
test_containers (void)
{
  static const char *const good[] = {
    "[" EVENT "]",
    "[" EVENT,
    "[" EVENT ",",
    "[" EVENT ",\n",
    "[," EVENT ",,]",
    "[" EVENT ",{}]",
    "\xef\xbb\xbf \n[" EVENT "]",
    "{\"traceEvents\":[" EVENT "]}",
    "{\"traceEvents\":[" EVENT ",{}]}",
    "{\"a\":[{\"traceEvents\":[]}],\"traceEvents\" : [" EVENT
    "], \"b\":{\"c\":[1,NaN,\"]\"]},\"d\":null}",
    "[" EVENT ",{\"ph\":\"i\"}]",
    "{\"otherData\":{},\"traceEvents\":[\n" EVENT "\n]\n}\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (NprofTestRun) run = decode (good[i]);
    g_assert_cmpuint (run->n_rows, ==, 1);
    g_assert_cmpuint (run->n_damage, ==, 0);
  }
  g_autoptr (NprofTestRun) empty = decode ("[]");
  g_assert_cmpuint (empty->n_rows, ==, 0);
}

/* An object whose events have no end was cut off, an array was not; the row of kind gap begins with
 * the last event. */
static void
test_open (void)
{
  static const char *const cut[] = { "{\"traceEvents\":[" EVENT, "{\"traceEvents\":[" EVENT ",\n" };
  for (guint i = 0; i < G_N_ELEMENTS (cut); i++) {
    g_autoptr (NprofTestRun) strict = decode_with (NULL, cut[i], NULL);
    nprof_test_assert_fails (strict, NPROF_E_FORMAT, "the file ends before its \"traceEvents\"");
    g_autoptr (NprofTestRun) run
        = decode_with (NULL, cut[i], &(NprofTestConfig){ .keep_going = TRUE, .log_level = -1 });
    g_assert_cmpuint (run->n_rows, ==, 2);
    g_assert_cmpuint (run->n_damage, ==, 1);
    g_assert_cmpint (run->rows[1].kind, ==, NPROF_GAP);
    g_assert_cmpint (run->rows[1].start, ==, run->rows[0].start);
    g_assert_cmpint (run->rows[1].duration, ==, -1);
  }
}

static void
test_odd_values (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[{\"ph\":\"X\",\"name\":\"e\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"args\":{"
                "\"a\":NaN,\"b\":-Infinity,\"Comms Id\":98765432109876543210,\"c\":\"C:\\path\"}},"
                "{\"ph\":\"X\",\"name\":\"s\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"args\":\"__"
                "stripped__\",\"tts\":NaN}]");
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpstr (nprof_test_attr (&run->rows[1], "args"), ==, "\"__stripped__\"");
  g_assert_cmpstr (nprof_test_attr (&run->rows[1], "fields"), ==, "{\"tts\":NaN}");
}

static void
test_refused (void)
{
  g_autoptr (NprofTestRun) rocprof
      = decode_with (NULL, "{\"rocprofiler-sdk-tool\": [{\"a\":1}]}", NULL);
  nprof_test_assert_fails (rocprof, NPROF_E_FORMAT, "rocprofv3's own JSON");
  g_autoptr (NprofTestRun) other
      = decode_with (NULL, "{\"name\": \"x\", \"traceEvents\": 5}", NULL);
  nprof_test_assert_fails (other, NPROF_E_FORMAT, "has no \"traceEvents\", but \"name\"");
  g_autoptr (NprofTestRun) text = decode_with (NULL, " hello", NULL);
  nprof_test_assert_fails (text, NPROF_E_FORMAT, "byte 1: a trace-event file begins with [ or {");
  g_autoptr (NprofTestRun) empty = decode_with (NULL, "", NULL);
  nprof_test_assert_fails (empty, NPROF_E_FORMAT, "byte 0");
  g_autoptr (NprofTestRun) cut = decode_with (NULL, "{\"name\": \"x", NULL);
  nprof_test_assert_fails (cut, NPROF_E_FORMAT,
                           "a string that does not end, before the events begin");
}

static int
bid (const char *head)
{
  return nprof_test_probe (chrome, head, strlen (head), "x.json");
}

static void
test_probe (void)
{
  g_assert_cmpint (bid ("[" EVENT), ==, 40);
  g_assert_cmpint (bid ("{\"traceEvents\": ["), ==, 40);
  g_assert_cmpint (bid ("{\"displayTimeUnit\":\"ns\",\"metadata\":{},\n\"traceEvents\":["), ==, 40);
  g_assert_cmpint (bid ("{\"schemaVersion\": 1, \"traceEvents\": []}"), ==, 60);
  g_assert_cmpint (bid ("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"cpu_op\"}]}"), ==, 60);
  g_assert_cmpint (bid ("{\"rocprofiler-sdk-tool\": []}"), ==, 0);
  g_assert_cmpint (bid ("{\"name\": [1,2,3]}"), ==, 0);
  g_assert_cmpint (bid ("{\"schemaVersion\": [1,2,3]}"), ==, 0);
  g_assert_cmpint (bid ("[1,2,3]"), ==, 0);
  g_assert_cmpint (bid ("[{\"a\":1}]"), ==, 0);
  g_assert_cmpint (bid (""), ==, 0);
  g_assert_cmpint (bid ("hello"), ==, 0);
}

/* -- Kineto ------------------------------------------------------------------------------------ */

static void
test_kineto (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"totalGlobalMem\":"
      "84942979072,\"numSms\":132,\"warpSize\":32}],"
      "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},\"traceEvents\":["
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1.000,\"dur\":2."
      "001,\"args\":{\"External "
      "id\":5,\"device\":0,\"stream\":7,\"correlation\":9,\"grid\":[1,2,3]}},"
      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":7,\"args\":{\"name\":\"stream 7 "
      "\"}}]}");
  g_assert_cmpstr (nprof_test_property (run, "rank"), ==, "3");
  g_assert_cmpstr (nprof_test_fact (run, "", "device_type"), ==, "H100");
  g_assert_cmpstr (nprof_test_fact (run, "", "memory_size"), ==, "84942979072");
  g_assert_cmpstr (nprof_test_fact (run, "", "core_count"), ==, "132");
  const NprofTestRow *k = nprof_test_row (run, "k");
  g_assert_cmpstr (k->path, ==, "GPU 0/stream 7 ");
  g_assert_cmpstr (nprof_test_attr (k, "stream"), ==, "7");
  g_assert_cmpstr (nprof_test_attr (k, "device"), ==, "0");
  g_assert_cmpstr (nprof_test_attr (k, "external_id"), ==, "5");
  g_assert_cmpuint (nprof_test_skips (run, "member of deviceProperties"), ==, 1);
}

/* Steps stand behind what is in them; each row has the number of its thread's, of its process's, of
 * the only host's, unless it states its own. */
#define SPAN_AT(name, pid, tid, ts, args)                                                          \
  "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts                 \
  ",\"dur\":1,\"args\":{" args "}},"
#define STEP(cat, number, pid, tid, ts, dur)                                                       \
  ",{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\": \"ProfilerStep#" number "\",\"pid\":" pid          \
  ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ",\"args\":{}}"

#define LAUNCHED(category, name, pid, at, id)                                                      \
  "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":" pid                      \
  ",\"tid\":1,\"ts\":" at ",\"dur\":1,\"args\":{\"correlation\":" id "}},"
#define CALL(at, id) LAUNCHED ("cuda_runtime", "cudaLaunchKernel", "9", at, id)
#define WORK(name, at, id) LAUNCHED ("kernel", name, "0", at, id)

static void
test_steps (void)
{
  static const char json[] = "[" SPAN_AT ("before", "9", "1", "9", "")
      SPAN_AT ("host", "9", "1", "10", "") SPAN_AT ("thread", "9", "2", "29.999", "")
          SPAN_AT ("after", "9", "1", "40", "") SPAN_AT ("at the end", "9", "1", "30", "")
              SPAN_AT ("own", "9", "1", "10", "\"step\":77") SPAN_AT ("slow", "0", "7", "35", "")
                  SPAN_AT ("fast", "0", "8", "35", "") SPAN_AT ("no-stream", "0", "9", "24", "")
                      SPAN_AT ("no-steps", "1", "7", "15", "") SPAN_AT ("text", "9", "1", "100",
                                                                        "\"a\":\"ProfilerStep#9\"")
                          SPAN_AT ("Step#1", "9", "1", "25",
                                   "\"b\":[\"ProfilerStep#9\"]") "{}" STEP ("user_annotation", "4",
                                                                            "9", "1", "10", "10")
                              STEP ("user_annotation", "5", "9", "1", "20", "10")
                                  STEP ("user_annotation", "x", "9", "1", "100", "10")
                                      STEP ("gpu_user_annotation", "4", "0", "7", "22", "15")
                                          STEP ("gpu_user_annotation", "4", "0", "8", "22", "10")
                                              STEP ("gpu_user_annotation", "5", "0", "8", "32",
                                                    "10") "]";
  static const struct {
    const char *name, *step;
  } expected[]
      = { { "before", NULL },     { "host", "4" },     { "thread", "5" }, { "after", NULL },
          { "at the end", NULL }, { "own", "77" },     { "slow", "4" },   { "fast", "5" },
          { "no-stream", "4" },   { "no-steps", "4" }, { "text", NULL },  { "Step#1", "5" } };
  g_autoptr (NprofTestRun) run = decode (json);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, expected[i].name), "step"), ==,
                     expected[i].step);
}

/* Names are looked for piece by piece: none may be missed where two pieces meet, wherever that
 * is. */
static void
test_steps_of_long_traces (void)
{
  enum { STEPS = 3000, SHIFTS = 100 };
  for (guint shift = 0; shift < SHIFTS; shift++) {
    g_autoptr (GString) json = g_string_new (NULL);
    g_string_printf (json, "[" SPAN_AT ("first", "1", "1", "0", "\"a\":\"%*s\"") "{}", (int) shift,
                     "");
    for (guint i = 0; i < STEPS; i++)
      g_string_append_printf (json, STEP ("user_annotation", "%u", "1", "1", "%u", "9"), i, i * 10);
    g_string_append_c (json, ']');
    g_assert_cmpuint (json->len, >, 256 << 10);
    g_autoptr (NprofTestRun) run = decode (json->str);
    guint found = 0;
    for (guint i = 0; i < run->n_rows; i++)
      found += nprof_test_attr (&run->rows[i], "step") != NULL;
    g_assert_cmpuint (found, ==, 1 + STEPS);
  }
}

/* With several hosts it is unknown which one a device works for. */
static void
test_steps_of_several (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[" SPAN_AT ("one", "1", "1", "15", "") SPAN_AT ("two", "2", "1", "15", "")
                    SPAN_AT ("gpu", "0", "7", "15", "") "{}" STEP ("user_annotation", "4", "1", "1",
                                                                   "10", "10")
                        STEP ("user_annotation", "8", "2", "1", "10", "10") "]");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "one"), "step"), ==, "4");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "two"), "step"), ==, "8");
  g_assert_null (nprof_test_attr (nprof_test_row (run, "gpu"), "step"));
}

/* Work of a device is of the step of its launch, whatever its id looks like and whenever it seems
 * to begin. */
static void
test_steps_by_launch (void)
{
  static const char json[] = "[" CALL ("10", "18446744073709551615") CALL ("11", "4294967297")
      CALL ("20", "12.0") CALL ("12", "30") CALL ("21", "30") CALL ("22", "31") CALL ("45", "40")
          WORK ("large", "25", "18446744073709551615") WORK ("beyond 32", "25", "4294967297")
              WORK ("decimal", "15", "12") WORK ("text", "15", "\"12\"")
                  WORK ("first of two", "13", "30") WORK ("last of two", "28", "30")
                      WORK ("early", "15", "31") WORK ("in none", "15", "40")
                          WORK ("not launched", "15", "99") "{}" STEP ("user_annotation", "4", "9",
                                                                       "1", "10", "10")
                              STEP ("user_annotation", "4294967299", "9", "1", "20", "10") "]";
  static const struct {
    const char *name, *step;
  } expected[]
      = { { "large", "4" },          { "beyond 32", "4" },    { "decimal", "4294967299" },
          { "text", "4294967299" },  { "first of two", "4" }, { "last of two", "4294967299" },
          { "early", "4294967299" }, { "in none", NULL },     { "not launched", "4" } };
  g_autoptr (NprofTestRun) run = decode (json);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, expected[i].name), "step"), ==,
                     expected[i].step);
}

/* -- Names ------------------------------------------------------------------------------------- */

#define NAMED(name) "{\"ph\":\"i\",\"name\":\"" name "\",\"ts\":1,\"pid\":1,\"tid\":1}"

/* A name that was met is found again by its bytes in the file, which are not those that are kept
 * where it has escapes or is no UTF-8; a name that begins like another one is another. */
static void
test_names (void)
{
  static const char *const raw[][2] = {
    { NAMED ("plain"), "plain" },
    { NAMED ("pl\\u0061in"), "plain" },
    { NAMED ("plain2"), "plain2" },
    { NAMED ("a\\\"b"), "a\"b" },
    { NAMED ("b\xff"
             "ad"),
      "b\uFFFDad" },
    { NAMED ("b\uFFFDad"), "b\uFFFDad" },
    { NAMED ("\\ud83d\\ude00"), "\U0001F600" },
    { NAMED (""), "" },
  };
  const guint n = G_N_ELEMENTS (raw);
  g_autoptr (GString) json = g_string_new ("[");
  for (guint i = 0; i < 3 * n; i++)
    g_string_append_printf (json, "%s%s", i ? "," : "", raw[i % n][0]);
  g_string_append_c (json, ']');
  g_autoptr (NprofTestRun) run = decode (json->str);
  g_assert_cmpuint (run->n_rows, ==, 3 * n);
  for (guint i = 0; i < 3 * n; i++)
    g_assert_cmpstr (run->rows[i].name, ==, raw[i % n][1]);
}

/* -- Damage ------------------------------------------------------------------------------------ */

static void
test_damage (void)
{
  static const struct {
    const char *json, *error, *names;
  } cases[] = {
    { "[" NAMED ("a") "," NAMED ("say \"hi\" now") "," NAMED ("b") "]",
      "byte 69: neither , nor } behind a value", "a|!|b" },
    { "[" NAMED ("a") ",{\"ph\":\"i\",\"ts\":1,\"args\":{\"x\":\"y\"z\"}}," NAMED ("b") "]",
      "text behind the end of a string", "a|!|b" },
    { "[" NAMED ("a") ",5," NAMED ("b") "]", "byte 46: no event where one was expected", "a|!|b" },
    { "[" NAMED ("a") ",{\"ph\":\"i\",\"ts\" 1}," NAMED ("b") "]", "no : behind a key", "a|!|b" },
    { "[" NAMED ("a") ",{\"ph\":\"i\",\"ts\":}," NAMED ("b") "]", "no value where one was expected",
      "a|!|b" },
    { "[" NAMED ("a") "," NAMED ("b") ",{\"ph\":\"i\",\"na", "a string that does not end",
      "a|b|!" },
    { "[" NAMED ("a") "," NAMED ("b") ",{\"ph\":\"i\",\"args\":{\"x\":[1,",
      "brackets that do not end", "a|b|!" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (NprofTestRun) stops = decode_with (NULL, cases[i].json, NULL);
    nprof_test_assert_fails (stops, NPROF_E_FORMAT, cases[i].error);
    g_autoptr (NprofTestRun) goes
        = decode_with (NULL, cases[i].json, &(NprofTestConfig){ .keep_going = TRUE });
    nprof_test_assert_ok (goes);
    g_autoptr (GString) names = g_string_new (NULL);
    for (guint k = 0; k < goes->n_rows; k++)
      g_string_append_printf (names, "%s%s", k ? "|" : "",
                              goes->rows[k].kind == NPROF_GAP ? "!" : goes->rows[k].name);
    g_assert_cmpstr (names->str, ==, cases[i].names);
    g_assert_cmpuint (goes->n_damage, ==, 1);
  }
}

/* Behind damage the base of times is still found, at the end of the file. */
static void
test_damage_and_base (void)
{
  static const char json[] = "{\"traceEvents\":[" NAMED ("a") "," NAMED ("x\"{\"") "," NAMED (
      "b") "],\n\"baseTimeNanoseconds\": 1727743122000000000}";
  g_autoptr (NprofTestRun) run = decode_with (NULL, json, &(NprofTestConfig){ .keep_going = TRUE });
  nprof_test_assert_ok (run);
  g_assert_cmpint (run->origin, ==, G_GINT64_CONSTANT (1727743122000000000));
  g_assert_nonnull (nprof_test_row (run, "b"));
}

/* -- Sameness ---------------------------------------------------------------------------------- */

static char *
long_trace (guint n)
{
  GString *json = g_string_new ("{\"schemaVersion\":1,\"traceEvents\":[\n");
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (json,
                            "{\"ph\":\"X\",\"name\":\"n%u\",\"ts\":%u.%03u,\"dur\":%u,\"pid\":%u,"
                            "\"tid\":\"t%u\",\"args\":{\"a\":[\"}]{\\\"\",%u]}},\n",
                            i % 7, i, i % 1000, i % 50, i % 3, i % 5, i);
    g_string_append_printf (json,
                            "{\"ph\":\"%c\",\"name\":\"s\",\"ts\":%u,\"pid\":1,\"tid\":%u},\n",
                            i % 3 ? 'B' : 'E', i / 2, i % 2);
    if (i % 4 == 0)
      g_string_append_printf (json,
                              "  "
                              "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":\"t%u\","
                              "\"args\":{\"name\":\"label %u\"}},",
                              i % 3, i % 5, i % 9);
    if (i % 5 == 0)
      g_string_append_printf (
          json,
          "{\"ph\":\"%c\",\"cat\":\"c\",\"name\":\"s\",\"id\":%u,\"ts\":%u,\"pid\":1,\"tid\":1},\n",
          i % 2 ? 'b' : 'e', i / 10, i);
  }
  g_string_append (json, "{}],\"baseTimeNanoseconds\":1000000000000000000}");
  return g_string_free (json, FALSE);
}

static char *
dump (const char *options, const char *json, const NprofTestConfig *config)
{
  g_autoptr (NprofTestRun) run = decode_with (options, json, config);
  nprof_test_assert_ok (run);
  return nprof_test_dump (run);
}

static void
test_same (void)
{
  static const char *const options[]
      = { "part=1",      "part=100",          "part=1000", "part=10000,scan=scalar",
          "scan=scalar", "scan=sse2,part=777" };
  g_autofree char *json = long_trace (500), *whole = dump (NULL, json, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    for (guint threads = 1; threads < 5; threads++) {
      g_autofree char *other
          = dump (options[i], json, &(NprofTestConfig){ .threads = threads, .rows = i * 7 });
      g_assert_cmpstr (other, ==, whole);
    }
}

/* Where an event of the middle begins cannot be told from what is around it: lists of objects that
 * look like events, text that does, metadata in between. */
static char *
riddles (guint n)
{
  GString *json = g_string_new ("[");
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (
        json,
        "{\"args\":{\"list\":[{\"a\":%u},{\"ph\":\"X\",\"name\":\"no\"},{\"ph\":"
        "\"M\"}],\"text\":\"}, {\\\"ph\\\":\\\"X\\\"},{\\\\\"},\"ph\":\"X\",\"name\":"
        "\"n\",\"ts\":%u,\"dur\":1,\"pid\":1,\"tid\":%u}\n , ",
        i, i, i % 3);
    if (i % 3 == 0)
      g_string_append_printf (
          json,
          "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":"
          "{\"name\":\"label %u\"}},{\"name\":\"odd\",\"ph\":\"M\",\"pid\":1},",
          i % 3, i);
    if (i % 5 == 0)
      g_string_append (json, "{\"name\":\"},{\",\"ts\":1,\"pid\":2,\"tid\":2,\"ph\":\"i\"},");
  }
  g_string_append (json, "{}]");
  return g_string_free (json, FALSE);
}

static void
test_guesses (void)
{
  static const char *const options[]
      = { "part=64", "part=65", "part=200", "part=999", "part=20000" };
  g_autofree char *json = riddles (150), *whole = dump (NULL, json, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    for (guint threads = 1; threads < 5; threads += 3) {
      g_autofree char *other = dump (options[i], json, &(NprofTestConfig){ .threads = threads });
      g_assert_cmpstr (other, ==, whole);
    }
}

static void
test_torture (void)
{
  g_autofree char *json = long_trace (10);
  nprof_test_torture (chrome, "part=300", json, strlen (json));
}

/* A file cut at any byte: an error or rows, never a crash; what was whole before is there. */
static void
test_cut_anywhere (void)
{
  g_autofree char *json = long_trace (6);
  gsize len = strlen (json);
  for (gsize n = 0; n < len; n++) {
    g_autoptr (NprofTestRun) run
        = nprof_test_decode (chrome, NULL, json, n,
                             &(NprofTestConfig){ .keep_going = TRUE, .log_level = -1 });
    g_assert_cmpuint (run->n_broken, ==, 0);
    g_autoptr (NprofTestRun) strict
        = nprof_test_decode (chrome, "part=200", json, n, &(NprofTestConfig){ .log_level = -1 });
    g_assert_cmpuint (strict->n_broken, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  chrome = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "chrome");
  g_test_add_func ("/chrome-decoder/complete", test_complete);
  g_test_add_func ("/chrome-decoder/slices", test_slices);
  g_test_add_func ("/chrome-decoder/instants", test_instants);
  g_test_add_func ("/chrome-decoder/args-of-some-rows", test_args_of_some_rows);
  g_test_add_func ("/chrome-decoder/counters", test_counters);
  g_test_add_func ("/chrome-decoder/many-series", test_many_series);
  g_test_add_func ("/chrome-decoder/async", test_async);
  g_test_add_func ("/chrome-decoder/flows", test_flows);
  g_test_add_func ("/chrome-decoder/identities", test_identities);
  g_test_add_func ("/chrome-decoder/many-threads", test_many_threads);
  g_test_add_func ("/chrome-decoder/labels", test_labels);
  g_test_add_func ("/chrome-decoder/times", test_times);
  g_test_add_func ("/chrome-decoder/origin", test_origin);
  g_test_add_func ("/chrome-decoder/too-far", test_too_far);
  g_test_add_func ("/chrome-decoder/containers", test_containers);
  g_test_add_func ("/chrome-decoder/open", test_open);
  g_test_add_func ("/chrome-decoder/odd-values", test_odd_values);
  g_test_add_func ("/chrome-decoder/refused", test_refused);
  g_test_add_func ("/chrome-decoder/probe", test_probe);
  g_test_add_func ("/chrome-decoder/kineto", test_kineto);
  g_test_add_func ("/chrome-decoder/steps", test_steps);
  g_test_add_func ("/chrome-decoder/steps-of-several", test_steps_of_several);
  g_test_add_func ("/chrome-decoder/steps-by-launch", test_steps_by_launch);
  g_test_add_func ("/chrome-decoder/steps-of-long-traces", test_steps_of_long_traces);
  g_test_add_func ("/chrome-decoder/damage", test_damage);
  g_test_add_func ("/chrome-decoder/names", test_names);
  g_test_add_func ("/chrome-decoder/damage-and-base", test_damage_and_base);
  g_test_add_func ("/chrome-decoder/same", test_same);
  g_test_add_func ("/chrome-decoder/guesses", test_guesses);
  g_test_add_func ("/chrome-decoder/torture", test_torture);
  g_test_add_func ("/chrome-decoder/cut-anywhere", test_cut_anywhere);
  return g_test_run ();
}
