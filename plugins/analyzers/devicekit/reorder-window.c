/* SPDX-License-Identifier: Apache-2.0 */
/* reorder-window.c - an array of two halves that take turns: when both are full, the older one is
 * given away and filled anew, so that nothing moves.  It is sorted before when it is not in order:
 * half of it is given away at a time, which amortises the sorting. */
#include "devicekit/reorder-window.h"

#include <stdlib.h>
#include <string.h>

/* Begins another track; the memory stays. */
static void
reset (AnWindow *w)
{
  w->n = w->first = 0;
  w->sorted = true;
  w->start = w->given_start = G_MININT64; /* nothing comes before these */
  w->duration = w->given_duration = G_MAXINT64;
}

AnWindow *
an_window_new (guint64 bytes, gsize size)
{
  AnWindow *w = g_new0 (AnWindow, 1);
  w->size = size;
  w->max = (guint) CLAMP (bytes / size, 2, G_MAXINT32) & ~1u;
  reset (w);
  return w;
}

void
an_window_free (AnWindow *w)
{
  if (!w)
    return;
  g_free (w->span);
  g_free (w);
}

void
an_window_grow (AnWindow *w)
{
  w->room = MIN (w->max, MAX (256, w->room * 2));
  w->span = g_realloc_n (w->span, w->room, w->size);
}

static int
compare (const void *a, const void *b)
{
  const AnWindowSpan *x = a, *y = b;
  if (an_window_before (x->start, x->duration, y->start, y->duration))
    return -1;
  if (an_window_before (y->start, y->duration, x->start, x->duration))
    return 1;
  return (x->number > y->number) - (x->number < y->number);
}

static char *
span_at (const AnWindow *w, guint at)
{
  return w->span + at * w->size;
}

/* Sorts.  When the first is in the middle the newer ones lie before it: then they are made one
 * piece. */
static void
sort (AnWindow *w)
{
  guint behind = w->max - w->first;
  if (w->n > behind) {
    memmove (span_at (w, w->n - behind), span_at (w, w->first), behind * w->size);
    w->first = 0;
  }
  qsort (span_at (w, w->first), w->n, w->size, compare);
  const AnWindowSpan *last = (const void *) span_at (w, w->first + w->n - 1);
  w->start = last->start;
  w->duration = last->duration;
  w->sorted = true;
}

/* Remembers the last; late ones are no measure for others. */
static void
remember_last (AnWindow *w, const char *piece, guint n)
{
  while (n-- > 0) {
    const AnWindowSpan *span = (const void *) (piece + n * w->size);
    if (span->late)
      continue;
    w->given_start = span->start;
    w->given_duration = span->duration;
    return;
  }
}

const void *
an_window_take (AnWindow *w, bool all, guint *n)
{
  if (!w->n || (!all && !an_window_is_full (w)))
    return NULL;
  if (!w->sorted)
    sort (w);
  *n = all ? MIN (w->n, w->max - w->first) : w->max / 2;
  const char *piece = span_at (w, w->first);
  remember_last (w, piece, *n);
  w->n -= *n;
  w->first = w->first || all ? 0 : w->max / 2;
  if (!w->n)
    reset (w);
  return piece;
}
