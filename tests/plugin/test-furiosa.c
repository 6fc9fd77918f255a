/* SPDX-License-Identifier: Apache-2.0 */
/* test-furiosa.c - the decoder furiosa on small files of all its formats: what rows say, what is
 * damage, what is missing. */
#include "../tools/furiosa-samples.h"
#include "testhost.h"

static const struct nprof_component *furiosa;

static NprofTestRun *
decode (const char *text, const char *options)
{
  return nprof_test_decode (furiosa, options, text, strlen (text), NULL);
}

static NprofTestRun *
keep_going (const char *text)
{
  return nprof_test_decode (furiosa, NULL, text, strlen (text),
                            &(NprofTestConfig){ .keep_going = TRUE });
}

/* -- Probe ------------------------------------------------------------------------------ */

static int
bid (const char *text)
{
  return nprof_test_probe (furiosa, text, strlen (text), "trace.log");
}

static void
test_probe (void)
{
  const char *const own[] = {
    SPANS, EXPORT, EDF, CYCLES, NATIVE, ("\xef\xbb\xbf" HEADER), "leader_device,name,cycle\r\n"
  };
  const char *const other[] = {
    "",
    "[",
    "{}",
    "[{\"name\":\"a\",\"cat\":\"Runtime\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}]",
    "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1}]}",
    "start,end,name\n1,2,x\n",
    "\x0a\x1f/device:TPU:0",
    "trace_id,span_id\n",
    "leader_device,name,cycles\n"
  };
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    g_assert_cmpint (bid (own[i]), ==, 90);
  for (guint i = 0; i < G_N_ELEMENTS (other); i++)
    g_assert_cmpint (bid (other[i]), ==, 0);
  g_autofree char *object
      = g_strdup_printf ("{\"displayTimeUnit\":\"ns\",\"traceEvents\":%s}", EXPORT);
  g_assert_cmpint (bid (object), ==, 90);
  g_assert_cmpint (nprof_test_probe (furiosa, EXPORT, 400, NULL), ==,
                   90); /* the head of a longer file */
}

/* -- The CSV with trace ids ---------------------------------------------------------------- */

static void
test_spans (void)
{
  g_autoptr (NprofTestRun) run = decode (SPANS, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 5);
  g_assert_cmpuint (run->n_skipped, ==, 0);
  g_assert_cmpint (run->origin, ==, G_GINT64_CONSTANT (1700000000000000000));
  const NprofTestRow *conv = nprof_test_row (run, "LowLevelConv2d");
  g_assert_cmpint (conv->start, ==, G_GINT64_CONSTANT (500000015000));
  g_assert_cmpint (conv->duration, ==, 100000);
  g_assert_cmpstr (conv->path, ==, "NPU/NPU 1");
  g_assert_cmpstr (conv->category, ==, "NPU");
  g_assert_cmpuint (conv->id, ==, 0xa2);
  g_assert_cmpuint (conv->parent, ==, 0xe1);
  g_assert_cmpstr (nprof_test_attr (conv, "trace_id"), ==, TRACE);
  g_assert_cmpstr (nprof_test_attr (conv, "row"), ==, "1");
  g_assert_cmpstr (nprof_test_attr (conv, "thread.id"), ==, "0");
  g_assert_cmpstr (nprof_test_attr (conv, "dram_base"), ==, "0");
  g_assert_cmpstr (nprof_test_attr (conv, "pe_index"), ==, "1");
  g_assert_cmpstr (nprof_test_attr (conv, "execution_index"), ==, "2");
  g_assert_cmpstr (nprof_test_attr (conv, "instruction_index"), ==, "1");
  g_assert_null (nprof_test_attr (conv, "operator_index"));
  const NprofTestRow *inference = nprof_test_row (run, "Inference");
  g_assert_cmpstr (inference->path, ==, "host/45");
  g_assert_cmpuint (inference->parent, ==, 0);
  g_assert_null (nprof_test_attr (inference, "pe_index"));
  g_assert_null (nprof_test_attr (nprof_test_row (run, "Execution"), "instruction_index"));
}

static void
test_spelling (void)
{
  static const char text[] = "\xef\xbb\xbf" HEADER LOAD "\r\n" CONV;
  g_autoptr (GString) crlf = g_string_new (text);
  g_string_replace (crlf, "\r\n", "\n", 0);
  g_string_replace (crlf, "\n", "\r\n", 0);
  g_string_replace (crlf, "LowLevelConv2d", "\"a, \"\"b\"\"\r\nc\"", 0);
  g_string_truncate (crlf, crlf->len - 2); /* no end of the last line */
  g_autoptr (NprofTestRun) run = decode (crlf->str, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpstr (run->rows[1].name, ==, "a, \"b\"\r\nc");
  g_assert_cmpstr (nprof_test_attr (&run->rows[1], "row"), ==, "1");
  g_assert_null (nprof_test_attr (&run->rows[1], "operator_index"));
}

static void
test_columns (void)
{
  /* another order, an index and dur of pandas, floats where a column has gaps, no thread.id */
  g_autoptr (NprofTestRun) run
      = decode (",name,cat,end,start,span_id,parent_span_id,trace_id,pe_index,dur,extra\n"
                "0,Load,NPU,7,5,00000000000000a1,,,3.0,2,?\n",
                NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 1);
  g_assert_cmpint (run->rows[0].start, ==, 5000);
  g_assert_cmpint (run->origin, ==, NPROF_NO_EPOCH);
  g_assert_cmpstr (nprof_test_attr (&run->rows[0], "pe_index"), ==, "3");
  g_assert_null (nprof_test_attr (&run->rows[0], "trace_id"));
  g_assert_cmpuint (nprof_test_skips (run, "column \"extra\""), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "column \"dur\""), ==, 0);
}

static void
assert_damage (const char *record, const char *why)
{
  g_autofree char *text = g_strdup_printf ("%s%s%s%s", HEADER, LOAD, record, CONV);
  g_autoptr (NprofTestRun) run = decode (text, NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, why);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, "line 3: ");
  g_autoptr (NprofTestRun) on = keep_going (text);
  nprof_test_assert_ok (on);
  g_assert_cmpuint (on->n_damage, ==, 1);
  g_assert_cmpuint (nprof_test_count (on, NPROF_GAP), ==, 1);
  g_assert_cmpuint (on->n_rows, ==, 3);
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (on, "LowLevelConv2d"), "row"), ==, "2");
}

static void
test_damage (void)
{
  assert_damage ("1,2\n", "2 fields where the header has 13");
  assert_damage (TRACE ",,,1,2,NPU,a,,,,,,,\n", "14 fields where the header has 13");
  assert_damage (TRACE ",,,x1,2,NPU,a,,,,,,\n",
                 "start is \"x1\", expected nanoseconds as a whole number");
  assert_damage (TRACE ",,,,2,NPU,a,,,,,,\n", "start is \"\"");
  assert_damage (TRACE ",,,1,1.5,NPU,a,,,,,,\n", "end is \"1.5\"");
  assert_damage (TRACE ",,,3,2,NPU,a,,,,,,\n",
                 "end is \"2\", expected a time that is not before start");
  assert_damage (TRACE ",,,1,99999999999999999999,NPU,a,,,,,,\n",
                 "end is \"99999999999999999999\"");
  assert_damage (TRACE ",,,1,2,NPU,a,,,,,,\n",
                 "expected a time within 106 days of the first record");
  assert_damage (TRACE ",,,1700000000000000000,9223372036854775807,NPU,a,,,,,,\n",
                 "within 106 days");
  assert_damage ("001122,,,1,2,NPU,a,,,,,,\n",
                 "trace_id is \"001122\", expected 32 hexadecimal digits");
  assert_damage (TRACE ",g000000000000000,,1,2,NPU,a,,,,,,\n",
                 "parent_span_id is \"g000000000000000\"");
  assert_damage (TRACE ",,12,1,2,NPU,a,,,,,,\n",
                 "span_id is \"12\", expected 16 hexadecimal digits");
  assert_damage (TRACE ",,,1700000000500000000,1700000000500000001,NPU,a,,,-,,,\n",
                 "pe_index is \"-\"");
  assert_damage (TRACE
                 ",,,1700000000500000000,1700000000500000001,NPU,a,99999999999999999999,,,,,\n",
                 "thread.id is \"99999999999999999999\"");
  assert_damage (TRACE ",,,1,2,NPU,\"a\"b,,,,,,\n", "text behind a closing quote");
  assert_damage (TRACE ",,,1,2,NPU,\"a,,,,,,\n", "a quote is not closed");
}

static void
test_header (void)
{
  g_autoptr (NprofTestRun) none = decode ("a,b\n1,2\n", NULL);
  nprof_test_assert_fails (none, NPROF_E_FORMAT, "none of Furiosa's formats");
  g_autoptr (NprofTestRun) empty = decode ("", NULL);
  nprof_test_assert_fails (empty, NPROF_E_FORMAT, "none of Furiosa's formats");
  g_autoptr (NprofTestRun) twice
      = decode ("trace_id,parent_span_id,span_id,start,end,cat,name,cat\n", NULL);
  nprof_test_assert_fails (twice, NPROF_E_FORMAT, "column \"cat\" is there twice");
  g_autoptr (NprofTestRun) only = decode (HEADER, NULL);
  nprof_test_assert_ok (only);
  g_assert_cmpuint (only->n_rows, ==, 0);
}

static void
assert_lost (const char *text, guint orphans, guint childless, guint strays)
{
  const char *const options[] = { NULL, "part=1" };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (NprofTestRun) run = decode (text, options[i]);
    nprof_test_assert_ok (run);
    g_assert_cmpuint (nprof_test_skips (run, "orphan span"), ==, orphans);
    g_assert_cmpuint (nprof_test_skips (run, "execution without operators"), ==, childless);
    g_assert_cmpuint (nprof_test_skips (run, "operator without execution"), ==, strays);
    g_assert_cmpint (nprof_test_logged (run, "seems to have lost spans"), ==,
                     orphans + childless + strays > 0);
  }
}

static void
test_lost (void)
{
  assert_lost (HEADER LOAD CONV EXECUTION LOWER INFERENCE, 0, 0, 0);
  assert_lost (HEADER INFERENCE LOWER EXECUTION CONV LOAD, 0, 0, 0); /* parents first */
  assert_lost (HEADER LOAD EXECUTION CONV INFERENCE, 0, 0, 0);
  assert_lost (HEADER LOAD CONV EXECUTION LOWER, 2, 0, 0);
  assert_lost (HEADER LOAD CONV LOWER INFERENCE, 2, 0, 2);
  assert_lost (HEADER EXECUTION LOWER INFERENCE, 0, 1, 0);
  assert_lost (HEADER EXECUTION, 1, 1, 0);
  /* an operator right below an inference, or below nothing */
  assert_lost (HEADER TRACE
               ",00000000000000b1,00000000000000a4,1700000000500000010,1700000000500000015,NPU,"
               "Load,0,0,1,2,0,\n" INFERENCE,
               0, 0, 1);
  assert_lost (HEADER TRACE
               ",,00000000000000a4,1700000000500000010,1700000000500000015,NPU,Load,0,0,1,2,0,\n",
               0, 0, 1);
}

/* -- Trace events ------------------------------------------------------------------------------ */

static void
test_export (void)
{
  g_autoptr (NprofTestRun) json = decode (EXPORT, NULL);
  g_autoptr (NprofTestRun) csv = decode (SPANS, NULL);
  nprof_test_assert_ok (json);
  g_assert_cmpuint (json->n_rows, ==, csv->n_rows);
  for (guint i = 0; i < json->n_rows; i++) {
    static const char *const keys[]
        = { "row", "pe_index", "execution_index", "instruction_index", "operator_index" };
    const NprofTestRow *a = &json->rows[i], *b = &csv->rows[i];
    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_cmpstr (a->category, ==, b->category);
    g_assert_cmpint (a->start, ==, b->start - G_GINT64_CONSTANT (500000000000));
    g_assert_cmpint (a->duration, ==, b->duration);
    for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
      g_assert_cmpstr (nprof_test_attr (a, keys[k]), ==, nprof_test_attr (b, keys[k]));
    if (g_str_equal (a->category, "NPU"))
      g_assert_cmpstr (a->path, ==, b->path);
    else
      g_assert_cmpstr (nprof_test_attr (a, "thread.id"), ==, nprof_test_attr (b, "thread.id"));
    g_assert_null (nprof_test_attr (a, "args"));
  }
  g_assert_cmpuint (json->n_skipped, ==, 0);
}

static void
test_export_lost (void)
{
  g_autofree char *text = g_strdup (EXPORT);
  g_autoptr (NprofTestRun) run = NULL;
  memcpy (strstr (text, "\"execution_index\": \"2\"}}, {\"name\": \"Lower"),
          "\"execution_index\": \"3\"", 22);
  run = decode (text, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_skips (run, "execution without operators"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "operator without execution"), ==, 2);
  g_assert_cmpuint (run->n_rows, ==, 5);
}

/* An operator that ends behind its execution is not within it. */
static void
test_export_late (void)
{
  g_autoptr (GString) text = g_string_new (EXPORT);
  g_string_replace (text, "\"dur\": 0.1,", "\"dur\": 0.106,", 1);
  g_autoptr (NprofTestRun) run = decode (text->str, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_skips (run, "operator without execution"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "execution without operators"), ==, 0);
}

static void
test_native (void)
{
  g_autoptr (NprofTestRun) run = decode (NATIVE, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpstr (nprof_test_row (run, "LowLevelConv2d")->path, ==, "npu:0:0-1/65536");
  g_assert_cmpint (nprof_test_row (run, "LowLevelConv2d")->start, ==, 12000000);
  g_assert_cmpint (nprof_test_row (run, "Inference (Model#0001)")->duration, ==, 35000000);
  g_assert_cmpuint (nprof_test_skips (run, "phase v"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "execution without operators"), ==, 0);
}

static void
test_ids_in_args (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[{\"name\":\"Execution\",\"cat\":\"NPU\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":0,\"tid\":"
      "1,"
      "\"args\":{\"trace_id\":\"" TRACE "\",\"span_id\":\"00000000000000ff\","
      "\"parent_span_id\":\"00000000000000fe\",\"pe_index\":null,\"execution_index\":\"x\"}}]",
      NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->rows[0].id, ==, 255);
  g_assert_cmpuint (run->rows[0].parent, ==, 254);
  g_assert_cmpstr (nprof_test_attr (&run->rows[0], "trace_id"), ==, TRACE);
  g_assert_null (nprof_test_attr (&run->rows[0], "execution_index"));
  g_assert_nonnull (strstr (nprof_test_attr (&run->rows[0], "args"), "\"execution_index\":\"x\""));
}

/* -- Cycles ------------------------------------------------------------------------------------ */

static void
test_edf (void)
{
  g_autoptr (NprofTestRun) run = decode (EDF, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 0);
  g_assert_cmpuint (nprof_test_table (run, "cycles")->n_rows, ==, 4);
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 0, "device"), ==, "npu0pe0-3");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 0, "name"), ==, "Composed(0, 8)");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 0, "stage"), ==, "Composed");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 0, "cycles"), ==, "1600");
  g_assert_null (nprof_test_cell (run, "cycles", 0, "begin_cycle"));
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 2, "name"), ==,
                   "Attention(AttentionBucket { a: 1, b: 2 }) #0");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 2, "cycles"), ==, "801");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 3, "name"), ==, "say \"hi\", then");
  g_assert_null (nprof_test_cell (run, "cycles", 3, "stage"));
}

static void
test_edf_clock (void)
{
  g_autoptr (NprofTestRun) run = decode (EDF, "clock=1.6e9");
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 4);
  g_assert_null (nprof_test_table (run, "cycles"));
  g_assert_cmpstr (run->rows[2].path, ==, "npu0pe0-3");
  g_assert_cmpint (run->rows[0].duration, ==, 1000000);
  g_assert_cmpint (run->rows[1].duration, ==, 4375);
  g_assert_cmpint (run->rows[2].start, ==, 1000000);
  g_assert_cmpint (run->rows[2].duration, ==, 500625);
  g_assert_cmpstr (nprof_test_attr (&run->rows[2], "cycles"), ==, "801");
  g_assert_cmpstr (run->rows[2].category, ==, "Attention");
  g_assert_true (nprof_test_logged (run, "end to end"));
}

static void
test_edf_damage (void)
{
  g_autoptr (NprofTestRun) number = decode ("leader_device,name,cycle\nd,n,1e3\n", NULL);
  nprof_test_assert_fails (number, NPROF_E_FORMAT,
                           "line 2: cycle is \"1e3\", expected a whole number");
  g_autoptr (NprofTestRun) negative = decode ("leader_device,name,cycle\nd,n,-1\n", NULL);
  nprof_test_assert_fails (negative, NPROF_E_FORMAT, "cycle is \"-1\"");
  g_autoptr (NprofTestRun) few = decode ("leader_device,name,cycle\n\n1,2\n", NULL);
  nprof_test_assert_fails (few, NPROF_E_FORMAT,
                           "line 3: 2 fields, expected leader_device,name,cycle");
  g_autoptr (NprofTestRun) many = decode ("leader_device,name,cycle\nd,n,o,1\n", NULL);
  nprof_test_assert_fails (many, NPROF_E_FORMAT, "4 fields");
  g_autoptr (NprofTestRun) far
      = decode ("leader_device,name,cycle\nd,n,9223372036854775807\n", "clock=1");
  nprof_test_assert_fails (far, NPROF_E_FORMAT, "more than 106 days");
  g_autoptr (NprofTestRun) again
      = decode ("leader_device,name,cycle\nd,n,1\nleader_device,name,cycle\nd,n,2\n", NULL);
  nprof_test_assert_ok (again);
  g_assert_cmpuint (nprof_test_skips (again, "header"), ==, 1);
  g_assert_cmpuint (nprof_test_table (again, "cycles")->n_rows, ==, 2);
}

static void
test_cycles (void)
{
  g_autoptr (NprofTestRun) run = decode (CYCLES, NULL);
  nprof_test_assert_ok (run);
  const NprofTestRow *task = nprof_test_row (run, "Task");
  g_assert_cmpint (task->start, ==, 100000000);
  g_assert_cmpint (task->duration, ==, 3000000);
  g_assert_cmpstr (nprof_test_attr (task, "begin_cycle"), ==, "5000");
  g_assert_cmpstr (nprof_test_attr (task, "end_cycle"), ==, "6600");
  g_assert_cmpstr (nprof_test_attr (task, "cycles"), ==, "1600");
  g_assert_cmpstr (nprof_test_attr (task, "cycle_actual"), ==, "1599");
  g_assert_nonnull (strstr (nprof_test_attr (task, "args"), "\"level\":\"info\""));
  g_assert_cmpuint (nprof_test_table (run, "cycles")->n_rows, ==, 2);
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 1, "name"), ==, "DMA (1)");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 1, "row"), ==, "2");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 1, "begin_cycle"), ==, "6600");
  g_assert_cmpstr (nprof_test_cell (run, "cycles", 1, "cluster_index"), ==, "1");
}

static void
test_cycles_backwards (void)
{
  g_autoptr (GString) text = g_string_new (CYCLES);
  g_string_replace (text, "\"end_cycle\":8200", "\"end_cycle\":6599", 0);
  g_autoptr (NprofTestRun) run = decode (text->str, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_skips (run, "cycles"), ==, 1);
  g_assert_cmpuint (nprof_test_table (run, "cycles")->n_rows, ==, 1);
  g_assert_cmpint (nprof_test_row (run, "DMA (1)")->duration, ==, 1000000);
}

static void
test_cycles_clock (void)
{
  const char *const options[] = { "clock=1.6e9", "clock=1.6e9,part=1" };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (NprofTestRun) run = decode (CYCLES, options[i]);
    nprof_test_assert_ok (run);
    g_assert_null (nprof_test_table (run, "cycles"));
    g_assert_cmpint (nprof_test_row (run, "Task")->start, ==, 100000000);
    g_assert_cmpint (nprof_test_row (run, "Task")->duration, ==, 1000000);
    g_assert_cmpint (nprof_test_row (run, "DMA (1)")->start, ==, 101000000);
    g_assert_cmpint (nprof_test_row (run, "aten::mm")->start, ==, 90000000);
  }
  /* a cycle before the first one, of a third of a nanosecond */
  g_autoptr (GString) text = g_string_new (CYCLES);
  g_string_replace (text, "\"begin_cycle\":6600", "\"begin_cycle\":4999", 0);
  g_autoptr (NprofTestRun) before = decode (text->str, "clock=3e9");
  nprof_test_assert_ok (before);
  g_assert_cmpint (nprof_test_row (before, "DMA (1)")->start, ==, 99999666);
  g_assert_false (nprof_test_logged (before, "option clock is not used"));
  g_autoptr (NprofTestRun) csv = decode (SPANS, "clock=1e9");
  nprof_test_assert_ok (csv);
  g_assert_true (nprof_test_logged (csv, "option clock is not used"));
  g_autoptr (NprofTestRun) json = decode (EXPORT, "clock=1e9");
  nprof_test_assert_ok (json);
  g_assert_true (nprof_test_logged (json, "option clock is not used"));
  g_autoptr (NprofTestRun) wrong = decode (SPANS, "clock=-1");
  g_assert_nonnull (wrong->usage);
}

/* -- All of them ------------------------------------------------------------------------------- */

static void
test_cut (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ALL); i++)
    for (gsize n = 0; n < strlen (ALL[i]); n++)
      for (int on = 0; on < 2; on++) {
        g_autoptr (NprofTestRun) run
            = nprof_test_decode (furiosa, NULL, ALL[i], n,
                                 &(NprofTestConfig){ .keep_going = on, .log_level = -1 });
        g_assert_cmpuint (run->n_broken, ==, 0);
        if (run->status)
          g_assert_nonnull (run->failure);
      }
}

static void
test_torture (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ALL); i++) {
    nprof_test_torture (furiosa, "part=200", ALL[i], strlen (ALL[i]));
    nprof_test_torture (furiosa, "clock=1e9,part=1", ALL[i], strlen (ALL[i]));
  }
}

/* The size of parts must not change what comes out. */
static void
test_parts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ALL); i++) {
    g_autoptr (NprofTestRun) whole = decode (ALL[i], NULL);
    g_autofree char *expected = nprof_test_dump (whole);
    for (guint bytes = 1; bytes < 700; bytes += 37) {
      g_autofree char *options = g_strdup_printf ("part=%u", bytes);
      g_autoptr (NprofTestRun) run
          = nprof_test_decode (furiosa, options, ALL[i], strlen (ALL[i]),
                               &(NprofTestConfig){ .threads = bytes % 4, .rows = 1 + bytes % 3 });
      g_autofree char *dump = nprof_test_dump (run);
      g_assert_cmpstr (dump, ==, expected);
    }
  }
}

/* Numbers of rows are the same when nobody reads them, and behind damage. */
static void
test_numbers (void)
{
  g_autoptr (GString) text = g_string_new (CYCLES);
  g_string_replace (text, "\"ts\":90", "\"ts\":\"x\"", 0);
  for (guint part = 1; part < 500; part += 99) {
    g_autofree char *options = g_strdup_printf ("part=%u", part);
    g_autoptr (NprofTestRun) run
        = nprof_test_decode (furiosa, options, text->str, text->len,
                             &(NprofTestConfig){ .wanted = (const char *const[]){ NULL },
                                                 .keep_going = TRUE });
    nprof_test_assert_ok (run);
    g_assert_cmpuint (run->n_damage, ==, 1);
    g_assert_cmpstr (nprof_test_cell (run, "cycles", 1, "row"), ==, "1");
  }
}

static void
test_unwanted (void)
{
  g_autoptr (NprofTestRun) run
      = nprof_test_decode (furiosa, NULL, SPANS, strlen (SPANS),
                           &(NprofTestConfig){ .wanted = (const char *const[]){ NULL } });
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 5);
  for (guint i = 0; i < run->n_rows; i++)
    g_assert_cmpuint (run->rows[i].n_attrs, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  furiosa = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "furiosa");
  g_test_add_func ("/furiosa/probe", test_probe);
  g_test_add_func ("/furiosa/spans", test_spans);
  g_test_add_func ("/furiosa/spelling", test_spelling);
  g_test_add_func ("/furiosa/columns", test_columns);
  g_test_add_func ("/furiosa/damage", test_damage);
  g_test_add_func ("/furiosa/header", test_header);
  g_test_add_func ("/furiosa/lost", test_lost);
  g_test_add_func ("/furiosa/export", test_export);
  g_test_add_func ("/furiosa/export-lost", test_export_lost);
  g_test_add_func ("/furiosa/export-late", test_export_late);
  g_test_add_func ("/furiosa/native", test_native);
  g_test_add_func ("/furiosa/ids-in-args", test_ids_in_args);
  g_test_add_func ("/furiosa/edf", test_edf);
  g_test_add_func ("/furiosa/edf-clock", test_edf_clock);
  g_test_add_func ("/furiosa/edf-damage", test_edf_damage);
  g_test_add_func ("/furiosa/cycles", test_cycles);
  g_test_add_func ("/furiosa/cycles-backwards", test_cycles_backwards);
  g_test_add_func ("/furiosa/cycles-clock", test_cycles_clock);
  g_test_add_func ("/furiosa/cut", test_cut);
  g_test_add_func ("/furiosa/torture", test_torture);
  g_test_add_func ("/furiosa/parts", test_parts);
  g_test_add_func ("/furiosa/numbers", test_numbers);
  g_test_add_func ("/furiosa/unwanted", test_unwanted);
  return g_test_run ();
}
