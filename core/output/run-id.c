/* SPDX-License-Identifier: Apache-2.0 */
/* run-id.c - what tells the runs that write into one folder from each other. */

#include "output/run-id.h"

#include <string.h>

/* Returns the bytes of the folders that both paths have, up to the slash before they part. */
static gsize
common (const char *a, const char *b)
{
  gsize last = 0, i = 0;
  for (; a[i] && a[i] == b[i]; i++)
    if (a[i] == '/')
      last = i;
  return (!a[i] && b[i] == '/') ? i : last;
}

char *
np_path_from (const char *folder, const char *path)
{
  if (!strcmp (folder, "/"))
    folder = "";
  gsize n = common (folder, path);
  GString *way = g_string_new (NULL);
  for (const char *at = folder + n; *at; at++)
    if (*at == '/')
      g_string_append (way, "../");
  g_string_append (way, path + n + 1);
  return g_string_free (way, FALSE);
}

char *
np_run_id (const char *folder, const char *options, const GPtrArray *inputs)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);
  g_checksum_update (sum, (const guchar *) options, (gssize) strlen (options) + 1);
  for (guint i = 0; i < inputs->len; i++) {
    const char *input = g_ptr_array_index (inputs, i);
    g_autofree char *seen = *input == '/' ? np_path_from (folder, input) : g_strdup (input);
    g_checksum_update (sum, (const guchar *) seen, (gssize) strlen (seen) + 1);
  }
  return g_strdup (g_checksum_get_string (sum));
}
