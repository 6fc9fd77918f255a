/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - an array that is sorted when it is not in order, and given away from its front:
 * half of it at a time, so that sorting is amortised. */
#include "window.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  gint64 start, duration;
  guint64 number;
} Place;

struct _Window {
  WindowSpan *span;
  gsize n, at, room, max; /* at: the first that waits                          */
  gsize give;             /* so many more are given away before it is filled   */
  bool sorted;
  guint64 number;
  bool given; /* last is one that was given away                   */
  Place last;
};

Window *
window_new (guint64 bytes)
{
  Window *w = g_new0 (Window, 1);
  w->max = MAX (2, bytes / sizeof (WindowSpan));
  w->sorted = true;
  return w;
}

void
window_free (Window *w)
{
  if (!w)
    return;
  g_free (w->span);
  g_free (w);
}

static inline int
compare_places (const Place *x, const Place *y)
{
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static inline Place
place (const WindowSpan *span)
{
  return (Place){ span->start, span->duration, span->number };
}

static int
compare (const void *a, const void *b)
{
  const Place x = place (a), y = place (b);
  return compare_places (&x, &y);
}

static void
make_room (Window *w)
{
  if (w->at)
    memmove (w->span, w->span + w->at, (w->n - w->at) * sizeof *w->span);
  w->n -= w->at;
  w->at = 0;
  if (w->n == w->room) {
    w->room = MIN (w->max, MAX (256, w->room * 2));
    w->span = g_renew (WindowSpan, w->span, w->room);
  }
}

WindowSpan *
window_add (Window *w, gint64 start, gint64 duration)
{
  const Place at = { start, duration, w->number++ };
  if (w->n == w->room)
    make_room (w);
  WindowSpan *span = w->span + w->n;
  if (w->n > w->at && w->sorted) {
    const Place before = place (span - 1);
    w->sorted = compare_places (&before, &at) <= 0;
  }
  w->n++;
  span->start = start;
  span->duration = duration;
  span->number = at.number;
  span->late = w->given && compare_places (&at, &w->last) < 0;
  return span;
}

/* The end of a track: what follows is another. */
static void
reset (Window *w)
{
  g_clear_pointer (&w->span, g_free);
  w->n = w->at = w->room = w->give = 0;
  w->given = false;
  w->sorted = true;
}

const WindowSpan *
window_take (Window *w, bool all)
{
  gsize waiting = w->n - w->at;
  if (!w->give && waiting == w->max)
    w->give = w->max / 2;
  if (!waiting || (!w->give && !all)) {
    if (all)
      reset (w);
    return NULL;
  }
  if (!w->sorted) {
    qsort (w->span + w->at, waiting, sizeof *w->span, compare);
    w->sorted = true;
  }
  const WindowSpan *span = w->span + w->at++;
  w->give -= w->give > 0;
  if (!span->late) {
    w->last = place (span);
    w->given = true;
  }
  return span;
}
