/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-index.c - the folders of plugins, the files in them, and NAME.plugin: a key file with a
 * group for each component, as [decoder xplane]. A decoder may say in it how its files begin or are
 * called (magic, suffixes), so that it is opened for those only, an analyzer which part it takes in
 * reports (report-part.c); [view TABLE] is what a page shows of a table (table-view.c). Opening a
 * plugin and choosing between equal names is registry.c's. */

#include "plugin/plugin-index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/component.h"
#include "plugin/registry.h"
#include "plugin/trust.h"
#include "system/by-text.h"

#define MAX_INDEX 16384 /* a few lines are enough */

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

static const char *
data_home (void)
{
  const char *data = g_getenv ("XDG_DATA_HOME");
  return data && *data ? data : NULL;
}

char *
np_plugin_user_folder (void)
{
  if (data_home ())
    return g_build_filename (data_home (), "nprof", "plugins", NULL);
  return g_build_filename (g_get_home_dir (), ".local", "share", "nprof", "plugins", NULL);
}

static void
consider_user_folder (GPtrArray *folders)
{
  g_autofree char *path = np_plugin_user_folder ();
  consider_folder (folders, path, data_home () ? "XDG_DATA_HOME" : "the home folder", FALSE);
}

GPtrArray *
np_plugin_folders (const char *installed)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (folder_free);
  consider_list (folders, g_getenv ("NPROF_PLUGIN_PATH"), "NPROF_PLUGIN_PATH", TRUE);
  consider_user_folder (folders);
  const guint first = folders->len;
  consider_list (folders, installed, "the installation", FALSE);
  for (guint i = first; i < folders->len; i++)
    ((NpPluginFolder *) folders->pdata[i])->bundled = TRUE;
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
  g_ptr_array_sort (names, np_by_text);
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
      file->so = g_strconcat (folder, "/", stem, ".so", NULL);
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
  g_free (entry->unknown);
  np_report_part_free (entry->report);
  g_clear_pointer (&entry->view, np_table_view_free);
  g_free (entry);
}

static guint
kind_of (const char *name)
{
  for (guint kind = NPROF_DECODER; kind <= NPROF_SINK; kind++)
    if (strcmp (name, np_kind_name (kind)) == 0)
      return kind;
  return strcmp (name, "view") ? NP_KIND_UNKNOWN : NP_KIND_VIEW;
}

/* Returns NULL when there is no such key; or it is no list, which is a problem. */
static char **
list_of (GKeyFile *file, const char *group, const char *key, char **problem)
{
  if (!g_key_file_has_key (file, group, key, NULL))
    return NULL;
  char **list = g_key_file_get_string_list (file, group, key, NULL, NULL);
  if (!list && !*problem)
    *problem = g_strdup_printf ("%s: texts with \";\" between them were expected", key);
  return list;
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

static void
read_magic (NpPluginEntry *entry, GKeyFile *file, const char *group, char **problem)
{
  entry->magic = list_of (file, group, "magic", problem);
  for (char **magic = entry->magic; magic && *magic; magic++)
    if (!is_magic (*magic) && !*problem)
      *problem
          = g_strdup_printf ("magic \"%s\": pairs of hex digits were expected, the last may be a "
                             "range (\"0a20-7e\")",
                             *magic);
}

/* Reads which part an analyzer takes in reports; the first problem counts. */
static void
read_report (NpPluginEntry *entry, GKeyFile *file, const char *group, char **problem)
{
  g_autofree char *why = NULL;
  entry->report = np_report_part_read (file, group, &why);
  if (why && !*problem)
    *problem = g_steal_pointer (&why);
}

/* A later nprof may have more, so that an unknown key is no problem here: nprof check tells it. */
static char *
unknown_key (GKeyFile *file, const char *group, guint kind)
{
  static const char *const of_decoders[] = { "magic", "suffixes", NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (char **key = keys; key && *key; key++)
    if (!(kind == NPROF_DECODER && g_strv_contains (of_decoders, *key))
        && !(kind == NPROF_ANALYZER && np_report_part_is_key (*key))
        && !(kind == NP_KIND_VIEW && np_table_view_is_key (*key)))
      return g_strdup (*key);
  return NULL;
}

/* Reads the group of one component; returns NULL and sets a problem when it has another shape. */
static NpPluginEntry *
entry_of (GKeyFile *file, const char *group, char **problem)
{
  const char *blank = strchr (group, ' ');
  g_autofree char *why = NULL;
  if (!blank || blank == group || !blank[1]) {
    *problem = g_strdup_printf ("[%s]: [KIND NAME] was expected", group);
    return NULL;
  }
  NpPluginEntry *entry = g_new0 (NpPluginEntry, 1);
  entry->kind_name = g_strndup (group, (gsize) (blank - group));
  entry->kind = kind_of (entry->kind_name);
  entry->name = g_strdup (blank + 1);
  read_magic (entry, file, group, &why);
  entry->suffixes = list_of (file, group, "suffixes", &why);
  if (entry->kind == NPROF_ANALYZER)
    read_report (entry, file, group, &why);
  if (entry->kind == NP_KIND_VIEW && !why)
    entry->view = np_table_view_read (file, group, entry->name, &why);
  entry->unknown = unknown_key (file, group, entry->kind);
  if (!why)
    return entry;
  *problem = g_strdup_printf ("[%s]: %s", group, why);
  entry_free (entry);
  return NULL;
}

/* Returns NULL, and a problem, when the file has another shape. */
static GPtrArray *
entries_of (GKeyFile *file, char **problem)
{
  gsize n;
  g_auto (GStrv) groups = g_key_file_get_groups (file, &n);
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  for (gsize i = 0; i < n && !*problem; i++) {
    NpPluginEntry *entry = entry_of (file, groups[i], problem);
    if (entry)
      g_ptr_array_add (entries, entry);
  }
  if (!n)
    *problem = g_strdup ("a group [KIND NAME] for each component was expected");
  return *problem ? NULL : g_steal_pointer (&entries);
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

/* Returns the first group that stands twice, whose keys GKeyFile would merge; transfer full. */
static char *
repeated_group (const char *text, gsize len)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *copy = g_strndup (text, len);
  g_auto (GStrv) lines = g_strsplit (copy, "\n", -1);
  for (char **line = lines; *line; line++)
    if (*g_strstrip (*line) == '[' && !g_hash_table_add (seen, *line))
      return g_strdup (*line);
  return NULL;
}

/* Returns NULL, and a problem, when it is no such file. */
static GPtrArray *
parse (const char *text, gsize len, char **problem)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  if (!g_utf8_validate (text, (gssize) len, NULL)) {
    *problem = g_strdup ("it is no text in UTF-8");
    return NULL;
  }
  if (len && !g_key_file_load_from_data (file, text, len, G_KEY_FILE_NONE, &error)) {
    *problem = g_strdup (error->message);
    return NULL;
  }
  g_autofree char *twice = repeated_group (text, len);
  if (twice) {
    *problem = g_strdup_printf ("%s stands twice: one group for each was expected", twice);
    return NULL;
  }
  return entries_of (file, problem);
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
