/* SPDX-License-Identifier: Apache-2.0 */
/* memo.c - a table of answers and the order in which they were asked for. */

#include "stored/memo.h"

#include <pthread.h>

typedef struct {
  char *key;
  GBytes *bytes;
  GList link; /* in the order; data is this */
} Entry;

struct NpMemo {
  pthread_mutex_t lock;
  GHashTable *by_key; /* key -> Entry */
  GQueue order;       /* the last one that was asked for first */
  gsize bytes, most;
};

static void
entry_free (gpointer data)
{
  Entry *e = data;
  g_free (e->key);
  g_bytes_unref (e->bytes);
  g_free (e);
}

NpMemo *
np_memo_new (gsize most)
{
  NpMemo *m = g_new0 (NpMemo, 1);
  pthread_mutex_init (&m->lock, NULL);
  g_queue_init (&m->order);
  m->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, entry_free);
  m->most = most;
  return m;
}

void
np_memo_free (NpMemo *m)
{
  if (!m)
    return;
  g_hash_table_unref (m->by_key);
  pthread_mutex_destroy (&m->lock);
  g_free (m);
}

GBytes *
np_memo_get (NpMemo *m, const char *key)
{
  pthread_mutex_lock (&m->lock);
  Entry *e = g_hash_table_lookup (m->by_key, key);
  GBytes *bytes = e ? g_bytes_ref (e->bytes) : NULL;
  if (e) {
    g_queue_unlink (&m->order, &e->link);
    g_queue_push_head_link (&m->order, &e->link);
  }
  pthread_mutex_unlock (&m->lock);
  return bytes;
}

static void
drop (NpMemo *m, Entry *e)
{
  m->bytes -= g_bytes_get_size (e->bytes);
  g_queue_unlink (&m->order, &e->link);
  g_hash_table_remove (m->by_key, e->key);
}

void
np_memo_put (NpMemo *m, const char *key, const void *data, gsize len)
{
  if (len > m->most / 4)
    return;
  Entry *e = g_new0 (Entry, 1);
  *e = (Entry){ .key = g_strdup (key), .bytes = g_bytes_new (data, len) };
  e->link.data = e;
  pthread_mutex_lock (&m->lock);
  Entry *old = g_hash_table_lookup (m->by_key, key);
  if (old) /* two asked at once */
    drop (m, old);
  g_hash_table_insert (m->by_key, e->key, e);
  g_queue_push_head_link (&m->order, &e->link);
  m->bytes += len;
  while (m->bytes > m->most)
    drop (m, m->order.tail->data);
  pthread_mutex_unlock (&m->lock);
}
