/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - writes a captured file beside its place, then renames it. */

#include "place.h"
#include "base/error.h"
#include "base/temp-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* 0, or an errno. */
static int
write_parts (int fd, const NpPart *parts, guint n)
{
  int err = 0;
  for (guint i = 0; i < n && !err; i++)
    err = np_write_all (fd, parts[i].data, parts[i].size);
  return err;
}

gboolean
np_place_put (const char *path, const NpPart *parts, guint n, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *beside = g_build_filename (folder, ".nprof-capture-XXXXXX", NULL);
  int err = g_mkdir_with_parents (folder, 0777) ? errno : 0;
  int fd = err ? -1 : g_mkstemp_full (beside, O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0 && !err)
    err = errno;
  err = err ? err : write_parts (fd, parts, n);
  if (fd >= 0 && close (fd) && !err)
    err = errno;
  if (fd >= 0 && !err && g_rename (beside, path))
    err = errno;
  if (fd >= 0 && err)
    g_unlink (beside);
  if (err)
    np_error_errno (error, NP_EXIT_SINK, path, err);
  return !err;
}
