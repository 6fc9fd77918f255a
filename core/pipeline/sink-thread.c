/* SPDX-License-Identifier: Apache-2.0 */
/* sink-thread.c - a sink at work on a thread of its own, behind a bounded queue. */

#include "pipeline/sink-thread.h"
#include "base/fence.h"
#include "base/thread.h"

#define QUEUE_ITEMS 8

struct NpSinkThread {
  NpInstance *instance;
  NpQueue *queue;
  pthread_t thread;
  gboolean started;
  gboolean failed; /* the run's failure: abort instead of finish; set before the queue closes */
  GError *error;
};

static nprof_status
consume (NpInstance *instance, const NpItem *item)
{
  const struct nprof_component *sink = instance->component;
  np_instance_show (instance, item->snapshot);
  if (item->kind == NP_ITEM_BATCH)
    return NP_CALL (sink, consume, instance->self, &item->batch->view);
  if (item->kind != NP_ITEM_CHUNK || !sink->table)
    return NPROF_OK;
  const NpChunk *chunk = item->chunk;
  return NP_CALL (sink, table, instance->self, chunk->table, chunk->cells, chunk->n_rows);
}

static void
fail (NpSinkThread *self, nprof_status status)
{
  self->error = np_instance_take_error (self->instance, status);
  np_queue_close (self->queue); /* the pipeline sees it at its next push */
}

static void *
sink_main (void *user)
{
  NpSinkThread *self = user;
  nprof_status status = NPROF_OK;
  for (NpItem *item; (item = np_queue_pop (self->queue));) {
    if (!status)
      status = consume (self->instance, item);
    np_item_free (item);
    if (status && !self->error)
      fail (self, status);
  }
  if (!status && !self->failed && (status = np_instance_finish (self->instance)))
    fail (self, status);
  self->instance->ended = TRUE;
  if ((status || self->failed) && self->instance->component->abort)
    NP_CALL_VOID (self->instance->component, abort, self->instance->self);
  return NULL;
}

NpSinkThread *
np_sink_start (NpInstance *instance)
{
  NpSinkThread *self = g_new0 (NpSinkThread, 1);
  self->instance = instance;
  self->queue = np_queue_new (QUEUE_ITEMS, (GDestroyNotify) np_item_free);
  self->started = np_thread_begin (&self->thread, sink_main, self);
  if (!self->started) {
    np_error_set (&self->error, NP_EXIT_ROOM, "no thread could be started");
    np_queue_close (self->queue);
  }
  return self;
}

static gboolean
push (NpSinkThread *self, NpItem *item)
{
  item->snapshot = np_snapshots_newest (&self->instance->run->snapshots);
  if (np_queue_push (self->queue, item))
    return TRUE;
  np_item_free (item);
  return FALSE;
}

gboolean
np_sink_batch (NpSinkThread *self, NpBatch *batch)
{
  return push (self, np_item_batch (np_batch_ref (batch)));
}

gboolean
np_sink_chunk (NpSinkThread *self, NpChunk *chunk)
{
  return push (self, np_item_chunk (np_chunk_ref (chunk)));
}

gboolean
np_sink_end (NpSinkThread *self, gboolean failed, GError **error)
{
  self->failed = failed;
  np_queue_close (self->queue);
  if (self->started)
    pthread_join (self->thread, NULL);
  gboolean ok = np_error_hand_on (error, &self->error);
  np_queue_free (self->queue);
  g_free (self);
  return ok;
}

NpInstance *
np_sink_instance (NpSinkThread *self)
{
  return self->instance;
}
