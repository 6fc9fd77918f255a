/* SPDX-License-Identifier: Apache-2.0 */
/* queue.h - a bounded queue between threads; a full one makes the pusher wait. */
#pragma once

#include <glib.h>

typedef struct NpQueue NpQueue;

/* `drop` frees the items that are still queued when the queue is freed. */
NpQueue *np_queue_new (guint limit, GDestroyNotify drop);
void np_queue_free (NpQueue *queue);
/* Adds an item; FALSE (and the item stays the caller's) once the queue is closed.  [any-thread] */
gboolean np_queue_push (NpQueue *queue, gpointer item);
/* Takes an item; NULL once the queue is closed and empty.  A thread that finds it empty waits until
 * it is half full, so a pusher must not wait for what becomes of its item.  [any-thread] */
gpointer np_queue_pop (NpQueue *queue);
/* Ends pushing; pops go on until the queue is empty.  [any-thread] */
void np_queue_close (NpQueue *queue);
