/* SPDX-License-Identifier: Apache-2.0 */
/* test-furiosa-data.c - the decoder furiosa on traces of tests/tools/furiosa-make.py and on the
 * golden ones, against what that program counts by itself. */
#include "testhost.h"

#include <glib/gstdio.h>
#include <string.h>

static const struct nprof_component *furiosa;

static char *
python (const char *verb, const char *first, const char *second)
{
  const char *argv[]
      = { g_getenv ("PYTHON"), g_getenv ("FURIOSA_MAKE"), verb, first, second, NULL };
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  int status = 0;
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
  return out;
}

static char *
contents (const char *folder, const char *name, gsize *len)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *data = NULL;
  g_file_get_contents (path, &data, len, &error);
  g_assert_no_error (error);
  return data;
}

/* -- What a run holds, as furiosa-make.py prints it ------------------------------------------ */

typedef struct {
  guint count;
  gint64 sum;
} Count;

static void
count (GHashTable *counts, const char *name, gint64 duration)
{
  Count *c = g_hash_table_lookup (counts, name);
  if (!c) {
    c = g_new0 (Count, 1);
    g_hash_table_insert (counts, g_strdup (name), c);
  }
  c->count++;
  c->sum += duration;
}

static char *
print_counts (const NprofTestRun *run)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const NprofTestTable *cycles = nprof_test_table (run, "cycles");
  for (guint i = 0; i < run->n_rows; i++)
    if (run->rows[i].kind == NPROF_SPAN)
      count (counts, run->rows[i].name, run->rows[i].duration);
  for (guint i = 0; run->n_rows == 0 && cycles && i < cycles->n_rows; i++)
    count (counts, nprof_test_cell (run, "cycles", i, "name"),
           g_ascii_strtoll (nprof_test_cell (run, "cycles", i, "cycles"), NULL, 10));
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (counts), (GCompareFunc) strcmp);
  GString *text = g_string_new (NULL);
  for (GList *l = names; l; l = l->next) {
    const Count *c = g_hash_table_lookup (counts, l->data);
    g_string_append_printf (text, "%s\t%u\t%" G_GINT64_FORMAT "\n", (char *) l->data, c->count,
                            c->sum);
  }
  return g_string_free (text, FALSE);
}

static NprofTestRun *
decode (const char *folder, const char *name, const char *options, const NprofTestConfig *config)
{
  gsize len;
  g_autofree char *data = contents (folder, name, &len);
  g_assert_cmpint (nprof_test_probe (furiosa, data, len, "trace.log"), ==, 90);
  NprofTestRun *run = nprof_test_decode (furiosa, options, data, len, config);
  nprof_test_assert_ok (run);
  return run;
}

static void
assert_counts (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *expected = python ("count", path, NULL);
  g_autoptr (NprofTestRun) run = decode (folder, name, NULL, NULL);
  g_autofree char *found = print_counts (run);
  g_assert_cmpstr (found, ==, expected);
  g_autofree char *dump = nprof_test_dump (run);
  for (guint threads = 0; threads < 4; threads++) {
    g_autoptr (NprofTestRun) again
        = decode (folder, name, "part=1000",
                  &(NprofTestConfig){ .rows = 1 + 6 * threads, .threads = threads });
    g_autofree char *other = nprof_test_dump (again);
    g_assert_cmpstr (other, ==, dump);
  }
}

/* The spans of export_chrome_trace are those of the CSV, in its order, counted from the first. */
static void
assert_same_spans (const char *folder, const char *csv_name, const char *json_name)
{
  static const char *const keys[]
      = { "row", "pe_index", "execution_index", "instruction_index", "operator_index" };
  g_autoptr (NprofTestRun) csv = decode (folder, csv_name, NULL, NULL);
  g_autoptr (NprofTestRun) json = decode (folder, json_name, NULL, NULL);
  gint64 first = G_MAXINT64;
  g_assert_cmpuint (csv->n_rows, ==, json->n_rows);
  for (guint i = 0; i < csv->n_rows; i++)
    first = MIN (first, csv->rows[i].start);
  for (guint i = 0; i < csv->n_rows; i++) {
    const NprofTestRow *a = &csv->rows[i], *b = &json->rows[i];
    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_cmpint (a->start - first, ==, b->start);
    g_assert_cmpint (a->duration, ==, b->duration);
    for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
      g_assert_cmpstr (nprof_test_attr (a, keys[k]), ==, nprof_test_attr (b, keys[k]));
  }
}

/* -- Tests ------------------------------------------------------------------------------------- */

static void
test_synthetic (void)
{
  static const char *const names[]
      = { "synthetic_spans.csv", "synthetic_export.json", "synthetic_native.json",
          "synthetic_edf.json", "synthetic_profiler.json" };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("nprof-furiosa-XXXXXX", &error);
  g_assert_no_error (error);
  g_free (python ("make", folder, "3"));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    assert_counts (folder, names[i]);
  assert_same_spans (folder, names[0], names[1]);
  g_autoptr (NprofTestRun) whole = decode (folder, names[0], NULL, NULL);
  g_assert_cmpuint (whole->n_skipped, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_assert_cmpint (g_remove (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_golden (void)
{
  const char *data = g_getenv ("NPROF_TEST_DATA");
  g_autofree char *folder = data ? g_build_filename (data, "..", "golden", "furiosa", NULL) : NULL;
  if (!folder || !g_file_test (folder, G_FILE_TEST_IS_DIR)) {
    g_test_skip ("NPROF_TEST_DATA does not lead to golden/furiosa");
    return;
  }
  assert_counts (folder, "furiosa_0.9_doc.csv");
  assert_counts (folder, "furiosa_0.9_doc.chrome.json");
  assert_same_spans (folder, "furiosa_0.9_doc.csv", "furiosa_0.9_doc.chrome.json");
  g_autoptr (NprofTestRun) run = decode (folder, "furiosa_0.9_doc.csv", NULL, NULL);
  /* format: furiosa.md 1.3: rows that pandas prints, and the sum of a table */
  static const guint rows[] = { 40, 81, 124, 173 };
  static const gint64 ns[] = { 650018, 365199, 258540, 270625 };
  guint n = 0;
  gint64 operators = 0;
  for (guint i = 0; i < run->n_rows; i++) {
    const NprofTestRow *row = &run->rows[i];
    if (g_str_equal (row->name, "Inference")) {
      g_assert_cmpint (row->duration, ==, ns[n] * 1000);
      g_assert_cmpint (g_ascii_strtoll (nprof_test_attr (row, "row"), NULL, 10), ==, rows[n++]);
    }
    operators += g_str_has_prefix (row->name, "LowLevel") ? row->duration : 0;
  }
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpint (operators, ==, 34228000);
  /* this file is made from the numbers of a guide: what its executions belong to is not there */
  g_assert_cmpuint (nprof_test_skips (run, "orphan span"), ==, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  furiosa = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "furiosa");
  g_test_add_func ("/furiosa-data/synthetic", test_synthetic);
  g_test_add_func ("/furiosa-data/golden", test_golden);
  return g_test_run ();
}
