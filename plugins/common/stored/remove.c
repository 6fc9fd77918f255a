/* SPDX-License-Identifier: Apache-2.0 */
/* remove.c - removes the folder of a profile. It is renamed first, so that nobody sees half of one;
 * links are removed, never followed. */

#include "stored/remove.h"
#include "base/error.h"
#include "stored/keeping.h"
#include "stored/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
is_dots (const char *name)
{
  return !strcmp (name, ".") || !strcmp (name, "..");
}

/* Empties the folder, then removes it; errno tells why not. */
static gboolean
remove_below (int parent, const char *name, guint depth, guint64 *bytes)
{
  int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd < 0 || !depth ? NULL : fdopendir (fd);
  if (!dir) {
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  gboolean good = TRUE;
  for (struct dirent *entry; good && (entry = readdir (dir));) {
    struct stat st;
    if (is_dots (entry->d_name))
      continue;
    if (!fstatat (fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR (st.st_mode)) {
      good = remove_below (fd, entry->d_name, depth - 1, bytes);
      continue;
    }
    *bytes += (guint64) st.st_size;
    good = !unlinkat (fd, entry->d_name, 0);
  }
  closedir (dir);
  return good && !unlinkat (parent, name, AT_REMOVEDIR);
}

static gboolean
remove_profile (int folder, const char *id, guint64 *bytes)
{
  g_autofree char *aside = g_strdup_printf ("%s.gone-%x", id, g_random_int ());
  return !renameat (folder, id, folder, aside) && remove_below (folder, aside, 4, bytes);
}

gboolean
np_profile_remove (const char *store, const char *id, gboolean kept, guint64 *bytes, GError **error)
{
  guint64 own = 0, other = 0;
  int folder = open (store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean good = folder >= 0 && remove_profile (folder, id, &own);
  int cause = errno;
  g_autofree char *beside = g_build_filename ("kept", id, NULL);
  int lock = good && kept ? np_keeping_begin (store, NULL) : -1;
  if (good && kept)
    remove_below (folder, beside, 4, &other);
  np_keeping_end (lock);
  if (folder >= 0)
    close (folder);
  if (bytes)
    *bytes = own;
  g_autofree char *path = g_build_filename (store, id, NULL);
  if (!good)
    np_error_errno (error, NP_EXIT_SINK, path, cause);
  return good;
}

void
np_remove_folder (const char *path)
{
  guint64 bytes = 0;
  remove_below (AT_FDCWD, path, 4, &bytes);
}
