/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - computes what a window would take if an operator were faster: all activities once more
 * in the order of time.  Each keeps its lag, from when it was ready until it began; the time before
 * the window stays. */
#include "critical.h"

#include <string.h>

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

/* This is something that work waited for and that moves: other work, until so long before its end,
 * or the call that launched it, whose wait ended then. */
typedef struct {
  gint64 time;
  guint index; /* of work, or a span */
  gboolean call;
} Moving;

/* What a replay reads of work, packed: a step may have a million, and is replayed for each operator
 * that could be faster. */
typedef struct {
  gint64 length, lag; /* lag: from when it was ready until it began                     */
  gint64 still;       /* the last that it waited for of what stays; G_MININT64: nothing */
  nprof_str name;
  guint moving; /* its first Moving; that of the next work is the end of them */
} Work;

struct Replay {
  Critical *self;
  const Loaded *l;
  gpointer room; /* of what has as many as there are work and spans */
  gsize room_bytes;
  Work *work;              /* and one behind the last */
  GArray *moving, *points; /* points: NULL: there is nothing but work, which is in order */
  guint8 *own;             /* of work: whether the end of the window is its             */
  gint64 was;              /* when the last of that ended                               */
  gint64 *ends;            /* of work, as they were                                     */
  /* What is replayed now. */
  nprof_str name;
  double factor;
  GHashTable *shifts; /* Thread -> GArray of Shift             */
  gint64 *call;       /* new start of spans                    */
  guint8 *call_known;
  gint64 *start, *end; /* of work                               */
};

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

static const Thread *
thread_of_span (const Loaded *l, guint span)
{
  return thread_of (l, span_at (l, span)->thread);
}

static void
add_work (const Loaded *l, GArray *points)
{
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    guint call = launch_span (l, op);
    add_point (points, (Point){ .at = op->start, .kind = P_OP, .index = i });
    if (call != NOBODY)
      add_point (points, (Point){ .at = op->call_start,
                                  .kind = P_CALL,
                                  .index = call,
                                  .thread = thread_of_span (l, call) });
  }
}

static void
add_thread (const Loaded *l, const Thread *t, GArray *points)
{
  for (guint i = 0; i < t->segments->len; i++) {
    const ThreadSegment *s = &g_array_index (t->segments, ThreadSegment, i);
    Point p = { .at = s->end, .thread = t, .index = i };
    if (s->span == NOBODY) {
      p.kind = P_GAP;
      p.hand = hand_off (l, t, s->start, s->end);
      if (p.hand.thread)
        add_point (points, p);
    } else if (span_at (l, s->span)->name && !blocked_at (l, s->span)) {
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
    const Thread *thread = thread_of_span (l, i);
    add_point (points,
               (Point){
                   .at = span_at (l, i)->start, .kind = P_CALL, .index = i, .thread = thread });
    add_point (points,
               (Point){ .at = span_at (l, i)->end, .kind = P_SYNC, .index = i, .thread = thread });
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

static GArray *
points_of (const Loaded *l)
{
  if (is_in_order (l))
    return NULL;
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
  add_work (l, points);
  for (guint i = 0; i < l->threads->len; i++)
    add_thread (l, g_ptr_array_index (l->threads, i), points);
  add_waits (l, points);
  g_array_sort (points, by_time);
  return points;
}

/* -- Work -------------------------------------------------------------------------------------- */

typedef struct {
  Replay *r;
  const Op *op;
  Work *work;
  gint64 ready; /* when all that it waited for was there; G_MININT64: it waited for nothing */
} Waits;

static void
add_dep (gpointer user, const Dep *dep)
{
  Waits *w = user;
  const Loaded *l = w->r->l;
  const gboolean call = dep->kind == DEP_LAUNCH;
  Moving m = { dep->ready, call ? launch_span (l, w->op) : dep->op, call };
  w->ready = MAX (w->ready, dep->ready);
  if (m.index == NOBODY) {
    w->work->still = MAX (w->work->still, dep->ready);
    return;
  }
  if (!call)
    m.time = op_at (l, m.index)->end - dep->ready;
  g_array_append_val (w->r->moving, m);
}

static void
add_op_waits (Replay *r, guint i)
{
  const Op *op = op_at (r->l, i);
  Work *work = r->work + i;
  Waits w = { r, op, work, G_MININT64 };
  *work = (Work){
    .length = op->end - op->start, .still = G_MININT64, .name = op->name, .moving = r->moving->len
  };
  depend_each (r->l, i, add_dep, &w);
  if (w.ready == G_MININT64)
    work->still = op->start;
  else
    work->lag = op->start - w.ready;
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
  if (span_at (r->l, s->span)->name != r->name)
    return;
  gint64 saved = s->end - s->start - scaled (r, r->name, s->start, s->end);
  set_shift (r, p->thread, s->end, shift_now (r, p->thread) - saved);
}

/* Returns when the wait for the call ends, which ended then. */
static gint64
ready_by_call (const Replay *r, guint span, gint64 ready)
{
  if (!r->call_known[span])
    return ready;
  const HostSpan *s = span_at (r->l, span);
  gint64 length = blocked_at (r->l, span) ? ready - s->start : scaled (r, s->name, s->start, ready);
  return r->call[span] + length;
}

static void
pass_op (Replay *r, guint i)
{
  const Work *w = r->work + i;
  gint64 ready = w->still;
  for (guint k = w->moving; k < w[1].moving; k++) {
    const Moving *m = &g_array_index (r->moving, Moving, k);
    const gint64 now = m->call ? ready_by_call (r, m->index, m->time)
                               : MAX (r->start[m->index], r->end[m->index] - m->time);
    ready = MAX (ready, now);
  }
  const gint64 start = ready + w->lag;
  r->start[i] = start;
  r->end[i] = start + w->length;
  if (w->name == r->name)
    r->end[i] = start + scaled (r, w->name, op_at (r->l, i)->start, op_at (r->l, i)->end);
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
  set_shift (r, p->thread, s->end, now - was);
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
    r->call[p->index] = span_at (r->l, p->index)->start + shift_now (r, p->thread);
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
gain_of_work (const Replay *r)
{
  gint64 now = G_MININT64, end = r->l->window->end;
  for (guint i = 0; i < r->l->ops->len; i++)
    if (r->own[i])
      now = MAX (now, MIN (r->end[i], end));
  return r->was - now;
}

static gint64
new_end (const Replay *r)
{
  const Window *w = r->l->window;
  gint64 end = w->start;
  for (guint i = 0; i < r->l->ops->len; i++)
    if (r->own[i])
      end = MAX (end, r->end[i]);
  for (guint i = 0; i < r->l->threads->len; i++) {
    const Thread *t = g_ptr_array_index (r->l->threads, i);
    const ThreadSegment *last
        = t->segments->len ? &g_array_index (t->segments, ThreadSegment, t->segments->len - 1)
                           : NULL;
    if (w->name && t->track == w->thread)
      end = MAX (end, end_of_host (r, t, w->host_end));
    else if (!w->name && r->self->window != WINDOW_STEP && last)
      end = MAX (end, last->end + shift_now (r, t));
  }
  return end;
}

/* -- Life -------------------------------------------------------------------------------------- */

Replay *
replay_new (Critical *self)
{
  Replay *r = g_new0 (Replay, 1);
  r->self = self;
  r->moving = g_array_new (FALSE, FALSE, sizeof (Moving));
  r->shifts = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return r;
}

void
replay_free (Replay *r)
{
  g_free (r->room);
  g_array_unref (r->moving);
  g_clear_pointer (&r->points, g_array_unref);
  g_hash_table_unref (r->shifts);
  g_free (r);
}

/* Makes room for n rows of work and that many spans in one piece, which is kept for windows that
 * need no more. */
static void
make_room (Replay *r, gsize n, gsize spans)
{
  const gsize bytes = n * (sizeof *r->work + 3 * sizeof (gint64) + sizeof *r->own)
                      + spans * (sizeof (gint64) + sizeof *r->call_known);
  if (bytes > r->room_bytes) {
    g_free (r->room);
    r->room = g_malloc (bytes);
    r->room_bytes = bytes;
  }
  r->work = (Work *) r->room;
  r->ends = (gint64 *) (r->work + n);
  r->start = r->ends + n;
  r->end = r->start + n;
  r->call = r->end + n;
  r->own = (guint8 *) (r->call + spans);
  r->call_known = r->own + n;
}

void
replay_load (Replay *r, const Loaded *l)
{
  const guint n = l->ops->len;
  r->l = l;
  r->was = G_MININT64;
  make_room (r, (gsize) n + 1, l->spans->len);
  g_array_set_size (r->moving, 0);
  g_clear_pointer (&r->points, g_array_unref);
  r->points = points_of (l);
  for (guint i = 0; i < n; i++) {
    add_op_waits (r, i);
    r->ends[i] = op_at (l, i)->end;
    r->own[i] = (guint8) is_own (r->self, l->window, op_at (l, i));
    if (r->own[i])
      r->was = MAX (r->was, MIN (r->ends[i], l->window->end));
  }
  r->work[n].moving = r->moving->len;
}

gint64
replay_gain (Replay *r, nprof_str name, double factor)
{
  const Loaded *l = r->l;
  r->name = name;
  r->factor = factor;
  g_hash_table_remove_all (r->shifts);
  memset (r->call_known, 0, l->spans->len);
  memset (r->start, 0, l->ops->len * sizeof *r->start);
  memcpy (r->end, r->ends, l->ops->len * sizeof *r->end);
  for (guint i = 0; r->points && i < r->points->len; i++)
    replay_point (r, &g_array_index (r->points, Point, i));
  for (guint i = 0; !r->points && i < l->ops->len; i++)
    pass_op (r, i);
  return l->window->on_device ? gain_of_work (r) : l->window->end - new_end (r);
}
