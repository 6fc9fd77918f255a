/* SPDX-License-Identifier: Apache-2.0 */
/* queues.c - which threads are those of devices where their events do not say so. Labels tell;
 * where no device has any, a thread is a device's when work of devices is on it, anywhere in the
 * file. Such work mostly comes first, so all events are read for it only when a thread was asked
 * about on which none has been met. An arrow begins at a launch, and so on a host. */
#include "trace-event/trace-event.h"

#define ARROWS "ac2g" /* the category of Kineto's arrows from launches to devices */
#define QUOTED_ARROWS "\"" ARROWS "\""

struct ChQueues {
  pthread_mutex_t lock; /* of all that follows, since parts ask from several threads */
  GHashTable *known;    /* of ChLabel: threads that have work of devices              */
  bool all;             /* no other has                                                */
  bool of_kineto;       /* the file has such arrows; else it is not asked what is where */
};

static bool
some_device_is_labelled (const Chrome *c)
{
  GHashTableIter iter;
  gpointer label;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &label, NULL))
    if (((const ChLabel *) label)->device)
      return true;
  return false;
}

void
ch_queues_begin (Chrome *c)
{
  if (some_device_is_labelled (c))
    return;
  c->queues = g_new0 (ChQueues, 1);
  c->queues->known = g_hash_table_new_full (ch_label_hash, ch_label_equal, g_free, NULL);
  pthread_mutex_init (&c->queues->lock, NULL);
}

void
ch_queues_free (ChQueues *queues)
{
  if (!queues)
    return;
  pthread_mutex_destroy (&queues->lock);
  g_hash_table_unref (queues->known);
  g_free (queues);
}

/* -- Arrows ------------------------------------------------------------------------------ */

static void
note_first (Chrome *c, const char *p)
{
  const char *known;
  do
    known = g_atomic_pointer_get (&c->arrow);
  while ((!known || p < known)
         && !g_atomic_pointer_compare_and_exchange (&c->arrow, (char *) known, (char *) p));
}

/* What lies behind a mention that is known is not looked at, so that the first one is found
 * whatever the order. */
void
ch_queues_note (Chrome *c, const char *from, const char *to)
{
  enum { BEFORE = sizeof "\"a" - 1, LEN = sizeof QUOTED_ARROWS - 1 };
  const char *known = g_atomic_pointer_get (&c->arrow), *end = to + MIN (2, c->end - to);
  if (known && known < from)
    return;
  for (const char *p = MAX (from, c->events);
       (p = c->scanner->three (p, end, &QUOTED_ARROWS[BEFORE])); p++)
    if (p - c->events >= BEFORE && c->end - p >= LEN - BEFORE
        && !memcmp (p - BEFORE, QUOTED_ARROWS, LEN)) {
      note_first (c, p - BEFORE);
      return;
    }
}

/* -- Finding them ------------------------------------------------------------------------ */

/* Locked, as all that follows. */
static void
add_queue (ChQueues *queues, ChId pid, ChId tid)
{
  const ChLabel queue = { .pid = pid, .tid = tid };
  if (!g_hash_table_contains (queues->known, &queue))
    g_hash_table_add (queues->known, g_memdup2 (&queue, sizeof queue));
}

static bool
is_work (const TeEvent *event)
{
  return te_has (event, TE_CAT) && ch_side_of_category (&event->value[TE_CAT]) == CH_DEVICE;
}

static void
read_events (ChPart *part, TeScan *scan)
{
  const Chrome *c = part->c;
  const char *p = c->events, *reported = p;
  TeEvent event;
  while ((p = te_space (p, c->events_end)) < c->events_end) {
    const char *next = *p == '{' ? scan->with->event (scan, p, &event) : NULL;
    if (next && is_work (&event))
      add_queue (c->queues, ch_pid (c, part->names, &event),
                 ch_id (part->names, &event, TE_TID));
    p = next ? next : *p == '{' ? ch_resync (scan, p + 1, c->events_end) : p + 1;
    if (p - reported < CH_REPORT)
      continue;
    if (c->host->progress (c->host, ch_at (c, reported), ch_at (c, p)))
      break; /* the part will hear of it */
    reported = p;
  }
}

static bool
mentions_arrows (const Chrome *c)
{
  return c->arrow && c->events_end - c->arrow >= (ptrdiff_t) strlen (QUOTED_ARROWS);
}

static void
find_all (ChPart *part)
{
  const Chrome *c = part->c;
  ChQueues *queues = c->queues;
  TeScan scan = { .controls = &(TeControls){ 0 }, .with = c->scanner, .end = c->events_end };
  queues->all = true;
  queues->of_kineto = queues->of_kineto || mentions_arrows (c);
  if (!queues->of_kineto || !(scan.shapes = c->scanner->shapes_new ()))
    return;
  read_events (part, &scan);
  free (scan.shapes);
}

/* -- Asking --------------------------------------------------------------------------------- */

void
ch_queue_met (ChPart *part, const TeEvent *event, ChId pid, ChId tid)
{
  ChQueues *queues = part->c->queues;
  if (!queues || !is_work (event))
    return;
  pthread_mutex_lock (&queues->lock);
  add_queue (queues, pid, tid);
  pthread_mutex_unlock (&queues->lock);
}

static bool
ask (ChPart *part, bool arrow, ChId pid, ChId tid)
{
  ChQueues *queues = part->c->queues;
  const ChLabel queue = { .pid = pid, .tid = tid };
  pthread_mutex_lock (&queues->lock);
  queues->of_kineto |= arrow;
  if (!queues->all && !(queues->of_kineto && g_hash_table_contains (queues->known, &queue)))
    find_all (part);
  bool has = queues->of_kineto && g_hash_table_contains (queues->known, &queue);
  pthread_mutex_unlock (&queues->lock);
  return has;
}

/* An answer holds for the run, and the next question is often the same. */
static bool
has_work (ChPart *part, const TeEvent *event, ChId pid, ChId tid)
{
  bool arrow = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], ARROWS);
  if (!part->c->queues || (arrow && event->ph == 's'))
    return false;
  if (part->has_asked && ch_same_id (part->asked_pid, pid) && ch_same_id (part->asked_tid, tid))
    return part->asked_has_work;
  part->asked_has_work = ask (part, arrow, pid, tid);
  part->has_asked = true;
  part->asked_pid = pid;
  part->asked_tid = tid;
  return part->asked_has_work;
}

bool
ch_labelled_device (ChPart *part, const TeEvent *event, ChId pid, ChId tid)
{
  const Chrome *c = part->c;
  const ChLabel *process = ch_process_label (part, pid);
  if (ch_own_label (c, pid, (ChId){ 0 }))
    return process->kind == NPROF_TRACK_DEVICE;
  if (!process || !process->device)
    return has_work (part, event, pid, tid);
  if (!process->labels)
    return true;
  const ChLabel *thread = ch_label_of (c, pid, tid); /* the pid is a host's as well */
  return thread
         && g_ascii_strncasecmp (nprof_text (c->host, thread->name), "stream ", strlen ("stream "))
                == 0;
}
