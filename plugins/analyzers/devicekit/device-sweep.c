/* SPDX-License-Identifier: Apache-2.0 */
/* device-sweep.c - sweeps over time: a heap of ends (end-heap.h), and for each lane the spans that
 * a later one can lie in.  A span lies in another of its lane when it neither begins before nor
 * ends after it; of equal spans the first is around the second; spans that overlap in part are both
 * innermost. */
#include "devicekit/device-sweep.h"

#include "devicekit/end-heap.h"

#include <string.h>

typedef struct {
  AnSpan span;
  guint32 around; /* 1 + the open span that it lies in; 0: none                       */
  guint32 within; /* spans under way that lie directly in it                          */
  guint32 held;   /* by the heap until it ends, and by its lane: 0 is free again      */
} Open;
enum { HEAP_AND_LANE = 2 };

typedef struct {
  guint32 *at;
  guint len, room;
} Numbers;

struct _AnSweep {
  AnSweepCalls calls;
  AnActive active;
  gint64 now;
  struct nprof_window window;
  guint64 n_added;
  Open *open;
  guint n_open, room;
  Numbers unused; /* of open: free ones              */
  AnEndHeap heap; /* the first end first             */
  Numbers *lanes; /* of open: those of each lane that a later span can lie in */
  guint n_lanes;
};

/* Rare work stands in functions of its own, so that the others are short. */
#define SELDOM static __attribute__ ((noinline)) void

SELDOM
grow_numbers (Numbers *n)
{
  n->room = MAX (16, n->room * 2);
  n->at = g_renew (guint32, n->at, n->room);
}

/* Pushes onto a stack that grows. */
static inline void
push (Numbers *n, guint32 number)
{
  if (n->len == n->room)
    grow_numbers (n);
  n->at[n->len++] = number;
}

AnSweep *
an_sweep_new (const AnSweepCalls *calls)
{
  AnSweep *l = g_new0 (AnSweep, 1);
  l->calls = *calls;
  l->now = G_MININT64;
  return l;
}

void
an_sweep_cut (AnSweep *l, const struct nprof_window *window)
{
  l->window = *window;
}

void
an_sweep_free (AnSweep *l)
{
  if (!l)
    return;
  for (guint i = 0; i < l->n_lanes; i++)
    g_free (l->lanes[i].at);
  g_free (l->lanes);
  an_end_heap_clear (&l->heap);
  g_free (l->unused.at);
  g_free (l->open);
  g_free (l);
}

static inline Open *
open_at (const AnSweep *l, guint32 i)
{
  return l->open + i;
}

/* -- What is under way -------------------------------------------------------------------- */

static inline void
change (guint32 *counts, guint32 *any, guint class, int by)
{
  counts[class] += (guint32) by;
  if (by > 0)
    *any |= 1u << class;
  else if (!counts[class])
    *any &= ~(1u << class);
}

static inline void
count (AnSweep *l, AnKind kind, int by)
{
  AnActive *a = &l->active;
  if (!l->calls.passed)
    return;
  if (kind.apart) {
    change (a->apart, &a->any_apart, kind.class, by);
    return;
  }
  change (a->work, &a->any_work, kind.class, by);
  if (kind.linked)
    change (a->linked, &a->any_linked, kind.class, by);
}

/* Tells only of the part inside the window. */
SELDOM
pass_cut (AnSweep *l, gint64 to)
{
  gint64 from = nprof_cut (&l->window, l->now), end = nprof_cut (&l->window, to);
  if (from < end)
    l->calls.passed (l->calls.user, from, end, &l->active);
}

static inline void
end_spans (AnSweep *l, gint64 to)
{
  if (to <= l->now)
    return;
  if (l->calls.passed && l->now != G_MININT64) {
    if (l->window.cuts)
      pass_cut (l, to);
    else
      l->calls.passed (l->calls.user, l->now, to, &l->active);
  }
  l->now = to;
}

static inline void
release (AnSweep *l, guint32 i)
{
  if (--open_at (l, i)->held == 0)
    push (&l->unused, i);
}

SELDOM
leave (AnSweep *l, guint32 around)
{
  Open *o = open_at (l, around - 1);
  if (--o->within == 0)
    count (l, o->span.kind, 1);
}

static void
end_first (AnSweep *l)
{
  guint32 i = an_end_heap_pop (&l->heap);
  Open *o = open_at (l, i);
  end_spans (l, o->span.end);
  if (!o->within)
    count (l, o->span.kind, -1);
  if (o->around)
    leave (l, o->around);
  if (l->calls.ended)
    l->calls.ended (l->calls.user, &o->span);
  release (l, i);
}

void
an_sweep_pass (AnSweep *l, gint64 to)
{
  while (l->heap.len && l->heap.at[0].at <= to)
    end_first (l);
  end_spans (l, to);
}

gint64
an_sweep_end (AnSweep *l)
{
  while (l->heap.len)
    end_first (l);
  return l->now;
}

/* -- Spans ---------------------------------------------------------------------------------- */

SELDOM
grow_lanes (AnSweep *l, guint32 number)
{
  guint n = MAX (number + 1, l->n_lanes * 2);
  l->lanes = g_renew (Numbers, l->lanes, n);
  memset (l->lanes + l->n_lanes, 0, (n - l->n_lanes) * sizeof *l->lanes);
  l->n_lanes = n;
}

static inline Numbers *
lane_at (AnSweep *l, guint32 number)
{
  if (number >= l->n_lanes)
    grow_lanes (l, number);
  return l->lanes + number;
}

/* Returns 1 + the innermost span of the lane that reaches until `end`.  A shorter one can hold
 * neither this span nor a later one that this does not hold. */
static guint32
find_around (AnSweep *l, Numbers *lane, gint64 end)
{
  for (; lane->len; lane->len--) {
    guint32 i = lane->at[lane->len - 1];
    const Open *o = open_at (l, i);
    if (o->span.end >= end && o->held == HEAP_AND_LANE)
      return i + 1;
    release (l, i);
  }
  return 0;
}

SELDOM
grow_open (AnSweep *l)
{
  l->room = MAX (16, l->room * 2);
  l->open = g_renew (Open, l->open, l->room);
}

/* Tells whether the only span of the lane has ended, as for most spans: its room is theirs then. */
static inline gboolean
follows (const AnSweep *l, const Numbers *lane)
{
  return lane && lane->len == 1 && open_at (l, lane->at[0])->held < HEAP_AND_LANE;
}

static inline guint32
take_slot (AnSweep *l)
{
  if (l->unused.len)
    return l->unused.at[--l->unused.len];
  if (l->n_open == l->room)
    grow_open (l);
  return l->n_open++;
}

SELDOM
lie_within (AnSweep *l, guint32 around, gint64 duration)
{
  Open *o = open_at (l, around - 1);
  if (o->within++ == 0)
    count (l, o->span.kind, -1);
  o->span.leaf = FALSE;
  o->span.children += duration;
}

static inline void
open_span (Open *o, gint64 start, gint64 end, AnKind kind, guint32 around)
{
  o->span.start = start;
  o->span.end = end;
  o->span.children = 0;
  o->span.leaf = TRUE;
  o->span.kind = kind;
  o->around = around;
  o->within = 0;
  o->held = kind.lane == AN_NO_LANE ? 1 : HEAP_AND_LANE;
}

/* Makes room for a span of the lane, and finds what it lies in. */
static inline guint32
enter_span (AnSweep *l, Numbers *lane, gint64 start, gint64 end, guint32 *around)
{
  *around = lane ? find_around (l, lane, end) : 0;
  if (*around)
    lie_within (l, *around, end - start);
  guint32 i = take_slot (l);
  if (lane)
    push (lane, i);
  return i;
}

AnItem *
an_sweep_add (AnSweep *l, gint64 start, gint64 duration, AnKind kind)
{
  gint64 end = start + duration;
  Numbers *lane = kind.lane == AN_NO_LANE ? NULL : lane_at (l, kind.lane);
  guint32 around = 0;
  guint32 i = follows (l, lane) ? lane->at[0] : enter_span (l, lane, start, end, &around);
  Open *o = open_at (l, i);
  open_span (o, start, end, kind, around);
  count (l, kind, 1);
  an_end_heap_push (&l->heap, (AnEnd){ end, l->n_added++, i });
  return &o->span.item;
}
