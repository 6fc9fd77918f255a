/* SPDX-License-Identifier: Apache-2.0 */
/* test-xplane-data.c - what needs more than the test host: files that a run writes out again,
 * and real profiles against counts and exact sums that independent readers made:
 * oracles_xplane.tsv, and tests/tools/xplane-count.  NPROF_TEST_DATA names the folder of the
 * samples; beside it lies golden/. */
#include "../tools/xplane-samples.h"
#include "testhost.h"

#include <glib/gstdio.h>

typedef struct {
  char *file;
  guint64 planes, lines, events, stats;
  gint64 durations, first, last;
} Oracle;

static char *data_folder;

static NprofTestRun *
decode_file (const char *name, const char *options)
{
  static const char *const none[] = { NULL };
  g_autofree char *path = g_build_filename (data_folder, name, NULL), *data = NULL;
  gsize len;
  g_assert_true (g_file_get_contents (path, &data, &len, NULL));
  const struct nprof_component *xplane
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "xplane");
  return nprof_test_decode (xplane, options, data, len,
                            options ? NULL : &(NprofTestConfig){ .wanted = none, .threads = 3 });
}

static void
assert_oracle (const Oracle *o)
{
  g_autoptr (NprofTestRun) run = decode_file (o->file, NULL);
  nprof_test_assert_ok (run);
  guint64 n = 0;
  gint64 sum = 0, first = G_MAXINT64, last = G_MININT64;
  for (guint i = 0; i < run->n_rows; i++) {
    const NprofTestRow *row = &run->rows[i];
    if (row->kind != NPROF_SPAN && row->kind != NPROF_COUNTER)
      continue;
    n++;
    sum += row->duration;
    first = MIN (first, row->start);
    last = MAX (last, row->start + row->duration);
  }
  g_assert_cmpuint (n, ==, o->events);
  g_assert_cmpint (sum, ==, o->durations);
  g_assert_cmpint (first, ==, o->first);
  g_assert_cmpint (last, ==, o->last);
}

static void
assert_same_scans (const char *file)
{
  g_autoptr (NprofTestRun) fast = decode_file (file, "scan=auto"),
                           plain = decode_file (file, "scan=plain");
  g_autofree char *a = nprof_test_dump (fast), *b = nprof_test_dump (plain);
  g_assert_true (strcmp (a, b) == 0);
}

static void
assert_counter (const Oracle *o)
{
  g_autofree char *path = g_build_filename (data_folder, o->file, NULL), *out = NULL;
  const char *argv[] = { g_getenv ("XPLANE_COUNT"), path, NULL };
  gint status = -1;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                               &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_autofree char *expected
      = g_strdup_printf ("\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT
                         "\t%" G_GUINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT
                         "\t%" G_GINT64_FORMAT "\n",
                         o->planes, o->lines, o->events, o->stats, o->durations, o->first, o->last);
  g_assert_nonnull (strstr (out, expected));
}

static void
assert_refused (const char *file, const char *status)
{
  g_assert_true (g_str_has_prefix (status, "refused: "));
  g_autoptr (NprofTestRun) run = decode_file (file, NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, status + strlen ("refused: "));
}

static void
check_line (const char *line)
{
  enum { FILE_NAME, SHA, PLANES, LINES, EVENTS, STATS, SUM, FIRST, LAST, USED, ZERO, STATUS };
  g_auto (GStrv) cell = g_strsplit (line, "\t", -1);
  if (g_strv_length (cell) <= STATUS)
    return;
  if (strcmp (cell[STATUS], "ok") != 0) {
    assert_refused (cell[FILE_NAME], cell[STATUS]);
    return;
  }
  Oracle o = { .file = cell[FILE_NAME],
               .planes = g_ascii_strtoull (cell[PLANES], NULL, 10),
               .lines = g_ascii_strtoull (cell[LINES], NULL, 10),
               .events = g_ascii_strtoull (cell[EVENTS], NULL, 10),
               .stats = g_ascii_strtoull (cell[STATS], NULL, 10),
               .durations = g_ascii_strtoll (cell[SUM], NULL, 10),
               .first = g_ascii_strtoll (cell[FIRST], NULL, 10),
               .last = g_ascii_strtoll (cell[LAST], NULL, 10) };
  assert_oracle (&o);
  assert_counter (&o);
  assert_same_scans (o.file);
}

static void
test_oracles (void)
{
  if (!data_folder) {
    g_test_skip ("NPROF_TEST_DATA does not name the folder of real traces");
    return;
  }
  g_autofree char *path
      = g_build_filename (data_folder, "..", "golden", "oracles_xplane.tsv", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >, 6);
  for (guint i = 1; lines[i]; i++)
    check_line (lines[i]);
}

/* -- Files written out again ------------------------------------------------------ */

static void
assert_content (const char *folder, const char *name, const char *expected)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
  g_remove (path);
}

/* extract=FOLDER: what the planes of the Neuron runtime hold, as files. */
static void
test_extract (void)
{
  g_autofree char *folder = g_dir_make_tmp ("nprof-xplane-XXXXXX", NULL);
  g_autofree char *input = g_build_filename (folder, "neuron.xplane.pb", NULL);
  g_autofree char *out = g_build_filename (folder, "out", NULL);
  g_autofree char *decoder = g_strdup_printf ("xplane:extract=%s", out);
  g_autoptr (GByteArray) sample = xplane_sample ("neuron");
  g_assert_true (g_file_set_contents (input, (char *) sample->data, (gssize) sample->len, NULL));
  const char *argv[] = { g_getenv ("NPROF"), "run", "-d", decoder, "-s", "null", input, NULL };
  gint status = -1;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                               &status, NULL));
  g_assert_cmpint (status, ==, 0);
  assert_content (out, "abc_1/neuron_hlo_op.json",
                  "{\"total_time\": 15,\n\"ops\": [\n{\"name\": \"dot.3\", \"time\": 12},\n"
                  "{\"name\": \"add\", \"time\": 3}\n]}\n");
  assert_content (
      out, "abc_1/neuron_op_timeline.json",
      "{\"displayTimeUnit\": \"ns\",\n\"neuronStartTimestampNs\": 1741722099081047120,\n"
      "\"traceEvents\": [\n{\"ph\":\"X\",\"name\":\"fused_1\",\"cat\":\"op\",\"pid\":1,"
      "\"tid\":\"HLO Ops\",\"ts\":1.0000015,\"dur\":2.5,\"args\":{\"fused\": \"a, b\"}},\n"
      "{\"ph\":\"B\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1},\n"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"Process "
      "Execution\"}}\n"
      "]}\n");
  g_autofree char *run = g_build_filename (out, "abc_1", NULL);
  g_autofree char *manifest = g_build_filename (run, "manifest.json", NULL);
  g_remove (manifest);
  g_assert_cmpint (g_rmdir (run), ==, 0);
  g_remove (input);
  g_rmdir (out);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  data_folder = g_strdup (g_getenv ("NPROF_TEST_DATA"));
  if (data_folder && !*data_folder)
    g_clear_pointer (&data_folder, g_free);
  if (g_getenv ("NPROF"))
    g_test_add_func ("/xplane/extract", test_extract);
  g_test_add_func ("/xplane/oracles", test_oracles);
  int failed = g_test_run ();
  g_free (data_folder);
  return failed;
}
