/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - the folder that captured files come from. */

#include "folder.h"
#include "base/error.h"

#include <errno.h>
#include <glib/gstdio.h>

NpCaptureFolder *
np_capture_folder_new (const char *beside, GError **error)
{
  g_autofree char *whole = g_canonicalize_filename (beside, NULL);
  char *path = g_build_filename (whole, ".nprof-capture-XXXXXX", NULL);
  if (!g_mkdtemp (path)) {
    np_error_errno (error, NP_EXIT_SINK, beside, errno);
    g_free (path);
    return NULL;
  }
  NpCaptureFolder *folder = g_new0 (NpCaptureFolder, 1);
  folder->path = path;
  return folder;
}

static void
remove_below (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *inner = g_build_filename (path, name, NULL);
    if (g_unlink (inner) && errno == EISDIR)
      remove_below (inner);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (path);
}

void
np_capture_folder_free (NpCaptureFolder *folder)
{
  if (!folder)
    return;
  remove_below (folder->path);
  g_free (folder->path);
  g_free (folder);
}
