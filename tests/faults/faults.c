/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c - what a machine does on its bad days, for LD_PRELOAD: the Nth allocation, write or
 * other call fails.  It also counts what happened; what nprof should make of it stands in tests.
 *
 *   NPROF_FAULT=CALL:N[+]:WHAT call N (with +: and all later ones), counted from 1. CALL: alloc, or
 *                               a name below; WHAT: a number of errno, `short` (one byte is
 *                               written), `kill` (SIGKILL comes before it) or `crash` (SIGSEGV)
 *   NPROF_FAULT=CALL:0:WHAT     every other call
 *   NPROF_FAULT_OF=FILE         alloc is of the plugin of that file alone, as latency.so
 *   NPROF_FAULT_COUNT=FILE      at exit: lines of NAME COUNT
 *
 * alloc counts only what nprof and its plugins allocate themselves: GLib ends the program when its
 * own allocations fail, as SECURITY.md says. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ALLOC, WRITE, PWRITE, RENAME, OPEN, CLOSE, MKDIR, MMAP, THREAD, READ, N_CALLS };
static const char *const names[N_CALLS]
    = { "alloc", "write", "pwrite", "rename", "open", "close", "mkdir", "mmap", "thread", "read" };
#define SHORT (-1)
#define KILL (-2)
#define CRASH (-3)

static long counts[N_CALLS], allocations, live;
static int fault_call = -1, fault_what, fault_after;
static long fault_at;
static const char *fault_of;
static int *volatile nothing;

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *old, size_t size);
extern void *__libc_memalign (size_t align, size_t size);
extern void __libc_free (void *p);

/* -- What fails ------------------------------------------------------------ */

__attribute__ ((constructor)) static void
set_up (void)
{
  const char *text = getenv ("NPROF_FAULT");
  fault_of = getenv ("NPROF_FAULT_OF");
  const char *colon = text ? strchr (text, ':') : NULL;
  if (!colon)
    return;
  for (int i = 0; i < N_CALLS; i++)
    if (strlen (names[i]) == (size_t) (colon - text)
        && !strncmp (names[i], text, (size_t) (colon - text)))
      fault_call = i;
  char *rest;
  fault_at = strtol (colon + 1, &rest, 10);
  fault_after = *rest == '+';
  const char *what = strchr (rest, ':');
  fault_what = what && !strcmp (what, ":short")   ? SHORT
               : what && !strcmp (what, ":kill")  ? KILL
               : what && !strcmp (what, ":crash") ? CRASH
               : what                             ? atoi (what + 1)
                                                  : ENOMEM;
}

/* 0, or what shall go wrong with this call. */
static int
fault (int call)
{
  long n = __atomic_add_fetch (&counts[call], 1, __ATOMIC_RELAXED);
  if (call != fault_call)
    return 0;
  int now = fault_at == 0 ? n & 1 : fault_after ? n >= fault_at : n == fault_at;
  if (now && fault_what == KILL)
    kill (getpid (), SIGKILL);
  if (now && fault_what == CRASH)
    *nothing = 1;
  return now ? fault_what : 0;
}

static int
fails (int call)
{
  int what = fault (call);
  if (what <= 0)
    return 0;
  errno = what;
  return 1;
}

__attribute__ ((destructor)) static void
tell (void)
{
  const char *path = getenv ("NPROF_FAULT_COUNT");
  int fd
      = path ? (int) syscall (SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (fd < 0)
    return;
  char text[600];
  int len = snprintf (text, sizeof text, "allocations %ld\nlive %ld\n", allocations, live);
  for (int i = 0; i < N_CALLS; i++)
    len += snprintf (text + len, sizeof text - (size_t) len, "%s %ld\n", names[i], counts[i]);
  syscall (SYS_write, fd, text, (size_t) len);
  syscall (SYS_close, fd);
}

/* -- Allocations ----------------------------------------------------------- */

/* Does this code belong to nprof or a plugin of it?  Remembered by page. */
static int
is_own (const void *code)
{
  static uintptr_t known[1024];
  uintptr_t page = (uintptr_t) code >> 12, *slot = &known[page & 1023];
  uintptr_t seen = __atomic_load_n (slot, __ATOMIC_RELAXED);
  if (seen >> 1 == page)
    return (int) (seen & 1);
  Dl_info info;
  int own = 0;
  if (dladdr (code, &info) && info.dli_fname) {
    const char *base = strrchr (info.dli_fname, '/');
    base = base ? base + 1 : info.dli_fname;
    own = fault_of ? !strcmp (base, fault_of)
                   : !strcmp (base, "nprof") || strstr (info.dli_fname, "/plugins/");
  }
  __atomic_store_n (slot, page << 1 | (uintptr_t) own, __ATOMIC_RELAXED);
  return own;
}

static int
no_memory (const void *caller)
{
  __atomic_add_fetch (&allocations, 1, __ATOMIC_RELAXED);
  return is_own (caller) && fails (ALLOC);
}

static void *
given (void *p)
{
  if (p)
    __atomic_add_fetch (&live, 1, __ATOMIC_RELAXED);
  return p;
}

#define CALLER __builtin_return_address (0)

void *
malloc (size_t size)
{
  return no_memory (CALLER) ? NULL : given (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return no_memory (CALLER) ? NULL : given (__libc_calloc (n, size));
}

void *
realloc (void *old, size_t size)
{
  if (no_memory (CALLER))
    return NULL;
  void *p = __libc_realloc (old, size);
  if (!old)
    return given (p);
  if (!p && !size)
    __atomic_sub_fetch (&live, 1, __ATOMIC_RELAXED);
  return p;
}

void *
aligned_alloc (size_t align, size_t size)
{
  return no_memory (CALLER) ? NULL : given (__libc_memalign (align, size));
}

void
free (void *p)
{
  if (p)
    __atomic_sub_fetch (&live, 1, __ATOMIC_RELAXED);
  __libc_free (p);
}

/* g_try_malloc and its like report as well, but come from GLib's code. */
#define GLIB_TRY(name, parameters, arguments)                                                      \
  void *name parameters;                                                                           \
  void *name parameters                                                                            \
  {                                                                                                \
    static void *(*real) parameters;                                                               \
    if (!real)                                                                                     \
      *(void **) &real = dlsym (RTLD_NEXT, #name);                                                 \
    return is_own (CALLER) && fails (ALLOC) ? NULL : real arguments;                               \
  }

GLIB_TRY (g_try_malloc, (size_t size), (size))
GLIB_TRY (g_try_malloc0, (size_t size), (size))
GLIB_TRY (g_try_malloc_n, (size_t n, size_t size), (n, size))
GLIB_TRY (g_try_malloc0_n, (size_t n, size_t size), (n, size))
GLIB_TRY (g_try_realloc, (void *old, size_t size), (old, size))
GLIB_TRY (g_try_realloc_n, (void *old, size_t n, size_t size), (old, n, size))

/* -- Calls of the system --------------------------------------------------- */

#define REAL(name) (__typeof__ (&name)) real_##name ()
#define DECLARE_REAL(name)                                                                         \
  static void *real_##name (void)                                                                  \
  {                                                                                                \
    static void *found;                                                                            \
    return found ? found : (found = dlsym (RTLD_NEXT, #name));                                     \
  }

DECLARE_REAL (rename)
DECLARE_REAL (close)
DECLARE_REAL (mkdir)
DECLARE_REAL (pthread_create)

/* Messages on stderr are never part of it. */
ssize_t
write (int fd, const void *data, size_t len)
{
  int what = fd == STDERR_FILENO ? 0 : fault (WRITE);
  errno = what > 0 ? what : errno;
  return what > 0 ? -1 : (ssize_t) syscall (SYS_write, fd, data, what == SHORT && len ? 1 : len);
}

ssize_t
pwrite64 (int fd, const void *data, size_t len, off64_t at)
{
  int what = fault (PWRITE);
  errno = what > 0 ? what : errno;
  return what > 0 ? -1
                  : (ssize_t) syscall (SYS_pwrite64, fd, data, what == SHORT && len ? 1 : len, at);
}

ssize_t
read (int fd, void *data, size_t len)
{
  int what = fault (READ);
  errno = what > 0 ? what : errno;
  return what > 0 ? -1 : (ssize_t) syscall (SYS_read, fd, data, what == SHORT && len ? 1 : len);
}

/* Only what is opened to be written, so that faults hit outputs. */
int
open64 (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  int mode = va_arg (args, int);
  va_end (args);
  if ((flags & O_ACCMODE) != O_RDONLY && fails (OPEN))
    return -1;
  return (int) syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}

int
rename (const char *from, const char *to)
{
  return fails (RENAME) ? -1 : (REAL (rename)) (from, to);
}

/* As Linux does it: the descriptor is gone although close failed. */
int
close (int fd)
{
  int failed = fails (CLOSE), err = errno;
  int status = (REAL (close)) (fd);
  errno = failed ? err : errno;
  return failed ? -1 : status;
}

int
mkdir (const char *path, mode_t mode)
{
  return fails (MKDIR) ? -1 : (REAL (mkdir)) (path, mode);
}

void *
mmap64 (void *at, size_t len, int protection, int flags, int fd, off64_t offset)
{
  if (fails (MMAP))
    return MAP_FAILED;
  return (void *) syscall (SYS_mmap, at, len, protection, flags, fd, offset);
}

int
pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*run) (void *), void *user)
{
  int what = fault (THREAD);
  return what > 0 ? what : (REAL (pthread_create)) (thread, attr, run, user);
}
