/* SPDX-License-Identifier: Apache-2.0 */
/* host-log.c - takes what a component says: messages, failures, progress, and what it lost. */

#include "test-run.h"

#include <string.h>

#define MOST_WARNINGS 1000u /* errors and warnings of one life that are kept */

void
say_log (const struct nprof_host *host, int level, const char *msg)
{
  static const char *const names[] = { "error", "warning", "info", "debug", "notice" };
  NprofTestState *test = HOST (host)->test;
  if (level < NPROF_ERROR || level > NPROF_NOTICE) {
    state_broke (test, "log: %d is no level", level);
    return;
  }
  guint warnings = level <= NPROF_WARNING
                       ? __atomic_add_fetch (&test->n_warnings, 1, __ATOMIC_RELAXED)
                       : 0;
  if (warnings > MOST_WARNINGS)
    state_broke (test, "it logs more than %u errors and warnings", MOST_WARNINGS);
  else if ((guint) (level == NPROF_NOTICE ? NPROF_WARNING : level) <= host->log_level)
    state_say (test, test->log, g_strdup_printf ("%s: %s", names[level], msg));
}

nprof_status
say_fail (const struct nprof_host *host, nprof_status status, const char *why)
{
  Host *self = HOST (host);
  call_check (self, "fail");
  if (status == NPROF_OK)
    state_broke (self->test, "fail was called with NPROF_OK: %s", why);
  if (!why || !*why)
    state_broke (self->test, "fail was called without a reason");
  self->said = TRUE;
  const char *text = state_text (self->test, why ? why : "", why ? strlen (why) : 0), *none = NULL;
  __atomic_compare_exchange_n (&self->test->run.failure, &none, text, FALSE, __ATOMIC_ACQ_REL,
                               __ATOMIC_ACQUIRE);
  return status;
}

nprof_status
say_progress (const struct nprof_host *host, uint64_t from, uint64_t to)
{
  Host *self = HOST (host);
  NprofTestState *test = self->test;
  if (from > to || to > test->len)
    state_broke (test,
                 "progress %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
                 " of an input of %" G_GUINT64_FORMAT " bytes",
                 from, to, test->len);
  else
    __atomic_add_fetch (&test->run.progress, to - from, __ATOMIC_RELAXED);
  self->unreported = 0;
  return host_refuse (self, host_stopped (self));
}

int
say_cancelled (const struct nprof_host *host)
{
  Host *self = HOST (host);
  self->unreported = 0;
  return host_refuse (self, host_stopped (self)) != NPROF_OK;
}

nprof_status
say_damage (const struct nprof_host *host, uint64_t at, const char *what)
{
  Host *self = HOST (host);
  NprofTestState *test = self->test;
  NprofTestLoss loss = { state_text (test, what, strlen (what)), NULL, at, 1 };
  call_check (self, "damage");
  if (at > test->len)
    state_broke (test, "damage at byte %" G_GUINT64_FORMAT ", beyond the input: %s", at, what);
  pthread_mutex_lock (&test->lock);
  g_array_append_val (test->damage, loss);
  pthread_mutex_unlock (&test->lock);
  if (test->config.keep_going)
    return NPROF_OK;
  g_autofree char *why = g_strdup_printf ("byte %" G_GUINT64_FORMAT ": %s", at, what);
  return host_refuse (self, say_fail (host, NPROF_E_FORMAT, why));
}

void
say_skip (const struct nprof_host *host, const char *what, uint64_t at, const char *reason)
{
  NprofTestState *test = HOST (host)->test;
  NprofTestLoss loss = { state_text (test, what, strlen (what)),
                         state_text (test, reason, strlen (reason)), at, 1 };
  pthread_mutex_lock (&test->lock);
  for (guint i = 0; i < test->skipped->len; i++) {
    NprofTestLoss *known = &g_array_index (test->skipped, NprofTestLoss, i);
    if (strcmp (known->what, what) == 0 && strcmp (known->reason, reason) == 0) {
      known->count++;
      known->at = MIN (known->at, at);
      loss.count = 0;
    }
  }
  if (loss.count)
    g_array_append_val (test->skipped, loss);
  pthread_mutex_unlock (&test->lock);
}
