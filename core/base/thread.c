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
thread_main (void *user)
{
  g_autofree Begun *begun = user;
  np_fence_thread ();
  if (strcmp (nl_langinfo (RADIXCHAR), ".") == 0)
    return begun->fn (begun->user);
  locale_t of_program = duplocale (LC_GLOBAL_LOCALE);
  locale_t with_point
      = of_program ? newlocale (LC_NUMERIC_MASK, "C", of_program) : (locale_t) 0;
  if (!with_point)
    return begun->fn (begun->user);
  uselocale (with_point);
  void *result = begun->fn (begun->user);
  uselocale (LC_GLOBAL_LOCALE);
  freelocale (with_point);
  return result;
}

gboolean
np_thread_begin (pthread_t *thread, void *(*fn) (void *), void *user)
{
  Begun *begun = g_new (Begun, 1);
  *begun = (Begun){ fn, user };
  if (pthread_create (thread, NULL, thread_main, begun) == 0)
    return TRUE;
  g_free (begun);
  return FALSE;
}
