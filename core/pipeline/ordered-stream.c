/* SPDX-License-Identifier: Apache-2.0 */
/* ordered-stream.c - collects the rows of one order, and delivers them at the end. */

#include "pipeline/ordered-stream.h"

#include "base/queue.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdbool.h>

#define QUEUE_ITEMS 8

struct NpOrderedStream {
  NpRowChooser *chooser; /* NULL: all rows */
  NpSorter *order;
  NpProjection projection; /* of the order; its keys are ours */
  NpPool *pool;
  NpSorterFn fn;
  gpointer user;

  NpQueue *queue; /* of NpBatch; NULL: no thread */
  pthread_t thread;
  gboolean joined;
  atomic_bool dropped; /* nobody waits for the rows any more */
  GError *error;       /* the thread's, until it is joined   */
};

/* -- The thread ------------------------------------------------------------ */

static gboolean
emit (NpBatch *batch, gpointer user, GError **error)
{
  NpOrderedStream *self = user;
  return !atomic_load (&self->dropped) && self->fn (batch, self->user, error);
}

static gboolean
collect (NpOrderedStream *self, GError **error)
{
  gboolean ok = TRUE;
  for (NpBatch *batch; (batch = np_queue_pop (self->queue)); np_batch_unref (batch)) {
    ok = ok && np_sorter_add (self->order, batch, error);
    if (!ok)
      np_queue_close (self->queue); /* the pipeline sees it at its next push */
  }
  return ok;
}

static void *
lane_main (void *user)
{
  NpOrderedStream *self = user;
  if (collect (self, &self->error) && !atomic_load (&self->dropped))
    np_sorter_emit (self->order, emit, self, &self->error);
  return NULL;
}

static gboolean
join (NpOrderedStream *self, GError **error)
{
  np_queue_close (self->queue);
  if (!self->joined)
    pthread_join (self->thread, NULL);
  self->joined = TRUE;
  return np_error_hand_on (error, &self->error);
}

/* Without a thread of its own the caller's does all the work. */
static void
start (NpOrderedStream *self)
{
  self->queue = np_queue_new (QUEUE_ITEMS, (GDestroyNotify) np_batch_unref);
  if (!np_thread_begin (&self->thread, lane_main, self))
    g_clear_pointer (&self->queue, np_queue_free);
}

/* -- The pipeline's side --------------------------------------------------- */

NpOrderedStream *
np_ordered_stream_new (NpRun *run, guint order, guint64 run_bytes, const NpProjection *projection,
                       NpSorterFn fn, gpointer user)
{
  NpOrderedStream *self = g_new0 (NpOrderedStream, 1);
  self->projection = *projection;
  self->order = np_sorter_new (order, run->pool, run->tracks, run_bytes, &self->projection);
  self->pool = run->pool;
  self->fn = fn;
  self->user = user;
  if (run->jobs > 1)
    start (self);
  return self;
}

void
np_ordered_stream_free (NpOrderedStream *self)
{
  if (!self)
    return;
  atomic_store (&self->dropped, true);
  if (self->queue) {
    g_autoptr (GError) ignored = NULL;
    join (self, &ignored);
    np_queue_free (self->queue);
  }
  np_row_chooser_free (self->chooser);
  np_sorter_free (self->order);
  g_free ((gpointer) self->projection.keys);
  g_free (self);
}

static gboolean
add (NpBatch *batch, gpointer user, GError **error)
{
  NpOrderedStream *self = user;
  if (!self->queue)
    return np_sorter_add (self->order, batch, error);
  if (np_queue_push (self->queue, np_batch_ref (batch)))
    return TRUE;
  np_batch_unref (batch);
  return join (self, error);
}

void
np_ordered_stream_choose (NpOrderedStream *self, NpInstance *analyzer)
{
  if (!self->chooser)
    self->chooser = np_row_chooser_new (self->pool, &self->projection, add, self);
  np_row_chooser_add (self->chooser, analyzer);
}

gboolean
np_ordered_stream_add (NpOrderedStream *self, NpBatch *batch, GError **error)
{
  return self->chooser ? np_row_chooser_batch (self->chooser, batch, error)
                       : add (batch, self, error);
}

gboolean
np_ordered_stream_end (NpOrderedStream *self, GError **error)
{
  if (self->chooser && !np_row_chooser_end (self->chooser, error))
    return FALSE;
  if (self->queue)
    np_queue_close (self->queue);
  return TRUE;
}

gboolean
np_ordered_stream_wait (NpOrderedStream *self, GError **error)
{
  return self->queue ? join (self, error) : np_sorter_emit (self->order, emit, self, error);
}
