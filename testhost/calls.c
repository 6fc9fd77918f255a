/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - surrounds each call of a component: a watcher is told, and the host knows from which
 * thread it may be called. test-run.c judges what the calls return. */

#include "test-run.h"

void
call_begin (NprofTestState *test, Host *host, const char *call)
{
  const NprofTestWatch *watch = test->config.watch;
  __atomic_store_n (&host->caller, pthread_self (), __ATOMIC_RELAXED);
  __atomic_store_n (&host->inside, TRUE, __ATOMIC_RELEASE);
  __atomic_store_n (&test->call, call, __ATOMIC_RELAXED);
  if (watch && watch->call)
    watch->call (watch->user, call);
}

const char *
call_now (const NprofTestState *test)
{
  return __atomic_load_n (&test->call, __ATOMIC_RELAXED);
}

nprof_status
call_end (NprofTestState *test, Host *host, nprof_status status)
{
  const NprofTestWatch *watch = test->config.watch;
  __atomic_store_n (&host->inside, FALSE, __ATOMIC_RELEASE);
  if (watch && watch->call)
    watch->call (watch->user, NULL);
  return status;
}

void
call_check (Host *host, const char *what)
{
  const NprofTestState *test = host->test;
  if (host->feeds)
    return;
  if (test->config.asked)
    test->config.asked (test->config.asked_user, call_now (test));
  if (!__atomic_load_n (&host->inside, __ATOMIC_ACQUIRE))
    state_broke (host->test, "%s was called while the core was in no call on this host", what);
  else if (!pthread_equal (__atomic_load_n (&host->caller, __ATOMIC_RELAXED), pthread_self ()))
    state_broke (host->test, "%s was called from another thread than the core's call", what);
}

void
call_lent (NprofTestState *test, const struct nprof_writer *w)
{
  const NprofTestWatch *watch = test->config.watch;
  if (!watch || !watch->lent)
    return;
  gsize rows = w->max_rows, attrs = w->max_attrs;
  const struct {
    const char *name;
    const void *at;
    gsize len;
  } columns[] = {
    { "start", w->start, rows * sizeof *w->start },
    { "duration", w->duration, rows * sizeof *w->duration },
    { "track", w->track, rows * sizeof *w->track },
    { "name", w->name, rows * sizeof *w->name },
    { "category", w->category, rows * sizeof *w->category },
    { "kind", w->kind, rows },
    { "value", w->value, rows * sizeof *w->value },
    { "value_valid", w->value_valid, (rows + 7) / 8 },
    { "id", w->id, rows * sizeof *w->id },
    { "parent", w->parent, rows * sizeof *w->parent },
    { "flow", w->flow, rows * sizeof *w->flow },
    { "shared", w->shared, rows * sizeof *w->shared },
    { "attr_at", w->attr_at, (rows + 1) * sizeof *w->attr_at },
    { "attr_key", w->attr_key, attrs * sizeof *w->attr_key },
    { "attr_type", w->attr_type, attrs },
    { "attr_value", w->attr_value, attrs * sizeof *w->attr_value },
    { "bytes", w->bytes, w->max_bytes },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    watch->lent (watch->user, columns[i].name, columns[i].at, columns[i].len);
}
