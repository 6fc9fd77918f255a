/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome-decoder-data.c - the decoder chrome on traces of real producers: events per phase
 * and exact sums as an independent count in exact decimals has them (NPROF_TEST_DATA), and the
 * sample that lies in share/samples. */
#include "testhost.h"

#include <string.h>
#include <zlib.h>

static const struct nprof_component *chrome;

static GByteArray *
load (const char *path)
{
  GByteArray *bytes = g_byte_array_new ();
  gzFile file = gzopen (path, "rb"); /* reads plain files as well */
  g_assert_nonnull (file);
  g_autofree guint8 *buffer = g_malloc (1 << 20);
  for (int n; (n = gzread (file, buffer, 1 << 20)) > 0;)
    g_byte_array_append (bytes, buffer, (guint) n);
  gzclose (file);
  return bytes;
}

/* -- What the rows say ------------------------------------------------------------------ */

typedef struct {
  guint64 phase[128];
  guint64 n_complete, n_pairs;
  __int128 sum_complete, sum_pairs;
  gint64 min_start, max_end;
} Totals;

static void
add_row (Totals *t, const NprofTestRow *row, GHashTable *counters)
{
  const char *phase = nprof_test_attr (row, "phase");
  if (!phase)
    return;
  gboolean again = FALSE; /* the second series of a counter's event */
  if (row->kind == NPROF_COUNTER)
    again = !g_hash_table_add (counters,
                               g_strdup_printf ("%" G_GINT64_FORMAT " %s", row->start, row->path));
  t->phase[(guchar) phase[0]] += !again;
  t->min_start = MIN (t->min_start, row->start);
  t->max_end = MAX (t->max_end, row->start + MAX (row->duration, 0));
  if (row->kind != NPROF_SPAN || row->duration < 0)
    return;
  if (phase[0] == 'X') {
    t->n_complete++;
    t->sum_complete += row->duration;
  } else if (phase[0] == 'B') {
    t->n_pairs++;
    t->sum_pairs += row->duration;
  }
}

static Totals
totals_of (const NprofTestRun *run)
{
  Totals t = { .min_start = G_MAXINT64, .max_end = G_MININT64 };
  g_autoptr (GHashTable) counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < run->n_rows; i++)
    add_row (&t, &run->rows[i], counters);
  return t;
}

/* Time 0 of the rows, in ps of the file's own times. */
static __int128
zero_of (const NprofTestRun *run)
{
  const char *base = nprof_test_property (run, "baseTimeNanoseconds"),
             *zero = nprof_test_property (run, "time_zero_us");
  if (run->origin == NPROF_NO_EPOCH)
    return zero ? (__int128) g_ascii_strtoll (zero, NULL, 10) * 1000000 : 0;
  return ((__int128) run->origin - (base ? g_ascii_strtoll (base, NULL, 10) : 0)) * 1000;
}

static const char *
text_of (__int128 value, char *buffer)
{
  char *p = buffer + 47;
  *p = 0;
  gboolean negative = value < 0;
  unsigned __int128 rest = negative ? -(unsigned __int128) value : (unsigned __int128) value;
  do
    *--p = (char) ('0' + (int) (rest % 10));
  while (rest /= 10);
  if (negative)
    *--p = '-';
  return p;
}

/* -- The oracle --------------------------------------------------------------------------- */

enum {
  FILE_NAME = 0,
  PHASES = 3,
  N_COMPLETE,
  SUM_COMPLETE,
  N_PAIRS,
  SUM_PAIRS,
  MIN_TS,
  MAX_END,
  N_COLUMNS
};

/* Ends of async spans are in their begins, metadata in labels, the rest is skipped. */
static guint64
expected_of (const char *phases, char phase)
{
  g_auto (GStrv) parts = g_strsplit (phases, " ", -1);
  for (guint i = 0; parts[i]; i++)
    if (parts[i][0] == phase && parts[i][1] == ':')
      return g_ascii_strtoull (parts[i] + 2, NULL, 10);
  return 0;
}

static guint64
skipped_of (const NprofTestRun *run, char phase)
{
  g_autofree char *what = g_strdup_printf ("phase %c", phase);
  return nprof_test_skips (run, what);
}

static void
check_phases (const NprofTestRun *run, const Totals *t, const char *phases)
{
  static const char rows[] = "XBiIRCnTpNODsftbS";
  for (guint i = 0; rows[i]; i++)
    g_assert_cmpuint (t->phase[(guchar) rows[i]], ==, expected_of (phases, rows[i]));
  static const char others[] = "PvVc()";
  for (guint i = 0; others[i]; i++)
    g_assert_cmpuint (skipped_of (run, others[i]), ==, expected_of (phases, others[i]));
  g_assert_cmpuint (t->n_pairs + nprof_test_skips (run, "phase E without B"), ==,
                    expected_of (phases, 'E'));
}

static void
test_file (gconstpointer user)
{
  const char *const *expected = user;
  g_autofree char *path
      = g_build_filename (g_getenv ("NPROF_TEST_DATA"), expected[FILE_NAME], NULL);
  g_autoptr (GByteArray) bytes = load (path);
  char text[48];
  if (expected[PHASES][0] == 0) {
    g_autoptr (NprofTestRun) refused
        = nprof_test_decode (chrome, NULL, bytes->data, bytes->len, NULL);
    nprof_test_assert_fails (refused, NPROF_E_FORMAT, "rocprofv3's own JSON");
    return;
  }
  static const char *const wanted[] = { "phase", NULL };
  g_autoptr (NprofTestRun) run = nprof_test_decode (chrome, NULL, bytes->data, bytes->len,
                                                    &(NprofTestConfig){ .wanted = wanted });
  nprof_test_assert_ok (run);
  g_assert_cmpint (nprof_test_probe (chrome, bytes->data, bytes->len, path), >=, 40);
  Totals t = totals_of (run);
  check_phases (run, &t, expected[PHASES]);
  g_assert_cmpstr (text_of (t.n_complete, text), ==, expected[N_COMPLETE]);
  g_assert_cmpstr (text_of (t.sum_complete, text), ==, expected[SUM_COMPLETE]);
  g_assert_cmpstr (text_of (t.n_pairs, text), ==, expected[N_PAIRS]);
  g_assert_cmpstr (text_of (t.sum_pairs, text), ==, expected[SUM_PAIRS]);
  g_assert_cmpstr (text_of (t.min_start + zero_of (run), text), ==, expected[MIN_TS]);
  g_assert_cmpstr (text_of (t.max_end + zero_of (run), text), ==, expected[MAX_END]);
}

static void
add_files (void)
{
  const char *data = g_getenv ("NPROF_TEST_DATA");
  if (!data) {
    g_test_message ("real traces are not tested: NPROF_TEST_DATA is not set");
    return;
  }
  g_autofree char *path = g_build_filename (data, "..", "golden", "oracles_json.tsv", NULL),
                  *all = NULL;
  if (!g_file_get_contents (path, &all, NULL, NULL)) {
    g_test_message ("real traces are not tested: %s is not there", path);
    return;
  }
  g_auto (GStrv) lines = g_strsplit (all, "\n", -1);
  for (guint i = 1; lines[i] && lines[i][0]; i++) {
    char **columns = g_strsplit (lines[i], "\t", -1); /* kept until the end */
    g_assert_cmpuint (g_strv_length (columns), >, N_COLUMNS - 1);
    g_autofree char *name = g_strdup_printf ("/chrome-decoder-data/%s", columns[FILE_NAME]);
    g_test_add_data_func_full (name, columns, test_file, (GDestroyNotify) g_strfreev);
  }
}

static void
test_real (void)
{
  if (!g_getenv ("NPROF_TEST_DATA"))
    g_test_skip ("NPROF_TEST_DATA is not set: no real traces");
}

/* -- The sample ------------------------------------------------------------------------------ */

static void
test_sample (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SAMPLES"), "node-workload.trace.json", NULL);
  g_autoptr (GByteArray) bytes = load (path);
  g_assert_cmpint (nprof_test_probe (chrome, bytes->data, bytes->len, path), ==, 40);
  g_autoptr (NprofTestRun) run = nprof_test_decode (chrome, NULL, bytes->data, bytes->len, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, >, 100);
  g_assert_cmpuint (run->n_damage, ==, 0);
  g_assert_nonnull (nprof_test_row (run, "V8.DeserializeIsolate"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  chrome = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "chrome");
  g_test_add_func ("/chrome-decoder-data/sample", test_sample);
  g_test_add_func ("/chrome-decoder-data/real", test_real);
  add_files ();
  return g_test_run ();
}
