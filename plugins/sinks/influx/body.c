/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - gathers lines into bodies: by points, and by the bytes that go over the wire. */
#include "body.h"

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

/* Compresses the bytes in lines into wire. */
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

/* Forgets the first len bytes of lines; those of an unfinished line move to the front. */
static void
forget_lines (struct body_maker *maker, size_t len)
{
  size_t rest = maker->lines.len - len;
  if (rest)
    memmove (maker->lines.data, maker->lines.data + len, rest);
  maker->lines.len = rest;
  maker->taken = 0;
}

static struct body *
take_body (struct body_maker *maker, struct nprof_buf *from)
{
  struct body *body = g_new0 (struct body, 1);
  char *fitted = realloc (from->data, from->len);
  body->data = (guint8 *) (fitted ? fitted : from->data);
  body->len = from->len;
  body->points = maker->points;
  body->gzip = maker->gzip;
  *from = (struct nprof_buf){ 0 };
  maker->points = 0;
  return body;
}

static struct body *
end_gzip (struct body_maker *maker)
{
  squeeze (maker, maker->taken, Z_FINISH);
  forget_lines (maker, maker->taken);
  deflateReset (&maker->zip);
  return body_maker_failed (maker) ? NULL : take_body (maker, &maker->wire);
}

/* Returns the lines before the last one as a body; the last line begins the next body. */
static struct body *
end_plain (struct body_maker *maker, size_t len)
{
  struct nprof_buf rest = { 0 };
  if (maker->lines.len > len)
    nprof_put (&rest, maker->lines.data + len, maker->lines.len - len);
  maker->lines.len = len;
  maker->failed |= rest.failed;
  struct body *body = take_body (maker, &maker->lines);
  maker->lines = rest;
  maker->taken = rest.len;
  return body;
}

static struct body *
plain_line (struct body_maker *maker)
{
  size_t before = maker->taken;
  maker->taken = maker->lines.len;
  if (before && maker->taken > BODY_WIRE_MAX) {
    struct body *body = end_plain (maker, before);
    maker->points = 1;
    return body;
  }
  maker->points++;
  return maker->points >= maker->max_points ? end_plain (maker, maker->taken) : NULL;
}

/* Compresses a line; one that could make the body too large begins the next one. */
static struct body *
gzip_line (struct body_maker *maker)
{
  struct body *body = NULL;
  if (maker->points && maker->wire.len + maker->lines.len + ZIP_TAIL > BODY_WIRE_MAX)
    body = end_gzip (maker);
  maker->taken = maker->lines.len;
  maker->points++;
  if (!body && maker->points >= maker->max_points)
    return end_gzip (maker);
  if (maker->taken >= CHUNK && maker->lines.len < G_MAXUINT32) {
    squeeze (maker, maker->taken, Z_NO_FLUSH);
    forget_lines (maker, maker->taken);
  }
  return body;
}

struct body *
body_maker_line (struct body_maker *maker)
{
  if (maker->lines.len >= G_MAXUINT32)
    maker->failed = TRUE;
  if (body_maker_failed (maker))
    return NULL;
  return maker->gzip ? gzip_line (maker) : plain_line (maker);
}

struct body *
body_maker_end (struct body_maker *maker)
{
  if (!maker->points || body_maker_failed (maker))
    return NULL;
  return maker->gzip ? end_gzip (maker) : end_plain (maker, maker->taken);
}
