/* SPDX-License-Identifier: Apache-2.0 */
/* fence-look.c - looks after each call of a third party in a checked run whether the process is as
 * it was before the first one. Of several such calls at once the first that returns is named. */

#include "base/fence.h"
#include "base/process-state.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void (*np_fence_look) (void);

/* A look can reach nothing but globals. */
static struct {
  pthread_mutex_t lock;
  unsigned runs; /* that are checked; 0: nothing else is set */
  NpProcessState state;
  pid_t process;
  const atomic_int *interrupt;
  int open; /* a descriptor that nobody should close */
  int had_children;
} before = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_int own_processes;

void
np_fence_own_processes (int more)
{
  atomic_fetch_add (&own_processes, more);
}

/* Asks for our own before and behind, as one may end meanwhile. */
static int
has_children (void)
{
  siginfo_t none;
  const int own = atomic_load (&own_processes);
  const int found = waitid (P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
  return found && !own && !atomic_load (&own_processes);
}

static char *
state_of_process (void)
{
  NpProcessState now;
  np_process_state_take (&now);
  char *changed = np_process_state_changes (&before.state, &now);
  np_process_state_clear (&now);
  return changed;
}

/* Returns NULL: the process is as it was; transfer full. */
static char *
find (void)
{
  g_autofree char *changed = state_of_process ();
  const char *what = fcntl (before.open, F_GETFD) < 0          ? "it closed descriptors of others"
                     : !before.had_children && has_children () ? "it left a process behind"
                     : __fpending (stdout)                     ? "it printed"
                                                               : changed;
  const gboolean ends = before.interrupt && atomic_load (before.interrupt);
  return what && !ends ? g_strndup (what, strcspn (what, "\n")) : NULL;
}

static void
look (void)
{
  if (!np_fence_is_third ())
    return;
  if (getpid () != before.process)
    _exit (0); /* a copy, which would go on with the run */
  pthread_mutex_lock (&before.lock);
  g_autofree char *what = before.runs ? find () : NULL;
  pthread_mutex_unlock (&before.lock);
  if (!what)
    return;
  g_autofree char *how = g_strdup_printf (" broke the contract (%s)", what);
  const NpFenceCall call = np_call;
  np_fence_end (&call, how);
}

void
np_fence_watch (const atomic_int *interrupt)
{
  pthread_mutex_lock (&before.lock);
  if (!before.runs++) {
    np_process_state_take (&before.state);
    before.process = getpid ();
    before.interrupt = interrupt;
    before.open = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    before.had_children = has_children ();
    __atomic_store_n (&np_fence_look, look, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock (&before.lock);
}

void
np_fence_unwatch (void)
{
  pthread_mutex_lock (&before.lock);
  if (!--before.runs) {
    __atomic_store_n (&np_fence_look, NULL, __ATOMIC_RELEASE);
    close (before.open);
    np_process_state_clear (&before.state);
  }
  pthread_mutex_unlock (&before.lock);
}
