/* SPDX-License-Identifier: Apache-2.0 */
/* end-heap.h - a heap of the ends of open spans, the first end first. */
#ifndef AN_END_HEAP_H
#define AN_END_HEAP_H

#include <glib.h>

/* The keys of the order lie beside the ends, so that the heap need not look at the spans. */
typedef struct {
  gint64 at;
  guint64 number; /* of equal ends the last added goes first: children before parents */
  guint32 open;   /* what the caller knows the span by                                */
} AnEnd;

/* It starts as zeros; at[0] is the first end. */
typedef struct {
  AnEnd *at;
  guint len, room;
} AnEndHeap;

static inline void
an_end_heap_clear (AnEndHeap *h)
{
  g_free (h->at);
  h->at = NULL;
  h->len = h->room = 0;
}

static inline gboolean
an_end_sooner (const AnEnd *a, const AnEnd *b)
{
  return a->at != b->at ? a->at < b->at : a->number > b->number;
}

/* This is rare, so it is not in the loops that push. */
static __attribute__ ((noinline)) void
an_end_heap_grow (AnEndHeap *h)
{
  h->room = MAX (16, h->room * 2);
  h->at = g_renew (AnEnd, h->at, h->room);
}

static inline void
an_end_heap_push (AnEndHeap *h, AnEnd end)
{
  if (h->len == h->room)
    an_end_heap_grow (h);
  guint at = h->len++;
  for (; at && an_end_sooner (&end, &h->at[(at - 1) / 2]); at = (at - 1) / 2)
    h->at[at] = h->at[(at - 1) / 2];
  h->at[at] = end;
}

/* Pops the first end, of which there must be one. */
static inline guint32
an_end_heap_pop (AnEndHeap *h)
{
  guint32 first = h->at[0].open;
  guint n = --h->len, at = 0;
  if (n == 0)
    return first;
  AnEnd last = h->at[n];
  for (guint child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && an_end_sooner (&h->at[child + 1], &h->at[child]))
      child++;
    if (!an_end_sooner (&h->at[child], &last))
      break;
    h->at[at] = h->at[child];
  }
  h->at[at] = last;
  return first;
}

#endif
