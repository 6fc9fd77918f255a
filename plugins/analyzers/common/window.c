/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - an array that is sorted when it is not in order, and given away from its front:
 * half of it at a time, so that sorting is amortised. */
#include "window.h"

#include <stdlib.h>
#include <string.h>

struct _Window {
  WindowSpan *span;
  gsize n, at, room, max; /* at: the first that waits                          */
  gsize give;             /* so many more are given away before it is filled   */
  bool sorted;
  guint64 number;
  bool given; /* last is one that was given away                   */
  WindowSpan last;
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

static int
compare (const void *a, const void *b)
{
  const WindowSpan *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
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

void
window_add (Window *w, WindowSpan span)
{
  span.number = w->number++;
  span.late = w->given && compare (&span, &w->last) < 0;
  if (w->n == w->room)
    make_room (w);
  if (w->n > w->at && w->sorted && compare (w->span + w->n - 1, &span) > 0)
    w->sorted = false;
  w->span[w->n++] = span;
}

bool
window_take (Window *w, bool all, WindowSpan *span)
{
  gsize waiting = w->n - w->at;
  if (!w->give && waiting == w->max)
    w->give = w->max / 2;
  if (!waiting || (!w->give && !all)) {
    if (all) { /* the end of a track: what follows is another */
      g_clear_pointer (&w->span, g_free);
      w->n = w->at = w->room = w->give = 0;
      w->given = false;
      w->sorted = true;
    }
    return false;
  }
  if (!w->sorted) {
    qsort (w->span + w->at, waiting, sizeof *w->span, compare);
    w->sorted = true;
  }
  *span = w->span[w->at++];
  w->give -= w->give > 0;
  if (!span->late) {
    w->last = *span;
    w->given = true;
  }
  return true;
}
