/* SPDX-License-Identifier: Apache-2.0 */
/* reorder-window.h - puts spans that are nearly in order in order, within a bound of memory.  Knows
 * nothing of nprof. */
#ifndef AN_REORDER_WINDOW_H
#define AN_REORDER_WINDOW_H

#include <glib.h>
#include <stdbool.h>

/* The caller's own struct begins with this. */
typedef struct {
  gint64 start, duration; /* ps, by which it is ordered: start up, duration down */
  guint64 number : 63;    /* as it came: the last tie-break                      */
  guint64 late : 1;       /* others behind it have been given away already       */
} AnWindowSpan;

typedef struct {
  char *span;
  gsize size;            /* of one                                         */
  guint n, room, max;    /* that wait, that have room, that may have; even */
  guint first;           /* where the first lies: 0 or the middle          */
  guint64 number;
  gint64 start, duration; /* of the last in order                          */
  bool sorted;
  gint64 given_start, given_duration; /* of the last that was given away   */
} AnWindow;

/* Makes a window that holds as many of that size as fit into `bytes`, at least two. */
AnWindow *an_window_new (guint64 bytes, gsize size);
void an_window_free (AnWindow *window);
/* Makes room for one more; not for calls from elsewhere. */
void an_window_grow (AnWindow *window);
/* Takes the next in order: `n` of them that lie together, when as many wait as fit, or `all`; NULL:
 * none yet.  Good until the next an_window_add; after `all`, added spans are of another track. */
const void *an_window_take (AnWindow *window, bool all, guint *n);

static inline bool
an_window_before (gint64 start, gint64 duration, gint64 than_start, gint64 than_duration)
{
  return start != than_start ? start < than_start : duration > than_duration;
}

/* Adds a struct of the caller's, to fill in behind its AnWindowSpan.  Call an_window_take then
 * until it has none. */
static inline void *
an_window_add (AnWindow *w, gint64 start, gint64 duration)
{
  if (w->n == w->room)
    an_window_grow (w);
  guint at = w->first + w->n++;
  AnWindowSpan *span
      = (AnWindowSpan *) (void *) (w->span + (at < w->max ? at : at - w->max) * w->size);
  *span = (AnWindowSpan){ start, duration, w->number++,
                          an_window_before (start, duration, w->given_start, w->given_duration) };
  w->sorted &= !an_window_before (start, duration, w->start, w->duration);
  w->start = start;
  w->duration = duration;
  return span;
}

static inline bool
an_window_is_full (const AnWindow *w)
{
  return w->n == w->max;
}

#endif
