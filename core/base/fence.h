/* SPDX-License-Identifier: Apache-2.0 */
/* fence.h - which call of a component each thread is in, so that one that ends the process is named,
 * and temporary files go with it.  The program arms it; the process of libnprof is another's. */
#pragma once

#include <stdint.h>

/* `of` lies in the file of the component; NULL: the thread is in no call.  kind: NPROF_DECODER ...;
 * NP_CALL_OF_FILE: of no component. */
enum { NP_CALL_OF_FILE = 3 };
typedef struct {
  const void *of;
  const char *name, *call;
  uint32_t kind;
} NpFenceCall;

extern _Thread_local NpFenceCall np_call;

/* Calls c->function (...). */
#define NP_CALL(c, function, ...)                                                                  \
  __extension__({                                                                                  \
    const NpFenceCall np_outer = np_call;                                                               \
    np_call = (NpFenceCall){ (const void *) (uintptr_t) (c)->function, (c)->name, #function, (c)->kind }; \
    const __typeof__ ((c)->function (__VA_ARGS__)) np_result = (c)->function (__VA_ARGS__);        \
    np_call = np_outer;                                                                            \
    np_result;                                                                                     \
  })

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

/* From now on a call that crashes, exits or aborts ends this process with `status`, and says so.  Once;
 * children that are forked are not concerned.  `words` are of the command line, copied. */
void np_fence_arm (int status, char **words);
/* From now on such a call begins the command anew instead, which leaves the component out by the
 * variable `without` of its environment; not where that is set already. */
void np_fence_begin_again (const char *without);
void np_fence_settle (void); /* somebody has got something: no more.  [any-thread] */
/* From each other thread that calls components: gives it a stack for the handler of crashes. */
void np_fence_thread (void);
