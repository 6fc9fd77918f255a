/* SPDX-License-Identifier: Apache-2.0 */
/* fence-exec.c - a call of a component that puts another program in the place of this one, which
 * would end well in its stead: plugins find these functions before those of the C library. */

#include "base/fence.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define MOST_WORDS 1024u

static void
refuse (void)
{
  if (np_fence_is_inside ())
    np_fence_end (&np_call, " called exec");
}

EXPORT int
execve (const char *path, char *const words[], char *const environment[])
{
  refuse ();
  return (int) syscall (SYS_execve, path, words, environment);
}

EXPORT int
execv (const char *path, char *const words[])
{
  return execve (path, words, environ);
}

EXPORT int
execl (const char *path, const char *word, ...)
{
  char *words[MOST_WORDS + 1] = { (char *) word };
  va_list rest;
  va_start (rest, word);
  for (size_t i = 0; i + 1 < MOST_WORDS && words[i]; i++)
    words[i + 1] = va_arg (rest, char *);
  va_end (rest);
  if (!words[MOST_WORDS - 1])
    return execve (path, words, environ);
  errno = E2BIG;
  return -1;
}
