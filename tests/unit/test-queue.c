/* SPDX-License-Identifier: Apache-2.0 */
/* test-queue.c - order, bounds and closing of queues. */

#include "base/queue.h"

#include <pthread.h>
#include <sched.h>

static void
test_order (void)
{
  NpQueue *queue = np_queue_new (3, NULL);
  guint next = 1;
  for (guint i = 1; i <= 30; i++) { /* around the ring */
    g_assert_true (np_queue_push (queue, GUINT_TO_POINTER (i)));
    if (i % 3 == 0)
      for (guint k = 0; k < 3; k++)
        g_assert_cmpuint (GPOINTER_TO_UINT (np_queue_pop (queue)), ==, next++);
  }
  np_queue_free (queue);
  np_queue_free (NULL);
}

static void
test_close (void)
{
  NpQueue *queue = np_queue_new (2, NULL);
  np_queue_push (queue, GUINT_TO_POINTER (1));
  np_queue_close (queue);
  np_queue_close (queue);
  g_assert_false (np_queue_push (queue, GUINT_TO_POINTER (2)));
  g_assert_cmpuint (GPOINTER_TO_UINT (np_queue_pop (queue)), ==, 1);
  g_assert_null (np_queue_pop (queue));
  g_assert_null (np_queue_pop (queue));
  np_queue_free (queue);
}

static guint dropped;

static void
drop (gpointer item)
{
  dropped += GPOINTER_TO_UINT (item);
}

static void
test_drop (void)
{
  dropped = 0;
  NpQueue *queue = np_queue_new (3, drop);
  for (guint i = 1; i <= 3; i++)
    np_queue_push (queue, GUINT_TO_POINTER (i));
  np_queue_pop (queue);
  np_queue_push (queue, GUINT_TO_POINTER (4));
  np_queue_free (queue);
  g_assert_cmpuint (dropped, ==, 2 + 3 + 4);
}

/* -- Threads --------------------------------------------------------------- */

enum { N = 5000 };

static void *
produce (void *user)
{
  for (guint i = 1; i <= N; i++)
    if (!np_queue_push (user, GUINT_TO_POINTER (i)))
      return GUINT_TO_POINTER (i);
  return NULL;
}

static void *
consume (void *user)
{
  guint64 sum = 0;
  for (gpointer item; (item = np_queue_pop (user));)
    sum += GPOINTER_TO_UINT (item);
  return (void *) (gsize) sum;
}

/* Whoever waits is woken up, however many others wait and whatever half of the limit is. */
static void
many_threads (guint limit)
{
  NpQueue *queue = np_queue_new (limit, NULL);
  pthread_t producers[3], consumers[3];
  guint64 sum = 0;
  for (guint i = 0; i < 3; i++) {
    pthread_create (&producers[i], NULL, produce, queue);
    pthread_create (&consumers[i], NULL, consume, queue);
  }
  for (guint i = 0; i < 3; i++)
    pthread_join (producers[i], NULL);
  np_queue_close (queue);
  for (guint i = 0; i < 3; i++) {
    void *part;
    pthread_join (consumers[i], &part);
    sum += (gsize) part;
  }
  g_assert_cmpuint (sum, ==, (guint64) N * (N + 1) / 2 * 3);
  np_queue_free (queue);
}

static void
test_threads (void)
{
  for (guint limit = 1; limit <= 8; limit++)
    many_threads (limit);
}

/* A single item is not enough to wake anybody up, but the end brings it. */
static void
test_rest (void)
{
  for (guint limit = 1; limit <= 8; limit++) {
    NpQueue *queue = np_queue_new (limit, NULL);
    pthread_t consumer;
    void *sum;
    pthread_create (&consumer, NULL, consume, queue);
    g_assert_true (np_queue_push (queue, GUINT_TO_POINTER (7)));
    np_queue_close (queue);
    pthread_join (consumer, &sum);
    g_assert_cmpuint ((gsize) sum, ==, 7);
    np_queue_free (queue);
  }
}

/* Closing wakes whoever waits for room.  Whether the producer waits already is up to the
 * scheduler, hence the rounds. */
static void
test_close_wakes_pusher (void)
{
  for (guint round = 0; round < 200; round++) {
    NpQueue *queue = np_queue_new (2, NULL);
    pthread_t producer;
    void *refused;
    pthread_create (&producer, NULL, produce, queue);
    g_assert_cmpuint (GPOINTER_TO_UINT (np_queue_pop (queue)), ==, 1);
    for (guint i = 0; i < round; i++)
      sched_yield ();
    np_queue_close (queue);
    pthread_join (producer, &refused);
    g_assert_cmpuint (GPOINTER_TO_UINT (refused), >=, 2);
    g_assert_cmpuint (GPOINTER_TO_UINT (refused), <=, 4);
    np_queue_free (queue);
  }
}

static void
test_close_wakes_popper (void)
{
  for (guint round = 0; round < 200; round++) {
    NpQueue *queue = np_queue_new (2, NULL);
    pthread_t consumer;
    void *sum;
    pthread_create (&consumer, NULL, consume, queue);
    for (guint i = 0; i < round; i++)
      sched_yield ();
    np_queue_close (queue);
    pthread_join (consumer, &sum);
    g_assert_null (sum);
    np_queue_free (queue);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/queue/order", test_order);
  g_test_add_func ("/queue/close", test_close);
  g_test_add_func ("/queue/drop", test_drop);
  g_test_add_func ("/queue/threads", test_threads);
  g_test_add_func ("/queue/rest", test_rest);
  g_test_add_func ("/queue/close-wakes-pusher", test_close_wakes_pusher);
  g_test_add_func ("/queue/close-wakes-popper", test_close_wakes_popper);
  return g_test_run ();
}
