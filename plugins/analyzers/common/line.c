/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - the sweep: a heap of ends, and for each lane the spans that a later one can lie in.
 *
 * A span lies in another of its lane when it neither begins before nor ends after it; of equal
 * spans the first is around the second; spans that overlap in part are both innermost. */
#include "line.h"

typedef struct {
  AnSpan span;
  guint64 number;     /* of equal ends the last added goes first: children before parents */
  guint32 around;     /* 1 + the open span that it lies in; 0: none                       */
  guint32 within;     /* spans under way that lie directly in it                          */
  gboolean candidate; /* on its lane's stack                                              */
  gboolean ended;
} Open;

struct _AnLine {
  AnLineCalls calls;
  AnActive active;
  gint64 now;
  guint64 n_added;
  GArray *open;     /* of Open                        */
  GArray *unused;   /* of guint32: free ones          */
  GArray *heap;     /* of guint32: the first end first */
  GPtrArray *lanes; /* of GArray of guint32, or NULL  */
};

static void
lane_free (gpointer lane)
{
  if (lane)
    g_array_unref (lane);
}

AnLine *
an_line_new (const AnLineCalls *calls)
{
  AnLine *l = g_new0 (AnLine, 1);
  l->calls = *calls;
  l->now = G_MININT64;
  l->open = g_array_new (FALSE, FALSE, sizeof (Open));
  l->unused = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->heap = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->lanes = g_ptr_array_new_with_free_func (lane_free);
  return l;
}

void
an_line_free (AnLine *l)
{
  if (!l)
    return;
  g_array_unref (l->open);
  g_array_unref (l->unused);
  g_array_unref (l->heap);
  g_ptr_array_unref (l->lanes);
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
  return &g_array_index (l->open, Open, i);
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
  g_array_append_val (l->heap, i);
  guint32 *h = (guint32 *) l->heap->data;
  guint at = l->heap->len - 1;
  for (; at && sooner (l, i, h[(at - 1) / 2]); at = (at - 1) / 2)
    h[at] = h[(at - 1) / 2];
  h[at] = i;
}

static guint32
heap_pop (AnLine *l)
{
  guint32 *h = (guint32 *) l->heap->data;
  guint32 first = h[0], last = h[l->heap->len - 1];
  guint n = l->heap->len - 1, at = 0;
  for (guint child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && sooner (l, h[child + 1], h[child]))
      child++;
    if (!sooner (l, h[child], last))
      break;
    h[at] = h[child];
  }
  h[at] = last;
  g_array_set_size (l->heap, n);
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
    g_array_append_val (l->unused, i);
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
  while (l->heap->len && open_at (l, g_array_index (l->heap, guint32, 0))->span.end <= to)
    end_first (l);
  pass (l, to);
}

gint64
an_line_end (AnLine *l)
{
  while (l->heap->len)
    end_first (l);
  return l->now;
}

/* -- Spans ---------------------------------------------------------------------------------- */

static GArray *
lane_at (AnLine *l, guint32 number)
{
  if (number >= l->lanes->len)
    g_ptr_array_set_size (l->lanes, (int) number + 1);
  gpointer *lane = &l->lanes->pdata[number];
  if (!*lane)
    *lane = g_array_new (FALSE, FALSE, sizeof (guint32));
  return *lane;
}

/* 1 + the innermost span of the lane that reaches until `end`.  What does not can hold neither
 * this span nor a later one that this does not hold. */
static guint32
find_around (AnLine *l, GArray *lane, gint64 end)
{
  while (lane->len) {
    guint32 i = g_array_index (lane, guint32, lane->len - 1);
    Open *o = open_at (l, i);
    if (o->span.end >= end && !o->ended)
      return i + 1;
    o->candidate = FALSE;
    release (l, i);
    g_array_set_size (lane, lane->len - 1);
  }
  return 0;
}

static guint32
take (AnLine *l)
{
  if (!l->unused->len) {
    g_array_set_size (l->open, l->open->len + 1);
    return l->open->len - 1;
  }
  guint32 i = g_array_index (l->unused, guint32, l->unused->len - 1);
  g_array_set_size (l->unused, l->unused->len - 1);
  return i;
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
  GArray *lane = item->lane == AN_NO_LANE ? NULL : lane_at (l, item->lane);
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
    g_array_append_val (lane, i);
}
