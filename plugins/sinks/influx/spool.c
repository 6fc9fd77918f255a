/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - bodies that wait on disk: each behind a small head, the file emptied when all are out. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct head {
  guint64 len, points;
  gboolean gzip;
};

void
spool_init (struct spool *spool, guint64 limit)
{
  *spool = (struct spool){ .fd = -1, .limit = limit };
}

void
spool_clear (struct spool *spool)
{
  if (spool->fd >= 0)
    close (spool->fd);
  spool->fd = -1;
}

gboolean
spool_has_room (const struct spool *spool, const struct body *body)
{
  return !spool->count || spool->to + sizeof (struct head) + body->len <= spool->limit;
}

/* Unlinked at once, so that it goes with its last user. */
static int
open_file (void)
{
  g_autofree char *name = g_build_filename (g_get_tmp_dir (), "nprof-XXXXXX", NULL);
  int fd = mkostemp (name, O_CLOEXEC);
  if (fd >= 0)
    unlink (name);
  return fd;
}

static gboolean
write_at (int fd, const void *data, size_t len, guint64 at)
{
  while (len) {
    ssize_t n = pwrite (fd, data, len, (off_t) at);
    if (n < 0 && errno != EINTR)
      return FALSE;
    n = MAX (n, 0);
    data = (const char *) data + n;
    at += (guint64) n;
    len -= (size_t) n;
  }
  return TRUE;
}

static gboolean
read_at (int fd, void *data, size_t len, guint64 at)
{
  while (len) {
    ssize_t n = pread (fd, data, len, (off_t) at);
    if (n == 0)
      errno = EIO;
    if (n == 0 || (n < 0 && errno != EINTR))
      return FALSE;
    n = MAX (n, 0);
    data = (char *) data + n;
    at += (guint64) n;
    len -= (size_t) n;
  }
  return TRUE;
}

gboolean
spool_push (struct spool *spool, struct body *body)
{
  struct head head = { body->len, body->points, body->gzip };
  if (spool->fd < 0 && (spool->fd = open_file ()) < 0)
    return FALSE;
  if (!write_at (spool->fd, &head, sizeof head, spool->to)
      || !write_at (spool->fd, body->data, body->len, spool->to + sizeof head))
    return FALSE;
  spool->to += sizeof head + body->len;
  spool->count++;
  body_free (body);
  return TRUE;
}

struct body *
spool_pop (struct spool *spool)
{
  struct head head;
  errno = 0;
  if (!spool->count || !read_at (spool->fd, &head, sizeof head, spool->from))
    return NULL;
  struct body *body = g_new0 (struct body, 1);
  body->data = malloc (head.len);
  body->len = head.len;
  body->points = head.points;
  body->gzip = head.gzip;
  if (!body->data || !read_at (spool->fd, body->data, head.len, spool->from + sizeof head)) {
    body_free (body);
    return NULL;
  }
  spool->from += sizeof head + head.len;
  if (--spool->count == 0) {
    spool->from = spool->to = 0;
    if (ftruncate (spool->fd, 0))
      errno = 0; /* the next bodies write over what is there */
  }
  return body;
}
