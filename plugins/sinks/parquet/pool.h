/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - a few threads that do tasks numbered 0 .. n - 1, while their owner goes on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pq_pool;

/* `worker` is 0 .. n_threads - 1, of which each does one task at a time. */
typedef void (*pq_task) (void *user, unsigned worker, size_t task);

/* With n_threads 1 there is no thread, and start does it all.  There are fewer threads than asked
 * for where the system gives no more.  NULL: no memory. */
struct pq_pool *pq_pool_new (unsigned n_threads);
void pq_pool_free (struct pq_pool *pool); /* after wait */
/* Starts tasks: wait before the next start.  All calls come from the same thread. */
void pq_pool_start (struct pq_pool *pool, pq_task task, void *user, size_t n);
void pq_pool_wait (struct pq_pool *pool);
