/* SPDX-License-Identifier: Apache-2.0 */
/* depend.c - finds what work of a device had to wait for: the work before it on its queue, an event
 * of another queue, its launch; and what calls of the host waited for. */
#include "critical.h"

#include <stdlib.h>

static Queue *
queue_of (const Loaded *l, nprof_track track)
{
  for (guint i = 0; i < l->queues->len; i++) {
    Queue *q = g_ptr_array_index (l->queues, i);
    if (q->track == track)
      return q;
  }
  return NULL;
}

void
queue_free (gpointer queue)
{
  Queue *q = queue;
  g_array_unref (q->launched);
  g_array_unref (q->ended);
  g_free (q);
}

static Queue *
queue_made (Critical *self, Loaded *l, nprof_track track)
{
  Queue *q = queue_of (l, track);
  if (q)
    return q;
  q = g_new0 (Queue, 1);
  q->track = track;
  q->device = an_place (self->places, track)->device;
  q->launched = g_array_new (FALSE, FALSE, sizeof (guint));
  q->ended = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (l->queues, q);
  return q;
}

static int
by_launch (gconstpointer a, gconstpointer b, gpointer user)
{
  guint i = *(const guint *) a, j = *(const guint *) b;
  gint64 x = op_at (user, i)->call_start, y = op_at (user, j)->call_start;
  return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}

static int
by_end (gconstpointer a, gconstpointer b, gpointer user)
{
  guint i = *(const guint *) a, j = *(const guint *) b;
  gint64 x = op_at (user, i)->end, y = op_at (user, j)->end;
  return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}

static void
find_queues (Critical *self, Loaded *l)
{
  for (guint i = 0; i < l->ops->len; i++) {
    Queue *q = queue_made (self, l, op_at (l, i)->queue);
    if (op_at (l, i)->thread)
      g_array_append_val (q->launched, i);
    g_array_append_val (q->ended, i);
  }
  for (guint i = 0; i < l->queues->len; i++) {
    Queue *q = g_ptr_array_index (l->queues, i);
    g_array_sort_with_data (q->launched, by_launch, l);
    g_array_sort_with_data (q->ended, by_end, l);
  }
}

/* -- Launches of a queue ----------------------------------------------------------------------- */

/* Counts the work that was launched before then; `at` counts work launched at that time as well. */
static guint
launched_before (const Loaded *l, const Queue *q, gint64 then, gboolean at)
{
  guint low = 0, high = q->launched->len;
  while (low < high) {
    guint i = (low + high) / 2;
    gint64 start = op_at (l, g_array_index (q->launched, guint, i))->call_start;
    if (start < then || (at && start == then))
      low = i + 1;
    else
      high = i;
  }
  return low;
}

static guint
last_launched (const Loaded *l, const Queue *q, gint64 before)
{
  guint n = q ? launched_before (l, q, before, FALSE) : 0;
  return n ? g_array_index (q->launched, guint, n - 1) : NOBODY;
}

static guint
next_launched (const Loaded *l, const Queue *q, gint64 after)
{
  guint n = q ? launched_before (l, q, after, TRUE) : 0;
  return q && n < q->launched->len ? g_array_index (q->launched, guint, n) : NOBODY;
}

/* Counts the work of the queue that ended by then. */
static guint
ended_by (const Loaded *l, const Queue *q, gint64 then)
{
  guint low = 0, high = q->ended->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (op_at (l, g_array_index (q->ended, guint, i))->end <= then)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

/* Returns whether the process launched the work before the call, as far as the file says. */
static gboolean
may_be_waited_for (Critical *self, const Op *op, const HostSpan *call)
{
  return !op->thread
         || (op->call_start < call->start
             && process_of (self, op->thread) == process_of (self, call->thread));
}

/* Returns the last work that ended within the call and in the window, and was launched before
 * it. */
static guint
ended_within (Critical *self, const Loaded *l, const Queue *q, const HostSpan *call)
{
  for (guint n = ended_by (l, q, MIN (call->end, l->window->end)); n > 0; n--) {
    guint last = g_array_index (q->ended, guint, n - 1);
    if (op_at (l, last)->end <= call->start)
      return NOBODY;
    if (may_be_waited_for (self, op_at (l, last), call))
      return last;
  }
  return NOBODY;
}

/* -- Calls that wait --------------------------------------------------------------------------- */

static Blocked *
blocked_made (Loaded *l, guint span)
{
  Blocked *b = g_hash_table_lookup (l->blocked, GUINT_TO_POINTER (span + 1));
  if (b)
    return b;
  b = g_new0 (Blocked, 1);
  b->span = span;
  b->sources = g_array_new (FALSE, FALSE, sizeof (guint));
  g_hash_table_insert (l->blocked, GUINT_TO_POINTER (span + 1), b);
  return b;
}

const Blocked *
blocked_at (const Loaded *l, guint span)
{
  return g_hash_table_lookup (l->blocked, GUINT_TO_POINTER (span + 1));
}

static void
wait_for (Blocked *b, guint op)
{
  if (op != NOBODY)
    g_array_append_val (b->sources, op);
}

/* Returns the place among the calls of the first one with that id; how many there are: none. */
static guint
first_call (const Loaded *l, guint64 id)
{
  guint low = 0, high = l->calls->len;
  while (low < high) {
    guint at = (low + high) / 2;
    if (g_array_index (l->calls, Call, at).id < id)
      low = at + 1;
    else
      high = at;
  }
  return low;
}

/* When several calls have one id, the first counts. */
static guint
call_of (const Loaded *l, guint64 id)
{
  const guint at = first_call (l, id);
  const Call *call = at < l->calls->len ? &g_array_index (l->calls, Call, at) : NULL;
  return id && call && call->id == id ? call->span : NOBODY;
}

/* Returns a queue of the device by its number. */
static const Queue *
stream_of (Critical *self, const Loaded *l, nprof_track device, gint64 stream)
{
  for (guint i = 0; i < l->queues->len; i++) {
    const Queue *q = g_ptr_array_index (l->queues, i);
    const char *key = nprof_text (self->host, self->host->track_info (self->host, q->track)->key);
    char *end;
    if (q->device == device && g_ascii_strtoll (key, &end, 10) == stream && end != key && !*end)
      return q;
  }
  return NULL;
}

void
add_wait (Loaded *l, guint op, guint source)
{
  if (op >= l->waits->len)
    g_ptr_array_set_size (l->waits, (int) MAX (op + 1, l->ops->len));
  if (!l->waits->pdata[op])
    l->waits->pdata[op] = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *sources = l->waits->pdata[op];
  g_array_append_val (sources, source);
}

static void
add_event (Critical *self, Loaded *l, const Sync *s, guint call)
{
  guint record = call_of (l, s->record);
  nprof_track device = an_place (self->places, s->queue)->device;
  if (record == NOBODY || call_kind (self, span_at (l, record)->name) != CALL_RECORD)
    return;
  guint source
      = last_launched (l, stream_of (self, l, device, s->stream), span_at (l, record)->start);
  if (source == NOBODY)
    return;
  if (s->kind == SYNC_EVENT) {
    wait_for (blocked_made (l, call), source);
    return;
  }
  guint waiting = next_launched (l, queue_of (l, s->queue), span_at (l, call)->start);
  if (waiting == NOBODY || waiting == source || op_at (l, source)->queue == s->queue
      || op_at (l, source)->end > op_at (l, waiting)->start)
    return;
  add_wait (l, waiting, source);
}

static void
add_sync (Critical *self, Loaded *l, const Sync *s)
{
  guint call = call_of (l, s->correlation);
  if (call == NOBODY)
    return;
  if (s->kind == SYNC_STREAM_WAIT || s->kind == SYNC_EVENT) {
    add_event (self, l, s, call);
    return;
  }
  Blocked *b = blocked_made (l, call);
  gint64 start = span_at (l, call)->start;
  nprof_track device = an_place (self->places, s->queue)->device;
  for (guint i = 0; i < l->queues->len; i++) {
    const Queue *q = g_ptr_array_index (l->queues, i);
    if (s->kind == SYNC_CONTEXT ? q->device == device : q->track == s->queue)
      wait_for (b, last_launched (l, q, start));
  }
}

/* -- Calls that wait, by their names alone ----------------------------------------------------- */

/* Makes the call wait for every queue, because the file does not say which one it names. */
static void
wait_for_all (Critical *self, Loaded *l, guint span)
{
  for (guint i = 0; i < l->queues->len; i++) {
    const Queue *q = g_ptr_array_index (l->queues, i);
    wait_for (blocked_made (l, span), ended_within (self, l, q, span_at (l, span)));
  }
}

/* Makes calls that return when their own work has ended wait for that, whatever else they wait
 * for. */
static void
by_own_work (Critical *self, Loaded *l)
{
  for (guint i = 0; i < l->ops->len; i++) {
    Op *op = &g_array_index (l->ops, Op, i);
    for (guint at = first_call (l, op->correlation); at < l->calls->len; at++) {
      const Call *call = &g_array_index (l->calls, Call, at);
      if (call->id != op->correlation)
        break;
      const HostSpan *s = span_at (l, call->span);
      const CallKind kind = span_waits (self, s);
      op->blocks |= op->thread && kind >= CALL_SYNC_ALL && kind <= CALL_COPY
                    && s->start == op->call_start && op->call_end >= op->end;
      if (kind == CALL_COPY || kind == CALL_BLOCKS)
        wait_for (blocked_made (l, call->span), i);
    }
  }
}

static void
by_names (Critical *self, Loaded *l)
{
  for (guint i = 0; i < l->spans->len; i++) {
    const CallKind kind = span_waits (self, span_at (l, i));
    if (kind >= CALL_SYNC_ALL && kind <= CALL_COPY && !blocked_at (l, i))
      wait_for_all (self, l, i);
  }
}

void
depend_find (Critical *self, Loaded *l)
{
  find_queues (self, l);
  for (guint i = 0; i < l->syncs->len; i++)
    add_sync (self, l, &g_array_index (l->syncs, Sync, i));
  by_own_work (self, l);
  by_names (self, l);
}

/* -- Dependencies of work ---------------------------------------------------------------------- */

guint
launch_span (const Loaded *l, const Op *op)
{
  const guint span = op->thread ? call_of (l, op->correlation) : NOBODY;
  return span != NOBODY && span_at (l, span)->start == op->call_start ? span : NOBODY;
}

/* Tells of what the work waited: its launch, unless it seems to have begun before that, as where
 * the clocks of host and device differ. */
gboolean
op_follows_launch (const Op *op)
{
  return op->thread && op->call_start <= op->start;
}

void
depend_each (const Loaded *l, guint number, DepFn fn, gpointer user)
{
  const Op *op = op_at (l, number);
  if (op->before) {
    const Dep dep = { DEP_QUEUE, MIN (op->before_end, op->start), op_numbered (l, op->before - 1) };
    fn (user, &dep);
  }
  const GArray *sources = number < l->waits->len ? l->waits->pdata[number] : NULL;
  for (guint i = 0; sources && i < sources->len; i++) {
    guint source = g_array_index (sources, guint, i);
    const Dep dep = { DEP_WAIT, MIN (op_at (l, source)->end, op->start), source };
    fn (user, &dep);
  }
  if (op_follows_launch (op)) {
    const gint64 ready = op->blocks ? op->call_start : MIN (op->call_end, op->start);
    const Dep dep = { DEP_LAUNCH, ready, NOBODY };
    fn (user, &dep);
  }
}

static void
take_latest (gpointer user, const Dep *dep)
{
  Dep *best = user;
  if (best->kind == DEP_NONE || dep->ready > best->ready
      || (dep->ready == best->ready && dep->kind > best->kind))
    *best = *dep;
}

Dep
depend_binding (const Loaded *l, guint op)
{
  Dep best = { DEP_NONE, 0, NOBODY };
  depend_each (l, op, take_latest, &best);
  return best;
}
