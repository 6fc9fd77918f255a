/* SPDX-License-Identifier: Apache-2.0 */
/* temp.c - opens files that no folder lists, or no longer. */
#include "system/temp.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

const char *
np_temp_folder (void)
{
  const char *folder = g_getenv ("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

int
np_temp_open (void)
{
  int fd = open (np_temp_folder (), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
  g_autofree char *path = g_build_filename (np_temp_folder (), "nprof-XXXXXX", NULL);
  fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    unlink (path);
  return fd;
}
