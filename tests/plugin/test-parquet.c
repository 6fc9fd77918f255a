/* SPDX-License-Identifier: Apache-2.0 */
/* test-parquet.c - the sink parquet through the test host: same bytes for any number of threads
 * and any batches, order, partitions, failures.  What the files say is checked by readers of
 * Parquet in tests/cli/parquet.py. */
#include "testhost.h"

#include <string.h>

static const struct nprof_attribute *const declared[]
    = { NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", ""),
        NPROF_ATTRIBUTE (NPROF_STRING, "time", "", ""), NULL };

static const struct nprof_attribute *const typed[]
    = { NPROF_ATTRIBUTE (NPROF_TEXT, "word", "", ""), NPROF_ATTRIBUTE (NPROF_BOOL, "truth", "", ""),
        NULL };

static const struct nprof_component *
component (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "parquet");
}

/* Rows on two tracks, out of order; the attribute that has no column is text of its own a row. */
static void
fill (NprofTestRun *run, guint n)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_str flops = nprof_intern (h, "flops"), other = nprof_intern (h, "other");
  nprof_track a = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "a"), 0, 0);
  nprof_track b = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "b"), 0, 0);
  for (guint i = 0; i < n; i++) {
    char text[32];
    g_snprintf (text, sizeof text, "text %u", i * 7919);
    struct nprof_writer *w = h->writer (h);
    if (nprof_span (w, i % 3 ? a : b, nprof_intern (h, i % 5 ? "x" : "y"), i * 31 % 1000, i))
      return;
    nprof_attr_int (w, flops, i);
    nprof_attr_bytes (w, other, NPROF_TEXT, text, (guint32) strlen (text));
  }
}

/* Texts that are equal, lie at one place in different batches, or belong to a shared set. */
static void
fill_again (NprofTestRun *run, guint n)
{
  static const nprof_value value = { .bytes = { 0, 6 } };
  static const guint8 type = NPROF_TEXT;
  const struct nprof_host *h = nprof_test_host (run);
  nprof_str key = nprof_intern (h, "own"), shared = nprof_intern (h, "shared");
  struct nprof_attrs attrs = { sizeof attrs, 1, &shared, &type, &value, "common" };
  nprof_set set = h->attrs (h, &attrs);
  nprof_track track = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "a"), 0, 0);
  for (guint i = 0; i < n; i++) {
    char text[32];
    g_snprintf (text, sizeof text, "<%06u>", i / 2);
    struct nprof_writer *w = h->writer (h);
    if (nprof_span (w, track, key, i, 1))
      return;
    nprof_set_shared (w, set);
    nprof_attr_bytes (w, key, NPROF_TEXT, text, (guint32) strlen (text));
    nprof_attr_int (w, nprof_intern (h, "number"), i % 5000);
  }
}

/* Counts how often the text stands in the file, which is neither encoded nor compressed. */
static guint
count_text (NprofTestRun *run, const char *text)
{
  const char *at = nprof_test_output (run, "events.parquet"), *end;
  guint n = 0;
  end = at + nprof_test_output_size (run, "events.parquet");
  while ((at = memmem (at, (gsize) (end - at), text, strlen (text)))) {
    at++;
    n++;
  }
  return n;
}

/* An entry that is used again is the same text, never the one that lay at its place before. */
static void
test_again (void)
{
  const NprofTestConfig config = { .rows = 1 };
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "compression=none", &config);
  fill_again (run, 2000);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (count_text (run, "<000000>"), >=, 1);
  g_assert_cmpuint (count_text (run, "<000500>"), >=, 1);
  g_assert_cmpuint (count_text (run, "<000999>"), >=, 1);
  g_assert_cmpuint (count_text (run, "common"), >=, 1);
}

/* A column of text takes what a row gives under its key, whatever type that has. */
static void
test_any_type_as_text (void)
{
  const NprofTestConfig config = { .attributes = typed };
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "compression=none", &config);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_str word = nprof_intern (h, "word"), truth = nprof_intern (h, "truth");
  nprof_track track = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "a"), 0, 0);
  for (guint i = 0; i < 6; i++) {
    struct nprof_writer *w = h->writer (h);
    nprof_span (w, track, word, i, 1);
    nprof_attr (w, truth, NPROF_BOOL, (nprof_value){ .u = i & 1 });
    if (i == 0)
      nprof_attr_int (w, word, -71234);
    else if (i == 1)
      nprof_attr_uint (w, word, G_MAXUINT64);
    else if (i == 2)
      nprof_attr_double (w, word, 0.8125);
    else if (i == 3)
      nprof_attr (w, word, NPROF_BOOL, (nprof_value){ .u = 1 });
    else if (i == 4)
      nprof_attr_bytes (w, word, NPROF_ID128, "\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\xff", 16);
    else
      nprof_attr_bytes (w, word, NPROF_JSON, "[1]", 3);
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  static const char *const texts[]
      = { "-71234", "18446744073709551615", "0.8125", "true", "0102030405060708090a0b0c0d0e0fff",
          "[1]" };
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    if (!count_text (run, texts[k]))
      g_error ("%s is not in the file", texts[k]);
  g_assert_cmpuint (count_text (run, "\"0102"), ==, 0); /* as the map would have it */
}

static GBytes *
bytes_of (const char *options, guint rows, guint threads)
{
  const NprofTestConfig config = { .attributes = declared, .rows = rows, .threads = threads };
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), options, &config);
  fill (run, 20000);
  fill_again (run, 20000);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  gsize len = nprof_test_output_size (run, "events.parquet");
  g_assert_cmpmem (nprof_test_output (run, "events.parquet"), 4, "PAR1", 4);
  return g_bytes_new (nprof_test_output (run, "events.parquet"), len);
}

static void
test_same_bytes (void)
{
  static const char *const options[] = { "row_group=64k", "row_group=64k,order=track" };
  for (guint k = 0; k < G_N_ELEMENTS (options); k++) {
    g_autoptr (GBytes) first = bytes_of (options[k], 4096, 1);
    static const guint how[][2] = { { 1, 1 }, { 100, 2 }, { 4096, 4 }, { 255, 8 } };
    for (guint i = 0; i < G_N_ELEMENTS (how); i++) {
      g_autoptr (GBytes) other = bytes_of (options[k], how[i][0], how[i][1]);
      g_assert_true (g_bytes_equal (first, other));
    }
  }
}

static void
test_nothing (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "partition=rank", NULL);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (
      nprof_test_output_size (run, "events/rank=__HIVE_DEFAULT_PARTITION__/part-0.parquet"), >,
      100);
}

static void
test_partition (void)
{
  static const char *const properties[] = { "host", "a b/c", "rank", "7", NULL };
  const NprofTestConfig config = { .properties = properties };
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "partition=host", &config);
  fill (run, 10);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_output_size (run, "events/host=a b%2Fc/part-0.parquet"), >, 100);
  g_assert_null (nprof_test_output (run, "events.parquet"));
}

/* The disk is full at any moment, with threads at work. */
static void
test_write_fails (void)
{
  for (guint64 limit = 1; limit < 300000; limit = limit * 3 + 100) {
    const NprofTestConfig config
        = { .attributes = declared, .write_limit = limit, .threads = 1 + limit % 3 };
    g_autoptr (NprofTestRun) run
        = nprof_test_open (component (), "row_group=64k,compression=none", &config);
    fill (run, 20000);
    nprof_test_finish (run);
    nprof_test_check (run, NPROF_E_IO, "the disk of the test is full", G_STRLOC);
  }
}

static void
test_options (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (component (), "compression=gzip,level=10", NULL);
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_OPTION, "gzip has the levels 1 to 9");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parquet/any-type-as-text", test_any_type_as_text);
  g_test_add_func ("/parquet/same-bytes", test_same_bytes);
  g_test_add_func ("/parquet/again", test_again);
  g_test_add_func ("/parquet/nothing", test_nothing);
  g_test_add_func ("/parquet/partition", test_partition);
  g_test_add_func ("/parquet/write-fails", test_write_fails);
  g_test_add_func ("/parquet/options", test_options);
  return g_test_run ();
}
