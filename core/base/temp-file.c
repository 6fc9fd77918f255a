/* SPDX-License-Identifier: Apache-2.0 */
/* temp-file.c - reads and writes all of what is asked for, and lends files without a name to
 * plugins. */

#include "base/temp-file.h"

#include <errno.h>
#include <unistd.h>

#define MOST_AT_ONCE (1u << 30) /* more is cut by the kernel anyway */

/* Judges what one call moved, n bytes: 0 to go on, or an errno. `ended` is the errno for no bytes
 * at all. */
static int
advance (gssize n, gsize *len, guint64 *at, int ended)
{
  if (n < 0)
    return errno == EINTR ? 0 : errno;
  *len -= (gsize) n;
  *at += (guint64) n;
  return n ? 0 : ended;
}

int
np_write_all (int fd, const void *data, gsize len)
{
  guint64 at = 0;
  int err = 0;
  while (len && !err)
    err = advance (write (fd, (const char *) data + at, MIN (len, MOST_AT_ONCE)), &len, &at,
                   ENOSPC);
  return err;
}

int
np_write_at (int fd, guint64 at, const void *data, gsize len)
{
  guint64 from = at;
  int err = 0;
  while (len && !err)
    err = advance (pwrite (fd, (const char *) data + (at - from), MIN (len, MOST_AT_ONCE),
                           (off_t) at),
                   &len, &at, ENOSPC);
  return err;
}

int
np_read_at (int fd, guint64 at, void *data, gsize len)
{
  guint64 from = at;
  int err = 0;
  while (len && !err)
    err = advance (pread (fd, (char *) data + (at - from), MIN (len, MOST_AT_ONCE), (off_t) at),
                   &len, &at, EIO);
  return err;
}

/* -- For plugins ------------------------------------------------------------ */

typedef struct {
  struct nprof_temp pub; /* first: a plugin's pointer to it is a pointer to us */
  int fd;                /* -1: nothing was written yet */
  char *folder;
} Temp;

static int
temp_write (struct nprof_temp *temp, uint64_t at, const void *data, size_t len)
{
  Temp *self = (Temp *) temp;
  if (self->fd < 0 && (self->fd = np_temp_open ()) < 0)
    return errno;
  return np_write_at (self->fd, at, data, len);
}

static int
temp_read (struct nprof_temp *temp, uint64_t at, void *data, size_t len)
{
  const Temp *self = (const Temp *) temp;
  return self->fd < 0 ? (len ? EIO : 0) : np_read_at (self->fd, at, data, len);
}

/* Temp files that cannot be cut are written over: the old bytes beyond the new ones are never
 * read. */
static void
temp_clear (struct nprof_temp *temp)
{
  const Temp *self = (const Temp *) temp;
  if (self->fd >= 0 && ftruncate (self->fd, 0))
    errno = 0;
}

static void
temp_close (struct nprof_temp *temp)
{
  Temp *self = (Temp *) temp;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->folder);
  g_free (self);
}

struct nprof_temp *
np_temp_new (void)
{
  Temp *self = g_new0 (Temp, 1);
  self->fd = -1;
  self->folder = g_strdup (np_temp_folder ());
  self->pub = (struct nprof_temp){ .size = sizeof self->pub,
                                   .folder = self->folder,
                                   .write = temp_write,
                                   .read = temp_read,
                                   .clear = temp_clear,
                                   .close = temp_close };
  return &self->pub;
}
