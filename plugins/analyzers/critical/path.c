/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - walks the critical path of a window: from its end back to its start, each time to the
 * last thing that was waited for.  Segments follow each other without a gap, so that they sum to
 * the window. */
#include "critical.h"

typedef struct {
  Critical *self;
  const Loaded *l;
  gint64 start, t; /* t: the path is told from here to the end of the window */
  Path path;       /* backwards                                             */
  guint op;        /* where it is: work of a device, or NOBODY: a thread     */
  const Thread *thread;
  GPtrArray *busy; /* of Busy: when devices worked; NULL: nobody asked yet */
  guint skip;      /* a call that the path came from: it waited for nothing again */
} Walk;

PathClass
class_of_op (const Op *op)
{
  return op->class == OP_WAITS           ? PATH_WAIT_GAP
         : op->class == OP_UNTOLD        ? PATH_UNKNOWN
         : op->class == AN_COMMUNICATION ? PATH_COMMUNICATION
         : op->class == AN_MEMORY        ? PATH_COPY
                                         : PATH_COMPUTE;
}

const char *
path_class_name (PathClass class)
{
  static const char *const names[PATH_CLASSES]
      = { "host_op",  "host_api",   "host_gap",      "sync_return", "sync_other",
          "launch",   "compute",    "communication", "copy",        "queue_gap",
          "wait_gap", "unrecorded", "unknown" };
  return names[class];
}

Group
group_of (PathClass class)
{
  static const Group groups[PATH_CLASSES]
      = { G_HOST,          G_HOST, G_HOST,  G_HOST,  G_HOST,       G_LAUNCH, G_COMPUTE,
          G_COMMUNICATION, G_COPY, G_QUEUE, G_QUEUE, G_UNRECORDED, G_UNKNOWN };
  return groups[class];
}

/* -- Segments ---------------------------------------------------------------------------------- */

static void
put_segment (Walk *w, gint64 from, PathClass class, nprof_str name, nprof_str category,
             nprof_track track)
{
  from = MAX (from, w->start);
  if (w->t <= from)
    return;
  Segment *last = w->path.segments->len
                      ? &g_array_index (w->path.segments, Segment, w->path.segments->len - 1)
                      : NULL;
  if (last && last->class == class && last->name == name && last->category == category
      && last->track == track) {
    last->start = from;
    last->count++;
  } else {
    const Segment s = { from, w->t, class, name, category, track, 1 };
    g_array_append_val (w->path.segments, s);
  }
  w->t = from;
}

/* -- On a device ------------------------------------------------------------------------------- */

static void
go_to_thread (Walk *w, const Thread *thread, guint skip)
{
  w->op = NOBODY;
  w->thread = thread;
  w->skip = skip;
}

/* ps: nothing that is recorded explains a longer one */
#define LONG_WAIT (1000 * 1000 * G_GINT64_CONSTANT (1000))

/* Returns how long a call may take by itself before the work begins that it waits for: 1 ms, and
 * its bytes at 1 GB/s. */
static gint64
own_time (const Op *op)
{
  return LONG_WAIT + MIN (op->bytes, G_MAXINT64 / 2000) * 1000;
}

/* Returns whether no work of the device ran in a..b; of device 0: of any. */
static gboolean
nothing_ran (Walk *w, nprof_track device, gint64 a, gint64 b)
{
  if (!w->busy)
    w->busy = busy_find (w->self, w->l);
  for (guint i = 0; i < w->busy->len; i++) {
    const Busy *busy = g_ptr_array_index (w->busy, i);
    if ((!device || busy->device == device) && busy_time (busy, a, b))
      return FALSE;
  }
  return TRUE;
}

/* Returns the class of the time from when the work was ready until it began. */
static PathClass
class_of_gap (Walk *w, const Op *op, const Dep *dep)
{
  if (w->l->unsure && g_hash_table_contains (w->l->unsure, GUINT_TO_POINTER (w->op + 1)))
    return PATH_UNKNOWN;
  const gboolean hole
      = op->thread && op->start - dep->ready > LONG_WAIT
        && nothing_ran (w, an_place (w->self->places, op->queue)->device, dep->ready, op->start);
  const gboolean too_long = op->start - dep->ready > own_time (op);
  if (dep->kind == DEP_LAUNCH && op->blocks)
    return hole && too_long ? PATH_UNRECORDED : PATH_HOST_API;
  if (dep->kind == DEP_LAUNCH)
    return hole ? PATH_UNRECORDED : PATH_LAUNCH;
  if (hole && (op->blocks ? too_long : op->call_end <= dep->ready))
    return PATH_UNRECORDED;
  return dep->kind == DEP_QUEUE ? PATH_QUEUE_GAP : PATH_WAIT_GAP;
}

/* Until its program began the host gave the core nothing to do, once the one before had ended; what
 * a core waits for within a program, is unknown. */
static void
before_program (Walk *w, const Op *op, const Dep *dep)
{
  const gint64 ready = dep->kind == DEP_NONE ? w->start : dep->ready;
  const LastProgram *last
      = w->l->programs ? g_hash_table_lookup (w->l->programs, GUINT_TO_POINTER (w->op + 1)) : NULL;
  if (!last || (dep->kind != DEP_NONE && last->begun < ready))
    return;
  put_segment (w, MAX (last->begun, ready), PATH_UNKNOWN, op->name, op->category, op->queue);
  put_segment (w, MAX (last->before_end, ready), PATH_HOST_GAP, 0, 0, 0);
  put_segment (w, ready, PATH_UNKNOWN, 0, 0, 0);
}

/* Puts the time from when the launch let the work begin: within a call that blocks it is that
 * call's. */
static void
put_launch (Walk *w, const Op *op, const Dep *dep)
{
  const PathClass class = class_of_gap (w, op, dep);
  const guint span = launch_span (w->l, op);
  if (op->blocks && span != NOBODY) {
    const HostSpan *call = span_at (w->l, span);
    put_segment (w, dep->ready, class, call->name, call->category, call->thread);
  } else {
    put_segment (w, dep->ready, class, op->name, op->category, op->queue);
  }
}

static void
at_op (Walk *w)
{
  const Op *op = op_at (w->l, w->op);
  put_segment (w, op->start, class_of_op (op), op->name, op->category, op->queue);
  if (w->t <= w->start)
    return;
  const Dep dep = depend_binding (w->l, w->op);
  before_program (w, op, &dep);
  const Thread *thread = op->thread ? thread_of (w->l, op->thread) : NULL;
  switch (dep.kind) {
  case DEP_LAUNCH:
    put_launch (w, op, &dep);
    if (thread)
      go_to_thread (w, thread, launch_span (w->l, op));
    else
      put_segment (w, w->start, PATH_UNKNOWN, 0, 0, 0);
    break;
  case DEP_QUEUE:
  case DEP_WAIT:
    put_segment (w, dep.ready, class_of_gap (w, op, &dep), op->name, op->category, op->queue);
    if (dep.op == NOBODY)
      put_segment (w, w->start, PATH_UNKNOWN, 0, 0,
                   0); /* it ended before the window: nothing is left */
    w->op = dep.op == NOBODY ? w->op : dep.op;
    break;
  default:
    put_segment (w, w->start, PATH_UNKNOWN, 0, 0, 0);
  }
}

/* -- On a thread ------------------------------------------------------------------------------- */

/* Returns the number of the first segment that ends at t or later, or how many there are. */
static guint
segment_at (const Thread *t, gint64 at)
{
  guint low = 0, high = t->segments->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (g_array_index (t->segments, ThreadSegment, i).end < at)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

static void
in_gap (Walk *w, gint64 from)
{
  const HandOff to = hand_off (w->l, w->thread, from, w->t);
  put_segment (w, to.thread ? to.end : from, PATH_HOST_GAP, 0, 0, 0);
  w->skip = NOBODY;
  if (!to.thread)
    return;
  w->path.hand_offs++;
  w->thread = to.thread;
}

/* Returns the work that ended last of what the call waited for, within the call; NOBODY: none. */
static guint
waited_for (const Walk *w, guint span)
{
  const Blocked *b = span == w->skip ? NULL : blocked_at (w->l, span);
  gint64 start = span_at (w->l, span)->start;
  guint best = NOBODY;
  for (guint i = 0; b && i < b->sources->len; i++) {
    guint source = g_array_index (b->sources, guint, i);
    gint64 end = op_at (w->l, source)->end;
    if (end > start && end <= w->t
        && (best == NOBODY || end > op_at (w->l, best)->end
            || (end == op_at (w->l, best)->end && source > best)))
      best = source;
  }
  return best;
}

static PathClass
class_of_span (Critical *self, const HostSpan *s)
{
  CallKind kind = span_waits (self, s);
  if (kind >= CALL_SYNC_ALL && kind <= CALL_BLOCKS)
    return PATH_SYNC_OTHER;
  return host_kind (self, s->category) == AN_HOST_CALL ? PATH_HOST_API : PATH_HOST_OP;
}

static void
in_span (Walk *w, gint64 from, guint span)
{
  const HostSpan *s = span_at (w->l, span);
  guint source = waited_for (w, span);
  if (source != NOBODY) {
    put_segment (w, op_at (w->l, source)->end, PATH_SYNC_RETURN, s->name, s->category, s->thread);
    w->op = source;
    return;
  }
  const CallKind kind = span_waits (w->self, s);
  const gboolean blocks = kind >= CALL_SYNC_ALL && kind <= CALL_COPY && span != w->skip;
  from = MAX (from, w->start);
  const gboolean unrecorded = blocks && w->t - from > LONG_WAIT && nothing_ran (w, 0, from, w->t);
  put_segment (w, from, unrecorded ? PATH_UNRECORDED : class_of_span (w->self, s), s->name,
               s->category, s->thread);
}

static void
at_thread (Walk *w)
{
  const GArray *segments = w->thread->segments;
  guint i = segment_at (w->thread, w->t);
  const ThreadSegment *s = i < segments->len ? &g_array_index (segments, ThreadSegment, i) : NULL;
  if (!s || s->start >= w->t)
    in_gap (w, i ? g_array_index (segments, ThreadSegment, i - 1).end : w->start);
  else if (s->span == NOBODY)
    in_gap (w, s->start);
  else
    in_span (w, s->start, s->span);
}

/* -- From the end of the window ---------------------------------------------------------------- */

/* Begins at the last work that a step of a device waited for; then the host gave it nothing to do,
 * once its programs had ended. */
static void
begin_on_device (Walk *w)
{
  const Window *window = w->l->window;
  gint64 last = G_MININT64;
  for (guint i = 0; i < w->l->ops->len; i++) {
    const Op *op = op_at (w->l, i);
    gint64 end = MIN (op->end, window->end);
    if (end < last || op->start >= window->end
        || an_place (w->self->places, op->queue)->device != window->process)
      continue;
    last = end;
    w->op = i;
  }
  AnIdlePart parts[AN_IDLE_PARTS];
  guint n = an_idle_parts (&w->l->behind, w->op == NOBODY ? w->start : last, window->end, parts);
  while (n--)
    put_segment (w, parts[n].start, parts[n].cause == AN_IDLE_HOST ? PATH_HOST_GAP : PATH_UNKNOWN,
                 0, 0, 0);
}

static void
begin (Walk *w)
{
  const Window *window = w->l->window;
  w->op = w->skip = NOBODY;
  if (window->on_device) {
    begin_on_device (w);
    return;
  }
  if (window->launched_end == window->end && (window->host_end < window->end || !window->thread))
    for (guint i = 0; i < w->l->ops->len; i++) {
      const Op *op = op_at (w->l, i);
      if (op->end == window->end && (!window->name || window_owns (w->self, window, op)))
        w->op = i;
    }
  w->thread = window->thread ? thread_of (w->l, window->thread) : NULL;
}

static void
reverse (GArray *segments)
{
  for (guint i = 0, j = segments->len; i + 1 < j; i++) {
    j--;
    Segment *a = &g_array_index (segments, Segment, i), *b = &g_array_index (segments, Segment, j);
    const Segment kept = *a;
    *a = *b;
    *b = kept;
  }
}

Path
path_walk (Critical *self, const Loaded *l)
{
  Walk w = { .self = self,
             .l = l,
             .start = l->window->start,
             .t = l->window->end,
             .path = { .segments = self->segments, .has_threads = l->threads->len > 0 } };
  g_array_set_size (self->segments, 0);
  begin (&w);
  while (w.t > w.start)
    if (w.op != NOBODY)
      at_op (&w);
    else if (w.thread)
      at_thread (&w);
    else
      put_segment (&w, w.start, PATH_UNKNOWN, 0, 0, 0);
  g_clear_pointer (&w.busy, g_ptr_array_unref);
  reverse (w.path.segments);
  return w.path;
}

void
path_cut (Path *path, const struct nprof_window *clip)
{
  guint n = 0;
  for (guint i = 0; i < path->segments->len; i++) {
    Segment s = g_array_index (path->segments, Segment, i);
    s.start = nprof_cut (clip, s.start);
    s.end = nprof_cut (clip, s.end);
    if (!clip->cuts || s.end > s.start)
      g_array_index (path->segments, Segment, n++) = s;
  }
  g_array_set_size (path->segments, n);
}

Groups
path_groups (const Path *path, gint64 duration)
{
  Groups groups = { .all = duration };
  for (guint i = 0; i < path->segments->len; i++) {
    const Segment *s = &g_array_index (path->segments, Segment, i);
    groups.of[group_of (s->class)] += s->end - s->start;
  }
  return groups;
}
