/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - gathers lines into bodies: by points, and by the bytes that go over the wire. */
#include "body.h"

#include <errno.h>
#include <string.h>

#define CHUNK 32768 /* bytes of lines that are compressed at once */
/* Deflate may still give out so much when it has been given its last byte: its window and its
 * pending block, stored as they are. */
#define ZIP_TAIL (160u << 10)
#define ZIP_LEVEL 1
#define GZIP_WINDOW (15 + 16)

void
body_free (struct body *body)
{
  if (!body)
    return;
  free (body->data);
  g_free (body);
}

void
body_maker_init (struct body_maker *maker, guint64 max_points, gboolean gzip)
{
  *maker = (struct body_maker){ .max_points = max_points, .gzip = gzip };
  maker->tail = gzip ? ZIP_TAIL : 0;
  if (!gzip)
    return;
  maker->zipping
      = deflateInit2 (&maker->zip, ZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY)
        == Z_OK;
  maker->failed = !maker->zipping;
}

void
body_maker_clear (struct body_maker *maker)
{
  if (maker->zipping)
    deflateEnd (&maker->zip);
  nprof_buf_clear (&maker->lines);
  nprof_buf_clear (&maker->wire);
}

gboolean
body_maker_failed (const struct body_maker *maker)
{
  return maker->failed || maker->lines.failed || maker->wire.failed;
}

static void
squeeze (struct body_maker *maker, size_t len, int flush)
{
  z_stream *zip = &maker->zip;
  struct nprof_buf *wire = &maker->wire;
  zip->next_in = (Bytef *) maker->lines.data;
  zip->avail_in = (uInt) len;
  do {
    if (!nprof_buf_need (wire, CHUNK))
      return;
    zip->next_out = (Bytef *) wire->data + wire->len;
    zip->avail_out = (uInt) MIN (wire->max - wire->len, G_MAXINT32);
    uInt room = zip->avail_out;
    deflate (zip, flush);
    wire->len += room - zip->avail_out;
  } while (zip->avail_out == 0);
}

/* Moves the first `len` bytes of lines to wire; those of an unfinished line move to the front. */
static void
take_lines (struct body_maker *maker, size_t len, int flush)
{
  size_t rest = maker->lines.len - len;
  if (maker->gzip)
    squeeze (maker, len, flush);
  else
    nprof_put (&maker->wire, maker->lines.data, len);
  if (rest)
    memmove (maker->lines.data, maker->lines.data + len, rest);
  maker->lines.len = rest;
  maker->taken = 0;
}

static struct body *
end_body (struct body_maker *maker)
{
  struct nprof_buf *wire = &maker->wire;
  take_lines (maker, maker->taken, Z_FINISH);
  if (maker->gzip)
    deflateReset (&maker->zip);
  if (body_maker_failed (maker))
    return NULL;
  struct body *body = g_new0 (struct body, 1);
  char *fitted = realloc (wire->data, wire->len);
  body->data = (guint8 *) (fitted ? fitted : wire->data);
  body->len = wire->len;
  body->points = maker->points;
  body->gzip = maker->gzip;
  *wire = (struct nprof_buf){ 0 };
  maker->points = 0;
  return body;
}

/* A line that could make the body too large begins the next one. */
struct body *
body_maker_line (struct body_maker *maker)
{
  struct body *body = NULL;
  if (maker->lines.len >= G_MAXUINT32)
    maker->failed = TRUE;
  if (body_maker_failed (maker))
    return NULL;
  if (maker->points && maker->wire.len + maker->lines.len + maker->tail > BODY_WIRE_MAX)
    body = end_body (maker);
  maker->taken = maker->lines.len;
  maker->points++;
  if (!body && maker->points >= maker->max_points)
    return end_body (maker);
  if (maker->taken >= CHUNK)
    take_lines (maker, maker->taken, Z_NO_FLUSH);
  return body;
}

struct body *
body_maker_end (struct body_maker *maker)
{
  return maker->points && !body_maker_failed (maker) ? end_body (maker) : NULL;
}

/* -- On disk --------------------------------------------------------------- */

void
body_queue_init (struct body_queue *queue, struct nprof_temp *temp, guint64 limit)
{
  *queue = (struct body_queue){ .temp = temp, .limit = limit };
}

void
body_queue_clear (struct body_queue *queue)
{
  for (struct body *body; (body = g_queue_pop_head (&queue->bodies));)
    body_free (body);
  if (queue->temp)
    queue->temp->close (queue->temp);
  queue->temp = NULL;
}

gboolean
body_queue_has_room (const struct body_queue *queue, const struct body *body)
{
  return !queue->bodies.length || queue->to + body->len <= queue->limit;
}

gboolean
body_queue_push (struct body_queue *queue, struct body *body)
{
  errno = queue->temp->write (queue->temp, queue->to, body->data, body->len);
  if (errno)
    return FALSE;
  g_clear_pointer (&body->data, free);
  queue->to += body->len;
  g_queue_push_tail (&queue->bodies, body);
  return TRUE;
}

struct body *
body_queue_pop (struct body_queue *queue)
{
  struct nprof_temp *temp = queue->temp;
  struct body *body = g_queue_peek_head (&queue->bodies);
  errno = 0;
  if (!body)
    return NULL;
  body->data = malloc (body->len);
  errno = body->data ? temp->read (temp, queue->from, body->data, body->len) : ENOMEM;
  if (errno)
    return NULL;
  g_queue_pop_head (&queue->bodies);
  queue->from += body->len;
  if (!queue->bodies.length) {
    queue->from = queue->to = 0;
    temp->clear (temp);
  }
  return body;
}
