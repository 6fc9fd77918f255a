/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - threads that wait for tasks. */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct worker {
  struct pq_pool *pool;
  pthread_t thread;
  unsigned number;
};

struct pq_pool {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  unsigned n_threads; /* that run; 0: none */
  bool ends;
  pq_task task;
  void *user;
  size_t next, n, finished;
  struct worker workers[];
};

static void *
work (void *data)
{
  struct worker *self = data;
  struct pq_pool *pool = self->pool;
  pthread_mutex_lock (&pool->lock);
  for (;;) {
    while (pool->next == pool->n && !pool->ends)
      pthread_cond_wait (&pool->work, &pool->lock);
    if (pool->next == pool->n)
      break;
    size_t task = pool->next++;
    pthread_mutex_unlock (&pool->lock);
    pool->task (pool->user, self->number, task);
    pthread_mutex_lock (&pool->lock);
    if (++pool->finished == pool->n)
      pthread_cond_signal (&pool->done);
  }
  pthread_mutex_unlock (&pool->lock);
  return NULL;
}

struct pq_pool *
pq_pool_new (unsigned n_threads)
{
  struct pq_pool *pool = calloc (1, sizeof *pool + n_threads * sizeof *pool->workers);
  if (!pool)
    return NULL;
  pthread_mutex_init (&pool->lock, NULL);
  pthread_cond_init (&pool->work, NULL);
  pthread_cond_init (&pool->done, NULL);
  for (unsigned k = 0; n_threads > 1 && k < n_threads; k++) {
    pool->workers[k] = (struct worker){ .pool = pool, .number = k };
    if (pthread_create (&pool->workers[k].thread, NULL, work, pool->workers + k))
      break;
    pool->n_threads++;
  }
  return pool;
}

void
pq_pool_free (struct pq_pool *pool)
{
  if (!pool)
    return;
  pthread_mutex_lock (&pool->lock);
  pool->ends = true;
  pthread_cond_broadcast (&pool->work);
  pthread_mutex_unlock (&pool->lock);
  for (unsigned k = 0; k < pool->n_threads; k++)
    pthread_join (pool->workers[k].thread, NULL);
  pthread_cond_destroy (&pool->done);
  pthread_cond_destroy (&pool->work);
  pthread_mutex_destroy (&pool->lock);
  free (pool);
}

void
pq_pool_start (struct pq_pool *pool, pq_task task, void *user, size_t n)
{
  if (!pool->n_threads) {
    for (size_t k = 0; k < n; k++)
      task (user, 0, k);
    return;
  }
  pthread_mutex_lock (&pool->lock);
  pool->task = task;
  pool->user = user;
  pool->next = pool->finished = 0;
  pool->n = n;
  pthread_cond_broadcast (&pool->work);
  pthread_mutex_unlock (&pool->lock);
}

void
pq_pool_wait (struct pq_pool *pool)
{
  pthread_mutex_lock (&pool->lock);
  while (pool->finished < pool->n)
    pthread_cond_wait (&pool->done, &pool->lock);
  pthread_mutex_unlock (&pool->lock);
}
