/* SPDX-License-Identifier: Apache-2.0 */
/* spool.c - bodies that wait on disk: each behind a small head, the file emptied when all are out. */
#include "spool.h"

#include <errno.h>

struct head {
  guint64 len, points;
  gboolean gzip;
};

void
spool_init (struct spool *spool, struct nprof_temp *temp, guint64 limit)
{
  *spool = (struct spool){ .temp = temp, .limit = limit };
}

void
spool_clear (struct spool *spool)
{
  if (spool->temp)
    spool->temp->close (spool->temp);
  spool->temp = NULL;
}

gboolean
spool_has_room (const struct spool *spool, const struct body *body)
{
  return !spool->count || spool->to + sizeof (struct head) + body->len <= spool->limit;
}

gboolean
spool_push (struct spool *spool, struct body *body)
{
  struct head head = { body->len, body->points, body->gzip };
  struct nprof_temp *temp = spool->temp;
  errno = temp->write (temp, spool->to, &head, sizeof head);
  if (!errno)
    errno = temp->write (temp, spool->to + sizeof head, body->data, body->len);
  if (errno)
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
  struct nprof_temp *temp = spool->temp;
  errno = spool->count ? temp->read (temp, spool->from, &head, sizeof head) : 0;
  if (!spool->count || errno)
    return NULL;
  struct body *body = g_new0 (struct body, 1);
  body->data = malloc (head.len);
  body->len = head.len;
  body->points = head.points;
  body->gzip = head.gzip;
  int err
      = body->data ? temp->read (temp, spool->from + sizeof head, body->data, head.len) : ENOMEM;
  if (err) {
    body_free (body);
    errno = err;
    return NULL;
  }
  spool->from += sizeof head + head.len;
  if (--spool->count == 0) {
    spool->from = spool->to = 0;
    temp->clear (temp);
  }
  return body;
}
