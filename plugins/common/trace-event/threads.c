/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - keeps the threads that a part has met, by pid, tid and place, and the tracks beside
 * them; each decoder decides in its tracks.c which track a thread is.  They lie as they came, since
 * in a trace of many threads that is the order in which they come again: looked for by its numbers
 * each would lie elsewhere, and out of the caches. */
#include "trace-event/trace-event.h"

static inline bool
is_thread (const ChThread *t, ChId pid, ChId tid, uint32_t apart)
{
  return t->pid == pid.v && t->tid == tid.v && t->pid_kind == pid.kind && t->tid_kind == tid.kind
         && t->apart == apart;
}

/* Returns where the place in the list of a thread stands, or belongs. */
static uint32_t *
slot_of (const ChThreads *threads, ChId pid, ChId tid, uint32_t apart)
{
  uint64_t h
      = (uint64_t) pid.v * UINT64_C (0x9e3779b97f4a7c15) + pid.kind + ((uint64_t) apart << 8);
  h = (h ^ h >> 32 ^ (uint64_t) tid.v ^ (uint64_t) tid.kind << 48) * UINT64_C (0xa0761d6478bd642f);
  size_t mask = threads->n_slots - 1, at = (h >> 32) & mask;
  while (threads->slots[at] && !is_thread (&threads->list[threads->slots[at] - 1], pid, tid, apart))
    at = (at + 1) & mask;
  return &threads->slots[at];
}

static void
grow_slots (ChThreads *threads)
{
  g_free (threads->slots);
  threads->n_slots = threads->n_slots ? threads->n_slots * 4 : 64;
  threads->slots = g_new0 (uint32_t, threads->n_slots);
  for (uint32_t i = 0; i < threads->n; i++) {
    const ChThread *t = &threads->list[i];
    *slot_of (threads, ch_pid_of (t), ch_tid_of (t), t->apart) = i + 1;
  }
}

static void
grow_list (ChThreads *threads)
{
  size_t last = threads->last ? (size_t) (threads->last - threads->list) : 0;
  threads->room = threads->room ? threads->room * 2 : 32;
  threads->list = g_renew (ChThread, threads->list, threads->room);
  if (threads->last)
    threads->last = &threads->list[last];
}

/* Returns it where it is the last one, or comes behind it as it did before: events take turns. */
static ChThread *
expected (const ChThreads *threads, ChId pid, ChId tid, uint32_t apart)
{
  ChThread *last = threads->last;
  if (!last || is_thread (last, pid, tid, apart))
    return last;
  ChThread *next = &threads->list[last->after];
  return is_thread (next, pid, tid, apart) ? next : NULL;
}

ChThread *
ch_thread_slot (ChThreads *threads, ChId pid, ChId tid, uint32_t apart)
{
  ChThread *thread = expected (threads, pid, tid, apart);
  if (thread)
    return threads->last = thread;
  if (threads->n * 2 >= threads->n_slots)
    grow_slots (threads);
  uint32_t place = *slot_of (threads, pid, tid, apart);
  if (place) {
    if (threads->last)
      threads->last->after = place - 1;
    return threads->last = &threads->list[place - 1];
  }
  if (threads->n == threads->room)
    grow_list (threads);
  thread = &threads->list[threads->n];
  *thread = (ChThread){
    .pid = pid.v, .tid = tid.v, .apart = apart, .pid_kind = pid.kind, .tid_kind = tid.kind
  };
  return thread;
}

ChThread *
ch_thread_made (ChThreads *threads, ChThread *thread)
{
  thread->used = true;
  if (threads->last)
    threads->last->after = threads->n;
  *slot_of (threads, ch_pid_of (thread), ch_tid_of (thread), thread->apart) = ++threads->n;
  return threads->last = thread;
}

/* -- Tracks that are no threads ------------------------------------------------------------- */

nprof_track
ch_async_track (ChPart *part, const TeEvent *event, nprof_str category)
{
  const ChThread *thread = ch_thread (part, event);
  if (!thread)
    return 0;
  return part->host->track (part->host, thread->process, NPROF_TRACK_ASYNC, category,
                            category ? 0 : nprof_intern (part->host, "async"), 0);
}

nprof_track
ch_counter_track (ChPart *part, const TeEvent *event, nprof_str name)
{
  const ChThread *thread = ch_thread (part, event);
  return thread ? part->host->track (part->host, thread->process, NPROF_TRACK_COUNTER, name, 0, 0)
                : 0;
}
