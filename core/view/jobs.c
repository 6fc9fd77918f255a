/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - runs other nprofs in threads of their own and keeps what they said. */

#include "view/jobs.h"
#include "base/wait.h"
#include "view/child.h"
#include "view/random.h"

#include <string.h>

#define RUNNING 4
#define KEPT 64
#define KEPT_BYTES (256u << 20)
#define MOMENT_US (G_USEC_PER_SEC / 3)

typedef struct {
  NpJobs *all;
  char *key, id[17];
  char **words;
  gboolean done;
  int status;
  GString *out;
  char *err;
} Work;

struct NpJobs {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  GQueue *works; /* of Work: the last one that was asked for first */
  GPtrArray *threads;
  guint running;
  gint ending;
};

static void
work_free (gpointer data)
{
  Work *w = data;
  g_free (w->key);
  g_strfreev (w->words);
  if (w->out)
    g_string_free (w->out, TRUE);
  g_free (w->err);
  g_free (w);
}

NpJobs *
np_jobs_new (void)
{
  NpJobs *jobs = g_new0 (NpJobs, 1);
  pthread_mutex_init (&jobs->lock, NULL);
  np_cond_init (&jobs->ended);
  jobs->works = g_queue_new ();
  jobs->threads = g_ptr_array_new ();
  return jobs;
}

void
np_jobs_free (NpJobs *jobs)
{
  if (!jobs)
    return;
  g_atomic_int_set (&jobs->ending, 1);
  for (guint i = 0; i < jobs->threads->len; i++)
    g_thread_join (jobs->threads->pdata[i]);
  g_ptr_array_unref (jobs->threads);
  g_queue_free_full (jobs->works, work_free);
  pthread_mutex_destroy (&jobs->lock);
  pthread_cond_destroy (&jobs->ended);
  g_free (jobs);
}

static gboolean
is_ending (gpointer data)
{
  return g_atomic_int_get (&((NpJobs *) data)->ending);
}

static gpointer
run (gpointer data)
{
  Work *w = data;
  NpJobs *jobs = w->all;
  GString *out = NULL;
  char *err = NULL;
  int status = np_child_run (w->words, &out, &err, is_ending, jobs);
  pthread_mutex_lock (&jobs->lock);
  w->status = status;
  w->out = out;
  w->err = err;
  w->done = TRUE;
  jobs->running--;
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

/* Forgets answers that nobody asked for lately. */
static void
make_room (NpJobs *jobs)
{
  gsize bytes = 0;
  guint n = 0;
  for (GList *l = jobs->works->head, *next; l; l = next) {
    Work *w = l->data;
    next = l->next;
    bytes += w->done ? w->out->len : 0;
    if (w->done && n++ && (n > KEPT || bytes > KEPT_BYTES)) {
      work_free (w);
      g_queue_delete_link (jobs->works, l);
    }
  }
}

static Work *
begin (NpJobs *jobs, const char *key, char **words)
{
  if (jobs->running >= RUNNING)
    return NULL;
  make_room (jobs);
  Work *w = g_new0 (Work, 1);
  *w = (Work){ .all = jobs, .key = g_strdup (key), .words = g_strdupv (words) };
  np_random_hex (w->id, 16);
  g_queue_push_head (jobs->works, w);
  jobs->running++;
  g_ptr_array_add (jobs->threads, g_thread_new ("job", run, w));
  return w;
}

NpJob *
np_jobs_get (NpJobs *jobs, const char *key, char **words)
{
  pthread_mutex_lock (&jobs->lock);
  Work *w = find (jobs, key);
  if (!w)
    w = begin (jobs, key, words);
  g_autofree char *id = w ? g_strdup (w->id) : NULL;
  gint64 until = g_get_monotonic_time () + MOMENT_US;
  while (w && !w->done && np_cond_wait_until (&jobs->ended, &jobs->lock, until))
    w = find (jobs, key); /* it may have been forgotten meanwhile */
  NpJob *job = w ? g_new0 (NpJob, 1) : NULL;
  if (w) {
    g_strlcpy (job->id, id, sizeof job->id);
    job->done = w->done;
    job->status = w->status;
    job->out = w->done ? g_string_new_len (w->out->str, (gssize) w->out->len) : NULL;
    job->err = g_strdup (w->err);
  }
  pthread_mutex_unlock (&jobs->lock);
  return job;
}

void
np_job_free (NpJob *job)
{
  if (!job)
    return;
  if (job->out)
    g_string_free (job->out, TRUE);
  g_free (job->err);
  g_free (job);
}
