/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - threads that run calls in the order in which they came, and end those that nobody
 * wants any more. */
#include "agent/server.h"

#include <string.h>

#define THREADS 4
#define WAITING 32

typedef struct {
  NpCall *call;
  char *id;
} Item;

struct _NpCalls {
  GMutex lock;
  GCond changed;
  GQueue waiting; /* of Item */
  GList *running; /* of Item */
  gboolean closing;
  NpCallDone done;
  GThread *threads[THREADS];
};

static void
item_free (gpointer data)
{
  Item *item = data;
  np_call_free (item->call);
  g_free (item->id);
  g_free (item);
}

/* [lock] Returns the next one, which runs now; NULL: there is nothing more to do. */
static Item *
next (NpCalls *calls)
{
  Item *item = NULL;
  while (!calls->closing && !(item = g_queue_pop_head (&calls->waiting)))
    g_cond_wait (&calls->changed, &calls->lock);
  if (item)
    calls->running = g_list_prepend (calls->running, item);
  return item;
}

static gpointer
work (gpointer data)
{
  NpCalls *calls = data;
  Item *item;
  g_mutex_lock (&calls->lock);
  while ((item = next (calls))) {
    g_mutex_unlock (&calls->lock);
    np_call_run (item->call);
    g_mutex_lock (&calls->lock);
    calls->running = g_list_remove (calls->running, item);
    if (!atomic_load (&item->call->cancelled)) {
      g_mutex_unlock (&calls->lock);
      calls->done (item->call);
      g_mutex_lock (&calls->lock);
    }
    item_free (item);
  }
  g_mutex_unlock (&calls->lock);
  return NULL;
}

NpCalls *
np_calls_new (NpCallDone done)
{
  NpCalls *calls = g_new0 (NpCalls, 1);
  calls->done = done;
  g_mutex_init (&calls->lock);
  g_cond_init (&calls->changed);
  g_queue_init (&calls->waiting);
  for (guint i = 0; i < THREADS; i++)
    calls->threads[i] = g_thread_new ("call", work, calls);
  return calls;
}

gboolean
np_calls_add (NpCalls *calls, NpCall *call, const char *id)
{
  g_mutex_lock (&calls->lock);
  gboolean room = g_queue_get_length (&calls->waiting) < WAITING;
  if (room) {
    Item *item = g_new0 (Item, 1);
    item->call = call;
    item->id = g_strdup (id);
    g_queue_push_tail (&calls->waiting, item);
    g_cond_signal (&calls->changed);
  }
  g_mutex_unlock (&calls->lock);
  return room;
}

static int
has_id (gconstpointer item, gconstpointer id)
{
  return strcmp (((const Item *) item)->id, id);
}

void
np_calls_cancel (NpCalls *calls, const char *id)
{
  g_mutex_lock (&calls->lock);
  GList *waits = g_queue_find_custom (&calls->waiting, id, has_id);
  GList *runs = g_list_find_custom (calls->running, id, has_id);
  if (runs)
    atomic_store (&((Item *) runs->data)->call->cancelled, 1);
  if (waits) {
    item_free (waits->data);
    g_queue_delete_link (&calls->waiting, waits);
  }
  g_mutex_unlock (&calls->lock);
}

void
np_calls_free (NpCalls *calls)
{
  g_mutex_lock (&calls->lock);
  calls->closing = TRUE;
  for (GList *l = calls->running; l; l = l->next)
    atomic_store (&((Item *) l->data)->call->cancelled, 1);
  g_cond_broadcast (&calls->changed);
  g_mutex_unlock (&calls->lock);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (calls->threads[i]);
  g_queue_clear_full (&calls->waiting, item_free);
  g_mutex_clear (&calls->lock);
  g_cond_clear (&calls->changed);
  g_free (calls);
}
