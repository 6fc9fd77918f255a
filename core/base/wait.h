/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h - waiting until a moment of the monotonic clock; pthread, because ThreadSanitizer
 * understands it, where it takes GLib's locks for none. */
#pragma once

#include <glib.h>
#include <pthread.h>
#include <time.h>

static inline void
np_cond_init (pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (condition, &monotonic);
  pthread_condattr_destroy (&monotonic);
}

/* until: as g_get_monotonic_time says it, us.  FALSE: the moment has come. */
static inline gboolean
np_cond_wait_until (pthread_cond_t *condition, pthread_mutex_t *lock, gint64 until)
{
  const struct timespec moment = { .tv_sec = until / G_USEC_PER_SEC,
                                   .tv_nsec = until % G_USEC_PER_SEC * 1000 };
  return pthread_cond_timedwait (condition, lock, &moment) == 0;
}
