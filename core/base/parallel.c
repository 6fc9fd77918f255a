/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.c - numbers are handed out one by one, in ascending order, so that the lowest one that
 * fails has been begun whenever any has failed. */

#include "base/parallel.h"
#include "base/thread.h"

typedef struct {
  nprof_status (*fn) (void *user, uint32_t number);
  void *user;
  gboolean (*stopped) (gpointer run);
  gpointer run;
  pthread_mutex_t lock;
  guint next, n;
  guint failed; /* the lowest number that failed; n: none */
  nprof_status status;
  gboolean cancelled;
} Work;

/* Takes the next number; FALSE: there is nothing more to do. */
static gboolean
take_number (Work *work, guint *number)
{
  pthread_mutex_lock (&work->lock);
  gboolean more = work->next < work->n && work->failed == work->n && !work->cancelled;
  if (more && work->stopped && work->stopped (work->run)) {
    work->cancelled = TRUE;
    more = FALSE;
  }
  if (more)
    *number = work->next++;
  pthread_mutex_unlock (&work->lock);
  return more;
}

static void
note_failure (Work *work, guint number, nprof_status status)
{
  pthread_mutex_lock (&work->lock);
  if (number < work->failed) {
    work->failed = number;
    work->status = status;
  }
  pthread_mutex_unlock (&work->lock);
}

static void *
work_main (void *user)
{
  Work *work = user;
  guint number;
  while (take_number (work, &number)) {
    nprof_status status = work->fn (work->user, number);
    if (status)
      note_failure (work, number, status);
  }
  return NULL;
}

nprof_status
np_parallel (guint jobs, guint n, nprof_status (*fn) (void *user, uint32_t number), void *user,
             gboolean (*stopped) (gpointer run), gpointer run)
{
  Work work = { .fn = fn, .user = user, .stopped = stopped, .run = run, .n = n, .failed = n };
  guint others = MIN (MAX (jobs, 1), MAX (n, 1)) - 1, started = 0;
  g_autofree pthread_t *threads = g_new0 (pthread_t, others + 1);
  pthread_mutex_init (&work.lock, NULL);
  while (started < others && np_thread_begin (&threads[started], work_main, &work))
    started++;
  work_main (&work);
  for (guint i = 0; i < started; i++)
    pthread_join (threads[i], NULL);
  pthread_mutex_destroy (&work.lock);
  return work.status ? work.status : work.cancelled ? NPROF_CANCELLED : NPROF_OK;
}
