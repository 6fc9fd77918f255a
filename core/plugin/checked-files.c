/* SPDX-License-Identifier: Apache-2.0 */
/* checked-files.c - keeps the SHA-256 of each plugin that nprof check has passed, a line each, in
 * the user's folder of plugins. */

#include "plugin/checked-files.h"

#include "plugin/plugin-index.h"

#include <string.h>

static char *
list_path (void)
{
  g_autofree char *folder = np_plugin_user_folder ();
  return g_build_filename (folder, "checked", NULL);
}

/* Returns NULL where the file cannot be read; transfer full. */
static char *
hash_of (const char *file)
{
  g_autofree char *data = NULL;
  gsize len;
  if (!g_file_get_contents (file, &data, &len, NULL))
    return NULL;
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) data, len);
}

static char *
read_list (void)
{
  g_autofree char *path = list_path ();
  char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

gboolean
np_checked_files_have (const char *file)
{
  g_autofree char *hash = hash_of (file), *text = read_list ();
  return hash && strstr (text, hash);
}

gboolean
np_checked_files_add (const char *file, GError **error)
{
  g_autofree char *hash = hash_of (file), *text = read_list (), *path = list_path ();
  g_autofree char *folder = g_path_get_dirname (path), *more = NULL;
  if (!hash || strstr (text, hash))
    return TRUE;
  more = g_strconcat (text, hash, "\n", NULL);
  g_mkdir_with_parents (folder, 0755); /* the next line says what went wrong */
  return g_file_set_contents (path, more, -1, error);
}
