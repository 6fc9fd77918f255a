/* SPDX-License-Identifier: Apache-2.0 */
/* queue.h - a bounded queue between threads; a full one makes the pusher wait. */
#pragma once

#include <glib.h>

typedef struct NpQueue NpQueue;

/* drop: frees what is still queued when the queue is freed. */
NpQueue *np_queue_new (guint limit, GDestroyNotify drop);
void np_queue_free (NpQueue *queue);
/* FALSE (and the item stays the caller's) once the queue is closed.  [any-thread] */
gboolean np_queue_push (NpQueue *queue, gpointer item);
/* NULL once the queue is closed and empty.  Who finds it empty waits until it is half full, so whoever
 * pushes must not wait for what becomes of it.  [any-thread] */
gpointer np_queue_pop (NpQueue *queue);
/* No more pushes; pops go on until it is empty.  [any-thread] */
void np_queue_close (NpQueue *queue);
