/* SPDX-License-Identifier: Apache-2.0 */
/* roots.c - the folders that a server may read, and nothing besides. */
#include "agent/agent.h"
#include "base/error.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _NpRoots {
  GPtrArray *folders; /* real paths without a slash at their ends; none: anywhere */
};

NpRoots *
np_roots_new (const char *const *folders, GError **error)
{
  NpRoots *roots = g_new0 (NpRoots, 1);
  roots->folders = g_ptr_array_new_with_free_func (free);
  for (; folders && *folders; folders++) {
    char *real = realpath (*folders, NULL);
    if (real)
      g_ptr_array_add (roots->folders, real);
    if (real && strcmp (real, "/") && g_file_test (real, G_FILE_TEST_IS_DIR))
      continue;
    const char *is = !real                     ? "there is none of that name"
                     : strcmp (real, "/") == 0 ? "this is the whole machine"
                                               : "this is a file";
    np_error_set (error, NP_EXIT_USAGE, "%s: %s: expected a folder with profiles", *folders, is);
    np_roots_free (roots);
    return NULL;
  }
  return roots;
}

void
np_roots_free (NpRoots *roots)
{
  if (!roots)
    return;
  g_ptr_array_unref (roots->folders);
  g_free (roots);
}

const GPtrArray *
np_roots_folders (const NpRoots *roots)
{
  return roots->folders;
}

/* Returns what of the path lies below the folder, "" for itself; NULL: it lies outside. */
static const char *
below (const char *folder, const char *path)
{
  gsize n = strlen (folder);
  if (strncmp (path, folder, n) || (path[n] && path[n] != '/'))
    return NULL;
  return path[n] ? path + n + 1 : path + n;
}

/* Opens part by part, none of which may be a link by now. */
static int
open_below (const char *folder, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (char **part = parts; fd >= 0 && *part; part++) {
    if (!**part)
      continue;
    int next = openat (fd, *part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close (fd);
    fd = next;
  }
  return fd;
}

static gboolean
is_plain (int fd)
{
  struct stat st;
  return !fstat (fd, &st) && (S_ISREG (st.st_mode) || S_ISDIR (st.st_mode));
}

static int
try_folder (const char *folder, const char *path, char **real)
{
  g_autofree char *whole = g_canonicalize_filename (path, *folder ? folder : NULL);
  char *found = realpath (whole, NULL);
  const char *rest = found ? below (folder, found) : NULL;
  int fd = rest ? open_below (*folder ? folder : "/", rest) : -1;
  if (fd >= 0 && is_plain (fd)) {
    *real = g_strdup (found);
    free (found);
    return fd;
  }
  free (found);
  if (fd >= 0)
    close (fd);
  return -1;
}

int
np_roots_open (const NpRoots *roots, const char *path, char **real)
{
  int fd = roots->folders->len ? -1 : try_folder ("", path, real);
  for (guint i = 0; fd < 0 && i < roots->folders->len; i++)
    fd = try_folder (roots->folders->pdata[i], path, real);
  return fd;
}

const char *
np_roots_shown (const NpRoots *roots, const char *real)
{
  for (guint i = 0; i < roots->folders->len; i++) {
    const char *rest = below (roots->folders->pdata[i], real);
    if (rest)
      return *rest ? rest : ".";
  }
  return real;
}
