/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - counts calls of a function on the stack, through libgcc_s, which is opened at the
 * first question. */

#include "base/frames.h"

#include <dlfcn.h>
#include <execinfo.h>

#define MOST_FRAMES 64

typedef void *FunctionOf (void *pc);

static FunctionOf *
unwinder (void)
{
  static gsize known;
  static FunctionOf *function_of;
  if (g_once_init_enter (&known)) {
    void *library = dlopen ("libgcc_s.so.1", RTLD_NOW);
    if (library)
      *(void **) &function_of = dlsym (library, "_Unwind_FindEnclosingFunction");
    g_once_init_leave (&known, 1);
  }
  return function_of;
}

guint
np_frames_of (gpointer function)
{
  FunctionOf *function_of = unwinder ();
  void *frames[MOST_FRAMES];
  int n = function_of ? backtrace (frames, MOST_FRAMES) : 0;
  guint count = 0;
  for (int i = 0; i < n; i++)
    count += function_of ((char *) frames[i] - 1) == function;
  return count;
}
