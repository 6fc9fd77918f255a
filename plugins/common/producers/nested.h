/* SPDX-License-Identifier: Apache-2.0 */
/* nested.h - spans of one thread that lie within one another, as operators do: which are open at a
 * moment, from the innermost out. */
#ifndef PRODUCERS_NESTED_H
#define PRODUCERS_NESTED_H

#include "system/large.h"

#include <stdint.h>

/* The elements of a list begin with this. */
typedef struct {
  int64_t start, end;
  gint64 around; /* the place of the span that was open when it began; -1: none */
} Nested;

/* Sorts a list by start, of equal ones the longer first, and finds what is around each. */
void nested_settle (NpLargeArray *list);
/* Returns the innermost that is open at that moment, of a settled list; NULL: none. */
const Nested *nested_at (const NpLargeArray *list, int64_t at);
/* Returns what is around it; NULL: nothing. */
const Nested *nested_around (const NpLargeArray *list, const Nested *span);

#endif
