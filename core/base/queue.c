/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - a ring of pointers with a lock and two conditions; pthread, because ThreadSanitizer
 * understands it.
 *
 * To wake a thread up costs as much as some hundred rows.  So a thread that waits is woken only
 * when the ring is half full, or half empty, and then goes on for as long as it can.  Less than
 * half waits for more, or for the end. It is woken when the lock is free, or it would wait
 * again. */

#include "base/queue.h"

#include <pthread.h>

struct NpQueue {
  pthread_mutex_t lock;
  pthread_cond_t filled, emptied;
  gpointer *ring;
  guint limit, at, n;
  guint n_pushing, n_popping; /* threads that wait */
  gboolean closed;
  GDestroyNotify drop;
};

NpQueue *
np_queue_new (guint limit, GDestroyNotify drop)
{
  NpQueue *queue = g_new0 (NpQueue, 1);
  pthread_mutex_init (&queue->lock, NULL);
  pthread_cond_init (&queue->filled, NULL);
  pthread_cond_init (&queue->emptied, NULL);
  queue->limit = MAX (limit, 1);
  queue->ring = g_new (gpointer, queue->limit);
  queue->drop = drop;
  return queue;
}

void
np_queue_free (NpQueue *queue)
{
  if (!queue)
    return;
  for (; queue->n > 0; queue->n--, queue->at = (queue->at + 1) % queue->limit)
    if (queue->drop)
      queue->drop (queue->ring[queue->at]);
  pthread_cond_destroy (&queue->filled);
  pthread_cond_destroy (&queue->emptied);
  pthread_mutex_destroy (&queue->lock);
  g_free (queue->ring);
  g_free (queue);
}

static void
wait_for (NpQueue *queue, pthread_cond_t *condition, guint *n_waiting)
{
  (*n_waiting)++;
  pthread_cond_wait (condition, &queue->lock);
  (*n_waiting)--;
}

gboolean
np_queue_push (NpQueue *queue, gpointer item)
{
  pthread_mutex_lock (&queue->lock);
  while (queue->n == queue->limit && !queue->closed)
    wait_for (queue, &queue->emptied, &queue->n_pushing);
  gboolean taken = !queue->closed, wake = FALSE;
  if (taken) {
    queue->ring[(queue->at + queue->n++) % queue->limit] = item;
    wake = queue->n >= MAX (queue->limit / 2, 1) && queue->n_popping;
  }
  pthread_mutex_unlock (&queue->lock);
  if (wake)
    pthread_cond_signal (&queue->filled);
  return taken;
}

gpointer
np_queue_pop (NpQueue *queue)
{
  gpointer item = NULL;
  gboolean wake = FALSE;
  pthread_mutex_lock (&queue->lock);
  while (queue->n == 0 && !queue->closed)
    wait_for (queue, &queue->filled, &queue->n_popping);
  if (queue->n > 0) {
    item = queue->ring[queue->at];
    queue->at = (queue->at + 1) % queue->limit;
    wake = --queue->n == queue->limit / 2 && queue->n_pushing;
  }
  pthread_mutex_unlock (&queue->lock);
  if (wake)
    pthread_cond_broadcast (&queue->emptied);
  return item;
}

void
np_queue_close (NpQueue *queue)
{
  pthread_mutex_lock (&queue->lock);
  queue->closed = TRUE;
  pthread_cond_broadcast (&queue->filled);
  pthread_cond_broadcast (&queue->emptied);
  pthread_mutex_unlock (&queue->lock);
}
