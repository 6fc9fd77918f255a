/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - finds the tracks of events: PEs of the NPU are cores of a device, all else is threads
 * of processes.  It takes the place of the tracks.c of the decoder chrome. */
#include "furiosa.h"

#define PE_TID 10000000 /* tid of PE 0.  format: furiosa.md 1.4 */
#define MOST_PES 1000000

nprof_track
fu_pe_track (Furiosa *f, const struct nprof_host *host, bool has_pe, int64_t pe)
{
  char key[24], label[28];
  nprof_track device = host->track (host, 0, NPROF_TRACK_DEVICE, f->npu, 0, 0);
  if (!device || !has_pe)
    return device;
  int n = g_snprintf (key, sizeof key, "%" G_GINT64_FORMAT, pe);
  int m = g_snprintf (label, sizeof label, "NPU %s", key);
  return host->track (host, device, NPROF_TRACK_CORE, host->intern (host, key, (gsize) n),
                      host->intern (host, label, (gsize) m), pe);
}

/* -- Processes and threads ------------------------------------------------------------------ */

/* Recognises "npu:0:0-1", as 0.10 names the processes of devices. */
static bool
is_device (const struct nprof_host *host, const ChLabel *label)
{
  return label && g_str_has_prefix (nprof_text (host, label->name), "npu:");
}

static nprof_track
process_of (const Chrome *c, const struct nprof_host *host, ChId pid, bool npu)
{
  const ChLabel *label = ch_label_of (c, pid, (ChId){ 0 });
  bool device = npu || is_device (host, label);
  return host->track (host, 0, device ? NPROF_TRACK_DEVICE : NPROF_TRACK_PROCESS,
                      ch_id_text (host, pid), label ? label->name : 0, label ? label->sort : 0);
}

nprof_track
ch_device (const Chrome *c, const struct nprof_host *host, int64_t number)
{
  return process_of (c, host, (ChId){ number, CH_NUMBER }, false);
}

static nprof_track
make_thread (const Chrome *c, const struct nprof_host *host, const ChThread *t, bool npu)
{
  if (t->tid_kind == CH_NO_ID)
    return t->process ? t->process : c->input->root;
  const ChLabel *label = ch_label_of (c, ch_pid_of (t), ch_tid_of (t));
  bool core = npu || is_device (host, ch_label_of (c, ch_pid_of (t), (ChId){ 0 }));
  return host->track (host, t->process, core ? NPROF_TRACK_CORE : NPROF_TRACK_THREAD,
                      ch_id_text (host, ch_tid_of (t)), label ? label->name : 0,
                      label ? label->sort : 0);
}

static bool
make (ChPart *part, ChThread *t, bool npu)
{
  Furiosa *f = (Furiosa *) part->c;
  if (npu && t->tid_kind == CH_NUMBER && t->tid >= PE_TID && t->tid < PE_TID + MOST_PES) {
    t->process = fu_pe_track (f, part->host, false, 0);
    t->thread = fu_pe_track (f, part->host, true, t->tid - PE_TID);
    return t->process && t->thread;
  }
  if (t->pid_kind != CH_NO_ID
      && !(t->process = process_of (part->c, part->host, ch_pid_of (t), npu)))
    return false;
  t->thread = make_thread (part->c, part->host, t, npu);
  return t->thread;
}

/* -- By pid and tid ---------------------------------------------------------------------------- */

ChThread *
ch_thread (ChPart *part, const TeEvent *event)
{
  ChId pid = ch_id (part->names, event, TE_PID), tid = ch_id (part->names, event, TE_TID);
  bool npu = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "NPU");
  ChThread *thread = ch_thread_slot (part->threads, pid, tid, npu);
  if (thread->used)
    return thread;
  if (!make (part, thread, npu))
    return NULL;
  return ch_thread_made (part->threads, thread);
}
