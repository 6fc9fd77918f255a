/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - does long work in threads of its own, and keeps what came of it. */

#include "jobs.h"
#include "base/wait.h"
#include "random.h"

#include <string.h>

#define RUNNING 4
#define KEPT 64
#define KEPT_BYTES (256u << 20)
#define MOMENT_US (G_USEC_PER_SEC / 3)
/* Work that nobody has asked for so long is ended: the client has gone, or looks at something else.
 * Scripts ask again after seconds. */
#define PATIENCE_US (10 * G_USEC_PER_SEC)
/* The same where other work waits for its place; the page asks each second. */
#define RUSH_US (2 * G_USEC_PER_SEC)

typedef struct {
  NpJobs *all;
  char *key, id[17];
  const NpJobKind *kind;
  GThread *thread;
  gpointer work, answer;
  gboolean done, told; /* told: somebody had the answer */
  int status;
  char *err;
  guint waiting;    /* who are being answered right now             */
  gint64 asked;     /* by now (): when somebody asked for it last */
  gboolean dropped; /* it is in no list any more: its thread frees it */
} Work;

struct NpJobs {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  GQueue *works;   /* of Work: the last one that was asked for first */
  GPtrArray *over; /* of GThread: what ran and is to be joined, or keeps its stack */
  guint running;
  gint ending;
};

static void
work_free (gpointer data)
{
  Work *w = data;
  g_free (w->key);
  w->kind->free (w->work);
  if (w->answer)
    w->kind->unref (w->answer);
  g_free (w->err);
  g_free (w);
}

static void
join (gpointer thread)
{
  g_thread_join (thread);
}

NpJobs *
np_jobs_new (void)
{
  NpJobs *jobs = g_new0 (NpJobs, 1);
  pthread_mutex_init (&jobs->lock, NULL);
  np_cond_init (&jobs->ended);
  jobs->works = g_queue_new ();
  jobs->over = g_ptr_array_new_with_free_func (join);
  return jobs;
}

void
np_jobs_end (NpJobs *jobs)
{
  g_atomic_int_set (&jobs->ending, 1);
}

void
np_jobs_free (NpJobs *jobs)
{
  if (!jobs)
    return;
  np_jobs_end (jobs);
  pthread_mutex_lock (&jobs->lock);
  while (jobs->running)
    pthread_cond_wait (&jobs->ended, &jobs->lock);
  pthread_mutex_unlock (&jobs->lock);
  g_ptr_array_unref (jobs->over);
  g_queue_free_full (jobs->works, work_free);
  pthread_mutex_destroy (&jobs->lock);
  pthread_cond_destroy (&jobs->ended);
  g_free (jobs);
}

/* -- Work that nobody waits for ------------------------------------------------------------- */

/* Returns monotonic us. Tests of patience set the clock: NPROF_TEST_CLOCK names a file that holds
 * us, put in place whole. */
static gint64
now (void)
{
  const char *path = g_getenv ("NPROF_TEST_CLOCK");
  g_autofree char *text = NULL;
  if (path && g_file_get_contents (path, &text, NULL, NULL))
    return g_ascii_strtoll (text, NULL, 10);
  return g_get_monotonic_time ();
}

static gboolean
is_left (const Work *w, gint64 patience)
{
  return !w->done && !w->waiting && now () - w->asked > patience;
}

/* Forgets work that is about to end without an answer, so that whoever asks for it now begins it
 * anew. */
static void
drop (Work *w)
{
  w->dropped = TRUE;
  g_queue_remove (w->all->works, w);
}

/* Ends one that nobody has asked for lately, so that its place is free soon. */
static void
make_way (NpJobs *jobs)
{
  for (GList *l = jobs->works->tail; l; l = l->prev)
    if (is_left (l->data, RUSH_US)) {
      drop (l->data);
      return;
    }
}

static gboolean
is_over (gpointer data)
{
  Work *w = data;
  pthread_mutex_lock (&w->all->lock);
  if (!w->dropped && is_left (w, PATIENCE_US))
    drop (w);
  gboolean over = w->dropped;
  pthread_mutex_unlock (&w->all->lock);
  return over || g_atomic_int_get (&w->all->ending);
}

/* -- Work ------------------------------------------------------------------------------------ */

static gpointer
run (gpointer data)
{
  Work *w = data;
  NpJobs *jobs = w->all;
  char *err = NULL;
  int status;
  gpointer answer = w->kind->run (w->work, is_over, w, &status, &err);
  pthread_mutex_lock (&jobs->lock);
  w->status = status;
  w->answer = answer;
  w->err = err;
  w->done = TRUE;
  jobs->running--;
  g_ptr_array_add (jobs->over, w->thread);
  if (w->dropped)
    work_free (w);
  pthread_cond_broadcast (&jobs->ended);
  pthread_mutex_unlock (&jobs->lock);
  return NULL;
}

static Work *
find (NpJobs *jobs, const char *key)
{
  for (GList *l = jobs->works->head; l; l = l->next)
    if (!strcmp (((Work *) l->data)->key, key)) {
      Work *w = l->data;
      g_queue_delete_link (jobs->works, l);
      g_queue_push_head (jobs->works, w);
      return w;
    }
  return NULL;
}

/* Returns whether somebody waits for its answer, or is about to ask for it again. */
static gboolean
is_awaited (const Work *w)
{
  return w->waiting || (!w->told && now () - w->asked <= PATIENCE_US);
}

/* Forgets answers that nobody asked for lately. */
static void
make_room (NpJobs *jobs)
{
  gsize bytes = 0;
  guint n = 0;
  for (GList *l = jobs->works->head, *next; l; l = next) {
    Work *w = l->data;
    next = l->next;
    bytes += w->answer ? w->kind->bytes (w->answer) : 0;
    if (w->done && n++ && !is_awaited (w) && (n > KEPT || bytes > KEPT_BYTES)) {
      work_free (w);
      g_queue_delete_link (jobs->works, l);
    }
  }
}

/* Takes the work. */
static Work *
begin (NpJobs *jobs, const char *key, const NpJobKind *kind, gpointer work)
{
  if (jobs->running >= RUNNING) {
    make_way (jobs);
    kind->free (work);
    return NULL;
  }
  make_room (jobs);
  g_ptr_array_set_size (jobs->over, 0); /* none of them takes the lock any more */
  Work *w = g_new0 (Work, 1);
  *w = (Work){ .all = jobs, .key = g_strdup (key), .kind = kind, .work = work };
  np_random_hex (w->id, 16);
  g_queue_push_head (jobs->works, w);
  jobs->running++;
  w->thread = g_thread_new ("job", run, w); /* which comes to its end with the lock */
  return w;
}

/* Returns what is known of it, transfer full. */
static NpJob *
tell (const Work *w)
{
  NpJob *job = g_new0 (NpJob, 1);
  g_strlcpy (job->id, w->id, sizeof job->id);
  job->kind = w->kind;
  job->done = w->done;
  job->status = w->status;
  job->answer = w->answer ? w->kind->ref (w->answer) : NULL;
  job->err = g_strdup (w->err);
  return job;
}

NpJob *
np_jobs_do (NpJobs *jobs, const char *key, const NpJobKind *kind, gpointer work)
{
  pthread_mutex_lock (&jobs->lock);
  NpJob *job = NULL;
  Work *w = find (jobs, key);
  if (w)
    kind->free (work);
  else
    w = begin (jobs, key, kind, work);
  if (w) {
    gint64 until = g_get_monotonic_time () + MOMENT_US;
    w->waiting++; /* so long it is neither dropped nor forgotten */
    while (!w->done && np_cond_wait_until (&jobs->ended, &jobs->lock, until))
      ;
    w->waiting--;
    w->asked = now ();
    w->told |= w->done;
    job = tell (w);
  }
  pthread_mutex_unlock (&jobs->lock);
  return job;
}

void
np_job_free (NpJob *job)
{
  if (!job)
    return;
  if (job->answer)
    job->kind->unref (job->answer);
  g_free (job->err);
  g_free (job);
}
