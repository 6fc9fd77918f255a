/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - keeps the first cause, and grows arrays. */
#include "fault.h"

#include "system/room.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
store_fail (struct store_fault *fault, nprof_status status, const char *format, ...)
{
  if (fault->status)
    return false;
  va_list args;
  va_start (args, format);
  vsnprintf (fault->text, sizeof fault->text, format, args);
  va_end (args);
  fault->status = status;
  return false;
}

bool
store_fail_errno (struct store_fault *fault, const char *what)
{
  const char *mend = errno == ENOSPC ? ": make room there, or name another folder" : "";
  return store_fail (fault, np_file_status (errno), "%s: %s%s", what, strerror (errno), mend);
}

bool
store_grow (struct store_fault *fault, void *array, size_t *max, size_t need, size_t size)
{
  size_t n = *max + *max / 2 + 16;
  n = n < need ? need : n;
  void *old;
  memcpy (&old, array, sizeof old);
  void *grown = n > SIZE_MAX / size ? NULL : realloc (old, n * size);
  if (!grown)
    return store_fail (fault, NPROF_E_NOMEM, "no memory for %zu bytes of the store's index",
                       n * size);
  memcpy (array, &grown, sizeof grown);
  *max = n;
  return true;
}
