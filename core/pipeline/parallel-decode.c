/* SPDX-License-Identifier: Apache-2.0 */
/* parallel-decode.c - several threads decode the parts of one input; the calling thread delivers
 * their rows in order and joins each part.
 *
 * Parts live in a ring of 2 * jobs slots.  A worker takes the next part as long as a
 * slot is free.  Rows wait in their part's queue until the part is the head; when `limit`
 * batches wait, only the head may add more, so memory is bounded and the head always
 * moves.
 *
 * To wake a thread up costs as much as some hundred rows, so the delivering thread is woken when
 * the head is done, or has much; and nobody is woken by a thread that holds the lock, only to wait
 * for it. */

#include "pipeline/parallel-decode.h"
#include "base/fence.h"
#include "base/thread.h"
#include "run/stage-item.h"

#include <stdlib.h>

#define HEAD_ITEMS 8 /* how far the head may run ahead of delivery     */
#define HEAD_MUCH 6  /* when it wakes the delivering thread up         */
#define HEAD_LOW 4   /* and what is left when it goes on after a wait  */

typedef struct {
  guint number;
  GQueue items;
  gboolean begun, done;
  nprof_status status;
  GError *error;
  void *state; /* part_size bytes of the decoder */
} Part;

typedef struct {
  NpInstance *instance;
  guint n_parts, n_slots;
  guint next, head;     /* next to begin; being delivered */
  guint waiting, limit; /* items in all queues */
  gboolean stop;
  guint n_blocked; /* workers that wait for room */
  pthread_mutex_t lock;
  pthread_cond_t ready; /* for the delivering thread: the head has begun, has much or is done */
  pthread_cond_t room;  /* for workers: to begin a part or to add to one */
  Part *slots;
} Parts;

typedef struct {
  Parts *parts;
  Part *part;
} PartFeed;

/* -- A part's own thread --------------------------------------------------- */

static gboolean
must_wait (const Parts *parts, const Part *part)
{
  if (parts->stop)
    return FALSE;
  if (part->number == parts->head)
    return part->items.length >= HEAD_ITEMS;
  return parts->waiting >= parts->limit;
}

static void
wait_for_room (Parts *parts)
{
  parts->n_blocked++;
  pthread_cond_wait (&parts->room, &parts->lock);
  parts->n_blocked--;
}

static nprof_status
queue_item (gpointer user, NpItem *item, gboolean wait)
{
  PartFeed *feed = user;
  Parts *parts = feed->parts;
  Part *part = feed->part;
  pthread_mutex_lock (&parts->lock);
  while (wait && must_wait (parts, part))
    wait_for_room (parts);
  gboolean stop = parts->stop, much = FALSE;
  if (!stop) {
    g_queue_push_tail (&part->items, item);
    parts->waiting++;
    much = part->number == parts->head && part->items.length >= HEAD_MUCH;
  }
  pthread_mutex_unlock (&parts->lock);
  if (much)
    pthread_cond_signal (&parts->ready);
  if (stop)
    np_item_free (item);
  return stop ? NPROF_CANCELLED : NPROF_OK;
}

static nprof_status
part_batch (gpointer user, NpBatch *batch)
{
  return queue_item (user, np_item_batch (batch), TRUE);
}

static nprof_status
part_chunk (gpointer user, NpChunk *chunk)
{
  return queue_item (user, np_item_chunk (chunk), TRUE);
}

static void
part_say (gpointer user, int level, char *text)
{
  queue_item (user, np_item_say (level, text), FALSE);
}

static nprof_status
decode_part (NpInstance *instance, guint number, void *state, void *worker, NpFeed feed,
             GError **error)
{
  g_autoptr (NpInstance) part = np_instance_new_part (instance, feed);
  part->host.worker = worker;
  nprof_status status
      = NP_CALL (instance->component, decode_part, instance->self, number, state, &part->host);
  status = np_instance_verdict (part, status);
  if (!status)
    status = np_instance_flush (part);
  if (status && status != NPROF_CANCELLED)
    *error = np_instance_take_error (part, status);
  return status;
}

static void *
new_state (const struct nprof_component *component)
{
  return calloc (1, MAX (component->part_size, 1));
}

static void *
new_worker (const struct nprof_component *component)
{
  return calloc (1, MAX (component->worker_size, 1));
}

static void
free_worker (NpInstance *instance, void *worker)
{
  if (worker && instance->component->worker_close)
    NP_CALL_VOID (instance->component, worker_close, instance->self, worker);
  free (worker);
}

/* Returns the next part to decode, or NULL when there is none left. */
static Part *
take_part (Parts *parts)
{
  Part *part = NULL;
  pthread_mutex_lock (&parts->lock);
  while (!parts->stop && parts->next < parts->n_parts
         && parts->next >= parts->head + parts->n_slots)
    wait_for_room (parts);
  if (!parts->stop && parts->next < parts->n_parts) {
    part = &parts->slots[parts->next % parts->n_slots];
    *part = (Part){ .number = parts->next++, .begun = TRUE };
    part->state = new_state (parts->instance->component);
  }
  gboolean is_head = part && part->number == parts->head;
  pthread_mutex_unlock (&parts->lock);
  if (is_head)
    pthread_cond_signal (&parts->ready);
  return part;
}

static void
part_done (Parts *parts, Part *part, nprof_status status, GError *error)
{
  pthread_mutex_lock (&parts->lock);
  part->status = status;
  part->error = error;
  part->done = TRUE;
  gboolean is_head = part->number == parts->head;
  pthread_mutex_unlock (&parts->lock);
  if (is_head)
    pthread_cond_signal (&parts->ready);
}

static void *
worker_main (void *user)
{
  Parts *parts = user;
  void *worker = new_worker (parts->instance->component);
  for (Part *part; (part = take_part (parts));) {
    PartFeed feed = { parts, part };
    GError *error = NULL;
    nprof_status status = NPROF_E_NOMEM;
    if (part->state && worker)
      status = decode_part (parts->instance, part->number, part->state, worker,
                            (NpFeed){ part_batch, part_chunk, part_say, &feed }, &error);
    part_done (parts, part, status, error);
  }
  free_worker (parts->instance, worker);
  return NULL;
}

/* -- The delivering thread ------------------------------------------------- */

static nprof_status
deliver (NpInstance *instance, NpItem *item)
{
  NpFeed *feed = &instance->feed;
  nprof_status status = NPROF_OK;
  if (item->kind == NP_ITEM_BATCH)
    status = feed->batch (feed->user, np_batch_ref (item->batch));
  else if (item->kind == NP_ITEM_CHUNK)
    status = feed->chunk (feed->user, np_chunk_ref (item->chunk));
  else
    np_instance_say (instance, item->say.level, g_steal_pointer (&item->say.text));
  np_item_free (item);
  return status;
}

/* Waits for the head's next item; NULL when the head is done and has none left. */
static NpItem *
next_item (Parts *parts, Part *head)
{
  pthread_mutex_lock (&parts->lock);
  while (!head->done && head->items.length == 0)
    pthread_cond_wait (&parts->ready, &parts->lock);
  NpItem *item = g_queue_pop_head (&head->items);
  gboolean room = FALSE;
  if (item) {
    parts->waiting--;
    room = parts->n_blocked
           && (head->items.length == HEAD_LOW || parts->waiting == parts->limit - 1);
  }
  pthread_mutex_unlock (&parts->lock);
  if (room)
    pthread_cond_broadcast (&parts->room);
  return item;
}

static nprof_status
join_part (NpInstance *instance, guint number, void *state, gboolean failed)
{
  nprof_status status = NPROF_OK;
  if (instance->component->join && state)
    status = NP_CALL (instance->component, join, instance->self, number, state, failed);
  free (state);
  return status || failed ? status : np_instance_flush_rows (instance);
}

/* Waits until a worker has begun the head. */
static Part *
wait_for_head (Parts *parts)
{
  Part *head = &parts->slots[parts->head % parts->n_slots];
  pthread_mutex_lock (&parts->lock);
  while (parts->next <= parts->head)
    pthread_cond_wait (&parts->ready, &parts->lock);
  pthread_mutex_unlock (&parts->lock);
  return head;
}

static nprof_status
deliver_head (Parts *parts)
{
  Part *head = wait_for_head (parts);
  nprof_status status = NPROF_OK;
  for (NpItem *item; !status && (item = next_item (parts, head));)
    status = deliver (parts->instance, item);
  if (status)
    return status;
  if (head->status) {
    if (head->error)
      np_instance_adopt_error (parts->instance, g_steal_pointer (&head->error));
    return head->status;
  }
  return join_part (parts->instance, head->number, g_steal_pointer (&head->state), FALSE);
}

static void
advance_head (Parts *parts)
{
  pthread_mutex_lock (&parts->lock);
  parts->slots[parts->head % parts->n_slots].begun = FALSE;
  parts->head++;
  gboolean blocked = parts->n_blocked > 0;
  pthread_mutex_unlock (&parts->lock);
  if (blocked)
    pthread_cond_broadcast (&parts->room);
}

static void
stop_workers (Parts *parts, const pthread_t *threads, guint n_threads)
{
  pthread_mutex_lock (&parts->lock);
  parts->stop = TRUE;
  pthread_cond_broadcast (&parts->room);
  pthread_mutex_unlock (&parts->lock);
  for (guint i = 0; i < n_threads; i++)
    pthread_join (threads[i], NULL);
}

/* Joins parts that were begun and not joined as failed, in order. */
static void
drop_parts (Parts *parts)
{
  for (guint k = parts->head; k < parts->next; k++) {
    Part *part = &parts->slots[k % parts->n_slots];
    if (!part->begun)
      continue;
    g_queue_clear_full (&part->items, (GDestroyNotify) np_item_free);
    g_clear_error (&part->error);
    join_part (parts->instance, k, part->state, TRUE);
  }
}

static guint
start_workers (Parts *parts, pthread_t *threads, guint jobs)
{
  guint n = 0;
  while (n < jobs && np_thread_begin (&threads[n], worker_main, parts))
    n++;
  return n;
}

static nprof_status
decode_parallel (NpInstance *instance, guint n_parts, guint jobs)
{
  Parts parts = {
    .instance = instance,
    .n_parts = n_parts,
    .n_slots = 2 * jobs,
    .limit = 4 * jobs,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .ready = PTHREAD_COND_INITIALIZER,
    .room = PTHREAD_COND_INITIALIZER,
  };
  g_autofree Part *slots = g_new0 (Part, parts.n_slots);
  g_autofree pthread_t *threads = g_new0 (pthread_t, jobs);
  parts.slots = slots;
  guint n_threads = start_workers (&parts, threads, jobs);
  if (n_threads == 0)
    return np_instance_fail (instance, NPROF_E_NOMEM, "no thread could be started");

  nprof_status status = NPROF_OK;
  while (!status && parts.head < n_parts) {
    status = deliver_head (&parts);
    if (!status)
      advance_head (&parts);
  }
  stop_workers (&parts, threads, n_threads);
  drop_parts (&parts);
  return status;
}

static nprof_status
decode_serial (NpInstance *instance, guint n_parts)
{
  void *worker = new_worker (instance->component);
  nprof_status status = worker ? NPROF_OK : NPROF_E_NOMEM;
  for (guint k = 0; !status && k < n_parts; k++) {
    GError *error = NULL;
    void *state = new_state (instance->component);
    status
        = state ? decode_part (instance, k, state, worker, instance->feed, &error) : NPROF_E_NOMEM;
    if (error)
      np_instance_adopt_error (instance, error);
    nprof_status joined = join_part (instance, k, state, status != NPROF_OK);
    status = status ? status : joined;
  }
  free_worker (instance, worker);
  return status;
}

nprof_status
np_parallel_decode (NpInstance *instance, guint n_parts, guint jobs)
{
  nprof_status status = np_instance_flush_rows (instance); /* what plan wrote comes first */
  if (status)
    return status;
  jobs = MIN (jobs, n_parts);
  return jobs > 1 ? decode_parallel (instance, n_parts, jobs) : decode_serial (instance, n_parts);
}
