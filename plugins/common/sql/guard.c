/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - ends statements by the clock, whatever SQLite is doing. */
#include "sql/guard.h"

#include "base/wait.h"

#include <pthread.h>
#include <stdatomic.h>

#define LOOK_US 50000    /* how often it looks while a statement runs            */
#define GRACE_US 2000000 /* from the first interrupt until it ends the process */

typedef enum { GOES_ON, UNWANTED, LATE } Verdict;

struct _NpSqlGuard {
  sqlite3 *db;
  const NpSqlCaller *caller;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool runs, closing;
  gint64 until; /* monotonic us; 0: no limit     */
  gint64 since; /* when it was interrupted first */
  atomic_int verdict;
};

static Verdict
judge (const NpSqlGuard *g, gint64 now)
{
  if (g->until && now > g->until)
    return LATE;
  return g->caller->stop && g->caller->stop (g->caller->user) ? UNWANTED : GOES_ON;
}

/* Looks at the statement that runs.  The first verdict stays. */
static void
look (NpSqlGuard *g)
{
  gint64 now = g_get_monotonic_time ();
  if (atomic_load (&g->verdict) == GOES_ON) {
    atomic_store (&g->verdict, judge (g, now));
    g->since = now;
  }
  if (atomic_load (&g->verdict) == GOES_ON)
    return;
  sqlite3_interrupt (g->db); /* each time: SQLite forgets it when the next statement begins */
  if (now - g->since > GRACE_US)
    g->caller->end (g->caller->user, atomic_load (&g->verdict) == LATE);
}

static void *
watch (void *data)
{
  NpSqlGuard *g = data;
  pthread_mutex_lock (&g->lock);
  while (!g->closing) {
    if (g->runs) {
      look (g);
      np_cond_wait_until (&g->changed, &g->lock, g_get_monotonic_time () + LOOK_US);
    } else {
      pthread_cond_wait (&g->changed, &g->lock);
    }
  }
  pthread_mutex_unlock (&g->lock);
  return NULL;
}

static void
change (NpSqlGuard *g, bool runs, bool closing)
{
  pthread_mutex_lock (&g->lock);
  g->runs = runs;
  g->closing = closing;
  pthread_cond_signal (&g->changed);
  pthread_mutex_unlock (&g->lock);
}

NpSqlGuard *
np_sql_guard_new (sqlite3 *db, const NpSqlCaller *caller)
{
  NpSqlGuard *g = g_new0 (NpSqlGuard, 1);
  g->db = db;
  g->caller = caller;
  pthread_mutex_init (&g->lock, NULL);
  np_cond_init (&g->changed);
  if (!pthread_create (&g->thread, NULL, watch, g))
    return g;
  pthread_cond_destroy (&g->changed);
  pthread_mutex_destroy (&g->lock);
  g_free (g);
  return NULL;
}

void
np_sql_guard_free (NpSqlGuard *g)
{
  if (!g)
    return;
  change (g, false, true);
  pthread_join (g->thread, NULL);
  pthread_cond_destroy (&g->changed);
  pthread_mutex_destroy (&g->lock);
  g_free (g);
}

void
np_sql_guard_begin (NpSqlGuard *g, double timeout)
{
  pthread_mutex_lock (&g->lock);
  g->until = timeout > 0 ? g_get_monotonic_time () + (gint64) (timeout * 1e6) : 0;
  atomic_store (&g->verdict, GOES_ON);
  g->runs = true;
  pthread_cond_signal (&g->changed);
  pthread_mutex_unlock (&g->lock);
}

void
np_sql_guard_end (NpSqlGuard *g)
{
  change (g, false, false);
}

gboolean
np_sql_guard_ends (const NpSqlGuard *g)
{
  return atomic_load (&g->verdict) != GOES_ON;
}

gboolean
np_sql_guard_was_late (const NpSqlGuard *g)
{
  return atomic_load (&g->verdict) == LATE;
}
