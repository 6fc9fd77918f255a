/* SPDX-License-Identifier: Apache-2.0 */
/* host-log.c - what a component says: messages, failures, progress, and what it lost. */

#include "test-run.h"

#include <string.h>

void
say_log (const struct nprof_host *host, int level, const char *msg)
{
  static const char *const names[] = { "error", "warning", "info", "debug", "notice" };
  NpTestWorld *world = HOST (host)->world;
  if (level < NPROF_ERROR || level > NPROF_NOTICE) {
    world_broke (world, "log: %d is no level", level);
    return;
  }
  if ((guint) (level == NPROF_NOTICE ? NPROF_WARNING : level) <= host->log_level)
    world_say (world, world->log, g_strdup_printf ("%s: %s", names[level], msg));
}

nprof_status
say_fail (const struct nprof_host *host, nprof_status status, const char *why)
{
  Host *self = HOST (host);
  call_check (self, "fail");
  if (status == NPROF_OK)
    world_broke (self->world, "fail was called with NPROF_OK: %s", why);
  if (!why || !*why)
    world_broke (self->world, "fail was called without a reason");
  self->said = TRUE;
  const char *text = world_text (self->world, why ? why : "", why ? strlen (why) : 0), *none = NULL;
  __atomic_compare_exchange_n (&self->world->run.failure, &none, text, FALSE, __ATOMIC_ACQ_REL,
                               __ATOMIC_ACQUIRE);
  return status;
}

nprof_status
say_progress (const struct nprof_host *host, uint64_t from, uint64_t to)
{
  Host *self = HOST (host);
  NpTestWorld *world = self->world;
  if (from > to || to > world->len)
    world_broke (world,
                 "progress %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
                 " of an input of %" G_GUINT64_FORMAT " bytes",
                 from, to, world->len);
  else
    __atomic_add_fetch (&world->run.progress, to - from, __ATOMIC_RELAXED);
  self->unreported = 0;
  return host_refuse (self, host_stopped (self));
}

nprof_status
say_damage (const struct nprof_host *host, uint64_t at, const char *what)
{
  Host *self = HOST (host);
  NpTestWorld *world = self->world;
  NpTestLoss loss = { world_text (world, what, strlen (what)), NULL, at, 1 };
  call_check (self, "damage");
  if (at > world->len)
    world_broke (world, "damage at byte %" G_GUINT64_FORMAT ", beyond the input: %s", at, what);
  pthread_mutex_lock (&world->lock);
  g_array_append_val (world->damage, loss);
  pthread_mutex_unlock (&world->lock);
  if (world->config.keep_going)
    return NPROF_OK;
  g_autofree char *why = g_strdup_printf ("byte %" G_GUINT64_FORMAT ": %s", at, what);
  return host_refuse (self, say_fail (host, NPROF_E_FORMAT, why));
}

void
say_skip (const struct nprof_host *host, const char *what, uint64_t at, const char *reason)
{
  NpTestWorld *world = HOST (host)->world;
  NpTestLoss loss = { world_text (world, what, strlen (what)),
                      world_text (world, reason, strlen (reason)), at, 1 };
  pthread_mutex_lock (&world->lock);
  for (guint i = 0; i < world->skipped->len; i++) {
    NpTestLoss *known = &g_array_index (world->skipped, NpTestLoss, i);
    if (strcmp (known->what, what) == 0 && strcmp (known->reason, reason) == 0) {
      known->count++;
      known->at = MIN (known->at, at);
      loss.count = 0;
    }
  }
  if (loss.count)
    g_array_append_val (world->skipped, loss);
  pthread_mutex_unlock (&world->lock);
}
