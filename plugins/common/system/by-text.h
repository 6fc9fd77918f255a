/* SPDX-License-Identifier: Apache-2.0 */
/* by-text.h - the order of texts by their bytes, for g_ptr_array_sort and qsort over char *. */
#pragma once

#include <string.h>

static inline int
np_by_text (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}
