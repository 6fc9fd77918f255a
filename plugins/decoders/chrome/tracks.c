/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - pids and tids to tracks.  A track is made when its first row needs it, always from
 * the same labels, so that it does not matter which part comes first. */
#include "trace-event/trace-event.h"

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
  const char *text = nprof_text (host, name ? name : key);
  bool stream = g_ascii_strncasecmp (text, "stream ", strlen ("stream ")) == 0;
  return host->track (host, thread->process, stream ? NPROF_TRACK_QUEUE : NPROF_TRACK_THREAD, key,
                      name, label ? label->sort : 0);
}

ChThread *
ch_thread (ChPart *part, const TeEvent *event)
{
  ChId pid = ch_id (&part->names, event, TE_PID), tid = ch_id (&part->names, event, TE_TID);
  ChThread *thread = ch_thread_slot (&part->threads, pid, tid);
  if (thread->used)
    return thread;
  if (pid.kind != CH_NO_ID && !(thread->process = ch_process (part->c, part->host, pid)))
    return NULL;
  if (!(thread->thread = make_thread (part->c, part->host, thread)))
    return NULL;
  return ch_thread_made (&part->threads, thread);
}
