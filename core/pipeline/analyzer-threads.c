/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer-threads.c - a queue and a thread for each part of the analyzers. */

#include "pipeline/analyzer-threads.h"

#include "base/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define QUEUE_ITEMS 4 /* batches may be large */

typedef struct {
  GPtrArray *analyzers; /* of NpInstance; borrowed */
  NpQueue *queue;       /* of NpBatch              */
  pthread_t thread;
  bool started;         /* and not joined          */
  atomic_bool dropped;  /* nobody waits for what the analyzers make of the rows */
  GError *error;        /* the thread's, until it is joined                     */
} Hand;

struct NpAnalyzerThreads {
  Hand *hands;
  guint n;
};

gboolean
np_analyzer_consume (NpInstance *analyzer, const NpBatch *batch, GError **error)
{
  nprof_status status = analyzer->component->consume (analyzer->self, &batch->view);
  if (!status)
    return TRUE;
  g_propagate_error (error, np_instance_take_error (analyzer, status));
  return FALSE;
}

/* -- The threads ---------------------------------------------------------------------- */

static void
consume (Hand *hand, const NpBatch *batch)
{
  for (guint i = 0; i < hand->analyzers->len && !hand->error; i++)
    np_analyzer_consume (g_ptr_array_index (hand->analyzers, i), batch, &hand->error);
  if (hand->error)
    np_queue_close (hand->queue); /* the giver sees it at the next push */
}

static void *
hand_main (void *user)
{
  Hand *hand = user;
  for (NpBatch *batch; (batch = np_queue_pop (hand->queue)); np_batch_unref (batch))
    if (!hand->error && !atomic_load (&hand->dropped))
      consume (hand, batch);
  return NULL;
}

static void
join (Hand *hand)
{
  np_queue_close (hand->queue);
  if (hand->started)
    pthread_join (hand->thread, NULL);
  hand->started = false;
}

/* -- The giver's side ------------------------------------------------------------------ */

static bool
start (Hand *hand)
{
  hand->analyzers = g_ptr_array_new ();
  hand->queue = np_queue_new (QUEUE_ITEMS, (GDestroyNotify) np_batch_unref);
  hand->started = pthread_create (&hand->thread, NULL, hand_main, hand) == 0;
  return hand->started;
}

static void
clear (Hand *hand)
{
  join (hand);
  np_queue_free (hand->queue);
  g_ptr_array_unref (hand->analyzers);
  g_clear_error (&hand->error);
}

NpAnalyzerThreads *
np_analyzer_threads_new (GPtrArray *analyzers, guint n_threads)
{
  NpAnalyzerThreads *self = g_new0 (NpAnalyzerThreads, 1);
  guint n = MIN (n_threads, analyzers->len);
  self->hands = g_new0 (Hand, n);
  while (self->n < n && start (&self->hands[self->n]))
    self->n++;
  if (self->n < n)
    clear (&self->hands[self->n]);
  if (!self->n) {
    np_analyzer_threads_free (self);
    return NULL;
  }
  for (guint i = 0; i < analyzers->len; i++)
    g_ptr_array_add (self->hands[i % self->n].analyzers, g_ptr_array_index (analyzers, i));
  return self;
}

void
np_analyzer_threads_free (NpAnalyzerThreads *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n; i++)
    atomic_store (&self->hands[i].dropped, true);
  for (guint i = 0; i < self->n; i++)
    clear (&self->hands[i]);
  g_free (self->hands);
  g_free (self);
}

gboolean
np_analyzer_threads_add (NpAnalyzerThreads *self, NpBatch *batch, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    if (!np_queue_push (self->hands[i].queue, np_batch_ref (batch))) {
      np_batch_unref (batch);
      return np_analyzer_threads_end (self, error);
    }
  return TRUE;
}

gboolean
np_analyzer_threads_end (NpAnalyzerThreads *self, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    np_queue_close (self->hands[i].queue);
  for (guint i = 0; i < self->n; i++)
    join (&self->hands[i]);
  for (guint i = 0; i < self->n; i++)
    if (self->hands[i].error) {
      g_propagate_error (error, g_steal_pointer (&self->hands[i].error));
      return FALSE;
    }
  return TRUE;
}
