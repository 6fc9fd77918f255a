/* SPDX-License-Identifier: Apache-2.0 */
/* folder-lock.c - keeps two runs from replacing the manifest of a folder at the same time. */

#include "output/folder-lock.h"
#include "system/by-text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* All runs take locks in the same order, so that none waits for one that waits for it. */
GArray *
np_lock_folders (GPtrArray *folders)
{
  GArray *locks = g_array_new (FALSE, FALSE, sizeof (int));
  g_ptr_array_sort (folders, np_by_text);
  for (guint i = 0; i < folders->len; i++) {
    int fd = open (folders->pdata[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock (fd, LOCK_EX) && errno == EINTR)
      ;
    if (fd >= 0)
      g_array_append_val (locks, fd);
  }
  return locks;
}

void
np_unlock_folders (GArray *locks)
{
  for (guint i = 0; i < locks->len; i++)
    close (g_array_index (locks, int, i));
  g_array_unref (locks);
}
