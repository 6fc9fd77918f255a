/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-index.c - the folders of plugins, the files in them, and NAME.plugin:
 * {"contract": 1, "components": [{"kind": "decoder", "name": "xplane"}]}; a decoder may also say
 * how its files begin or are called ("magic", "suffixes"), so that it is opened for those only, an
 * analyzer which part it takes in reports ("report", report-part.c).
 * Opening a plugin and choosing between equal names is registry.c's. */

#include "plugin/plugin-index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json-tree.h"
#include "plugin/component.h"
#include "plugin/registry.h"
#include "plugin/trust.h"

#define MAX_INDEX 16384 /* one line is enough */

/* -- Folders --------------------------------------------------------------- */

static void
folder_free (gpointer data)
{
  NpPluginFolder *folder = data;
  g_free (folder->path);
  g_free (folder->problem);
  g_free (folder);
}

static gboolean
has_folder (GPtrArray *folders, const char *path)
{
  for (guint i = 0; i < folders->len; i++)
    if (strcmp (((NpPluginFolder *) folders->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

static void
add_folder (GPtrArray *folders, const char *path, gboolean listed, char *problem)
{
  NpPluginFolder *folder = g_new0 (NpPluginFolder, 1);
  folder->path = g_strdup (path);
  folder->problem = problem;
  folder->listed = listed;
  g_ptr_array_add (folders, folder);
}

/* `from` is what named the folder; `must_exist`: somebody asked for it, so a missing folder is
 * reported. */
static void
consider_folder (GPtrArray *folders, const char *path, const char *from, gboolean must_exist)
{
  if (!g_path_is_absolute (path)) {
    add_folder (folders, path, FALSE,
                g_strdup_printf ("\"%s\" in %s is no full path: plugins are never taken from a "
                                 "folder relative to the current one: write it from /",
                                 path, from));
    return;
  }
  char *real = realpath (path, NULL);
  if (!real) {
    if (must_exist || errno != ENOENT)
      add_folder (folders, path, FALSE,
                  g_strdup_printf ("%s (from %s): %s", path, from, g_strerror (errno)));
    return;
  }
  if (!g_file_test (real, G_FILE_TEST_IS_DIR))
    add_folder (folders, real, FALSE, g_strdup_printf ("%s (from %s) is no folder", path, from));
  else if (!has_folder (folders, real))
    add_folder (folders, real, TRUE, np_trust_problem (real));
  free (real);
}

static void
consider_list (GPtrArray *folders, const char *list, const char *from, gboolean must_exist)
{
  if (!list || !*list)
    return;
  g_auto (GStrv) paths = g_strsplit (list, ":", -1);
  for (guint i = 0; paths[i]; i++)
    consider_folder (folders, paths[i], from, must_exist);
}

static void
consider_user_folder (GPtrArray *folders)
{
  const char *data = g_getenv ("XDG_DATA_HOME");
  if (data && *data) {
    g_autofree char *path = g_build_filename (data, "nprof", "plugins", NULL);
    consider_folder (folders, path, "XDG_DATA_HOME", FALSE);
    return;
  }
  g_autofree char *path
      = g_build_filename (g_get_home_dir (), ".local", "share", "nprof", "plugins", NULL);
  consider_folder (folders, path, "the home folder", FALSE);
}

GPtrArray *
np_plugin_folders (const char *installed)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (folder_free);
  consider_list (folders, g_getenv ("NPROF_PLUGIN_PATH"), "NPROF_PLUGIN_PATH", TRUE);
  consider_user_folder (folders);
  consider_list (folders, installed, "the installation", FALSE);
  return folders;
}

/* -- Files ----------------------------------------------------------------- */

static void
file_free (gpointer data)
{
  NpPluginFile *file = data;
  g_free (file->so);
  g_free (file->index);
  g_free (file);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Returns the names in a folder that may be of plugins, NAME.so and NAME.plugin, sorted. */
static GPtrArray *
plugin_names (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  DIR *dir = opendir (folder);
  if (!dir)
    return names;
  for (struct dirent *e; (e = readdir (dir));)
    if (e->d_name[0] != '.' && e->d_type != DT_DIR
        && (g_str_has_suffix (e->d_name, ".so") || g_str_has_suffix (e->d_name, ".plugin")))
      g_ptr_array_add (names, g_strdup (e->d_name));
  closedir (dir);
  g_ptr_array_sort (names, by_name);
  return names;
}

GPtrArray *
np_plugin_files (const char *folder)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (file_free);
  g_autoptr (GHashTable) by_stem = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = plugin_names (folder);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    char *stem = g_strndup (name, (gsize) (strrchr (name, '.') - name));
    NpPluginFile *file = g_hash_table_lookup (by_stem, stem);
    if (!file) {
      file = g_new0 (NpPluginFile, 1);
      file->so = g_strdup_printf ("%s/%s.so", folder, stem);
      g_ptr_array_add (files, file);
      g_hash_table_insert (by_stem, g_strdup (stem), file);
    }
    g_free (stem);
    if (g_str_has_suffix (name, ".so"))
      file->so_exists = TRUE;
    else
      file->index = g_build_filename (folder, name, NULL);
  }
  return files;
}

/* -- NAME.plugin ----------------------------------------------------------- */

static void
entry_free (gpointer data)
{
  NpPluginEntry *entry = data;
  g_free (entry->kind_name);
  g_free (entry->name);
  g_strfreev (entry->magic);
  g_strfreev (entry->suffixes);
  np_report_part_free (entry->report);
  g_free (entry);
}

static guint
kind_of (const char *name)
{
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++)
    if (strcmp (name, np_kind_name (kind)) == 0)
      return kind;
  return NP_KIND_UNKNOWN;
}

/* Returns NULL when there is no such list of strings. */
static char **
strings_member (const NpJsonTree *object, const char *name)
{
  const NpJsonTree *array = np_json_tree_member (object, name);
  if (!np_json_tree_is (array, NP_JSON_ARRAY))
    return NULL;
  g_autoptr (GPtrArray) strings = g_ptr_array_new ();
  for (const NpJsonTree *item = array->first; item; item = item->next) {
    const char *text = np_json_tree_text (item);
    if (text)
      g_ptr_array_add (strings, g_strdup (text));
  }
  g_ptr_array_add (strings, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&strings), FALSE);
}

/* A magic is pairs of hex digits, with a "-" before the last pair if any: "0a20-7e". */
static gboolean
is_magic (const char *hex)
{
  gsize digits = strspn (hex, "0123456789abcdef"), len = strlen (hex);
  if (!digits || digits % 2)
    return FALSE;
  return digits == len
         || (hex[digits] == '-' && len == digits + 3
             && strspn (hex + digits + 1, "0123456789abcdef") == 2);
}

/* Reads which part an analyzer takes in reports; the first problem counts. */
static void
read_report (NpPluginEntry *entry, const NpJsonTree *part, guint number, char **problem)
{
  g_autofree char *why = NULL;
  entry->report = np_report_part_read (part, &why);
  if (why && !*problem)
    *problem = g_strdup_printf ("component %u: report: %s", number, why);
}

/* Reads the entry of one component; returns NULL and sets a problem when it has another shape. */
static NpPluginEntry *
entry_of (const NpJsonTree *object, guint number, char **problem)
{
  const char *kind = np_json_tree_text (np_json_tree_member (object, "kind"));
  const char *name = np_json_tree_text (np_json_tree_member (object, "name"));
  if (!kind || !name) {
    *problem
        = g_strdup_printf ("component %u: {\"kind\": ..., \"name\": ...} was expected", number);
    return NULL;
  }
  NpPluginEntry *entry = g_new0 (NpPluginEntry, 1);
  entry->kind = kind_of (kind);
  entry->kind_name = g_strdup (kind);
  entry->name = g_strdup (name);
  entry->magic = strings_member (object, "magic");
  entry->suffixes = strings_member (object, "suffixes");
  for (char **magic = entry->magic; magic && *magic; magic++)
    if (!is_magic (*magic) && !*problem)
      *problem = g_strdup_printf ("component %u: magic \"%s\": pairs of hex digits were expected, "
                                  "the last may be a range (\"0a20-7e\")",
                                  number, *magic);
  const NpJsonTree *part = np_json_tree_member (object, "report");
  if (part)
    read_report (entry, part, number, problem);
  if (*problem)
    entry_free (g_steal_pointer (&entry));
  return entry;
}

/* Returns NULL, and a problem, when the document has another shape. */
static GPtrArray *
entries_of (const NpJsonTree *root, char **problem)
{
  const NpJsonTree *list = np_json_tree_member (root, "components");
  if (!np_json_tree_is (list, NP_JSON_ARRAY)) {
    *problem = g_strdup ("{\"contract\": 1, \"components\": [...]} was expected");
    return NULL;
  }
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  guint number = 0;
  for (const NpJsonTree *item = list->first; item; item = item->next) {
    NpPluginEntry *entry = entry_of (item, ++number, problem);
    if (!entry)
      return NULL;
    g_ptr_array_add (entries, entry);
  }
  return g_steal_pointer (&entries);
}

/* Reads a small file whole; -1 with errno, EFBIG when it does not fit. */
static gssize
read_small (const char *path, char *buffer, gsize size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -1;
  gsize len = 0;
  gssize n = 0;
  while (len < size && (n = read (fd, buffer + len, size - len)) != 0) {
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      break;
    len += (gsize) n;
  }
  int err = len == size ? EFBIG : n < 0 ? errno : 0;
  close (fd);
  errno = err;
  return err ? -1 : (gssize) len;
}

/* Returns NULL, and a problem, when it is no such document. */
static GPtrArray *
parse (const char *text, gsize len, char **problem)
{
  g_autoptr (NpJsonTree) root = np_json_tree_parse (text, len, problem);
  return root ? entries_of (root, problem) : NULL;
}

GPtrArray *
np_plugin_index_read (const char *path, char **problem)
{
  char text[MAX_INDEX];
  g_autofree char *why = NULL;
  gssize len = read_small (path, text, sizeof text);
  GPtrArray *entries = NULL;
  if (len < 0)
    why = g_strdup (g_strerror (errno));
  else
    entries = parse (text, (gsize) len, &why);
  if (!entries)
    *problem = g_strdup_printf ("%s: %s: build the plugin again, or remove this file so that the "
                                ".so itself is asked",
                                path, why);
  return entries;
}
