/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c - a thread begins in the locale of its program, so LC_NUMERIC is changed on each, where
 * its decimal point is not that of C: glibc's newlocale loses memory where LOCPATH is set. */

#include "base/thread.h"

#include "base/fence.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

typedef struct {
  void *(*fn) (void *);
  void *user;
} Begun;

static void *
call_with_point (const Begun *begun)
{
  if (strcmp (nl_langinfo (RADIXCHAR), ".") == 0)
    return begun->fn (begun->user);
  locale_t of_program = duplocale (LC_GLOBAL_LOCALE);
  locale_t with_point = of_program ? newlocale (LC_NUMERIC_MASK, "C", of_program) : (locale_t) 0;
  if (!with_point)
    return begun->fn (begun->user);
  uselocale (with_point);
  void *result = begun->fn (begun->user);
  uselocale (LC_GLOBAL_LOCALE);
  freelocale (with_point);
  return result;
}

static void *
thread_main (void *user)
{
  g_autofree Begun *begun = user;
  np_fence_thread ();
  return call_with_point (begun);
}

gboolean
np_thread_begin (pthread_t *thread, void *(*fn) (void *), void *user)
{
  Begun *begun = g_new (Begun, 1);
  *begun = (Begun){ fn, user };
  const NpFenceCall call = np_call;
  np_call = (NpFenceCall){ 0 }; /* it is the core's, whoever asked for it */
  const gboolean began = pthread_create (thread, NULL, thread_main, begun) == 0;
  np_call = call;
  if (!began)
    g_free (begun);
  return began;
}
