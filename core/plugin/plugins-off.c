/* SPDX-License-Identifier: Apache-2.0 */
/* plugins-off.c - reads and writes the list of components that are off. */

#include "plugin/plugins-off.h"

#include "plugin/plugin-index.h"

#include <string.h>

static char *
list_path (void)
{
  g_autofree char *folder = np_plugin_user_folder ();
  return g_build_filename (folder, "disabled", NULL);
}

static char **
read_lines (void)
{
  g_autofree char *path = list_path (), *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_new0 (char *, 1);
  return g_strsplit (text, "\n", -1);
}

GHashTable *
np_plugins_off (void)
{
  GHashTable *off = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) lines = read_lines ();
  for (guint i = 0; lines[i]; i++)
    if (*g_strstrip (lines[i]))
      g_hash_table_insert (off, g_strdup (lines[i]),
                           g_strdup_printf ("disabled: nprof plugins enable %s", lines[i]));
  const char *ended = g_getenv (NP_WITHOUT);
  if (ended && *ended)
    g_hash_table_insert (off, g_strdup (ended), g_strdup ("it ended the run before this one"));
  return off;
}

gboolean
np_plugins_switch (const char *name, gboolean off, gboolean *changed, GError **error)
{
  g_autofree char *path = list_path (), *folder = g_path_get_dirname (path);
  g_auto (GStrv) lines = read_lines ();
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean was = FALSE;
  for (guint i = 0; lines[i]; i++) {
    if (!*g_strstrip (lines[i]))
      continue;
    gboolean same = strcmp (lines[i], name) == 0;
    was |= same;
    if (!same)
      g_string_append_printf (text, "%s\n", lines[i]);
  }
  if (off)
    g_string_append_printf (text, "%s\n", name);
  *changed = was != off;
  if (*changed && g_mkdir_with_parents (folder, 0755) != 0) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: cannot be made", folder);
    return FALSE;
  }
  return !*changed || g_file_set_contents (path, text->str, (gssize) text->len, error);
}
