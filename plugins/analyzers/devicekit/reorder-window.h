/* SPDX-License-Identifier: Apache-2.0 */
/* reorder-window.h - puts spans that are nearly in order in order, within a bound of memory.  Knows
 * nothing of nprof. */
#ifndef AN_WINDOW_H
#define AN_WINDOW_H

#include <glib.h>
#include <stdbool.h>

/* The first member of the caller's own struct. */
typedef struct {
  gint64 start, duration; /* ps, by which it is ordered: start up, duration down */
  guint64 number : 63;    /* as it came: the last tie-break                      */
  guint64 late : 1;       /* others behind it have been given away already       */
} WindowSpan;

typedef struct {
  char *span;
  gsize size;            /* of one                                         */
  guint n, room, max;    /* that wait, that have room, that may have; even */
  guint first;           /* where the first lies: 0 or the middle          */
  guint64 number;
  gint64 start, duration; /* of the last in order                          */
  bool sorted;
  gint64 given_start, given_duration; /* of the last that was given away   */
} Window;

/* Holds as many of that size as fit into `bytes`, at least two. */
Window *window_new (guint64 bytes, gsize size);
void window_free (Window *window);
/* Room for one more; not for calls from elsewhere. */
void window_grow (Window *window);
/* The next in order: `n` of them that lie together, when as many wait as fit, or `all`; NULL: none
 * yet.  Good until the next window_add; with `all`, what is added then is of another track. */
const void *window_take (Window *window, bool all, guint *n);

static inline bool
window_before (gint64 start, gint64 duration, gint64 than_start, gint64 than_duration)
{
  return start != than_start ? start < than_start : duration > than_duration;
}

/* A struct of the caller's, to fill in behind its WindowSpan.  Then window_take until it has none. */
static inline void *
window_add (Window *w, gint64 start, gint64 duration)
{
  if (w->n == w->room)
    window_grow (w);
  guint at = w->first + w->n++;
  WindowSpan *span = (WindowSpan *) (void *) (w->span + (at < w->max ? at : at - w->max) * w->size);
  *span = (WindowSpan){ start, duration, w->number++,
                        window_before (start, duration, w->given_start, w->given_duration) };
  w->sorted &= !window_before (start, duration, w->start, w->duration);
  w->start = start;
  w->duration = duration;
  return span;
}

static inline bool
window_is_full (const Window *w)
{
  return w->n == w->max;
}

#endif
