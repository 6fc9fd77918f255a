/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - pids and tids to tracks.  A track is made when its first row needs it, always from
 * the same labels, so that it does not matter which part comes first. */
#include "chrome.h"

/* -- Processes ------------------------------------------------------------------------ */

/* "GPU 0", "/device:GPU:0": the process is a device.  producers: Kineto, xprof */
static bool
names_device (const struct nprof_host *host, nprof_str str)
{
  static const char *const kinds[] = { "GPU ", "XPU ", "HPU ", "MTIA ", "NPU ", "TPU " };
  const char *text = nprof_text (host, str);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (text, kinds[i]) && g_ascii_isdigit (text[strlen (kinds[i])]))
      return true;
  return g_str_has_prefix (text, "/device:");
}

static bool
is_device (const Chrome *c, ChId pid, const ChLabel *label)
{
  if (pid.kind == CH_NUMBER && g_hash_table_contains (c->devices, GINT_TO_POINTER ((int) pid.v))
      && pid.v == (int) pid.v)
    return true;
  return label && (names_device (c->host, label->labels) || names_device (c->host, label->name));
}

static nprof_str
process_label (const struct nprof_host *host, const ChLabel *label)
{
  if (!label || !label->labels || label->name == label->labels)
    return label ? label->name : 0;
  if (!label->name)
    return label->labels;
  g_autofree char *both = g_strdup_printf ("%s (%s)", nprof_text (host, label->name),
                                           nprof_text (host, label->labels));
  return nprof_intern (host, both);
}

nprof_track
ch_process (const Chrome *c, const struct nprof_host *host, ChId pid)
{
  const ChLabel *label = ch_label_of (c, pid, (ChId){ 0 });
  return host->track (host, 0, is_device (c, pid, label) ? NPROF_TRACK_DEVICE : NPROF_TRACK_PROCESS,
                      ch_id_text (host, pid), process_label (host, label), label ? label->sort : 0);
}

/* -- Threads ----------------------------------------------------------------------------- */

static nprof_track
make_thread (const Chrome *c, const struct nprof_host *host, const ChThread *thread)
{
  if (thread->tid.kind == CH_NO_ID)
    return thread->process ? thread->process : c->input->root;
  const ChLabel *label = ch_label_of (c, thread->pid, thread->tid);
  nprof_str key = ch_id_text (host, thread->tid), name = label ? label->name : 0;
  bool stream = g_str_has_prefix (nprof_text (host, name ? name : key), "stream ");
  return host->track (host, thread->process, stream ? NPROF_TRACK_QUEUE : NPROF_TRACK_THREAD, key,
                      name, label ? label->sort : 0);
}

static inline bool
is_thread (const ChThread *t, ChId pid, ChId tid)
{
  return t->pid.v == pid.v && t->tid.v == tid.v && t->pid.kind == pid.kind
         && t->tid.kind == tid.kind;
}

static ChThread *
slot_of (ChThreads *threads, ChId pid, ChId tid)
{
  uint64_t h = (uint64_t) pid.v * UINT64_C (0x9e3779b97f4a7c15);
  h = (h ^ h >> 32 ^ (uint64_t) tid.v ^ (uint64_t) tid.kind << 48) * UINT64_C (0xa0761d6478bd642f);
  size_t mask = threads->n_slots - 1, at = (h >> 32) & mask;
  while (threads->slots[at].used && !is_thread (&threads->slots[at], pid, tid))
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
      *slot_of (threads, old[i].pid, old[i].tid) = old[i];
  g_free (old);
}

ChThread *
ch_thread (ChPart *part, const TeEvent *event)
{
  ChThreads *threads = &part->threads;
  ChId pid = ch_id (&part->names, event, TE_PID), tid = ch_id (&part->names, event, TE_TID);
  if (threads->last && is_thread (threads->last, pid, tid))
    return threads->last;
  if (threads->n * 2 >= threads->n_slots)
    grow (threads);
  ChThread *thread = slot_of (threads, pid, tid);
  threads->last = NULL;
  if (!thread->used) {
    *thread = (ChThread){ .pid = pid, .tid = tid };
    if (pid.kind != CH_NO_ID && !(thread->process = ch_process (part->c, part->host, pid)))
      return NULL;
    if (!(thread->thread = make_thread (part->c, part->host, thread)))
      return NULL;
    thread->used = true;
    threads->n++;
  }
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
