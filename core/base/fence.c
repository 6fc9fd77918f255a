/* SPDX-License-Identifier: Apache-2.0 */
/* fence.c - ends the process when a call of a component would have: says which, removes what is not
 * in its place, and leaves by the system call, as the handlers of others may be the component's. */

#include "base/fence.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Thread_local NpFenceCall np_call;
static _Thread_local char handler_stack[32768]; /* for a call that has used up its own */

/* A signal handler can reach nothing but globals. */
static struct {
  pthread_mutex_t lock;
  NpFenced *first;
  pid_t process; /* 0: not armed */
  int status;
  char **words, **environment; /* of the command                                       */
  volatile sig_atomic_t limit; /* s; 0: none                                            */
  volatile sig_atomic_t again; /* it begins anew with `environment` after a crash       */
  char without[4096];          /* a variable of it: what is left out then */
} fence = { .lock = PTHREAD_MUTEX_INITIALIZER };

int
np_fence_open (NpFenced *file, const char *path)
{
  pthread_mutex_lock (&fence.lock);
  const int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int err = errno;
  if (fd >= 0) {
    *file = (NpFenced){ path, fence.first, &fence.first };
    if (file->next)
      file->next->link = &file->next;
    fence.first = file;
  }
  pthread_mutex_unlock (&fence.lock);
  errno = err;
  return fd;
}

void
np_fence_drop (NpFenced *file)
{
  if (!file->link)
    return;
  pthread_mutex_lock (&fence.lock);
  *file->link = file->next;
  if (file->next)
    file->next->link = file->link;
  pthread_mutex_unlock (&fence.lock);
  *file = (NpFenced){ 0 };
}

/* -- The end ------------------------------------------------------------------------------- */

static void
put (const char *text)
{
  for (size_t len = strlen (text); len;) {
    const ssize_t n = write (STDERR_FILENO, text, len);
    if (n <= 0)
      return;
    text += n;
    len -= (size_t) n;
  }
}

static _Noreturn void
leave (int status)
{
  for (;;)
    syscall (SYS_exit_group, status);
}

int
np_fence_is_armed (void)
{
  return fence.process == getpid ();
}

int
np_fence_is_inside (void)
{
  return np_call.of && np_fence_is_armed ();
}

/* Keeps other threads from making files, unless one that crashed while it did holds the lock. */
static void
take_files (void)
{
  const struct timespec moment = { .tv_nsec = 1000000 };
  for (unsigned tries = 0; tries < 1000 && pthread_mutex_trylock (&fence.lock); tries++)
    nanosleep (&moment, NULL);
}

static void
add (const char *text)
{
  const size_t len = strlen (fence.without);
  for (size_t i = 0; text[i] && len + i + 1 < sizeof fence.without; i++)
    fence.without[len + i] = text[i];
}

/* Begins the command anew; returns where that cannot be. */
static void
begin_again (const NpFenceCall *call, const char *file)
{
  static const char *const kinds[] = { "decoder/", "analyzer/", "sink/" };
  sigset_t none;
  if (call->kind < NP_CALL_OF_FILE)
    add (kinds[call->kind]);
  add (call->kind < NP_CALL_OF_FILE ? call->name : file);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  execve ("/proc/self/exe", fence.words, fence.environment);
}

static void
set_timer (time_t seconds)
{
  const struct itimerval timer = { { seconds, 0 }, { seconds, 0 } };
  setitimer (ITIMER_PROF, &timer, NULL);
}

_Noreturn void
np_fence_end (const NpFenceCall *ended, const char *how)
{
  Dl_info info = { 0 };
  const NpFenceCall call = *ended;
  np_call = (NpFenceCall){ 0 }; /* what comes now is ours */
  set_timer (0);                /* which a command that begins anew would have, too */
  take_files ();
  for (const NpFenced *file = fence.first; file; file = file->next)
    unlink (file->path);
  put ("nprof: error: ");
  put (dladdr (call.of, &info) && info.dli_fname ? info.dli_fname : "a plugin");
  put (": ");
  put (call.name);
  put (how);
  put (" in ");
  put (call.call);
  put (
      ": nothing of the run stays; nprof check on that file says where, report it to its author\n");
  if (fence.again) {
    put ("nprof: warning: it runs once more without ");
    put (call.kind < NP_CALL_OF_FILE ? call.name : "that file");
    put ("\n");
    begin_again (&call, info.dli_fname ? info.dli_fname : "");
  }
  leave (fence.status);
}

static _Noreturn void
end (const char *how)
{
  const NpFenceCall call = np_call;
  np_fence_end (&call, how);
}

/* -- How calls end it ----------------------------------------------------------------------- */

static void
on_exit_handler (void)
{
  if (np_fence_is_inside ())
    end (" called exit");
}

/* Plugins find this one before that of the C library. */
__attribute__ ((visibility ("default"))) _Noreturn void
_exit (int status)
{
  if (np_fence_is_inside ())
    end (" called _exit");
  leave (status);
}

__attribute__ ((visibility ("default"))) _Noreturn void
_Exit (int status)
{
  _exit (status);
}

static const struct {
  int number;
  const char *how;
} crashes[] = { { SIGSEGV, " crashed (SIGSEGV, memory that is not its own)" },
                { SIGBUS, " crashed (SIGBUS, memory that is not there)" },
                { SIGFPE, " crashed (SIGFPE, an impossible division)" },
                { SIGILL, " crashed (SIGILL, no instruction)" },
                { SIGABRT, " aborted" } };

/* Outside of calls the fault comes again, and ends the process as ever. */
static void
on_crash (int number)
{
  for (size_t i = 0; np_fence_is_inside () && i < sizeof crashes / sizeof *crashes; i++)
    if (crashes[i].number == number)
      end (crashes[i].how);
}

/* Names of third parties' components that have no dot; handlers of signals read them. */
#define MOST_THIRD 64
static const char *third[MOST_THIRD];
static atomic_uint n_third;

int
np_fence_is_third (void)
{
  const unsigned n = atomic_load (&n_third);
  unsigned i = 0;
  if (!np_call.of || strchr (np_call.name, '.'))
    return np_call.of != NULL;
  while (i < n && third[i] != np_call.name)
    i++;
  return i < n;
}

void
np_fence_third (const char *name)
{
  unsigned i = 0;
  pthread_mutex_lock (&fence.lock);
  while (i < n_third && third[i] != name)
    i++;
  if (i == n_third && i < MOST_THIRD) {
    third[i] = name;
    atomic_fetch_add (&n_third, 1);
  }
  pthread_mutex_unlock (&fence.lock);
}

/* Each second of the process's time, one of the threads that took it comes here. */
static void
on_timer (int number)
{
  struct timespec now = { 0 };
  (void) number;
  if (!np_fence_is_inside () || !np_fence_is_third ())
    return;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  const int64_t ns = now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
  if (!np_call.since)
    np_call.since = ns;
  else if (ns - np_call.since > fence.limit * INT64_C (900000000))
    end (" makes no progress (--call-limit)");
}

void
np_fence_limit (unsigned seconds)
{
  const struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART | SA_ONSTACK };
  if (!fence.process)
    return;
  fence.limit = (sig_atomic_t) seconds;
  if (seconds)
    sigaction (SIGPROF, &action, NULL);
  set_timer (seconds ? 1 : 0);
}

/* A copy of the process would go on with the run as well. */
static void
on_fork (void)
{
  if (np_fence_is_inside ())
    end (" forked");
}

/* A thread that has a stack for handlers, as a sanitizer gives it, keeps that one. */
void
np_fence_thread (void)
{
  const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof handler_stack };
  stack_t there;
  if (fence.process && !sigaltstack (NULL, &there) && there.ss_flags & SS_DISABLE)
    sigaltstack (&stack, NULL);
}

void
np_fence_begin_again (const char *without)
{
  size_t n = 0;
  if (!fence.process || fence.environment || getenv (without))
    return;
  while (environ[n])
    n++;
  char **environment = calloc (n + 2, sizeof *environment);
  if (!environment)
    return;
  memcpy (environment + 1, environ, n * sizeof *environment);
  environment[0] = fence.without;
  add (without);
  add ("=");
  fence.environment = environment;
  fence.again = 1;
}

void
np_fence_settle (void)
{
  fence.again = 0;
}

void
np_fence_arm (int status, char **words)
{
  fence.status = status;
  fence.words = g_strdupv (words);
  fence.process = getpid ();
  np_fence_thread ();
  atexit (on_exit_handler);
  pthread_atfork (on_fork, NULL, NULL);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    const struct sigaction action
        = { .sa_handler = on_crash, .sa_flags = (int) (SA_RESETHAND | SA_ONSTACK) };
    struct sigaction old;
    if (!sigaction (crashes[i].number, NULL, &old) && old.sa_handler == SIG_DFL)
      sigaction (crashes[i].number, &action, NULL);
  }
}
