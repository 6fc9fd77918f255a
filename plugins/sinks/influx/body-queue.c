/* SPDX-License-Identifier: Apache-2.0 */
/* body-queue.c - keeps bodies on disk: each behind a small head, the file emptied when all are
 * out. */
#include "body-queue.h"

#include <errno.h>

struct head {
  guint64 len, points;
  gboolean gzip;
};

void
body_queue_init (struct body_queue *queue, struct nprof_temp *temp, guint64 limit)
{
  *queue = (struct body_queue){ .temp = temp, .limit = limit };
}

void
body_queue_clear (struct body_queue *queue)
{
  if (queue->temp)
    queue->temp->close (queue->temp);
  queue->temp = NULL;
}

gboolean
body_queue_has_room (const struct body_queue *queue, const struct body *body)
{
  return !queue->count || queue->to + sizeof (struct head) + body->len <= queue->limit;
}

gboolean
body_queue_push (struct body_queue *queue, struct body *body)
{
  struct head head = { body->len, body->points, body->gzip };
  struct nprof_temp *temp = queue->temp;
  errno = temp->write (temp, queue->to, &head, sizeof head);
  if (!errno)
    errno = temp->write (temp, queue->to + sizeof head, body->data, body->len);
  if (errno)
    return FALSE;
  queue->to += sizeof head + body->len;
  queue->count++;
  body_free (body);
  return TRUE;
}

struct body *
body_queue_pop (struct body_queue *queue)
{
  struct head head;
  struct nprof_temp *temp = queue->temp;
  errno = queue->count ? temp->read (temp, queue->from, &head, sizeof head) : 0;
  if (!queue->count || errno)
    return NULL;
  struct body *body = g_new0 (struct body, 1);
  body->data = malloc (head.len);
  body->len = head.len;
  body->points = head.points;
  body->gzip = head.gzip;
  int err
      = body->data ? temp->read (temp, queue->from + sizeof head, body->data, head.len) : ENOMEM;
  if (err) {
    body_free (body);
    errno = err;
    return NULL;
  }
  queue->from += sizeof head + head.len;
  if (--queue->count == 0) {
    queue->from = queue->to = 0;
    temp->clear (temp);
  }
  return body;
}
