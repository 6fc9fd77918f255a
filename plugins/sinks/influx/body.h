/* SPDX-License-Identifier: Apache-2.0 */
/* body.h - gathers lines into bodies of requests, compressed as they come, so that memory holds one
 * body and not its lines; and keeps bodies that wait on disk.  The caller decides what becomes of a
 * body. */
#pragma once

#include <glib.h>
#include <nprof/draft/temp-file.h>
#include <nprof/format.h>
#include <zlib.h>

/* Larger bodies may be refused by a server that has not read them yet, so that the answer is lost
 * with the connection.  Only a single line that is larger still goes alone. */
#define BODY_WIRE_MAX 1000000

struct body {
  guint8 *data;
  size_t len;
  guint64 points;
  gboolean gzip;
};

void body_free (struct body *body);

struct body_maker {
  guint64 max_points;
  gboolean gzip;
  size_t tail;            /* bytes that may still come when a body ends           */
  struct nprof_buf lines; /* not yet taken; the caller puts whole lines here      */
  size_t taken;           /* of lines, up to the end of the last whole one        */
  guint64 points;
  struct nprof_buf wire;
  z_stream zip;
  gboolean zipping, failed;
};

void body_maker_init (struct body_maker *maker, guint64 max_points, gboolean gzip);
void body_maker_clear (struct body_maker *maker);
/* Takes a whole line at the end of lines (one that is dropped is cut: set maker->lines back to
 * `taken` instead).  Returns a body that is now complete, or NULL. */
struct body *body_maker_line (struct body_maker *maker);
/* Returns the lines that are left, or NULL. */
struct body *body_maker_end (struct body_maker *maker);
/* Returns whether memory ran out; nothing more comes then. */
gboolean body_maker_failed (const struct body_maker *maker);

/* Bodies that wait on disk, first in, first out, in a temporary file of a bounded size. */
struct body_queue {
  struct nprof_temp *temp;
  guint64 limit, from, to;
  GQueue bodies; /* their data lies in the file, one behind the other */
};

/* `temp` is taken. */
void body_queue_init (struct body_queue *queue, struct nprof_temp *temp, guint64 limit);
void body_queue_clear (struct body_queue *queue);
/* Returns whether the body stays within the limit.  The first body always fits. */
gboolean body_queue_has_room (const struct body_queue *queue, const struct body *body);
/* Takes the body.  FALSE: errno says why, and the body is still the caller's. */
gboolean body_queue_push (struct body_queue *queue, struct body *body);
/* Gives the oldest; NULL: errno says why, 0: there is none. */
struct body *body_queue_pop (struct body_queue *queue);
