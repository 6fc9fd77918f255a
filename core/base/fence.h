/* SPDX-License-Identifier: Apache-2.0 */
/* fence.h - which call of a component each thread is in, so that one that ends the process is
 * named, and temporary files go with it. The program arms it; the process of libnprof is
 * another's. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* `of` lies in the file of the component; NULL: the thread is in no call.  kind: NPROF_DECODER ...;
 * NP_CALL_OF_FILE: of no component. */
enum { NP_CALL_OF_FILE = 3 };
typedef struct {
  const void *of;
  const char *name, *call;
  uint32_t kind;
  int64_t since; /* ns of the thread's processor time, when the limit began to count; 0: not yet */
} NpFenceCall;

extern _Thread_local NpFenceCall np_call;

/* Looks at the process after each call, where a run is checked; NULL: nobody does. */
extern void (*np_fence_look) (void);
static inline void
np_fence_after (void)
{
  void (*look) (void) = __atomic_load_n (&np_fence_look, __ATOMIC_ACQUIRE);
  if (look)
    look ();
}

#define NP_CALL_OF(c, function)                                                                    \
  (NpFenceCall)                                                                                    \
  {                                                                                                \
    (const void *) (uintptr_t) (c)->function, (c)->name, #function, (c)->kind, 0                   \
  }

/* Calls c->function (...). */
#define NP_CALL(c, function, ...)                                                                  \
  __extension__({                                                                                  \
    const NpFenceCall np_outer = np_call;                                                          \
    np_call = NP_CALL_OF (c, function);                                                            \
    const __typeof__ ((c)->function (__VA_ARGS__)) np_result = (c)->function (__VA_ARGS__);        \
    np_fence_after ();                                                                             \
    np_call = np_outer;                                                                            \
    np_result;                                                                                     \
  })
/* The same of a function that returns nothing. */
#define NP_CALL_VOID(c, function, ...)                                                             \
  do {                                                                                             \
    const NpFenceCall np_outer = np_call;                                                          \
    np_call = NP_CALL_OF (c, function);                                                            \
    (c)->function (__VA_ARGS__);                                                                   \
    np_fence_after ();                                                                             \
    np_call = np_outer;                                                                            \
  } while (0)

/* A file that is removed when a call ends the process; owned by who adds it. */
typedef struct NpFenced NpFenced;
struct NpFenced {
  const char *path;
  NpFenced *next, **link; /* link: NULL: it is not added */
};
/* Makes the file, which must not be there; -1 with errno.  `path` stays until it is dropped.
 * [any-thread] */
int np_fence_open (NpFenced *file, const char *path);
void np_fence_drop (NpFenced *file); /* [any-thread] */

/* From now on a call that crashes, exits or aborts ends this process with `status`, and says so.
 * Once; children that are forked are not concerned. `words` are of the command line, copied. */
void np_fence_arm (int status, char **words);
/* From now on such a call begins the command anew instead, which leaves the component out by the
 * variable `without` of its environment; not where that is set already. */
void np_fence_begin_again (const char *without);
void np_fence_settle (void); /* somebody has got something: no more.  [any-thread] */
/* Returns whether this is the process that was armed, which nobody else ends. */
int np_fence_is_armed (void);
/* Returns whether this thread is in a call of a component, and in the process that was armed. */
int np_fence_is_inside (void);
/* Ends the process as if that call had: `how` follows the name, as in " called exit". */
_Noreturn void np_fence_end (const NpFenceCall *call, const char *how);
/* The component of this name is a third party's, as each is whose name has a dot. The name stays;
 * of more than 64 the others count as ours.  [any-thread] */
void np_fence_third (const char *name);
/* Returns whether this thread is in a call of a third party. */
int np_fence_is_third (void);
/* From now on a call of a third party also ends the process when it takes `seconds` of its thread's
 * CPU time without progress; 0: no limit. */
void np_fence_limit (unsigned seconds);
/* The call that this thread is in makes progress: its time counts anew. */
static inline void
np_fence_progress (void)
{
  np_call.since = 0;
}
/* fence-look.c: begins to look after each call of a third party, and ends it.  Nobody looks once
 * `interrupt` (may be NULL) is not 0, as signals that end the process change its handlers. */
void np_fence_watch (const atomic_int *interrupt);
void np_fence_unwatch (void);
/* Counts child processes that the core itself starts (1) and has waited for (-1), which are no
 * fork of a component.  [any-thread] */
void np_fence_own_processes (int more);
/* fence-threads.c: returns whether a thread runs that third parties began, and the call that did.
 * Not where a sanitizer has pthread_create.  [any-thread] */
int np_fence_has_thread (NpFenceCall *call);
/* From each other thread that calls components: gives it a stack for the handler of crashes. */
void np_fence_thread (void);
