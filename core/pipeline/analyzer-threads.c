/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer-threads.c - a window of batches that wait, and threads that each take the analyzer that
 * is furthest behind for its next batch. So no thread idles while another has work waiting,
 * whatever one analyzer costs beside the others. A lock a batch and analyzer is nothing beside the
 * reading. */

#include "pipeline/analyzer-threads.h"
#include "base/fence.h"
#include "base/thread.h"

#include <pthread.h>

#define WINDOW 4u /* batches, which may be large */

typedef struct {
  NpInstance *analyzer; /* borrowed                          */
  guint64 next;         /* number of the batch that it reads next, or now */
  gboolean reading;
} Reader;

struct NpAnalyzerThreads {
  Reader *readers;
  guint n_readers;
  pthread_t *threads;
  guint n_threads; /* that run: 0 once they are joined */

  pthread_mutex_t lock; /* of all below */
  pthread_cond_t given, taken;
  NpBatch *window[WINDOW]; /* by number modulo its size: those not yet read by all */
  guint64 first, n;        /* number of the first of them, and of the next one that is given */
  gboolean closed;         /* no more are given                            */
  gboolean dropped;        /* nobody waits for what the analyzers make of the rows */
  guint64 failed_batch;    /* where the first failure was, in the order of one thread: that */
  guint failed_reader;     /* batch, and the number of the reader; n_readers: there is none */
  GError *error;
};

gboolean
np_analyzer_consume (NpInstance *analyzer, const NpBatch *batch, GError **error)
{
  nprof_status status = NP_CALL (analyzer->component, consume, analyzer->self, &batch->view);
  return np_instance_passed (analyzer, status, error);
}

/* -- The threads, all with the lock held ------------------------------------------------- */

static gboolean
has_failed (const NpAnalyzerThreads *self)
{
  return self->failed_reader < self->n_readers;
}

/* Returns whether one thread would have come to that batch and reader before a failure. */
static gboolean
comes_first (const NpAnalyzerThreads *self, guint64 batch, guint reader)
{
  if (!has_failed (self))
    return TRUE;
  return batch != self->failed_batch ? batch < self->failed_batch : reader < self->failed_reader;
}

/* Returns the reader that is furthest behind of those that can go on; NULL: none can. */
static Reader *
furthest_behind (NpAnalyzerThreads *self)
{
  Reader *found = NULL;
  for (guint i = 0; i < self->n_readers && !self->dropped; i++) {
    Reader *r = &self->readers[i];
    if (!r->reading && r->next < self->n && comes_first (self, r->next, i)
        && (!found || r->next < found->next))
      found = r;
  }
  return found;
}

static void
note_failure (NpAnalyzerThreads *self, const Reader *reader, GError *error)
{
  guint number = (guint) (reader - self->readers);
  if (!comes_first (self, reader->next, number)) {
    g_error_free (error);
    return;
  }
  g_clear_error (&self->error);
  self->error = error;
  self->failed_batch = reader->next;
  self->failed_reader = number;
  pthread_cond_signal (&self->taken);
}

/* Lets go of the batches that all have read. */
static void
move_window (NpAnalyzerThreads *self)
{
  guint64 first = self->n;
  for (guint i = 0; i < self->n_readers; i++)
    first = MIN (first, self->readers[i].next);
  if (first > self->first)
    pthread_cond_signal (&self->taken);
  for (; self->first < first; self->first++)
    g_clear_pointer (&self->window[self->first % WINDOW], np_batch_unref);
}

static void
read_next (NpAnalyzerThreads *self, Reader *reader)
{
  NpBatch *batch = self->window[reader->next % WINDOW];
  GError *error = NULL;
  reader->reading = TRUE;
  pthread_mutex_unlock (&self->lock);
  np_analyzer_consume (reader->analyzer, batch, &error);
  pthread_mutex_lock (&self->lock);
  if (error)
    note_failure (self, reader, error);
  reader->next++;
  reader->reading = FALSE;
  move_window (self);
}

/* A thread that finds no reader may end when no more batches come: each reader that has more to
 * read is then in the hands of a thread that goes on with it. */
static void *
thread_main (void *user)
{
  NpAnalyzerThreads *self = user;
  pthread_mutex_lock (&self->lock);
  for (;;) {
    Reader *reader = furthest_behind (self);
    if (reader)
      read_next (self, reader);
    else if (self->closed)
      break;
    else
      pthread_cond_wait (&self->given, &self->lock);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static void
join (NpAnalyzerThreads *self)
{
  pthread_mutex_lock (&self->lock);
  self->closed = TRUE;
  pthread_cond_broadcast (&self->given);
  pthread_mutex_unlock (&self->lock);
  for (; self->n_threads; self->n_threads--)
    pthread_join (self->threads[self->n_threads - 1], NULL);
}

/* -- The giver's side ---------------------------------------------------------------------- */

NpAnalyzerThreads *
np_analyzer_threads_new (GPtrArray *analyzers, guint n_threads)
{
  NpAnalyzerThreads *self = g_new0 (NpAnalyzerThreads, 1);
  guint most = MIN (n_threads, analyzers->len);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->given, NULL);
  pthread_cond_init (&self->taken, NULL);
  self->n_readers = self->failed_reader = analyzers->len;
  self->readers = g_new0 (Reader, analyzers->len);
  for (guint i = 0; i < analyzers->len; i++)
    self->readers[i].analyzer = g_ptr_array_index (analyzers, i);
  self->threads = g_new0 (pthread_t, most);
  while (self->n_threads < most
         && np_thread_begin (&self->threads[self->n_threads], thread_main, self))
    self->n_threads++;
  if (self->n_threads)
    return self;
  np_analyzer_threads_free (self);
  return NULL;
}

void
np_analyzer_threads_free (NpAnalyzerThreads *self)
{
  if (!self)
    return;
  pthread_mutex_lock (&self->lock);
  self->dropped = TRUE;
  pthread_mutex_unlock (&self->lock);
  join (self);
  for (; self->first < self->n; self->first++)
    np_batch_unref (self->window[self->first % WINDOW]);
  pthread_cond_destroy (&self->given);
  pthread_cond_destroy (&self->taken);
  pthread_mutex_destroy (&self->lock);
  g_clear_error (&self->error);
  g_free (self->readers);
  g_free (self->threads);
  g_free (self);
}

gboolean
np_analyzer_threads_add (NpAnalyzerThreads *self, NpBatch *batch, GError **error)
{
  pthread_mutex_lock (&self->lock);
  while (self->n - self->first == WINDOW && !has_failed (self))
    pthread_cond_wait (&self->taken, &self->lock);
  gboolean failed = has_failed (self);
  if (!failed) {
    self->window[self->n++ % WINDOW] = np_batch_ref (batch);
    pthread_cond_broadcast (&self->given);
  }
  pthread_mutex_unlock (&self->lock);
  return !failed || np_analyzer_threads_end (self, error);
}

gboolean
np_analyzer_threads_end (NpAnalyzerThreads *self, GError **error)
{
  join (self);
  return np_error_hand_on (error, &self->error);
}
