/* SPDX-License-Identifier: Apache-2.0 */
/* test-foreign-format.c - files of other tools, known by their first bytes. */

#include "foreign/foreign-format.h"
#include "foreign/json-head.h"

#include <string.h>

#define BYTES(text) text, sizeof text - 1
#define SCHEMA(table) BYTES ("SQLite format 3\0 ... CREATE TABLE " table)

static const struct {
  const char *head;
  gsize len;
  const char *is; /* how the answer begins */
} files[] = {
  { SCHEMA ("CUPTI_ACTIVITY_KIND_KERNEL"), "a database that Nsight Systems exported" },
  { SCHEMA ("\"rocpd_api\""), "a database of rocpd (.rpd)" },
  { SCHEMA ("\"rocpd_kernel_dispatch_0000_11\""), "a database of rocprofv3" },
  { SCHEMA ("compute_workload"), "a database of rocprof-compute" },
  { SCHEMA ("CANN_API"), "a database of Ascend's profiler" },
  { SCHEMA ("users"), "an SQLite database, but" },
  { BYTES ("NVIDIA Tegra Profiler Report 1.\n"), "a report of Nsight Systems" },
  { BYTES ("QdstrmStartOfFile"), "a recording of Nsight Systems" },
  { BYTES ("NVR\0\0\0"), "a report of Nsight Compute" },
  { BYTES ("\3BOTF2\0"), "a trace in OTF2" },
  { BYTES ("FLR\0\0\2"), "a recording of Java Flight Recorder" },
  { BYTES ("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    "a CPU profile of gperftools" },
  { BYTES ("heap profile:      1:     1024 ["), "a heap profile of gperftools" },
  { BYTES ("\x80\4\x95"), "a Python pickle, but" },
  { BYTES ("{\"resourceMetrics\": []}"), "a file of metrics of OpenTelemetry" },
  { BYTES ("{\"resourceLogs\": []}"), "a file of logs of OpenTelemetry" },
  { BYTES (" {\"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 1, \"nodes\": ["),
    "an execution trace (Chakra" },
  { BYTES ("{\n\"schema\": \"1.0.1\", \"nodes\": ["), "an execution trace (Chakra" },
  { BYTES ("{\"Layers\": [\"conv\"], \"Bindings\": []}"), "a list of layers" },
  { BYTES ("{\"shared\": {\"frames\": []}, \"profiles\": []}"), "a profile of speedscope" },
  { BYTES ("{\"nodes\": [], \"startTime\": 1, \"endTime\": 2}"), "a CPU profile of V8" },
  { BYTES ("[[1, 2], [[0, 8], [0, 16]]]"), "a memory timeline" },
  { BYTES ("[{\"Name\": \"a\", \"SpanContext\": {}}]"), "what OpenTelemetry's console" },
  { BYTES ("{\"Name\": \"a\", \"SpanContext\": {}}\n{"), "what OpenTelemetry's console" },
  { BYTES ("{\"kind\": \"SpanKind.INTERNAL\"}"), "what OpenTelemetry's console" },
  { BYTES ("{\"step1\": {\"collective\": {\"a\": {\"Communication Time Info\": {}}}}}"),
    "a file of sums that Ascend's" },
  { BYTES ("{\"DeviceInfo\": [{\"ai_core_num\": 32}]}"), "a file about a run" },
  { BYTES ("Step Id,Name,Type,Accelerator Core,Start Time(us)\n"), "a table that Ascend's" },
  { BYTES ("Step,Computing,Communication(Not Overlapped),Overlapped\n"), "a table that Ascend's" },
  { BYTES ("Component,Timestamp(us),Total Reserved(MB)\n"), "a table that Ascend's" },
  { BYTES ("SQLite format 3\0CREATE TABLE StepTraceTime (step"), "a database of sums that" },
  { BYTES ("{\"hello\": 1}"), "JSON, but no decoder knows this format" },
  /* The key is of an inner object, or no key at all. */
  { BYTES ("{\"a\": {\"resourceSpans\": []}}"), "JSON, but no decoder knows this format" },
  { BYTES ("{\"a\": \"resourceSpans\"}"), "JSON, but no decoder knows this format" },
  { BYTES ("{\"a\": \"\\\"resourceSpans\\\":\"}"), "JSON, but no decoder knows this format" },
  { BYTES ("[1, 2]"), "JSON, but no decoder knows this format" },
  { BYTES ("\"Kind\",\"Agent_Id\",\"Queue_Id\""), "a table of rocprofv3" },
  { BYTES ("Domain,Function,Process_Id"), "a table of rocprofv3" },
  { BYTES ("nccl_bus_bandwidth_gbs{version=\"v5.1\"} 678.2\n"),
    "a page of averages of NCCL Inspector" },
  { BYTES ("main;train;forward 12\nmain;train;backward 30\n"), "a file of folded stacks" },
  { BYTES ("main;train;forward 12\nmain;tr"), "a file of folded stacks" },
  { BYTES ("\xff\xfe{\0"), "text in UTF-16" },
  { BYTES ("\xfe\xff\0{"), "text in UTF-16" },
  { BYTES ("\0{\0\""), "text in UTF-16" },
  { BYTES ("[\0{\0"), "text in UTF-16" },
  { BYTES ("version https://git-lfs.github.com/spec/v1\n"), "a pointer of Git LFS" },
  { BYTES ("\xfd"
           "7zXZ\0"),
    "compressed with xz" },
  { BYTES ("BZh91"), "compressed with bzip2" },
  { BYTES ("\x7f"
           "ELF\2\1"),
    "a program or library (ELF)" },
  { BYTES ("\x89PNG\r\n"), "a picture" },
  { BYTES ("\n\4\x08\1\x10\2\x12\2\n\0\x32\0\x32\5space"), "a profile of pprof" },
  { BYTES ("\x48\5\n\4\x08\1\x10\2\x12\2\n\0"), "a profile of pprof" },
  { BYTES ("\7\n\5"
           "0.0.4\x08\x08\1\x12\4conv"),
    "an execution trace of Chakra (.et)" },
  { BYTES ("\n\6P\1\xb8\1\0\x08\n\4P\1@\5"), "packets in protobuf" },
  { BYTES ("\n\6P\1\xb8\1\0\x08"), "binary, but" }, /* of one packet nothing can be said */
  { BYTES ("\n\5\x33\1x\x50\1"), "binary, but" },   /* a group */
  { BYTES ("\n\5\x32\x7fx\x50\1"), "binary, but" }, /* a field beyond the packet */
  { BYTES ("\n\2\x32\0\x50\1"), "binary, but" },    /* behind the first packet */
  { BYTES ("\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x50\1"), "binary, but" },
  { BYTES ("\x80\1"), "binary, but" },
  { BYTES ("hello\n"), "text, but no decoder knows this format" },
  { BYTES ("SQLite format"), "text, but no decoder knows this format" },
  { BYTES ("NVIDIA"), "text, but no decoder knows this format" },
};

static void
test_named (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    const char *found = np_foreign_format ((const guint8 *) files[i].head, files[i].len);
    if (!found || !g_str_has_prefix (found, files[i].is))
      g_error ("row %u: expected \"%s...\", found \"%s\"", i, files[i].is,
               found ? found : "nothing");
  }
  guint8 tar[512] = "trace.json";
  memcpy (tar + 257, "ustar", 5);
  g_assert_true (g_str_has_prefix (np_foreign_format (tar, sizeof tar), "a tar archive"));
  g_assert_true (g_str_has_prefix (np_foreign_format (tar, 261), "binary, but"));
  g_assert_null (np_foreign_format ((const guint8 *) "", 0));
}

static void
check_tables (const char *schema, const char *names)
{
  g_autofree char *head = g_strconcat ("SQLite format 3?", schema, NULL);
  const gsize len = strlen (head);
  head[15] = 0;
  g_autofree char *found = np_foreign_tables ((const guint8 *) head, len);
  g_assert_cmpstr (found, ==, names);
}

static void
test_tables (void)
{
  check_tables ("CREATE TABLE users (a)CREATE TABLE \"my_logs\"(b)", "users, my_logs");
  check_tables ("CREATE TABLE a(b)CREATE TABLE c(b)CREATE TABLE d(b)CREATE TABLE e(b)", "a, c, d");
  check_tables ("CREATE TABLE sqlite_sequence(name,seq)CREATE TABLE u", "u");
  check_tables ("CREATE TABLE \x1b[31m", NULL);
  check_tables ("CREATE TABLE ", NULL);
  check_tables ("CREATE TABLE rocpd_api(id)CREATE TABLE u", NULL); /* it is known */
  check_tables ("", NULL);
  g_assert_null (np_foreign_tables ((const guint8 *) "hello", 5));
}

/* Each beginning of each file is read within its bytes, which the sanitizers see. */
static void
test_cut_anywhere (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    for (gsize len = 1; len < files[i].len; len++) {
      g_autofree guint8 *head = g_memdup2 (files[i].head, len);
      g_assert_nonnull (np_foreign_format (head, len));
    }
}

static gboolean
has (const char *json, const char *key, guint depth)
{
  return np_json_head_has ((const guint8 *) json, strlen (json), key, depth);
}

static void
test_keys (void)
{
  const char *json = "\xef\xbb\xbf {\"a\" : [{\"b\": 1}], \"c\\\"\": \"d\"} {\"e\": 1}";
  g_assert_true (has (json, "a", 1));
  g_assert_false (has (json, "b", 2));
  g_assert_true (has (json, "b", 3));
  g_assert_true (has (json, "c\\\"", 1));
  g_assert_false (has (json, "d", 9));
  g_assert_false (has (json, "e", 9));
  g_assert_false (has ("]{\"a\":1}", "a", 9));
  g_assert_false (has ("{\"a\\", "a", 9));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/foreign-format/named", test_named);
  g_test_add_func ("/foreign-format/tables", test_tables);
  g_test_add_func ("/foreign-format/cut-anywhere", test_cut_anywhere);
  g_test_add_func ("/foreign-format/keys", test_keys);
  return g_test_run ();
}
