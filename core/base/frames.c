/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - counts calls of a function on the stack, through libgcc_s, which is opened at the
 * first question. */

#include "base/frames.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#define MOST_FRAMES 64

typedef void *FunctionOf (void *pc);

static FunctionOf *function_of; /* NULL: there is no unwinder */

static void
find_unwinder (void)
{
  void *library = dlopen ("libgcc_s.so.1", RTLD_NOW);
  if (library)
    *(void **) &function_of = dlsym (library, "_Unwind_FindEnclosingFunction");
}

guint
np_frames_of (gpointer function)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, find_unwinder);
  void *frames[MOST_FRAMES];
  int n = function_of ? backtrace (frames, MOST_FRAMES) : 0;
  guint count = 0;
  for (int i = 0; i < n; i++)
    count += function_of ((char *) frames[i] - 1) == function;
  return count;
}
