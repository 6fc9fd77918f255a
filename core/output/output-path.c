/* SPDX-License-Identifier: Apache-2.0 */
/* output-path.c - finds where a file of the output will stand; output-file.c writes it.
 *
 * Folders may be links.  A file that the user named with -o and that is a link is written where the
 * link leads; one that leads nowhere is replaced itself, and so is a link under a name that a
 * plugin gave: nothing outside the folder is written through it. */

#include "output/output-path.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
advice_of (int err)
{
  switch (err) {
  case EFBIG:
    return "raise the limit of the size of files (ulimit -f) or choose another folder";
  case EACCES:
  case EPERM:
    return "choose a folder that you may write to";
  case ENOTDIR:
    return "a file stands where a folder is needed: choose another folder";
  case EISDIR:
    return "a folder stands in its place: move it away or choose another folder";
  default:
    return "choose another place";
  }
}

GError *
np_output_error (const char *path, int err, const char *option)
{
  if (np_exit_of (err, NP_EXIT_SINK) == NP_EXIT_ROOM)
    return g_error_new (NP_ERROR, NP_EXIT_ROOM, "%s: %s", path, np_error_words (err));
  return g_error_new (NP_ERROR, NP_EXIT_SINK, "%s: %s: %s%s", path, g_strerror (err),
                      advice_of (err), option);
}

/* Long names are cut, which leaves room for the ending. */
char *
np_temp_beside (const char *destination)
{
  const char *slash = strrchr (destination, '/');
  return g_strdup_printf ("%.*s/.%.200s.nprof-%06x", (int) (slash - destination), destination,
                          slash + 1, g_random_int () & 0xffffff);
}

int
np_make_folders (const char *folder, GPtrArray *made)
{
  struct stat st;
  if (!stat (folder, &st))
    return S_ISDIR (st.st_mode) ? 0 : ENOTDIR;
  g_autofree char *path = g_strdup (folder);
  for (char *at = path;; at++) {
    if (*at && (*at != '/' || at == path))
      continue;
    char end = *at;
    *at = 0;
    if (!mkdir (path, 0777))
      g_ptr_array_add (made, g_strdup (path));
    else if (errno != EEXIST)
      return errno;
    *at = end;
    if (!end)
      return 0;
  }
}

gboolean
np_is_inside (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *inner = g_path_get_dirname (path);
  char *real = realpath (inner, NULL);
  gboolean same = real && g_str_equal (real, inner);
  free (real);
  return same;
}

int
np_make_inner (const char *folder, const char *name, GPtrArray *made)
{
  if (!strchr (name, '/'))
    return 0;
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *inner = g_path_get_dirname (path);
  int err = np_make_folders (inner, made);
  return err || np_is_inside (folder, name) ? err : ELOOP;
}

int
np_descriptor_of (const char *path)
{
  static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
  guint64 n;
  if (!strcmp (path, "/dev/stdout"))
    return STDOUT_FILENO;
  if (!strcmp (path, "/dev/stderr"))
    return STDERR_FILENO;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (path, folders[i])
        && g_ascii_string_to_unsigned (path + strlen (folders[i]), 10, 0, G_MAXINT, &n, NULL))
      return (int) n;
  return -1;
}

int
np_find_destination (const char *path, const char *folder, const char *name, gboolean follow,
                     char **destination, gboolean *in_place)
{
  struct stat st;
  *in_place = np_descriptor_of (path) >= 0;
  *destination = *in_place ? g_strdup (path) : g_build_filename (folder, name, NULL);
  if (*in_place)
    return 0;
  if (follow ? stat (path, &st) : lstat (path, &st))
    return errno == ENOENT || errno == ELOOP ? 0 : errno;
  if (S_ISDIR (st.st_mode))
    return EISDIR;
  *in_place = !S_ISREG (st.st_mode) && !S_ISLNK (st.st_mode);
  if (follow) {
    g_free (*destination);
    *destination = realpath (path, NULL);
  }
  return *destination ? 0 : errno;
}
