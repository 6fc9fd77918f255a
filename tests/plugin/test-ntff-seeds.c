/* SPDX-License-Identifier: Apache-2.0 */
/* test-ntff-seeds.c - the decoder ntff on files of many seeds, whose field numbers are random:
 * what it finds must equal what the generator put in, to the picosecond.  ntff-make.py is ours;
 * make_ntff.py lies beside the folder that NPROF_TEST_DATA names. */
#include "testhost.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

static JsonObject *
object_of (JsonObject *json, const char *member)
{
  return json_node_get_object (json_object_get_member (json, member));
}

static const struct nprof_component *decoder;

/* -- Running generators -------------------------------------------------------------------- */

static char *
make_folder (void)
{
  GError *error = NULL;
  char *folder = g_dir_make_tmp ("nprof-ntff-XXXXXX", &error);
  g_assert_no_error (error);
  return folder;
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_remove (path);
  }
  g_rmdir (folder);
}

static void
python (const char *const *args)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *errors = NULL;
  GError *error = NULL;
  int status;
  g_ptr_array_add (argv, (gpointer) g_getenv ("PYTHON"));
  for (; *args; args++)
    g_ptr_array_add (argv, (gpointer) *args);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                &errors, &status, &error);
  g_assert_no_error (error);
  if (status)
    g_error ("%s", errors);
}

static NprofTestRun *
decode (const char *folder, const char *name, const NprofTestConfig *config)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *data = NULL;
  gsize len;
  g_assert_true (g_file_get_contents (path, &data, &len, NULL));
  g_assert_cmpint (nprof_test_probe (decoder, data, len, "x"), >=, 50);
  g_assert_cmpint (nprof_test_probe (decoder, data, len, "x"), <=, 60);
  NprofTestRun *run = nprof_test_decode (decoder, NULL, data, len, config);
  nprof_test_assert_ok (run);
  return run;
}

/* -- Counting rows ----------------------------------------------------------------------------- */

static void
add (GHashTable *counts, guint64 n, const char *what, const char *rest, const char *last)
{
  char *key = g_strconcat (what, "\t", rest, last ? "\t" : NULL, last, NULL);
  guint64 *count = g_hash_table_lookup (counts, key);
  if (!count) {
    count = g_new0 (guint64, 1);
    g_hash_table_insert (counts, g_strdup (key), count);
  }
  *count += n;
  g_free (key);
}

/* "NeuronCore 0\tPE" of a row; the name of the queue does not count. */
static char *
place_of (const NprofTestRow *row)
{
  g_auto (GStrv) parts = g_strsplit (row->path, "/", -1);
  guint n = g_strv_length (parts);
  return n >= 3 ? g_strconcat (parts[1], "\t", parts[2], NULL) : g_strdup (n >= 2 ? parts[1] : "");
}

static void
count_span (GHashTable *counts, const NprofTestRow *row, const char *place)
{
  if (row->duration < 0) {
    add (counts, 1, "lost", place, NULL);
    return;
  }
  add (counts, 1, "spans", place, NULL);
  add (counts, (guint64) row->duration, "busy", place, NULL);
  if (nprof_test_attr (row, "opcode"))
    add (counts, 1, "opcode", place, nprof_test_attr (row, "opcode"));
  if (nprof_test_attr (row, "likely_opcode"))
    add (counts, 1, "likely", place, nprof_test_attr (row, "likely_opcode"));
  if (nprof_test_attr (row, "bytes"))
    add (counts, g_ascii_strtoull (nprof_test_attr (row, "bytes"), NULL, 10), "bytes", place, NULL);
}

static void
count_row (GHashTable *counts, const NprofTestRow *row)
{
  g_autofree char *place = place_of (row);
  if (row->kind == NPROF_SPAN && strcmp (row->category, "execution") != 0)
    count_span (counts, row, place);
  else if (row->kind == NPROF_GAP)
    add (counts, 1, "gap", place, NULL);
  else if (row->kind == NPROF_FLOW && strcmp (nprof_test_attr (row, "flow_phase"), "end") == 0)
    add (counts, 1, "flow", strtok (place, "\t"), NULL);
  else if (row->kind == NPROF_INSTANT && strcmp (row->name, "explicit") == 0)
    add (counts, 1, "explicit", place, NULL);
  else if (row->kind == NPROF_INSTANT
           && (strcmp (row->category, "throttle") == 0 || strcmp (row->category, "error") == 0))
    add (counts, 1, row->category, "", NULL);
}

/* -- Our own generator ------------------------------------------------------------------------- */

/* Table ntff_engines says the same as the rows. */
static void
assert_table (const NprofTestRun *run, GHashTable *counts)
{
  static const char *const columns[][2]
      = { { "spans", "instructions" }, { "busy", "total_ns" }, { "lost", "lost_ends" } };
  const NprofTestTable *table = nprof_test_table (run, "ntff_engines");
  g_assert_cmpuint (table->n_rows, >=, 5);
  for (guint i = 0; i < table->n_rows; i++)
    for (guint k = 0; k < G_N_ELEMENTS (columns); k++) {
      g_autofree char *key
          = g_strjoin ("\t", columns[k][0], nprof_test_cell (run, "ntff_engines", i, "core"),
                       nprof_test_cell (run, "ntff_engines", i, "engine"), NULL);
      const guint64 *count = g_hash_table_lookup (counts, key);
      const char *cell = nprof_test_cell (run, "ntff_engines", i, columns[k][1]);
      g_assert_cmpuint (g_ascii_strtoull (cell, NULL, 10), ==, count ? *count : 0);
    }
}

static void
assert_expected (const char *folder, guint seed, const NprofTestConfig *config)
{
  g_autofree char *name = g_strdup_printf ("synthetic_%u.ntff", seed), *data = NULL;
  g_autofree char *expected = g_strdup_printf ("%s/synthetic_%u.tsv", folder, seed);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (NprofTestRun) run = decode (folder, name, config);
  g_assert_true (g_file_get_contents (expected, &data, NULL, NULL));
  for (guint i = 0; i < run->n_rows; i++)
    count_row (counts, &run->rows[i]);
  if (nprof_test_skips (run, "record"))
    add (counts, nprof_test_skips (run, "record"), "odd", "", NULL);
  if (nprof_test_skips (run, "flow of a semaphore set"))
    add (counts, nprof_test_skips (run, "flow of a semaphore set"), "unmatched", "", NULL);
  g_auto (GStrv) lines = g_strsplit (data, "\n", -1);
  guint n = 0;
  for (char **line = lines + 1; *line && **line; line++, n++) {
    char *tab = strrchr (*line, '\t');
    *tab = '\0';
    const guint64 *found = g_hash_table_lookup (counts, *line);
    if (g_ascii_strtoull (tab + 1, NULL, 10) != (found ? *found : 0))
      g_error ("seed %u (%s): %s: %s expected, %" G_GUINT64_FORMAT " found", seed, lines[0], *line,
               tab + 1, found ? *found : 0);
  }
  g_assert_cmpuint (n, ==, g_hash_table_size (counts));
  assert_table (run, counts);
}

/* NTFF_SEEDS asks for more of the random ones than a test run has time for. */
static void
test_own (gconstpointer features)
{
  static const char *const none[] = { NULL };
  const char *seeds = strcmp (features, "random") ? "2"
                      : g_getenv ("NTFF_SEEDS")   ? g_getenv ("NTFF_SEEDS")
                                                  : "24";
  g_autofree char *folder = make_folder ();
  python ((const char *[]){ g_getenv ("NTFF_MAKE"), folder, "--count", seeds, "--size", "150",
                            "--features", features, NULL });
  for (guint seed = 1; seed <= (guint) atoi (seeds); seed++)
    assert_expected (folder, seed, NULL);
  g_autoptr (NprofTestRun) plain
      = decode (folder, "synthetic_1.ntff", &(NprofTestConfig){ .wanted = none, .rows = 7 });
  g_autoptr (NprofTestRun) usual = decode (folder, "synthetic_1.ntff", NULL);
  g_assert_cmpuint (plain->n_rows, ==, usual->n_rows);
  remove_folder (folder);
}

/* -- make_ntff.py ------------------------------------------------------------------------------ */

static const char all_modes[] = "import json, sys\n"
                                "sys.path.insert(0, sys.argv[1])\n"
                                "import make_ntff\n"
                                "for seed in range(50):\n"
                                "    for mode in range(4):\n"
                                "        data, expect = make_ntff.build(seed * 7919 + 13, 120, "
                                "mode & 1, (seed % 3) * 4, mode & 2)\n"
                                "        path = '%s/synthetic_%d_%d' % (sys.argv[2], seed, mode)\n"
                                "        open(path + '.ntff', 'wb').write(data)\n"
                                "        json.dump(expect, open(path + '.json', 'w'))\n";

static void
assert_engine (const NprofTestRun *run, const char *name, JsonObject *expect, gint64 origin,
               gint64 *lost)
{
  gint64 spans = 0, busy = 0, first = G_MAXINT64;
  g_autoptr (GHashTable) opcodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < run->n_rows; i++) {
    const NprofTestRow *row = &run->rows[i];
    if (row->kind != NPROF_SPAN || !g_str_has_suffix (row->path, name)
        || row->path[strlen (row->path) - strlen (name) - 1] != '/')
      continue;
    first = MIN (first, row->start);
    if (row->duration < 0) {
      ++*lost;
      continue;
    }
    spans++;
    busy += row->duration;
    const char *opcode = nprof_test_attr (row, "opcode");
    if (opcode)
      g_hash_table_insert (opcodes, g_strdup (opcode),
                           GUINT_TO_POINTER (
                               GPOINTER_TO_UINT (g_hash_table_lookup (opcodes, opcode)) + 1));
  }
  g_assert_cmpint (spans, ==, json_object_get_int_member_with_default (expect, "spans", -1));
  g_assert_cmpint (busy, ==, json_object_get_int_member_with_default (expect, "busy_ps", -1));
  g_assert_cmpint (first, ==,
                   json_object_get_int_member_with_default (expect, "first_ps", -1) - origin);
  JsonNode *node = json_object_get_member (expect, "by_opcode");
  JsonObject *expected = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  g_assert_cmpuint (g_hash_table_size (opcodes), ==,
                    expected ? json_object_get_size (expected) : 0);
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, opcodes);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_assert_cmpint (json_object_get_int_member_with_default (expected, key, -1), ==,
                     GPOINTER_TO_UINT (value));
}

static void
assert_make_ntff (const char *folder, guint seed, guint mode)
{
  static const char *const engines[] = { "PE", "ACT", "POOL", "DVE", "SP" };
  g_autofree char *name = g_strdup_printf ("synthetic_%u_%u.ntff", seed, mode);
  g_autofree char *path = g_strdup_printf ("%s/synthetic_%u_%u.json", folder, seed, mode);
  g_autofree char *text = NULL;
  gsize len;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (g_file_get_contents (path, &text, &len, NULL));
  g_assert_true (json_parser_load_from_data (parser, text, (gssize) len, NULL));
  JsonObject *expect = json_node_get_object (json_parser_get_root (parser));
  gint64 origin = json_object_get_int_member_with_default (expect, "origin_ps", -1), lost = 0;
  g_autoptr (NprofTestRun) run = decode (folder, name, NULL);
  g_test_message ("seed %u, mode %u", seed, mode);
  for (guint i = 0; i < G_N_ELEMENTS (engines); i++)
    assert_engine (run, engines[i], object_of (object_of (expect, "engines"), engines[i]), origin,
                   &lost);
  g_assert_cmpint (lost, ==, json_object_get_int_member_with_default (expect, "lost_ends", -1));
  g_assert_cmpstr (nprof_test_property (run, "runtime_version"), ==,
                   json_object_get_string_member_with_default (expect, "runtime", NULL));
  g_assert_cmpstr (nprof_test_property (run, "graphs"), ==,
                   json_object_get_string_member_with_default (expect, "graph", NULL));
  g_assert_cmpint (atoi (nprof_test_property (run, "version")), ==,
                   json_object_get_int_member_with_default (expect, "version", -1));
}

static void
test_make_ntff (void)
{
  const char *data = g_getenv ("NPROF_TEST_DATA");
  g_autofree char *tools = data ? g_build_filename (data, "..", "tools", NULL) : NULL;
  g_autofree char *script = tools ? g_build_filename (tools, "make_ntff.py", NULL) : NULL;
  if (!script || !g_file_test (script, G_FILE_TEST_EXISTS)) {
    g_test_skip ("NPROF_TEST_DATA/../tools/make_ntff.py is not here");
    return;
  }
  g_autofree char *folder = make_folder ();
  python ((const char *[]){ "-c", all_modes, tools, folder, NULL });
  for (guint seed = 0; seed < 50; seed++)
    for (guint mode = 0; mode < 4; mode++)
      assert_make_ntff (folder, seed, mode);
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  static const char *const features[] = { "random",          "dma",
                                          "dma,pipelined",   "overflow,lost",
                                          "throttle,odd",    "cores,dma,sync",
                                          "wrap,lost,zeros", "cc,dma,explicit",
                                          "unnamed,dma" };
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PYTHONDONTWRITEBYTECODE", "1", TRUE);
  decoder = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "ntff");
  for (guint i = 0; i < G_N_ELEMENTS (features); i++) {
    g_autofree char *path = g_strconcat ("/ntff/own/", features[i], NULL);
    g_test_add_data_func (path, features[i], test_own);
  }
  g_test_add_func ("/ntff/make_ntff", test_make_ntff);
  return g_test_run ();
}
