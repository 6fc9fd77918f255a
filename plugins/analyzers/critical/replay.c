/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - computes what a window would take if an operator were faster: all activities once more
 * in the order of time.  Each keeps its lag, from when it was ready until it began; the time before
 * the window stays. */
#include "critical.h"

#include <stdlib.h>

typedef enum { P_GAP, P_CUT, P_CALL, P_OP, P_SYNC } PointKind;

/* This is something that moves; at one time gaps and cuts come first, then calls, work, ends of
 * waits. */
typedef struct {
  gint64 at;
  PointKind kind;
  guint number; /* in the order in which points were found */
  guint index;  /* of work, a span, or a segment           */
  const Thread *thread;
  HandOff hand;
} Point;

/* From this time on the thread is later by so much. */
typedef struct {
  gint64 at, by;
} Shift;

typedef struct {
  const Loaded *l;
  nprof_str name;
  double factor;
  GHashTable *shifts;  /* Thread -> GArray of Shift             */
  gint64 *call;        /* new start of spans                    */
  gint64 *start, *end; /* of work                               */
  gint64 *call_known;
} Replay;

/* -- Shifts ------------------------------------------------------------------------------------ */

static GArray *
shifts_of (const Replay *r, const Thread *t)
{
  GArray *shifts = g_hash_table_lookup (r->shifts, t);
  if (shifts)
    return shifts;
  shifts = g_array_new (FALSE, FALSE, sizeof (Shift));
  g_hash_table_insert (r->shifts, (gpointer) t, shifts);
  return shifts;
}

static gint64
shift_at (const Replay *r, const Thread *t, gint64 at)
{
  const GArray *shifts = shifts_of (r, t);
  guint low = 0, high = shifts->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (g_array_index (shifts, Shift, i).at <= at)
      low = i + 1;
    else
      high = i;
  }
  return low ? g_array_index (shifts, Shift, low - 1).by : 0;
}

static gint64
shift_now (const Replay *r, const Thread *t)
{
  const GArray *shifts = shifts_of (r, t);
  return shifts->len ? g_array_index (shifts, Shift, shifts->len - 1).by : 0;
}

static void
set_shift (Replay *r, const Thread *t, gint64 at, gint64 by)
{
  const Shift shift = { at, by };
  g_array_append_val (shifts_of (r, t), shift);
}

/* Returns what start..end of that name takes now; its part before the window stays. */
static gint64
scaled (const Replay *r, nprof_str name, gint64 start, gint64 end)
{
  gint64 before = CLAMP (r->l->window->start - start, 0, end - start),
         length = end - start - before;
  if (name != r->name || !name)
    return end - start;
  return before + (r->factor > 0 ? (gint64) ((double) length / r->factor) : 0);
}

/* -- Points ------------------------------------------------------------------------------------ */

static void
add_point (GArray *points, Point point)
{
  point.number = points->len;
  g_array_append_val (points, point);
}

static void
add_work (const Loaded *l, GArray *points)
{
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    guint call = launch_span (l, op);
    add_point (points, (Point){ .at = op->start, .kind = P_OP, .index = i });
    if (call != NOBODY)
      add_point (points, (Point){ .at = op->call_start, .kind = P_CALL, .index = call });
  }
}

static void
add_thread (const Replay *r, const Thread *t, GArray *points)
{
  for (guint i = 0; i < t->segments->len; i++) {
    const ThreadSegment *s = &g_array_index (t->segments, ThreadSegment, i);
    Point p = { .at = s->end, .thread = t, .index = i };
    if (s->span == NOBODY) {
      p.kind = P_GAP;
      p.hand = hand_off (r->l, t, s->start, s->end);
      if (p.hand.thread)
        add_point (points, p);
    } else if (span_at (r->l, s->span)->name == r->name && r->name && !blocked_at (r->l, s->span)) {
      p.kind = P_CUT;
      add_point (points, p);
    }
  }
}

static void
add_waits (const Loaded *l, GArray *points)
{
  for (guint i = 0; i < l->spans->len; i++) {
    const Blocked *b = blocked_at (l, i);
    if (!b || !b->sources->len)
      continue;
    add_point (points, (Point){ .at = span_at (l, i)->start, .kind = P_CALL, .index = i });
    add_point (points, (Point){ .at = span_at (l, i)->end, .kind = P_SYNC, .index = i });
  }
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  static const guint8 rank[] = { [P_GAP] = 0, [P_CUT] = 0, [P_CALL] = 1, [P_OP] = 2, [P_SYNC] = 3 };
  const Point *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (rank[x->kind] != rank[y->kind])
    return rank[x->kind] < rank[y->kind] ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* -- One after the other ----------------------------------------------------------------------- */

/* Returns the new end of a gap that another thread handed over, or none: when both were ready, and
 * its lag. */
static gint64
end_of_gap (const Replay *r, const Thread *t, gint64 start, gint64 end, const HandOff *hand)
{
  gint64 own = start + shift_at (r, t, start);
  if (!hand->thread)
    return own + (end - start);
  gint64 other = hand->end + shift_at (r, hand->thread, hand->end);
  return MAX (own, other) + (end - MAX (start, hand->end));
}

static void
pass_gap (Replay *r, const Point *p)
{
  const ThreadSegment *s = &g_array_index (p->thread->segments, ThreadSegment, p->index);
  set_shift (r, p->thread, s->end, end_of_gap (r, p->thread, s->start, s->end, &p->hand) - s->end);
}

static void
pass_cut (Replay *r, const Point *p)
{
  const ThreadSegment *s = &g_array_index (p->thread->segments, ThreadSegment, p->index);
  gint64 saved = s->end - s->start - scaled (r, r->name, s->start, s->end);
  set_shift (r, p->thread, s->end, shift_now (r, p->thread) - saved);
}

typedef struct {
  const Replay *r;
  const Op *op;
  gint64 was, now;
  gboolean any;
} Ready;

static gint64
ready_by_launch (const Replay *r, const Op *op, gint64 ready)
{
  guint span = launch_span (r->l, op);
  if (span == NOBODY || !r->call_known[span])
    return ready;
  const HostSpan *s = span_at (r->l, span);
  gint64 length = blocked_at (r->l, span) ? ready - s->start : scaled (r, s->name, s->start, ready);
  return r->call[span] + length;
}

static void
take_ready (gpointer user, const Dep *dep)
{
  Ready *ready = user;
  gint64 now = dep->ready;
  if (dep->kind == DEP_LAUNCH)
    now = ready_by_launch (ready->r, ready->op, dep->ready);
  else if (dep->op != NOBODY)
    now = MAX (ready->r->start[dep->op],
               ready->r->end[dep->op] - (op_at (ready->r->l, dep->op)->end - dep->ready));
  ready->was = ready->any ? MAX (ready->was, dep->ready) : dep->ready;
  ready->now = ready->any ? MAX (ready->now, now) : now;
  ready->any = TRUE;
}

static void
pass_op (Replay *r, guint number)
{
  const Op *op = op_at (r->l, number);
  Ready ready = { .r = r, .op = op };
  depend_each (r->l, number, take_ready, &ready);
  gint64 start = ready.any ? ready.now + (op->start - ready.was) : op->start;
  r->start[number] = start;
  r->end[number] = start + scaled (r, op->name, op->start, op->end);
}

static void
pass_sync (Replay *r, const Point *p)
{
  const Blocked *b = blocked_at (r->l, p->index);
  const HostSpan *s = span_at (r->l, p->index);
  gint64 was = s->start, now = r->call[p->index];
  for (guint i = 0; i < b->sources->len; i++) {
    guint source = g_array_index (b->sources, guint, i);
    if (op_at (r->l, source)->end > s->end)
      continue;
    was = MAX (was, op_at (r->l, source)->end);
    now = MAX (now, r->end[source]);
  }
  set_shift (r, thread_of (r->l, s->thread), s->end, now - was);
}

static void
replay_point (Replay *r, const Point *p)
{
  switch (p->kind) {
  case P_GAP:
    pass_gap (r, p);
    break;
  case P_CUT:
    pass_cut (r, p);
    break;
  case P_CALL:
    r->call[p->index] = span_at (r->l, p->index)->start
                        + shift_now (r, thread_of (r->l, span_at (r->l, p->index)->thread));
    r->call_known[p->index] = 1;
    break;
  case P_OP:
    pass_op (r, p->index);
    break;
  case P_SYNC:
    pass_sync (r, p);
    break;
  }
}

static void
replay_points (Replay *r)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  add_work (r->l, points);
  for (guint i = 0; i < r->l->threads->len; i++)
    add_thread (r, g_ptr_array_index (r->l->threads, i), points);
  add_waits (r->l, points);
  g_array_sort (points, by_time);
  for (guint i = 0; i < points->len; i++)
    replay_point (r, &g_array_index (points, Point, i));
}

/* Returns whether nothing but work moves, and it lies by time, as that of a core that runs in
 * order: its points are left out, because a step may have a million of them. */
static gboolean
is_in_order (const Loaded *l)
{
  for (guint i = 1; i < l->ops->len; i++)
    if (op_at (l, i - 1)->start > op_at (l, i)->start)
      return FALSE;
  return !l->spans->len && !l->threads->len;
}

static void
replay_work (Replay *r)
{
  for (guint i = 0; i < r->l->ops->len; i++)
    pass_op (r, i);
}

/* -- The end of the window --------------------------------------------------------------------- */

static gboolean
is_own (Critical *self, const Window *w, const Op *op)
{
  return w->name ? window_owns (self, w, op) : op->end <= w->end;
}

/* Returns where the host's part of a step ends: within a span, or within a gap that waits for
 * another thread. */
static gint64
end_of_host (const Replay *r, const Thread *t, gint64 end)
{
  gint64 start = r->l->window->start;
  for (guint i = t->segments->len; i-- > 0;) {
    const ThreadSegment *s = &g_array_index (t->segments, ThreadSegment, i);
    if (s->start >= end)
      continue;
    if (s->span != NOBODY && s->end >= end)
      return end + shift_at (r, t, end);
    start = s->span == NOBODY ? s->start : s->end;
    break;
  }
  const HandOff hand = hand_off (r->l, t, start, end);
  return end_of_gap (r, t, start, end, &hand);
}

/* Returns how much earlier the last work of a step of a device ends, within the step. */
static gint64
gain_of_work (Critical *self, const Replay *r)
{
  gint64 now = G_MININT64, was = G_MININT64, end = r->l->window->end;
  for (guint i = 0; i < r->l->ops->len; i++)
    if (is_own (self, r->l->window, op_at (r->l, i))) {
      now = MAX (now, MIN (r->end[i], end));
      was = MAX (was, MIN (op_at (r->l, i)->end, end));
    }
  return was - now;
}

static gint64
new_end (Critical *self, const Replay *r)
{
  const Window *w = r->l->window;
  gint64 end = w->start;
  for (guint i = 0; i < r->l->ops->len; i++)
    if (is_own (self, w, op_at (r->l, i)))
      end = MAX (end, r->end[i]);
  for (guint i = 0; i < r->l->threads->len; i++) {
    const Thread *t = g_ptr_array_index (r->l->threads, i);
    const ThreadSegment *last
        = t->segments->len ? &g_array_index (t->segments, ThreadSegment, t->segments->len - 1)
                           : NULL;
    if (w->name && t->track == w->thread)
      end = MAX (end, end_of_host (r, t, w->host_end));
    else if (!w->name && self->window != WINDOW_STEP && last)
      end = MAX (end, last->end + shift_now (r, t));
  }
  return end;
}

gint64
replay_gain (Critical *self, const Loaded *l, nprof_str name, double factor)
{
  g_autoptr (GHashTable) shifts
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  g_autofree gint64 *call = g_new0 (gint64, l->spans->len + 1),
                    *known = g_new0 (gint64, l->spans->len + 1),
                    *start = g_new0 (gint64, l->ops->len + 1),
                    *end = g_new0 (gint64, l->ops->len + 1);
  Replay r = { l, name, factor, shifts, call, start, end, known };
  for (guint i = 0; i < l->ops->len; i++)
    end[i] = op_at (l, i)->end;
  if (is_in_order (l))
    replay_work (&r);
  else
    replay_points (&r);
  return l->window->on_device ? gain_of_work (self, &r) : l->window->end - new_end (self, &r);
}
