/* SPDX-License-Identifier: Apache-2.0 */
/* fence-threads.c - which threads third parties begin in their calls, so that one that is left is
 * named: plugins find this pthread_create before that of the C library. A sanitizer has one of its
 * own, which this would hide. */

#include "base/fence.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct Begun Begun;
struct Begun {
  void *(*fn) (void *);
  void *user;
  NpFenceCall call; /* that began it, or the thread that did */
  Begun *next, **link;
};

/* A thread that ends can reach nothing but globals. */
static struct {
  pthread_mutex_t lock;
  Begun *first;
} running = { .lock = PTHREAD_MUTEX_INITIALIZER };

int
np_fence_has_thread (NpFenceCall *call)
{
  pthread_mutex_lock (&running.lock);
  const Begun *first = running.first;
  if (first)
    *call = first->call;
  pthread_mutex_unlock (&running.lock);
  return first != NULL;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#define SANITIZED (__has_feature (address_sanitizer) || __has_feature (thread_sanitizer))
#endif
#if !defined SANITIZED || !SANITIZED

static _Thread_local const NpFenceCall *begun_by; /* NULL: the core's thread, or a library's */

static void
add (Begun *begun)
{
  pthread_mutex_lock (&running.lock);
  begun->next = running.first;
  begun->link = &running.first;
  if (begun->next)
    begun->next->link = &begun->next;
  running.first = begun;
  pthread_mutex_unlock (&running.lock);
}

static void
drop (void *user)
{
  Begun *begun = user;
  pthread_mutex_lock (&running.lock);
  *begun->link = begun->next;
  if (begun->next)
    begun->next->link = begun->link;
  pthread_mutex_unlock (&running.lock);
  free (begun);
}

static void *
run (void *user)
{
  Begun *begun = user;
  void *result;
  begun_by = &begun->call;
  pthread_cleanup_push (drop, begun);
  result = begun->fn (begun->user);
  pthread_cleanup_pop (1);
  return result;
}

typedef int Create (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

__attribute__ ((visibility ("default"))) int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*fn) (void *),
                void *user)
{
  Create *create = (Create *) dlsym (RTLD_NEXT, "pthread_create");
  const NpFenceCall *by = np_fence_is_third () ? &np_call : begun_by;
  Begun *begun = by ? malloc (sizeof *begun) : NULL;
  if (!begun)
    return create (thread, attributes, fn, user);
  *begun = (Begun){ .fn = fn, .user = user, .call = *by };
  add (begun);
  const int failed = create (thread, attributes, run, begun);
  if (failed)
    drop (begun);
  return failed;
}

#endif
