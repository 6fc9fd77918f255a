/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - keeps the threads that a part has met, by pid, tid and place, and the tracks beside
 * them; each decoder decides in its tracks.c which track a thread is. */
#include "trace-event/trace-event.h"

static inline bool
is_thread (const ChThread *t, ChId pid, ChId tid, uint32_t apart)
{
  return t->pid == pid.v && t->tid == tid.v && t->pid_kind == pid.kind && t->tid_kind == tid.kind
         && t->apart == apart;
}

static ChThread *
slot_of (ChThreads *threads, ChId pid, ChId tid, uint32_t apart)
{
  uint64_t h
      = (uint64_t) pid.v * UINT64_C (0x9e3779b97f4a7c15) + pid.kind + ((uint64_t) apart << 8);
  h = (h ^ h >> 32 ^ (uint64_t) tid.v ^ (uint64_t) tid.kind << 48) * UINT64_C (0xa0761d6478bd642f);
  size_t mask = threads->n_slots - 1, at = (h >> 32) & mask;
  while (threads->slots[at].used && !is_thread (&threads->slots[at], pid, tid, apart))
    at = (at + 1) & mask;
  return &threads->slots[at];
}

static void
grow (ChThreads *threads)
{
  ChThread *old = threads->slots;
  size_t n = threads->n_slots;
  threads->n_slots = n ? n * 4 : 64;
  threads->slots = g_new0 (ChThread, threads->n_slots);
  for (size_t i = 0; i < n; i++)
    if (old[i].used)
      *slot_of (threads, ch_pid_of (&old[i]), ch_tid_of (&old[i]), old[i].apart) = old[i];
  g_free (old);
}

ChThread *
ch_thread_slot (ChThreads *threads, ChId pid, ChId tid, uint32_t apart)
{
  if (threads->last && is_thread (threads->last, pid, tid, apart))
    return threads->last;
  if (threads->n * 2 >= threads->n_slots)
    grow (threads);
  threads->last = NULL;
  ChThread *thread = slot_of (threads, pid, tid, apart);
  if (thread->used)
    return threads->last = thread;
  *thread = (ChThread){
    .pid = pid.v, .tid = tid.v, .apart = apart, .pid_kind = pid.kind, .tid_kind = tid.kind
  };
  return thread;
}

ChThread *
ch_thread_made (ChThreads *threads, ChThread *thread)
{
  thread->used = true;
  threads->n++;
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
