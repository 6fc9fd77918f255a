/* SPDX-License-Identifier: Apache-2.0 */
/* checked-files.c - keeps lists in the user's folder of plugins, a SHA-256 a line. */

#include "plugin/checked-files.h"

#include "plugin/plugin-index.h"

#include <string.h>

static char *
list_path (const char *list)
{
  g_autofree char *folder = np_plugin_user_folder ();
  return g_build_filename (folder, list, NULL);
}

/* Of the file, and of `what` where that is not NULL. Returns NULL where the file cannot be read;
 * transfer full. */
static char *
hash_of (const char *file, const char *what)
{
  g_autofree char *data = NULL;
  gsize len;
  if (!g_file_get_contents (file, &data, &len, NULL))
    return NULL;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (sum, (const guchar *) data, (gssize) len);
  if (what)
    g_checksum_update (sum, (const guchar *) what, -1);
  return g_strdup (g_checksum_get_string (sum));
}

static char *
read_list (const char *list)
{
  g_autofree char *path = list_path (list);
  char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

gboolean
np_checked_files_have (const char *list, const char *file, const char *what)
{
  g_autofree char *hash = hash_of (file, what), *text = read_list (list);
  return hash && strstr (text, hash);
}

gboolean
np_checked_files_add (const char *list, const char *file, const char *what, GError **error)
{
  g_autofree char *hash = hash_of (file, what), *text = read_list (list);
  g_autofree char *path = list_path (list), *folder = g_path_get_dirname (path), *more = NULL;
  if (!hash || strstr (text, hash))
    return TRUE;
  more = g_strconcat (text, hash, "\n", NULL);
  g_mkdir_with_parents (folder, 0755); /* the next line says what went wrong */
  return g_file_set_contents (path, more, -1, error);
}
