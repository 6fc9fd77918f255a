/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome-devices.c - which events of a trace ran on a device, and on which: by categories and
 * labels, never by the number of a pid (decoder chrome). */
#include "testhost.h"

#include <string.h>

static const struct nprof_component *chrome;

static NprofTestRun *
decode (const char *json)
{
  NprofTestRun *run = nprof_test_decode (chrome, NULL, json, strlen (json), NULL);
  nprof_test_assert_ok (run);
  return run;
}

#define M(what, pid, text)                                                                         \
  "{\"ph\":\"M\",\"pid\":" pid ",\"name\":\"process_" what "\",\"args\":{\"" what "\":\"" text     \
  "\"}},"
#define THREAD(pid, tid, text)                                                                     \
  "{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid                                                     \
  ",\"name\":\"thread_name\",\"args\":{\"name\":\"" text "\"}},"
#define X(cat, name, pid, tid, args)                                                               \
  "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid           \
  ",\"ts\":1,\"dur\":1,\"args\":{" args "}},"
#define BARE(name, pid, tid, args)                                                                 \
  "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid                               \
  ",\"ts\":1,\"dur\":1,\"args\":{" args "}},"

/* The kind of the track above that of the row: where it ran. */
static guint
place_of (NprofTestRun *run, const char *name)
{
  const struct nprof_track_info *thread = nprof_test_track (run, nprof_test_row (run, name)->track);
  return nprof_test_track (run, thread->parent)->kind;
}

static guint
line_of (NprofTestRun *run, const char *name)
{
  return nprof_test_track (run, nprof_test_row (run, name)->track)->kind;
}

static void
assert_on_device (NprofTestRun *run, const char *name, const char *path)
{
  g_assert_cmpstr (nprof_test_row (run, name)->path, ==, path);
  g_assert_cmpuint (place_of (run, name), ==, NPROF_TRACK_DEVICE);
}

static void
assert_on_host (NprofTestRun *run, const char *name, const char *path)
{
  g_assert_cmpstr (nprof_test_row (run, name)->path, ==, path);
  g_assert_cmpuint (place_of (run, name), ==, NPROF_TRACK_PROCESS);
}

/* Nobody says which process is a device. */
static void
test_without_metadata (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[" X ("cpu_op", "mm", "251", "251", "")
                    X ("cuda_runtime", "launch", "251", "251", "\"device\":9,\"stream\":3")
                        X ("kernel", "gemm", "9", "3", "\"device\":9,\"stream\":3")
                            X ("gpu_memcpy", "copy", "9", "4", "")
                                X ("gpu_memset", "set", "\"9\"", "\"4\"", "")
                                    X ("kernel", "second", "251", "5", "\"device\":1")
                                        X ("kernel", "third", "251", "5", "\"device\":\"2\"")
                                            BARE ("bare", "251", "6", "\"device\":2,\"stream\":6")
                                                BARE ("other", "251", "6", "\"device\":2") "{}]");
  assert_on_host (run, "mm", "251/251");
  assert_on_host (run, "launch", "251/251");
  assert_on_host (run, "other", "251/6");
  assert_on_device (run, "gemm", "GPU 9/stream 3");
  assert_on_device (run, "copy", "GPU 9/stream 4");
  g_assert_cmpuint (nprof_test_row (run, "copy")->track, ==, nprof_test_row (run, "set")->track);
  g_assert_cmpuint (line_of (run, "copy"), ==, NPROF_TRACK_QUEUE);
  assert_on_device (run, "second", "GPU 1/stream 5");
  assert_on_device (run, "third", "GPU 2/stream 5");
  assert_on_device (run, "bare", "GPU 2/stream 6");
}

/* An arrow has no category that tells: it is where the work is that it leads to. */
static void
test_arrows_without_metadata (void)
{
  g_autoptr (NprofTestRun) run = decode ("[" X ("cuda_runtime", "launch", "251", "251", "") X (
      "kernel", "gemm", "9", "3",
      "") "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"out\",\"id\":1,\"pid\":251,\"tid\":251,\"ts\":"
          "1},"
          "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"in\",\"id\":1,\"pid\":9,\"tid\":3,\"ts\":1}]");
  assert_on_host (run, "out", "251/251");
  assert_on_device (run, "in", "GPU 9/stream 3");
  g_assert_cmpuint (nprof_test_row (run, "in")->track, ==, nprof_test_row (run, "gemm")->track);
}

/* The work may be anywhere in the file, and a thread on which none is, is a host's. */
static void
test_arrows_before_work (void)
{
  static const char json[]
      = "[{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"in\",\"id\":1,\"pid\":9,\"tid\":3,\"ts\":1},"
        "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"idle\",\"id\":2,\"pid\":9,\"tid\":4,\"ts\":1}"
        "," X ("other", "beside", "9", "3", "") X ("other", "alone", "8", "3", "")
            X ("kernel", "gemm", "9", "3", "") "{}]";
  static const char *const options[] = { NULL, "part=100", "part=1" };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    for (guint threads = 1; threads < 4; threads++) {
      g_autoptr (NprofTestRun) run = nprof_test_decode (chrome, options[i], json, strlen (json),
                                                        &(NprofTestConfig){ .threads = threads });
      nprof_test_assert_ok (run);
      assert_on_device (run, "in", "GPU 9/stream 3");
      assert_on_device (run, "beside", "GPU 9/stream 3");
      assert_on_host (run, "idle", "9/4");
      assert_on_host (run, "alone", "8/3");
    }
}

/* The events are looked through in pieces of 256 KB; the only arrow lies where one ends. */
static void
test_arrow_between_pieces (void)
{
  static const char head[] = "[" X ("other", "beside", "9", "3", "") "{\"args\":{\"pad\":\"";
  static const char tail[]
      = "\"}},{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"in\",\"id\":1,\"pid\":8,"
        "\"tid\":1,\"ts\":1}," X ("kernel", "gemm", "9", "3", "") "{}]";
  const gsize before = sizeof head - 1 + (gsize) (strstr (tail, "\"ac2g") - tail);
  for (gsize cut = 0; cut <= 8; cut++) { /* characters of "ac2g", with quotes, before the end */
    g_autoptr (GString) json = g_string_new (head);
    g_string_set_size (json, (256u << 10) + 1 - cut - before + json->len);
    memset (json->str + sizeof head - 1, 'a', json->len - (sizeof head - 1));
    g_string_append (json, tail);
    g_autoptr (NprofTestRun) run = decode (json->str);
    assert_on_device (run, "beside", "GPU 9/stream 3");
  }
}

/* Only Kineto puts what its host noted on threads of devices: without its arrows a row of another
 * category is on a host, though work has its thread. */
static void
test_work_without_arrows (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[{\"ph\":\"f\",\"cat\":\"other\",\"name\":\"in\",\"id\":1,\"pid\":9,\"tid\":3,\"ts\":1}," X (
          "other", "beside", "9", "3", "") X ("kernel", "gemm", "9", "3", "") "{}]");
  assert_on_device (run, "gemm", "GPU 9/stream 3");
  assert_on_host (run, "beside", "9/3");
  assert_on_host (run, "in", "9/3");
}

/* The host's pid in a container is the number of a GPU, and both are labelled. */
static void
test_small_pid (void)
{
  static const char *const orders[]
      = { M ("name", "7", "python") M ("labels", "7", "CPU") M ("labels", "7", "GPU 7"),
          M ("labels", "7", "GPU 7") M ("labels", "7", "CPU") M ("name", "7", "python") };
  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autofree char *json = g_strdup_printf (
        "{\"deviceProperties\":[{\"id\":7,\"name\":\"H100\"}],\"traceEvents\":[%s" THREAD (
            "7", "7", "thread 7 (python)") THREAD ("7", "20", "stream 20 ")
            X ("cpu_op", "mm", "7", "7", "") X ("kernel", "gemm", "7", "20", "\"device\":7")
                X ("x", "on thread", "7", "7", "") X ("x", "on stream", "7", "20", "") "{}]}",
        orders[i]);
    g_autoptr (NprofTestRun) run = decode (json);
    assert_on_host (run, "mm", "python (CPU)/thread 7 (python)");
    assert_on_host (run, "on thread", "python (CPU)/thread 7 (python)");
    assert_on_device (run, "gemm", "python (GPU 7)/stream 20 ");
    assert_on_device (run, "on stream", "python (GPU 7)/stream 20 ");
  }
}

/* Only the entry's number says that 0 is a device; a host has it as well. */
static void
test_number_alone (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "{\"deviceProperties\":[{\"id\":0,\"name\":\"a\"},{\"id\":1,\"name\":\"b\"}],\"traceEvents\":"
      "[" X ("x", "work", "0", "1", "") X ("kernel", "k", "1", "7", "\"device\":1") "{}]}");
  assert_on_host (run, "work", "0/1");
  assert_on_device (run, "k", "GPU 1/stream 7");
  g_assert_cmpstr (nprof_test_fact (run, "GPU 1", "device_type"), ==, "b");
}

/* Rows that runtimes write in the process of a device are the host's. */
static void
test_host_rows_of_devices (void)
{
  g_autoptr (NprofTestRun) run
      = decode ("[" M ("name", "17", "MTIA 17") M ("labels", "17", "MTIA 17")
                    THREAD ("17", "4", "Stream 4 Submission Queue")
                        X ("mtia_runtime", "synchronize", "17", "4", "\"device\":17")
                            X ("mtia_ccp_events", "event_wait", "17", "5", "")
                                X ("cuda_sync", "sync", "17", "5", "") "{}]");
  assert_on_host (run, "synchronize", "MTIA 17 (host)/Stream 4 Submission Queue");
  assert_on_device (run, "event_wait", "MTIA 17/stream 5");
  assert_on_device (run, "sync", "MTIA 17/stream 5");
}

/* Labels of several writers. */
static void
test_labels (void)
{
  static const struct {
    const char *label;
    guint place;
  } cases[] = {
    { "GPU2", NPROF_TRACK_DEVICE },          { "GPU 2", NPROF_TRACK_DEVICE },
    { "RANK 1 - GPU", NPROF_TRACK_DEVICE },  { "/device:TPU:0", NPROF_TRACK_DEVICE },
    { "/device:GPU:3", NPROF_TRACK_DEVICE }, { "XPU 0", NPROF_TRACK_DEVICE },
    { "HPU 0", NPROF_TRACK_DEVICE },         { "RANK 1 - CPU", NPROF_TRACK_PROCESS },
    { "GPU worker", NPROF_TRACK_PROCESS },   { "GPUs", NPROF_TRACK_PROCESS },
    { "/host:CPU", NPROF_TRACK_PROCESS },    { "python", NPROF_TRACK_PROCESS },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *json
        = g_strdup_printf ("[" M ("name", "3", "%s") BARE ("op", "\"3\"", "\"0\"", "") "{}]",
                           cases[i].label);
    g_autoptr (NprofTestRun) run = decode (json);
    g_assert_cmpuint (place_of (run, "op"), ==, cases[i].place);
    g_assert_cmpuint (line_of (run, "op"), ==,
                      cases[i].place == NPROF_TRACK_DEVICE ? NPROF_TRACK_QUEUE
                                                           : NPROF_TRACK_THREAD);
  }
}

/* Lines as xprof exports them of XSpace. */
static void
test_lines (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[" M ("name", "3", "/device:TPU:0") THREAD ("3", "1", "Steps") THREAD (
          "3", "2", "XLA Modules") THREAD ("3", "3", "XLA Ops") THREAD ("3", "4", "Async XLA Ops")
          THREAD ("3", "3735928562", "XLA Ops") M ("name", "701", "/host:CPU") THREAD ("701", "3",
                                                                                       "XLA Ops")
              BARE ("fusion.1", "3", "3",
                    "\"hlo_category\":\"convolution fusion\",\"model_flops\":\"1000\",\"group_id\":"
                    "\"4\"") X ("own", "fusion.2", "3", "3", "\"hlo_category\":\"copy\"")
                  BARE ("copy", "3", "4", "\"hlo_category\":\"copy-start\"")
                      BARE ("module", "3", "2", "\"hlo_category\":\"copy-start\"")
                          BARE ("7", "3", "1", "") BARE ("scope", "3", "3735928562", "")
                              BARE ("host", "701", "3", "") "{}]");
  g_assert_cmpuint (line_of (run, "fusion.1"), ==, NPROF_TRACK_ENGINE);
  g_assert_cmpstr (nprof_test_row (run, "fusion.1")->category, ==, "convolution fusion");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "fusion.1"), "model_flops"), ==, "1000");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "fusion.1"), "step"), ==, "4");
  g_assert_cmpstr (nprof_test_row (run, "fusion.2")->category, ==, "own");
  g_assert_cmpuint (line_of (run, "copy"), ==, NPROF_TRACK_ASYNC);
  g_assert_cmpstr (nprof_test_row (run, "copy")->category, ==, "copy-start");
  g_assert_cmpuint (line_of (run, "module"), ==, NPROF_TRACK_THREAD);
  g_assert_cmpuint (line_of (run, "7"), ==, NPROF_TRACK_THREAD);
  g_assert_cmpuint (line_of (run, "scope"), ==, NPROF_TRACK_DERIVED);
  g_assert_cmpuint (line_of (run, "host"), ==, NPROF_TRACK_THREAD);
}

/* One entry tells of the only device there is, whatever its number; entries that differ each tell
 * of theirs. */
static void
test_facts (void)
{
  g_autoptr (NprofTestRun) one = decode (
      "{\"deviceProperties\":[{\"id\":0,\"name\":\"MI300X\"}],\"traceEvents\":[" M ("labels", "2",
                                                                                    "GPU 2")
          X ("kernel", "k", "2", "7", "\"device\":2") "{}]}");
  g_assert_cmpstr (nprof_test_fact (one, "", "device_type"), ==, "MI300X");
  g_autoptr (NprofTestRun) two = decode (
      "{\"deviceProperties\":[{\"id\":0,\"name\":\"a\",\"numSms\":4},{\"id\":1,\"name\":\"b\","
      "\"numSms\":4}],\"traceEvents\":[{}]}");
  g_assert_cmpstr (nprof_test_fact (two, "GPU 0", "device_type"), ==, "a");
  g_assert_cmpstr (nprof_test_fact (two, "GPU 1", "device_type"), ==, "b");
  g_assert_cmpstr (nprof_test_fact (two, "", "core_count"), ==, "4");
  g_assert_null (nprof_test_fact (two, "", "device_type"));
  g_autoptr (NprofTestRun) unnamed
      = decode ("{\"deviceProperties\":[{\"id\":0,\"name\":\"\"}],\"traceEvents\":[{}]}");
  g_assert_null (nprof_test_fact (unnamed, NULL, "device_type"));
}

/* -- Numbers ---------------------------------------------------------------------------------- */

static void
test_whole_numbers (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[" BARE ("a", "1", "2", "") BARE ("b", "1.0", "2.000", "") BARE ("c", "1e0", "\"2.0\"", "")
          BARE ("d", "1.5", "2", "") BARE ("e", "1", "\"2e0\"", "") "{}]");
  g_assert_cmpuint (nprof_test_row (run, "a")->track, ==, nprof_test_row (run, "b")->track);
  g_assert_cmpuint (nprof_test_row (run, "a")->track, ==, nprof_test_row (run, "c")->track);
  g_assert_cmpstr (nprof_test_row (run, "d")->path, ==, "1.5/2");
  g_assert_cmpstr (nprof_test_row (run, "e")->path, ==, "1/2e0");
  g_autoptr (NprofTestRun) args = decode (
      "[" X ("kernel", "k", "7.0", "3",
             "\"device\":1.0,\"stream\":3.0,\"correlation\":9.0,\"bytes\":1.5e3,\"External "
             "id\":2.5") "{}]");
  const NprofTestRow *k = nprof_test_row (args, "k");
  g_assert_cmpstr (k->path, ==, "GPU 1/stream 3");
  g_assert_cmpstr (nprof_test_attr (k, "correlation_id"), ==, "9");
  g_assert_cmpstr (nprof_test_attr (k, "bytes"), ==, "1500");
  g_assert_null (nprof_test_attr (k, "external_id")); /* it stays in args */
}

/* The kernel's own field, and no other. */
static void
test_collective (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "[" X ("kernel", "k", "0", "7", "\"Collective name\":\"allreduce\",\"dtype\":\"Float\"")
          X ("kernel", "l", "0", "7", "\"Collective\":\"allreduce\"") "{}]");
  g_assert_cmpstr (nprof_test_attr (nprof_test_row (run, "k"), "collective"), ==, "allreduce");
  g_assert_null (nprof_test_attr (nprof_test_row (run, "l"), "collective"));
}

static void
test_unsigned (void)
{
  g_autoptr (NprofTestRun) run = decode ("[" BARE (
      "a", "1", "2",
      "\"correlation\":18446744073709551615,\"External id\":9223372036854775808,\"bytes\":"
      "\"9223372036854775809\"") BARE ("b", "1", "2",
                                       "\"correlation\":18446744073709551616,\"External "
                                       "id\":-1,\"bytes\":0x10") "{}]");
  const NprofTestRow *a = nprof_test_row (run, "a"), *b = nprof_test_row (run, "b");
  g_assert_cmpstr (nprof_test_attr (a, "correlation_id"), ==, "18446744073709551615");
  g_assert_cmpstr (nprof_test_attr (a, "external_id"), ==, "9223372036854775808");
  g_assert_null (nprof_test_attr (a, "bytes")); /* int64: it stays in args */
  g_assert_nonnull (strstr (nprof_test_attr (a, "args"), "9223372036854775809"));
  g_assert_null (nprof_test_attr (b, "correlation_id"));
  g_assert_null (nprof_test_attr (b, "external_id"));
  g_assert_null (nprof_test_attr (b, "bytes"));
}

#define OWN(pid, tid, what, text, more)                                                            \
  "{\"ph\":\"M\",\"pid\":" pid tid ",\"name\":\"" what "\",\"args\":{\"name\":\"" text "\"," more  \
  "}},"
#define NPROF "\"otherData\":{\"generator\":\"nprof 1.0.0-rc1\",\"ts_0_ns\":0}"

/* What nprof wrote says what each track is; that of another program does not, whatever it holds. */
#define OWN_TRACKS                                                                                 \
  "\"traceEvents\":[" OWN ("1", "", "process_name", "Neuron device 0", "\"kind\":\"device\"")      \
      OWN ("5", "", "process_name", "sub", "\"kind\":\"process\",\"parent\":1")                    \
          OWN ("1", ",\"tid\":2", "thread_name", "NeuronCore 4", "\"kind\":\"core\"")              \
              OWN ("1", ",\"tid\":3", "thread_name", "",                                           \
                   "\"kind\":\"engine\",\"key\":\"PE\",\"parent\":2")                              \
                  OWN ("1", ",\"tid\":4", "thread_name", "PE (2)",                                 \
                       "\"kind\":\"engine\",\"lane_of\":3")                                        \
                      OWN ("5", ",\"tid\":6", "thread_name", "ops", "\"kind\":\"derived\"")        \
                          X ("a", "one", "1", "3", "") X ("a", "two", "1", "4", "")                \
                              X ("kernel", "three", "5", "6", "") "{}]"

static void
test_own_tracks (void)
{
  g_autoptr (NprofTestRun) own = decode ("{" OWN_TRACKS "," NPROF "}");
  g_assert_cmpstr (nprof_test_row (own, "one")->path, ==, "Neuron device 0/NeuronCore 4/PE");
  g_assert_cmpuint (nprof_test_row (own, "two")->track, ==, nprof_test_row (own, "one")->track);
  g_assert_cmpuint (line_of (own, "one"), ==, NPROF_TRACK_ENGINE);
  g_assert_cmpuint (place_of (own, "one"), ==, NPROF_TRACK_CORE);
  g_assert_cmpstr (nprof_test_row (own, "three")->path, ==, "Neuron device 0/sub/ops");
  g_assert_cmpuint (line_of (own, "three"), ==, NPROF_TRACK_DERIVED);
  g_autoptr (NprofTestRun) other = decode ("{" OWN_TRACKS "}");
  g_assert_cmpstr (nprof_test_row (other, "one")->path, ==, "Neuron device 0/3");
  g_assert_cmpuint (place_of (other, "one"), ==, NPROF_TRACK_PROCESS);
}

/* Tracks that lie in one another, or in none that is there. */
static void
test_own_circles (void)
{
  g_autoptr (NprofTestRun) run = decode (
      "{\"traceEvents\":[" OWN ("1", "", "process_name", "a", "\"kind\":\"device\",\"parent\":2")
          OWN ("2", "", "process_name", "b", "\"kind\":\"process\",\"parent\":1")
              OWN ("2", ",\"tid\":3", "thread_name", "c", "\"kind\":\"core\",\"parent\":4")
                  OWN ("2", ",\"tid\":4", "thread_name", "d", "\"kind\":\"engine\",\"parent\":3")
                      OWN ("2", ",\"tid\":5", "thread_name", "e",
                           "\"kind\":\"engine\",\"parent\":5,\"lane_of\":99")
                          OWN ("2", ",\"tid\":6", "thread_name", "f", "\"kind\":\"nonsense\"")
                              X ("", "in d", "2", "4", "") X ("", "in e", "2", "5", "")
                                  X ("", "in f", "2", "6", "") "{}]," NPROF "}");
  g_assert_cmpstr (nprof_test_row (run, "in d")->path, ==, "a/b/c/d");
  g_assert_cmpstr (nprof_test_row (run, "in e")->path, ==, "a/b/99");
  g_assert_cmpstr (nprof_test_row (run, "in f")->path, ==, "a/b/f");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  chrome = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "chrome");
  g_test_add_func ("/chrome-devices/without-metadata", test_without_metadata);
  g_test_add_func ("/chrome-devices/arrows-without-metadata", test_arrows_without_metadata);
  g_test_add_func ("/chrome-devices/arrows-before-work", test_arrows_before_work);
  g_test_add_func ("/chrome-devices/arrow-between-pieces", test_arrow_between_pieces);
  g_test_add_func ("/chrome-devices/work-without-arrows", test_work_without_arrows);
  g_test_add_func ("/chrome-devices/small-pid", test_small_pid);
  g_test_add_func ("/chrome-devices/number-alone", test_number_alone);
  g_test_add_func ("/chrome-devices/host-rows-of-devices", test_host_rows_of_devices);
  g_test_add_func ("/chrome-devices/labels", test_labels);
  g_test_add_func ("/chrome-devices/lines", test_lines);
  g_test_add_func ("/chrome-devices/facts", test_facts);
  g_test_add_func ("/chrome-devices/whole-numbers", test_whole_numbers);
  g_test_add_func ("/chrome-devices/collective", test_collective);
  g_test_add_func ("/chrome-devices/unsigned", test_unsigned);
  g_test_add_func ("/chrome-devices/own-tracks", test_own_tracks);
  g_test_add_func ("/chrome-devices/own-circles", test_own_circles);
  return g_test_run ();
}
