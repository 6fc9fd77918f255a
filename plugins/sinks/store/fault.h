/* SPDX-License-Identifier: Apache-2.0 */
/* fault.h - the first cause of a failure, and arrays that grow without ending the process. */
#pragma once

#include <nprof/plugin.h>
#include <stdbool.h>
#include <stddef.h>

struct store_fault {
  nprof_status status; /* NPROF_OK: nothing has failed */
  char text[600];
};

/* Keeps the first cause.  Returns false. */
bool store_fail (struct store_fault *fault, nprof_status status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));
/* `what` is a file or folder; errno's text is added. */
bool store_fail_errno (struct store_fault *fault, const char *what);
bool store_grow (struct store_fault *fault, void *array, size_t *max, size_t need, size_t size);
/* Makes *array hold at least `need` elements of `size` bytes; grows by half at least. */
static inline bool
store_room (struct store_fault *fault, void *array, size_t *max, size_t need, size_t size)
{
  return need <= *max || store_grow (fault, array, max, need, size);
}
