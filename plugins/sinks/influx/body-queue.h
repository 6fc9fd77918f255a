/* SPDX-License-Identifier: Apache-2.0 */
/* body-queue.h - bodies that wait on disk, first in, first out, in a temporary file of a bounded
 * size. */
#pragma once

#include "body.h"

#include <nprof/draft/temp-file.h>

struct body_queue {
  struct nprof_temp *temp;
  guint64 limit, from, to;
  guint count;
};

/* `temp` is taken. */
void body_queue_init (struct body_queue *queue, struct nprof_temp *temp, guint64 limit);
void body_queue_clear (struct body_queue *queue);
/* Returns whether the body stays within the limit.  The first body always fits. */
gboolean body_queue_has_room (const struct body_queue *queue, const struct body *body);
/* Writes and frees the body.  FALSE: errno says why, and the body is still the caller's. */
gboolean body_queue_push (struct body_queue *queue, struct body *body);
/* Takes the oldest; NULL: none, or errno (set to 0 when there is none). */
struct body *body_queue_pop (struct body_queue *queue);
