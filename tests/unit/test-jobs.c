/* SPDX-License-Identifier: Apache-2.0 */
/* test-jobs.c - answers of long work: one that its client has not had yet is kept, however large. */

#include "view/jobs.h"

#include <string.h>

#define LARGE ((gsize) 1 << 30) /* more than all that is kept may take */

static gint runs;
static GMutex lock;
static GCond opens;
static gboolean opened; /* under the lock */

/* Takes longer than a client waits, until the test opens it. */
static gpointer
run (gpointer work, gboolean (*stop) (gpointer user), gpointer user, int *status, char **said)
{
  (void) stop, (void) user;
  g_atomic_int_inc (&runs);
  g_mutex_lock (&lock);
  while (!opened)
    g_cond_wait (&opens, &lock);
  g_mutex_unlock (&lock);
  *status = 0;
  *said = NULL;
  return g_strdup (work);
}

static gpointer
copy (gpointer answer)
{
  return g_strdup (answer);
}

static gsize
bytes (gconstpointer answer)
{
  (void) answer;
  return LARGE;
}

static const NpJobKind kind = { run, g_free, copy, g_free, bytes };

static NpJob *
ask (NpJobs *jobs, const char *key)
{
  return np_jobs_do (jobs, key, &kind, g_strdup (key));
}

/* Asks for one until it is done. */
static void
expect (NpJobs *jobs, const char *key)
{
  for (gboolean done = FALSE; !done;) {
    g_autoptr (NpJob) job = ask (jobs, key);
    done = job->done;
    if (done)
      g_assert_cmpstr (job->answer, ==, key);
  }
}

/* Two are begun and end; a third begins before anybody had the answers of both. */
static void
test_awaited (void)
{
  NpJobs *jobs = np_jobs_new ();
  np_job_free (ask (jobs, "a"));
  np_job_free (ask (jobs, "b"));
  g_mutex_lock (&lock);
  opened = TRUE;
  g_cond_broadcast (&opens);
  g_mutex_unlock (&lock);
  expect (jobs, "b");
  expect (jobs, "c");
  expect (jobs, "a");
  g_assert_cmpint (g_atomic_int_get (&runs), ==, 3);
  np_jobs_free (jobs);
}

/* Once a client had it, a large one goes when others begin. */
static void
test_forgotten (void)
{
  NpJobs *jobs = np_jobs_new ();
  g_atomic_int_set (&runs, 0);
  expect (jobs, "a");
  expect (jobs, "b");
  expect (jobs, "c");
  expect (jobs, "a");
  g_assert_cmpint (g_atomic_int_get (&runs), ==, 4);
  np_jobs_free (jobs);
}

/* How many pieces of memory this process has mapped: a thread that has ended and was not joined
 * keeps its stack. */
static guint
mapped (void)
{
  g_autofree char *maps = NULL;
  guint n = 0;
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  for (const char *p = maps; (p = strchr (p, '\n')); p++)
    n++;
  return n;
}

/* A server that does work for weeks has no more threads and stacks than at first. */
static void
test_many (void)
{
  NpJobs *jobs = np_jobs_new ();
  guint before = 0;
  for (guint i = 0; i < 600; i++) {
    g_autofree char *key = g_strdup_printf ("%u", i);
    expect (jobs, key);
    if (i == 100)
      before = mapped ();
  }
  g_assert_cmpuint (mapped (), <, before + 100);
  np_jobs_free (jobs);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jobs/awaited", test_awaited);
  g_test_add_func ("/jobs/forgotten", test_forgotten);
  g_test_add_func ("/jobs/many", test_many);
  return g_test_run ();
}
