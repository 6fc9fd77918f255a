/* SPDX-License-Identifier: Apache-2.0 */
/* test-registry.c - which plugin is found, which is refused, and what is said about it.
 * The plugins come from tests/unit/plugins and are copied into folders of the test. */

#include "plugin/registry.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "plugin/component.h"
#include "plugin/plugin-index.h"

#define GOOD_INDEX "[decoder good]\n[analyzer counter]\n[sink good]\n"

typedef struct {
  char *root, *first, *second, *third; /* NPROF_PLUGIN_PATH, user's, installed */
  NpRegistry *modules;
} Fixture;

static void
remove_tree (const char *path)
{
  GDir *dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *inner = g_build_filename (path, name, NULL);
    remove_tree (inner);
  }
  if (dir)
    g_dir_close (dir);
  g_remove (path);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *tmp = g_dir_make_tmp ("nprof-module-XXXXXX", NULL);
  f->root = g_strdup (tmp);
  f->first = g_build_filename (f->root, "first", NULL);
  f->second = g_build_filename (f->root, "data", "nprof", "plugins", NULL);
  f->third = g_build_filename (f->root, "installed", NULL);
  g_mkdir_with_parents (f->first, 0755);
  g_mkdir_with_parents (f->second, 0755);
  g_mkdir_with_parents (f->third, 0755);
  g_autofree char *home = g_build_filename (f->root, "data", NULL);
  g_setenv ("NPROF_PLUGIN_PATH", f->first, TRUE);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_registry_free (f->modules);
  remove_tree (f->root);
  g_free (f->root);
  g_free (f->first);
  g_free (f->second);
  g_free (f->third);
}

static char *
put_bytes (const char *folder, const char *name, const char *bytes, gssize len)
{
  char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, bytes, len, NULL));
  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  return path;
}

static void
put (const char *folder, const char *name, const char *text)
{
  g_free (put_bytes (folder, name, text, -1));
}

/* Copies a built plugin into a folder, as FILE.so. */
static void
put_plugin (const char *folder, const char *plugin, const char *file)
{
  g_autofree char *from_name = g_strconcat (plugin, ".so", NULL);
  g_autofree char *to_name = g_strconcat (file, ".so", NULL);
  g_autofree char *from = g_test_build_filename (G_TEST_BUILT, "plugins", from_name, NULL);
  g_autofree char *bytes = NULL;
  gsize len;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (from, &bytes, &len, &error);
  g_assert_no_error (error);
  g_free (put_bytes (folder, to_name, bytes, (gssize) len));
}

static void
look (Fixture *f)
{
  np_registry_free (f->modules);
  f->modules = np_registry_new (f->third);
}

static const NpRegistryEntry *
nth (Fixture *f, guint i)
{
  GPtrArray *all = np_registry_all (f->modules);
  g_assert_cmpuint (i, <, all->len);
  return all->pdata[i];
}

static const NpRegistryEntry *
get (Fixture *f, guint kind, const char *name)
{
  g_autoptr (GError) error = NULL;
  const NpRegistryEntry *m = np_registry_get (f->modules, kind, name, &error);
  g_assert_no_error (error);
  g_assert_nonnull (m->component);
  return m;
}

static void
assert_part (const char *text, const char *part)
{
  if (!text || !strstr (text, part))
    g_error ("\"%s\" was expected in \"%s\"", part, text ? text : "(null)");
}

static void
refuse (Fixture *f, guint kind, const char *name, NpExit code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (np_registry_get (f->modules, kind, name, &error));
  g_assert_error (error, NP_ERROR, (int) code);
  assert_part (error->message, part);
}

/* The problem of the first entry with this name. */
static void
check_problem (Fixture *f, const char *name, const char *part)
{
  GPtrArray *all = np_registry_all (f->modules);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (strcmp (m->name, name) == 0) {
      assert_part (m->problem, part);
      return;
    }
  }
  g_error ("no entry \"%s\"", name);
}

/* -- Finding --------------------------------------------------------------- */

static void
test_index_opens_late (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->third, "good", "good");
  put (f->third, "good.plugin", GOOD_INDEX);
  put (f->third, "notes.txt", "no plugin");
  look (f);
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_null (nth (f, i)->plugin);

  const NpRegistryEntry *m = get (f, NPROF_SINK, "good");
  g_assert_cmpuint (m->component->kind, ==, NPROF_SINK);
  g_assert_cmpstr (m->component->default_name, ==, "good.txt");
  g_assert_cmpstr (m->plugin->version, ==, "1.2");
  g_assert_nonnull (nth (f, 0)->component);
  g_assert_true (np_registry_get (f->modules, NPROF_SINK, "good", NULL) == m);
}

/* Is the only decoder opened for this file?  It is in the list either way. */
static gboolean
opens_for (Fixture *f, const char *hints, const char *path, const char *head)
{
  g_autofree char *index = g_strconcat ("[decoder good]\n", hints, NULL);
  put_plugin (f->third, "good", "good");
  put (f->third, "good.plugin", index);
  look (f);
  g_autoptr (GPtrArray) decoders = np_registry_decoders (f->modules, path, head, strlen (head));
  g_assert_cmpuint (decoders->len, ==, 1);
  return ((const NpRegistryEntry *) decoders->pdata[0])->component != NULL;
}

static void
test_magic (Fixture *f, gconstpointer data)
{
  (void) data;
  const char *magic = "magic=5041;0a20-7e\n";
  g_assert_true (opens_for (f, "", "a", "anything"));
  g_assert_true (opens_for (f, magic, "a", "PAR1"));
  g_assert_true (opens_for (f, magic, "a", "PA"));
  g_assert_false (opens_for (f, magic, "a", "P"));
  g_assert_false (opens_for (f, magic, "a", "PB"));
  g_assert_false (opens_for (f, magic, "a", ""));
  g_assert_true (opens_for (f, magic, "a", "\n "));
  g_assert_true (opens_for (f, magic, "a", "\n~"));
  g_assert_false (opens_for (f, magic, "a", "\n\x7f"));
  g_assert_false (opens_for (f, magic, "a", "\n\x1f"));
  const char *suffix = "magic=5041\nsuffixes=.one;.two\n";
  g_assert_true (opens_for (f, suffix, "a.two", "x"));
  g_assert_false (opens_for (f, suffix, "a.three", "x"));
  g_assert_true (opens_for (f, "suffixes=.one\n", "a", "x")); /* no magic: any file */
}

static void
test_without_index (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "any-name");
  look (f);
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 3);
  g_assert_nonnull (nth (f, 0)->component);
  get (f, NPROF_DECODER, "good");
}

static void
test_first_wins (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "good");
  put_plugin (f->second, "good", "good");
  put (f->second, "good.plugin", GOOD_INDEX);
  put_plugin (f->third, "good", "good");
  put (f->third, "good.plugin", GOOD_INDEX);
  look (f);
  g_assert_true (g_str_has_suffix (get (f, NPROF_DECODER, "good")->file, "/first/good.so"));
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 9);
  assert_part (nth (f, 3)->file, "/data/nprof/plugins/good.so");
  assert_part (nth (f, 3)->problem, "hidden by ");
  assert_part (nth (f, 3)->problem, "/first/good.so");
  assert_part (nth (f, 8)->file, "/installed/good.so");

  g_autoptr (GPtrArray) sinks = np_registry_of_kind (f->modules, NPROF_SINK);
  g_assert_cmpuint (sinks->len, ==, 1);
}

static void
test_of_kind_is_sorted (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "old", "z-first");
  put_plugin (f->second, "good", "a");
  put (f->second, "a.plugin", GOOD_INDEX);
  put_plugin (f->third, "future", "f");
  look (f);
  g_autoptr (GPtrArray) sinks = np_registry_of_kind (f->modules, NPROF_SINK);
  g_assert_cmpuint (sinks->len, ==, 3);
  g_assert_cmpstr (((NpRegistryEntry *) sinks->pdata[0])->name, ==, "future");
  g_assert_cmpstr (((NpRegistryEntry *) sinks->pdata[1])->name, ==, "good");
  g_assert_cmpstr (((NpRegistryEntry *) sinks->pdata[2])->name, ==, "old");
  g_assert_nonnull (((NpRegistryEntry *) sinks->pdata[1])->component);
}

static void
test_files_in_byte_order (Fixture *f, gconstpointer data)
{
  (void) data;
  put (f->first, ".hidden.so", "");
  for (guint i = 0; i < 50; i++) {
    g_autofree char *name = g_strdup_printf ("p%02u.%s", i * 17 % 50, i & 1 ? "so" : "plugin");
    put (f->first, name, "");
  }
  g_autoptr (GPtrArray) files = np_plugin_files (f->first);
  g_assert_cmpuint (files->len, ==, 50);
  for (guint i = 0; i < 50; i++) {
    const NpPluginFile *file = files->pdata[i];
    g_autofree char *name = g_strdup_printf ("/first/p%02u.so", i);
    g_assert_true (g_str_has_suffix (file->so, name));
    g_assert_true (file->so_exists == !file->index);
  }
}

static void
test_folders_that_are_not_taken (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->root, "good", "good");
  g_autofree char *old = g_get_current_dir ();
  g_autofree char *missing = g_build_filename (f->root, "missing", NULL);
  g_autofree char *file = g_build_filename (f->root, "good.so", NULL);
  g_autofree char *twice = g_build_filename (f->first, "..", "first", NULL);
  g_autofree char *path = g_strjoin (":", ".", "", "first", missing, file, f->first, twice, NULL);
  put_plugin (f->first, "old", "old");
  g_setenv ("NPROF_PLUGIN_PATH", path, TRUE);
  g_assert_cmpint (g_chdir (f->root), ==, 0);
  look (f);
  g_assert_cmpint (g_chdir (old), ==, 0);

  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 6);
  assert_part (nth (f, 0)->problem, "\".\" in NPROF_PLUGIN_PATH is no full path");
  g_assert_cmpstr (nth (f, 0)->file, ==, ".");
  assert_part (nth (f, 1)->problem, "\"\" in NPROF_PLUGIN_PATH is no full path");
  assert_part (nth (f, 2)->problem, "\"first\" in NPROF_PLUGIN_PATH is no full path");
  assert_part (nth (f, 3)->problem, "missing (from NPROF_PLUGIN_PATH): No such file");
  assert_part (nth (f, 4)->problem, "good.so (from NPROF_PLUGIN_PATH) is no folder");
  g_assert_cmpstr (nth (f, 5)->name, ==, "old");
  refuse (f, NPROF_SINK, "good", NP_EXIT_USAGE, "no sink named \"good\"");
}

static void
test_nothing_anywhere (Fixture *f, gconstpointer data)
{
  (void) data;
  g_setenv ("NPROF_PLUGIN_PATH", "", TRUE);
  g_setenv ("XDG_DATA_HOME", "relative", TRUE);
  f->modules = np_registry_new (NULL);
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 1);
  assert_part (nth (f, 0)->problem, "in XDG_DATA_HOME is no full path");
  g_autoptr (GPtrArray) none = np_registry_of_kind (f->modules, NPROF_DECODER);
  g_assert_cmpuint (none->len, ==, 0);
  np_registry_free (NULL);
}

static void
test_installed_is_a_list (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->second, "old", "old");
  put_plugin (f->third, "good", "good");
  g_unsetenv ("NPROF_PLUGIN_PATH");
  g_setenv ("XDG_DATA_HOME", f->first, TRUE);
  g_autofree char *list = g_strjoin (":", f->second, f->third, NULL);
  f->modules = np_registry_new (list);
  get (f, NPROF_SINK, "old");
  get (f, NPROF_SINK, "good");
}

static void
test_unknown_names (Fixture *f, gconstpointer data)
{
  (void) data;
  put (f->third, "x.plugin", "[decoder xplane]\n[analyzer latency]\n");
  look (f);
  refuse (f, NPROF_DECODER, "xplain", NP_EXIT_USAGE,
          "no decoder named \"xplain\": did you mean xplane? (nprof plugins lists them; "
          "NPROF_PLUGIN_PATH adds folders)");
  refuse (f, NPROF_DECODER, "zzz", NP_EXIT_USAGE,
          "no decoder named \"zzz\" (nprof plugins lists them; NPROF_PLUGIN_PATH adds folders)");
  refuse (f, NPROF_SINK, "latency", NP_EXIT_USAGE,
          "no sink named \"latency\": it is the name of an analyzer (");
  put (f->third, "y.so", "nonsense");
  look (f);
  refuse (f, NPROF_DECODER, "zzz", NP_EXIT_USAGE,
          "(nprof plugins lists them, and 1 that cannot be used; NPROF_PLUGIN_PATH");
}

/* -- NAME.plugin ----------------------------------------------------------- */

static void
test_index_disagrees (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "good");
  put (f->first, "good.plugin", "[decoder good]\n[sink ghost]\n[viewer odd]\n");
  look (f);
  g_assert_null (nth (f, 0)->problem);
  g_assert_null (nth (f, 1)->problem);
  check_problem (f, "odd", "its kind \"viewer\" is not known to this nprof: skipped");
  get (f, NPROF_DECODER, "good");
  refuse (f, NPROF_SINK, "ghost", NP_EXIT_PLUGIN,
          "first/good.plugin lists it, but the file does not hold it: build the plugin again");
  refuse (f, NPROF_ANALYZER, "counter", NP_EXIT_PLUGIN,
          "first/good.plugin does not list it: build the plugin again");
}

static void
test_damaged_index (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *large = g_strnfill (16384, ' ');
  const char *const damaged[][2] = {
    { "", "a group [KIND NAME] for each component was expected" },
    { "# only this\n", "a group [KIND NAME] for each component was expected" },
    { "[decoder a", "build the plugin again" },
    { "name=a\n", "build the plugin again" },
    { "{\"contract\": 1, \"components\": []}", "build the plugin again" },
    { "[decoder a]\nmagic=0\n", "[decoder a]: magic \"0\": pairs of hex digits were expected" },
    { "[decoder a]\nmagic=00-\n", "[decoder a]: magic \"00-\": pairs of hex digits were expected" },
    { "[decoder a]\nmagic=00;-00\n",
      "[decoder a]: magic \"-00\": pairs of hex digits were expected" },
    { "[decoder a]\nsuffixes=.a\\q\n",
      "[decoder a]: suffixes: texts with \";\" between them were expected" },
    { "[decoder]\n", "[decoder]: [KIND NAME] was expected" },
    { "[decoder ]\n", "[decoder ]: [KIND NAME] was expected" },
    { "[ a]\n", "[ a]: [KIND NAME] was expected" },
    { "[sink a]\n[sink \xff]\n", "it is no text in UTF-8" },
    { "\x7f"
      "ELF",
      "or remove this file so that the .so itself is asked" },
    { large, "File too large" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++) {
    put_plugin (f->first, "good", "good");
    put (f->first, "good.plugin", damaged[i][0]);
    look (f);
    g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 1);
    g_assert_cmpuint (nth (f, 0)->kind, ==, NP_KIND_UNKNOWN);
    assert_part (nth (f, 0)->problem, "first/good.plugin: ");
    assert_part (nth (f, 0)->problem, damaged[i][1]);
  }
}

static void
test_index_alone (Fixture *f, gconstpointer data)
{
  (void) data;
  put (f->first, "good.plugin", GOOD_INDEX);
  look (f);
  refuse (f, NPROF_SINK, "good", NP_EXIT_PLUGIN,
          "first/good.plugin lists it, but there is no such file: build the plugin");
}

/* -- The order of questions ------------------------------------------------ */

#define MODEL_IN_FOLDER 4
#define MODEL_FILES (3 * MODEL_IN_FOLDER)
#define MODEL_NAMES 5
#define MODEL_COMPONENTS (2 * MODEL_NAMES) /* decoders a to e, sinks a to e */

typedef struct { /* a NAME.plugin without a .so, so that errors tell which one was taken */
  char *so;
  const char *name;
  gboolean damaged;
  gboolean lists[MODEL_COMPONENTS];
} ModelFile;

static guint
model_kind (guint component)
{
  return component < MODEL_NAMES ? NPROF_DECODER : NPROF_SINK;
}

static void
model_name (guint component, char name[2])
{
  name[0] = (char) ('a' + component % MODEL_NAMES);
  name[1] = 0;
}

static void
model_file_make (Fixture *f, ModelFile *file, guint i)
{
  const char *const folders[] = { f->first, f->second, f->third };
  static const char *const file_names[MODEL_IN_FOLDER] = { "0", "b", "c.x", "d" }; /* in order */
  const char *folder = folders[i / MODEL_IN_FOLDER];
  file->name = file_names[i % MODEL_IN_FOLDER];
  g_autofree char *index = g_strconcat (file->name, ".plugin", NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  char name[2];
  file->so = g_strdup_printf ("%s/%s.so", folder, file->name);
  for (guint c = 0; c < MODEL_COMPONENTS; c++) {
    file->lists[c] = g_test_rand_int_range (0, 4) == 0;
    model_name (c, name);
    if (file->lists[c])
      g_string_append_printf (text, "[%s %s]\n", np_kind_name (model_kind (c)), name);
  }
  file->damaged = !text->len || g_test_rand_int_range (0, 6) == 0;
  if (file->damaged)
    g_string_append (text, "[sink");
  g_autofree char *path = g_build_filename (folder, index, NULL);
  /* Not as put does, which waits for the disk: there are hundreds of them. */
  FILE *out = fopen (path, "we");
  g_assert_nonnull (out);
  g_assert_cmpuint (fwrite (text->str, 1, text->len, out), ==, text->len);
  g_assert_cmpint (fclose (out), ==, 0);
}

/* Returns MODEL_FILES when no file that can be used lists it. */
static guint
model_winner (const ModelFile *files, guint component)
{
  guint won = MODEL_FILES;
  char name[2];
  model_name (component, name);
  for (guint i = MODEL_FILES; i--;) {
    gboolean in_folder = won / MODEL_IN_FOLDER == i / MODEL_IN_FOLDER;
    gboolean stays = in_folder && strcmp (files[won].name, name) == 0;
    if (!files[i].damaged && files[i].lists[component] && !stays)
      won = i;
  }
  return won;
}

static void
model_ask (Fixture *f, const ModelFile *files)
{
  char name[2];
  guint c = (guint) g_test_rand_int_range (0, MODEL_COMPONENTS), won = model_winner (files, c);
  model_name (c, name);
  if (won == MODEL_FILES) /* a damaged file of the name may hold it */
    for (won = 0;
         won < MODEL_FILES && !(files[won].damaged && strcmp (files[won].name, name) == 0);)
      won++;
  if (won < MODEL_FILES)
    refuse (f, model_kind (c), name, NP_EXIT_PLUGIN, files[won].so);
  else
    refuse (f, model_kind (c), name, NP_EXIT_USAGE, "no ");
}

static void
model_check_entry (const ModelFile *files, guint i, guint component, const NpRegistryEntry *entry)
{
  guint won = model_winner (files, component);
  g_autofree char *hidden = g_strconcat ("hidden by ", files[won].so, NULL);
  char name[2];
  model_name (component, name);
  g_assert_cmpuint (entry->kind, ==, model_kind (component));
  g_assert_cmpstr (entry->name, ==, name);
  g_assert_cmpstr (entry->file, ==, files[i].so);
  assert_part (entry->problem, won != i ? hidden : "lists it, but there is no such file");
}

static void
model_check_list (Fixture *f, const ModelFile *files)
{
  guint n = 0;
  for (guint i = 0; i < MODEL_FILES; i++) {
    if (files[i].damaged) {
      g_assert_cmpuint (nth (f, n)->kind, ==, NP_KIND_UNKNOWN);
      g_assert_cmpstr (nth (f, n++)->file, ==, files[i].so);
      continue;
    }
    for (guint c = 0; c < MODEL_COMPONENTS; c++)
      if (files[i].lists[c])
        model_check_entry (files, i, c, nth (f, n++));
  }
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, n);
}

/* Whatever was asked for before, the same file wins a name, and the list is the same. */
static void
test_any_order_of_questions (Fixture *f, gconstpointer data)
{
  (void) data;
  for (guint round = 0; round < 40; round++) {
    ModelFile files[MODEL_FILES];
    for (guint i = 0; i < MODEL_FILES; i++)
      model_file_make (f, &files[i], i);
    look (f);
    for (guint n = round % 8; n; n--)
      model_ask (f, files);
    model_check_list (f, files);
    for (guint i = 0; i < MODEL_FILES; i++)
      g_free (files[i].so);
  }
}

/* A plugin that was opened for one name may hold another that a later folder lists. */
static void
test_listed_before_unlisted (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "good");
  put (f->first, "good.plugin", "[decoder good]\n");
  put (f->third, "other.plugin", "[sink good]\n");
  look (f);
  get (f, NPROF_DECODER, "good");
  refuse (f, NPROF_SINK, "good", NP_EXIT_PLUGIN, "installed/other.plugin lists it, but");
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 4);
  g_assert_cmpstr (nth (f, 1)->name, ==, "good");
  assert_part (nth (f, 1)->file, "installed/other.so");
  assert_part (nth (f, 2)->problem, "first/good.plugin does not list it");
  assert_part (nth (f, 3)->problem, "hidden by ");
  assert_part (nth (f, 3)->problem, "installed/other.so");
}

/* -- Opening --------------------------------------------------------------- */

static void
test_no_plugin (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "nosymbol", "nosymbol");
  put_plugin (f->first, "major2", "major2");
  put_plugin (f->first, "undefined", "undefined");
  put_plugin (f->first, "null", "null");
  put (f->first, "text.so",
       "this is no shared object, only some text that is long enough to hold "
       "an ELF header\n");
  put (f->first, "empty.so", "");
  look (f);
  g_assert_cmpuint (np_registry_all (f->modules)->len, ==, 6);
  check_problem (f, "nosymbol", "not an nprof plugin (no symbol nprof_plugin_v1)");
  check_problem (f, "major2",
                 "it speaks version 2 of the plugin contract (symbol nprof_plugin_v2), "
                 "this nprof version 1: use a newer nprof");
  check_problem (f, "undefined", "undefined symbol: nobody_defines_this: link the plugin with");
  check_problem (f, "null", "nprof_plugin_v1() returned NULL");
  check_problem (f, "text", "it is no shared object (ELF)");
  check_problem (f, "empty", "it is no shared object (ELF)");
}

static void
test_listed_but_broken (Fixture *f, gconstpointer data)
{
  (void) data;
  put (f->first, "good.so", "nonsense");
  put (f->first, "good.plugin", GOOD_INDEX);
  look (f);
  for (guint i = 0; i < 2; i++)
    refuse (f, NPROF_SINK, "good", NP_EXIT_PLUGIN,
            "first/good.so: it is no shared object (ELF): build the plugin again");
  refuse (f, NPROF_ANALYZER, "counter", NP_EXIT_PLUGIN, "analyzer counter: ");
}

static void
test_other_machine (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *from = g_test_build_filename (G_TEST_BUILT, "plugins", "good.so", NULL);
  g_autofree char *bytes = NULL;
  gsize len;
  g_assert_true (g_file_get_contents (from, &bytes, &len, NULL));
  bytes[G_STRUCT_OFFSET (Elf64_Ehdr, e_machine)] ^= 0x55;
  g_free (put_bytes (f->first, "other.so", bytes, (gssize) len));
  look (f);
  check_problem (f, "other", "it was built for another machine (ELF class ");
}

static void
test_older_and_newer (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "old", "old");
  put_plugin (f->first, "future", "future");
  look (f);
  const struct nprof_component *old = get (f, NPROF_SINK, "old")->component;
  g_assert_cmpuint (old->size, ==, sizeof *old);
  g_assert_nonnull (old->finish);
  g_assert_true (!old->abort && !old->close && !old->save && !old->merge);

  const struct nprof_component *new = get (f, NPROF_SINK, "future")->component;
  g_assert_cmpuint (new->size, ==, sizeof *new);
  g_assert_cmpstr (new->options[0]->name, ==, "known");
  g_assert_null (new->options[1]);
  g_assert_null (new->attributes[0]);
  check_problem (f, "viewer", "its kind 7 is not known to this nprof: skipped");
}

static void
test_broken_components (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "broken", "broken");
  look (f);
  static const char *const rules[][2] = {
    { "two-lines", "breaks the contract: it needs a summary of one line" },
    { "no-size", "its instance_size is 0, at least 1 is needed" },
    { "no-consume", "it has no function consume" },
    { "bad-order", "it asks for the unknown order 9" },
    { "bad-context", "it has NPROF_ANALYZER_CONTEXT and asks for NPROF_ORDER_TRACK" },
    { "no-default", "it writes a file but has no default_name" },
    { "outside", "its default_name \"../x\" holds / or .." },
    { "bad-option", "option a: its preset \"10\" is not a whole number in 1..9" },
    { "bad-type", "option odd has the unknown type 99" },
    { "twice", "the file holds two components of this name" },
    { "bad-attribute", "attribute k has the unknown type 0" },
    { "same-attribute", "attribute k is declared twice" },
    { "bad-table", "breaks the contract: " },
    { "half-merge", "it has one of save and merge: both or none are needed" },
    { "bad-order-option", "its order_option \"order\" names no option of type CHOICE" },
    { "bad-wants", "key 1 of its wants is empty" },
    { "no-probe", "it has no function probe" },
    { "no-decode", "it needs decode, or plan and decode_part, not both" },
    { "both-ways", "it needs decode, or plan and decode_part, not both" },
    { "join-alone", "it has join without plan and decode_part" },
    { "half-parallel", "both or none are needed" },
    { "broken", "component 2: its name \"Bad_Name\" is not of a-z, 0-9 and -, nor vendor.name" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    check_problem (f, rules[i][0], rules[i][1]);
  GPtrArray *all = np_registry_all (f->modules);
  assert_part (nth (f, 2)->problem, "component 3: its name (NULL)");
  assert_part (nth (f, all->len - 1)->problem, "component 26: its size 8 is too small");
  get (f, NPROF_SINK, "no-rule-broken");
  refuse (f, NPROF_SINK, "no-consume", NP_EXIT_PLUGIN,
          "first/broken.so: breaks the contract: it has no function consume");
}

/* -- Trust ----------------------------------------------------------------- */

static void
test_refused_folder (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "good");
  put (f->first, "good.plugin", GOOD_INDEX);
  put_plugin (f->first, "old", "unlisted");
  put_plugin (f->third, "good", "good");
  put (f->third, "good.plugin", GOOD_INDEX);
  g_assert_cmpint (g_chmod (f->first, 0757), ==, 0);
  look (f);
  /* no other of the name is taken in its stead */
  refuse (f, NPROF_SINK, "good", NP_EXIT_PLUGIN, "/first is writable by everybody: chmod go-w '");
  check_problem (f, "unlisted", "refused: ");
  g_assert_null (nth (f, 3)->plugin);
  g_autoptr (GPtrArray) sinks = np_registry_of_kind (f->modules, NPROF_SINK);
  g_assert_cmpuint (sinks->len, ==, 0);
}

static void
test_refused_file (Fixture *f, gconstpointer data)
{
  (void) data;
  put_plugin (f->first, "good", "good");
  put (f->first, "good.plugin", GOOD_INDEX);
  g_autofree char *path = g_build_filename (f->first, "good.so", NULL);
  g_assert_cmpint (g_chmod (path, 0666), ==, 0);
  look (f);
  refuse (f, NPROF_DECODER, "good", NP_EXIT_PLUGIN, "first/good.so: refused: ");
  g_assert_null (nth (f, 0)->plugin);

  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  look (f);
  get (f, NPROF_DECODER, "good");
}

static void
test_refused_link (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autofree char *open = g_build_filename (f->root, "open", NULL);
  g_mkdir_with_parents (open, 0755);
  put_plugin (open, "good", "good");
  g_autofree char *target = g_build_filename (open, "good.so", NULL);
  g_autofree char *link = g_build_filename (f->first, "good.so", NULL);
  g_assert_cmpint (symlink (target, link), ==, 0);
  look (f);
  get (f, NPROF_DECODER, "good");
  g_assert_cmpint (g_chmod (open, 0777), ==, 0);
  look (f);
  check_problem (f, "good", "/open is writable by everybody");
}

static void
test_kind_names (void)
{
  g_assert_cmpstr (np_kind_name (NPROF_DECODER), ==, "decoder");
  g_assert_cmpstr (np_kind_name (NPROF_ANALYZER), ==, "analyzer");
  g_assert_cmpstr (np_kind_name (NPROF_SINK), ==, "sink");
  g_assert_cmpstr (np_kind_name (NP_KIND_UNKNOWN), ==, "plugin");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add ("/module/" name, Fixture, NULL, set_up, fn, tear_down)
  ADD ("index-opens-late", test_index_opens_late);
  ADD ("magic", test_magic);
  ADD ("without-index", test_without_index);
  ADD ("first-wins", test_first_wins);
  ADD ("of-kind", test_of_kind_is_sorted);
  ADD ("byte-order", test_files_in_byte_order);
  ADD ("folders-not-taken", test_folders_that_are_not_taken);
  ADD ("nothing", test_nothing_anywhere);
  ADD ("installed-list", test_installed_is_a_list);
  ADD ("unknown-names", test_unknown_names);
  ADD ("index-disagrees", test_index_disagrees);
  ADD ("damaged-index", test_damaged_index);
  ADD ("index-alone", test_index_alone);
  ADD ("any-order", test_any_order_of_questions);
  ADD ("listed-first", test_listed_before_unlisted);
  ADD ("no-plugin", test_no_plugin);
  ADD ("listed-but-broken", test_listed_but_broken);
  ADD ("other-machine", test_other_machine);
  ADD ("older-and-newer", test_older_and_newer);
  ADD ("broken-components", test_broken_components);
  ADD ("refused-folder", test_refused_folder);
  ADD ("refused-file", test_refused_file);
  ADD ("refused-link", test_refused_link);
  g_test_add_func ("/module/kind-names", test_kind_names);
  return g_test_run ();
}
