/* SPDX-License-Identifier: Apache-2.0 */
/* device-sweep-loop.h - the sweep itself, for those who call it for each row: device-sweep.c is the
 * plain version, which calls what an_sweep_new was given; here the functions are named with each
 * call, so that compilers make one loop of the sweep and what it tells. The rest of the sweep is in
 * device-sweep.h.
 *
 * There is a heap of ends (end-heap.h), and for each lane the spans that a later one can lie in.  A
 * span lies in another of its lane when it neither begins before nor ends after it; of equal spans
 * the first is around the second; spans that overlap in part are both innermost. */
#ifndef AN_DEVICE_SWEEP_LOOP_H
#define AN_DEVICE_SWEEP_LOOP_H

#include "devicekit/device-sweep.h"
#include "devicekit/end-heap.h"

typedef struct {
  AnSpan span;
  guint32 around; /* 1 + the open span that it lies in; 0: none                       */
  guint32 within; /* spans under way that lie directly in it                          */
  guint32 held;   /* by the heap until it ends, and by its lane: 0 is free again      */
} AnOpen;
enum { AN_HEAP_AND_LANE = 2 };

typedef struct {
  guint32 *at;
  guint len, room;
} AnNumberStack;

struct _AnSweep {
  AnSweepCalls calls;
  AnActive active;
  gint64 now;
  struct nprof_window window;
  guint64 n_added;
  AnOpen *open;
  guint n_open, room;
  AnNumberStack unused; /* of open: free ones              */
  AnEndHeap heap;       /* the first end first             */
  AnNumberStack *lanes; /* of open: those of each lane that a later span can lie in */
  guint n_lanes;
};

#define AN_SWEEP_INLINE static inline __attribute__ ((always_inline))

/* Rare work stands in functions of its own (device-sweep.c), so that the others are short. */
void an_sweep_grow_numbers (AnNumberStack *n);
void an_sweep_grow_lanes (AnSweep *l, guint32 number);
void an_sweep_grow_open (AnSweep *l);
/* Leaves the span around; counts: somebody is told of time. */
void an_sweep_leave (AnSweep *l, guint32 around, gboolean counts);
void an_sweep_lie_within (AnSweep *l, guint32 around, gboolean counts);
/* Tells only of the part inside the window. */
void an_sweep_pass_cut (AnSweep *l, gint64 to, AnSweepPassed passed, gpointer user);

/* Pushes onto a stack that grows. */
AN_SWEEP_INLINE void
an_sweep_push (AnNumberStack *n, guint32 number)
{
  if (G_UNLIKELY (n->len == n->room))
    an_sweep_grow_numbers (n);
  n->at[n->len++] = number;
}

/* -- What is under way -------------------------------------------------------------------- */

AN_SWEEP_INLINE void
an_sweep_change (guint32 *counts, guint32 *any, guint class, int by)
{
  counts[class] += (guint32) by;
  if (by > 0)
    *any |= 1u << class;
  else if (!counts[class])
    *any &= ~(1u << class);
}

AN_SWEEP_INLINE void
an_sweep_count (AnSweep *l, AnKind kind, int by)
{
  AnActive *a = &l->active;
  if (kind.apart) {
    an_sweep_change (a->apart, &a->any_apart, kind.class, by);
    return;
  }
  an_sweep_change (a->work, &a->any_work, kind.class, by);
  if (kind.linked)
    an_sweep_change (a->linked, &a->any_linked, kind.class, by);
}

AN_SWEEP_INLINE void
an_sweep_end_spans (AnSweep *l, gint64 to, AnSweepPassed passed, gpointer user)
{
  if (to <= l->now)
    return;
  if (passed && l->now != G_MININT64) {
    if (G_UNLIKELY (l->window.cuts))
      an_sweep_pass_cut (l, to, passed, user);
    else
      passed (user, l->now, to, &l->active);
  }
  l->now = to;
}

AN_SWEEP_INLINE void
an_sweep_release (AnSweep *l, guint32 i)
{
  if (--l->open[i].held == 0)
    an_sweep_push (&l->unused, i);
}

AN_SWEEP_INLINE void
an_sweep_end_first (AnSweep *l, AnSweepPassed passed, AnSweepEnded ended, gpointer user)
{
  guint32 i = an_end_heap_pop (&l->heap);
  AnOpen *o = l->open + i;
  an_sweep_end_spans (l, o->span.end, passed, user);
  if (passed && !o->within)
    an_sweep_count (l, o->span.kind, -1);
  if (G_UNLIKELY (o->around))
    an_sweep_leave (l, o->around, passed != NULL);
  if (ended)
    ended (user, &o->span);
  an_sweep_release (l, i);
}

/* As an_sweep_pass. */
AN_SWEEP_INLINE void
an_sweep_pass_by (AnSweep *l, gint64 to, AnSweepPassed passed, AnSweepEnded ended, gpointer user)
{
  while (l->heap.len && l->heap.at[0].at <= to)
    an_sweep_end_first (l, passed, ended, user);
  an_sweep_end_spans (l, to, passed, user);
}

/* -- Spans ---------------------------------------------------------------------------------- */

AN_SWEEP_INLINE AnNumberStack *
an_sweep_lane_at (AnSweep *l, guint32 number)
{
  if (G_UNLIKELY (number >= l->n_lanes))
    an_sweep_grow_lanes (l, number);
  return l->lanes + number;
}

/* Returns 1 + the innermost span of the lane that reaches until `end`.  A shorter one can hold
 * neither this span nor a later one that this does not hold. */
AN_SWEEP_INLINE guint32
an_sweep_find_around (AnSweep *l, AnNumberStack *lane, gint64 end)
{
  for (; lane->len; lane->len--) {
    guint32 i = lane->at[lane->len - 1];
    const AnOpen *o = l->open + i;
    if (o->span.end >= end && o->held == AN_HEAP_AND_LANE)
      return i + 1;
    an_sweep_release (l, i);
  }
  return 0;
}

/* Returns whether the only span of the lane has ended, as for most spans: its room is theirs
 * then. */
AN_SWEEP_INLINE gboolean
an_sweep_follows (const AnSweep *l, const AnNumberStack *lane)
{
  return lane && lane->len == 1 && l->open[lane->at[0]].held < AN_HEAP_AND_LANE;
}

AN_SWEEP_INLINE guint32
an_sweep_take_slot (AnSweep *l)
{
  if (l->unused.len)
    return l->unused.at[--l->unused.len];
  if (G_UNLIKELY (l->n_open == l->room))
    an_sweep_grow_open (l);
  return l->n_open++;
}

/* Makes room for a span of the lane, and finds what it lies in. */
AN_SWEEP_INLINE guint32
an_sweep_enter (AnSweep *l, AnNumberStack *lane, gint64 end, gboolean counts, guint32 *around)
{
  *around = lane ? an_sweep_find_around (l, lane, end) : 0;
  if (*around)
    an_sweep_lie_within (l, *around, counts);
  guint32 i = an_sweep_take_slot (l);
  if (lane)
    an_sweep_push (lane, i);
  return i;
}

/* As an_sweep_add; counts: an_sweep_pass_by is given a function that is told of time. */
AN_SWEEP_INLINE AnItem *
an_sweep_add_by (AnSweep *l, gint64 start, gint64 duration, AnKind kind, gboolean counts)
{
  gint64 end = start + duration;
  AnNumberStack *lane = kind.lane == AN_NO_LANE ? NULL : an_sweep_lane_at (l, kind.lane);
  guint32 around = 0, i;
  if (G_LIKELY (an_sweep_follows (l, lane)))
    i = lane->at[0];
  else
    i = an_sweep_enter (l, lane, end, counts, &around);
  AnOpen *o = l->open + i;
  o->span.start = start;
  o->span.end = end;
  o->span.leaf = TRUE;
  o->span.kind = kind;
  o->around = around;
  o->within = 0;
  o->held = lane ? AN_HEAP_AND_LANE : 1;
  if (counts)
    an_sweep_count (l, kind, 1);
  an_end_heap_push (&l->heap, (AnEnd){ end, l->n_added++, i });
  return &o->span.item;
}

#endif
