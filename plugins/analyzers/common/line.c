/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - the sweep: a heap of ends, and for each lane the spans that a later one can lie in.
 *
 * A span lies in another of its lane when it neither begins before nor ends after it; of equal
 * spans the first is around the second; spans that overlap in part are both innermost. */
#include "line.h"

#include <string.h>

typedef struct {
  AnSpan span;
  guint64 number;     /* of equal ends the last added goes first: children before parents */
  guint32 around;     /* 1 + the open span that it lies in; 0: none                       */
  guint32 within;     /* spans under way that lie directly in it                          */
  gboolean candidate; /* on its lane's stack                                              */
  gboolean ended;
} Open;

typedef struct {
  guint32 *at;
  guint len, room;
} Numbers;

struct _AnLine {
  AnLineCalls calls;
  AnActive active;
  gint64 now;
  guint64 n_added;
  Open *open;
  guint n_open, room;
  Numbers unused; /* of open: free ones              */
  Numbers heap;   /* of open: the first end first    */
  Numbers *lanes; /* of open: those of each lane that a later span can lie in */
  guint n_lanes;
};

/* A stack that grows. */
static inline void
push (Numbers *n, guint32 number)
{
  if (n->len == n->room) {
    n->room = MAX (16, n->room * 2);
    n->at = g_renew (guint32, n->at, n->room);
  }
  n->at[n->len++] = number;
}

AnLine *
an_line_new (const AnLineCalls *calls)
{
  AnLine *l = g_new0 (AnLine, 1);
  l->calls = *calls;
  l->now = G_MININT64;
  return l;
}

void
an_line_free (AnLine *l)
{
  if (!l)
    return;
  for (guint i = 0; i < l->n_lanes; i++)
    g_free (l->lanes[i].at);
  g_free (l->lanes);
  g_free (l->heap.at);
  g_free (l->unused.at);
  g_free (l->open);
  g_free (l);
}

const AnActive *
an_line_active (const AnLine *l)
{
  return &l->active;
}

static inline Open *
open_at (const AnLine *l, guint32 i)
{
  return l->open + i;
}

/* -- The heap ----------------------------------------------------------------------------- */

static inline gboolean
sooner (const AnLine *l, guint32 a, guint32 b)
{
  const Open *x = open_at (l, a), *y = open_at (l, b);
  return x->span.end != y->span.end ? x->span.end < y->span.end : x->number > y->number;
}

static void
heap_push (AnLine *l, guint32 i)
{
  push (&l->heap, i);
  guint32 *h = l->heap.at;
  guint at = l->heap.len - 1;
  for (; at && sooner (l, i, h[(at - 1) / 2]); at = (at - 1) / 2)
    h[at] = h[(at - 1) / 2];
  h[at] = i;
}

static guint32
heap_pop (AnLine *l)
{
  guint32 *h = l->heap.at;
  guint32 first = h[0], last = h[l->heap.len - 1];
  guint n = l->heap.len - 1, at = 0;
  for (guint child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && sooner (l, h[child + 1], h[child]))
      child++;
    if (!sooner (l, h[child], last))
      break;
    h[at] = h[child];
  }
  h[at] = last;
  l->heap.len = n;
  return first;
}

/* -- What is under way -------------------------------------------------------------------- */

static void
count (AnLine *l, const AnItem *item, int by)
{
  AnActive *a = &l->active;
  if (item->apart) {
    a->apart[item->class] += (guint32) by;
    a->n_apart += (guint32) by;
    return;
  }
  a->work[item->class] += (guint32) by;
  a->n_work += (guint32) by;
  if (item->linked) {
    a->linked[item->class] += (guint32) by;
    a->n_linked += (guint32) by;
  }
}

static void
pass (AnLine *l, gint64 to)
{
  if (to > l->now && l->now != G_MININT64)
    l->calls.passed (l->calls.user, l->now, to, &l->active);
  l->now = MAX (l->now, to);
}

static void
release (AnLine *l, guint32 i)
{
  const Open *o = open_at (l, i);
  if (o->ended && !o->candidate)
    push (&l->unused, i);
}

static void
end_first (AnLine *l)
{
  guint32 i = heap_pop (l);
  Open *o = open_at (l, i);
  pass (l, o->span.end);
  if (!o->within)
    count (l, &o->span.item, -1);
  if (o->around) {
    Open *around = open_at (l, o->around - 1);
    if (--around->within == 0)
      count (l, &around->span.item, 1);
  }
  if (l->calls.ended)
    l->calls.ended (l->calls.user, &o->span);
  o->ended = TRUE;
  release (l, i);
}

void
an_line_pass (AnLine *l, gint64 to)
{
  while (l->heap.len && open_at (l, l->heap.at[0])->span.end <= to)
    end_first (l);
  pass (l, to);
}

gint64
an_line_end (AnLine *l)
{
  while (l->heap.len)
    end_first (l);
  return l->now;
}

/* -- Spans ---------------------------------------------------------------------------------- */

static Numbers *
lane_at (AnLine *l, guint32 number)
{
  if (number >= l->n_lanes) {
    guint n = MAX (number + 1, l->n_lanes * 2);
    l->lanes = g_renew (Numbers, l->lanes, n);
    memset (l->lanes + l->n_lanes, 0, (n - l->n_lanes) * sizeof *l->lanes);
    l->n_lanes = n;
  }
  return l->lanes + number;
}

/* 1 + the innermost span of the lane that reaches until `end`.  What does not can hold neither
 * this span nor a later one that this does not hold. */
static guint32
find_around (AnLine *l, Numbers *lane, gint64 end)
{
  for (; lane->len; lane->len--) {
    guint32 i = lane->at[lane->len - 1];
    Open *o = open_at (l, i);
    if (o->span.end >= end && !o->ended)
      return i + 1;
    o->candidate = FALSE;
    release (l, i);
  }
  return 0;
}

static guint32
take (AnLine *l)
{
  if (l->unused.len)
    return l->unused.at[--l->unused.len];
  if (l->n_open == l->room) {
    l->room = MAX (16, l->room * 2);
    l->open = g_renew (Open, l->open, l->room);
  }
  return l->n_open++;
}

static void
lie_within (AnLine *l, guint32 around, gint64 duration)
{
  Open *o = open_at (l, around - 1);
  if (o->within++ == 0)
    count (l, &o->span.item, -1);
  o->span.leaf = FALSE;
  o->span.children += duration;
}

void
an_line_add (AnLine *l, gint64 start, gint64 duration, const AnItem *item)
{
  an_line_pass (l, start);
  Numbers *lane = item->lane == AN_NO_LANE ? NULL : lane_at (l, item->lane);
  guint32 around = lane ? find_around (l, lane, start + duration) : 0;
  if (around)
    lie_within (l, around, duration);
  guint32 i = take (l);
  *open_at (l, i)
      = (Open){ .span = { .start = start, .end = start + duration, .leaf = TRUE, .item = *item },
                .number = l->n_added++,
                .around = around,
                .candidate = lane != NULL };
  count (l, item, 1);
  heap_push (l, i);
  if (lane)
    push (lane, i);
}
