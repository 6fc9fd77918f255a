/* SPDX-License-Identifier: Apache-2.0 */
/* once.h - makes something once, however many threads ask for it first; pthread, because
 * ThreadSanitizer does not see what g_once_init_leave() hands over. */
#pragma once

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
  pthread_mutex_t lock;
  atomic_bool done;
} NpOnce;

static inline void
np_once_init (NpOnce *once)
{
  pthread_mutex_init (&once->lock, NULL);
  atomic_init (&once->done, false);
}

static inline void
np_once_clear (NpOnce *once)
{
  pthread_mutex_destroy (&once->lock);
}

/* Returns TRUE to the one who has to make it and to call np_once_leave(); others wait until then,
 * and see what was made. */
static inline gboolean
np_once_enter (NpOnce *once)
{
  if (atomic_load_explicit (&once->done, memory_order_acquire))
    return FALSE;
  pthread_mutex_lock (&once->lock);
  if (!atomic_load_explicit (&once->done, memory_order_relaxed))
    return TRUE;
  pthread_mutex_unlock (&once->lock);
  return FALSE;
}

static inline void
np_once_leave (NpOnce *once)
{
  atomic_store_explicit (&once->done, true, memory_order_release);
  pthread_mutex_unlock (&once->lock);
}
