/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.c - locks what people keep of a store. */

#include "stored/keeping.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define PATIENCE_US (10 * G_USEC_PER_SEC) /* who holds it longer was stopped in the middle */
#define LOOK_US 1000

/* A thread opens the file anew, so the lock is between threads, too.  0, or an errno. */
static int
take (int fd)
{
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  while (flock (fd, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return errno;
    if (g_get_monotonic_time () > until)
      return ETIMEDOUT;
    g_usleep (LOOK_US);
  }
  return 0;
}

int
np_keeping_begin (const char *store, GError **error)
{
  g_autofree char *folder = g_build_filename (store, "kept", NULL);
  g_autofree char *path = g_build_filename (folder, ".lock", NULL);
  int fd = g_mkdir_with_parents (folder, 0700)
               ? -1
               : open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  int err = fd < 0 ? errno : take (fd);
  if (!err)
    return fd;
  if (fd >= 0)
    close (fd);
  if (err == ETIMEDOUT)
    np_error_set (error, NP_EXIT_SINK,
                  "%s: another nprof holds it since 10 s: end that one, then try again", path);
  else
    np_error_errno (error, NP_EXIT_SINK, path, err);
  return -1;
}

void
np_keeping_end (int lock)
{
  if (lock >= 0)
    close (lock);
}
