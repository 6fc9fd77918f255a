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
  g_array_unref (q->unlinked);
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
  q->unlinked = g_array_new (FALSE, FALSE, sizeof (guint));
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
    GArray *to = op_at (l, i)->thread ? q->launched : q->unlinked;
    g_array_append_val (to, i);
  }
  for (guint i = 0; i < l->queues->len; i++) {
    Queue *q = g_ptr_array_index (l->queues, i);
    g_array_sort_with_data (q->launched, by_launch, l);
    g_array_sort_with_data (q->unlinked, by_end, l);
  }
}

/* -- Launches of a queue ---------------------------------------------------------------------------- */

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

/* Returns the last work that ended within the call, among work whose launch is not in the file. */
static guint
unlinked_within (const Loaded *l, const Queue *q, const HostSpan *call)
{
  guint low = 0, high = q->unlinked->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (op_at (l, g_array_index (q->unlinked, guint, i))->end <= call->end)
      low = i + 1;
    else
      high = i;
  }
  guint last = low ? g_array_index (q->unlinked, guint, low - 1) : NOBODY;
  return last != NOBODY && op_at (l, last)->end > call->start ? last : NOBODY;
}

/* -- Calls that wait ----------------------------------------------------------------------------------- */

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

/* When several calls have one id, the first counts. */
static guint
call_of (const Loaded *l, guint64 id)
{
  guint low = 0, high = l->calls->len;
  while (low < high) {
    guint at = (low + high) / 2;
    if (g_array_index (l->calls, Call, at).id < id)
      low = at + 1;
    else
      high = at;
  }
  const Call *call = low < l->calls->len ? &g_array_index (l->calls, Call, low) : NULL;
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
  GArray *sources = g_hash_table_lookup (l->waits, GUINT_TO_POINTER (op + 1));
  if (!sources) {
    sources = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (l->waits, GUINT_TO_POINTER (op + 1), sources);
  }
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

/* -- Calls that wait, by their names alone --------------------------------------------------------------- */

/* Makes the call wait for every queue, because the file does not say which one it names. */
static void
wait_for_all (Critical *self, Loaded *l, guint span, gboolean unlinked)
{
  const HostSpan *s = span_at (l, span);
  nprof_track process = process_of (self, s->thread);
  Blocked *b = blocked_made (l, span);
  for (guint i = 0; i < l->queues->len; i++) {
    const Queue *q = g_ptr_array_index (l->queues, i);
    guint last = last_launched (l, q, s->start);
    if (last != NOBODY && process_of (self, op_at (l, last)->thread) == process)
      wait_for (b, last);
    if (unlinked)
      wait_for (b, unlinked_within (l, q, s));
  }
}

static void
wait_for_launched (Loaded *l, guint span, GHashTable *launched, gboolean copies)
{
  gint64 id = (gint64) span_at (l, span)->correlation;
  const GArray *ops = id ? g_hash_table_lookup (launched, &id) : NULL;
  for (guint i = 0; ops && i < ops->len; i++)
    if (!copies || op_at (l, g_array_index (ops, guint, i))->class == AN_MEMORY)
      wait_for (blocked_made (l, span), g_array_index (ops, guint, i));
}

static gboolean
any_says_blocks (const Loaded *l)
{
  for (guint i = 0; i < l->spans->len; i++)
    if (span_at (l, i)->blocks)
      return TRUE;
  return FALSE;
}

/* Of copies alone, unless calls say which work they wait for. */
static GHashTable *
work_by_call (const Loaded *l)
{
  gboolean all = any_says_blocks (l);
  GHashTable *by
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  for (guint i = 0; i < l->ops->len; i++) {
    gint64 id = (gint64) op_at (l, i)->correlation;
    if (!id || (!all && op_at (l, i)->class != AN_MEMORY))
      continue;
    GArray *ops = g_hash_table_lookup (by, &id);
    if (!ops) {
      ops = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (by, g_memdup2 (&id, sizeof id), ops);
    }
    g_array_append_val (ops, i);
  }
  return by;
}

static void
by_names (Critical *self, Loaded *l)
{
  g_autoptr (GHashTable) launched = work_by_call (l);
  for (guint i = 0; i < l->spans->len; i++) {
    CallKind kind = span_waits (self, span_at (l, i));
    if (kind < CALL_SYNC_ALL || blocked_at (l, i))
      continue;
    if (kind == CALL_SYNC_ALL || kind == CALL_SYNC_STREAM)
      wait_for_all (self, l, i, kind == CALL_SYNC_ALL);
    else if (kind == CALL_COPY || kind == CALL_BLOCKS)
      wait_for_launched (l, i, launched, kind == CALL_COPY);
  }
}

void
depend_find (Critical *self, Loaded *l)
{
  find_queues (self, l);
  for (guint i = 0; i < l->syncs->len; i++)
    add_sync (self, l, &g_array_index (l->syncs, Sync, i));
  by_names (self, l);
}

/* -- Dependencies of work ----------------------------------------------------------------------------------- */

guint
launch_span (const Loaded *l, const Op *op)
{
  const guint span = op->thread ? call_of (l, op->correlation) : NOBODY;
  return span != NOBODY && span_at (l, span)->start == op->call_start ? span : NOBODY;
}

/* Tells of what the work waited: its launch, unless it seems to have begun before that, as where the
 * clocks of host and device differ. */
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
  const GArray *sources = g_hash_table_lookup (l->waits, GUINT_TO_POINTER (number + 1));
  for (guint i = 0; sources && i < sources->len; i++) {
    guint source = g_array_index (sources, guint, i);
    const Dep dep = { DEP_WAIT, MIN (op_at (l, source)->end, op->start), source };
    fn (user, &dep);
  }
  if (op_follows_launch (op)) {
    const Dep dep = { DEP_LAUNCH, MIN (op->call_end, op->start), NOBODY };
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
