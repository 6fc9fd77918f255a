/* SPDX-License-Identifier: Apache-2.0 */
/* nested.c - gives each span the one around it, in one pass in the order of their starts. */
#include "producers/nested.h"

static Nested *
at_place (const NpLargeArray *list, gint64 place)
{
  return (Nested *) (list->data + (gsize) place * list->element);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Nested *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

void
nested_settle (NpLargeArray *list)
{
  gint64 open = -1;
  np_large_array_sort (list, by_start);
  for (guint i = 0; i < list->len; i++) {
    Nested *span = at_place (list, i);
    while (open >= 0 && at_place (list, open)->end < span->start)
      open = at_place (list, open)->around;
    span->around = open;
    open = i;
  }
}

const Nested *
nested_at (const NpLargeArray *list, int64_t at)
{
  guint from = 0, to = list->len;
  while (from < to) {
    const guint middle = from + (to - from) / 2;
    if (at_place (list, middle)->start <= at)
      from = middle + 1;
    else
      to = middle;
  }
  for (const Nested *span = from ? at_place (list, from - 1) : NULL; span;
       span = nested_around (list, span))
    if (span->end >= at)
      return span;
  return NULL;
}

const Nested *
nested_around (const NpLargeArray *list, const Nested *span)
{
  return span->around >= 0 ? at_place (list, span->around) : NULL;
}
