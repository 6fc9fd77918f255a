/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - turns pids and tids into tracks.  A track is made when its first row needs it, always
 * from the same labels, so that it does not matter which part comes first. */
#include "trace-event/trace-event.h"

#include <nprof/draft/lines.h>

/* -- Processes ------------------------------------------------------------------------ */

static nprof_str
join (const struct nprof_host *host, nprof_str text, const char *more)
{
  g_autofree char *both = g_strdup_printf ("%s (%s)", nprof_text (host, text), more);
  return nprof_intern (host, both);
}

static nprof_str
host_label (const struct nprof_host *host, const ChLabel *label)
{
  if (!label || (!label->device && !label->labels))
    return label ? label->name : 0;
  if (!label->labels) /* all that is said is of the device, whose pid it has */
    return join (host, label->name ? label->name : label->device, "host");
  if (!label->name || label->name == label->labels)
    return label->labels;
  return join (host, label->name, nprof_text (host, label->labels));
}

static nprof_str
with_rank (const struct nprof_host *host, nprof_str text, int64_t rank)
{
  g_autofree char *both
      = g_strdup_printf ("%s rank %" G_GINT64_FORMAT, nprof_text (host, text), rank);
  return nprof_intern (host, both);
}

static nprof_str
device_label (const struct nprof_host *host, const ChLabel *label, int64_t number)
{
  if (label && label->device)
    return !label->name || label->name == label->device
               ? label->device
               : join (host, label->name, nprof_text (host, label->device));
  if (label && label->name && !label->labels)
    return label->name;
  return number < 0 ? 0 : ch_number_text (host, "GPU ", number);
}

/* Processes of several ranks in one file have one name; tables know them by their labels. */
static nprof_str
own_label (const struct nprof_host *host, const ChLabel *label, nprof_str pid)
{
  nprof_str text = host_label (host, label);
  if (!text || !label->shared)
    return text;
  g_autofree char *both
      = g_strdup_printf ("%s %s", nprof_text (host, text), nprof_text (host, pid));
  return nprof_intern (host, both);
}

static nprof_track
process (const Chrome *c, const struct nprof_host *host, ChId pid)
{
  const ChLabel *label = ch_label_of (c, pid, (ChId){ 0 });
  nprof_str key = ch_id_text (host, pid);
  return host->track (host, 0, NPROF_TRACK_PROCESS, key, own_label (host, label, key),
                      label ? label->sort : 0);
}

/* `number` is that of the device within the process that wrote it, -1: it is the pid. */
static nprof_track
device (const Chrome *c, const struct nprof_host *host, ChId pid, int64_t number)
{
  const ChLabel *label = ch_label_of (c, pid, (ChId){ 0 });
  nprof_str key = ch_id_text (host, pid);
  if (number < 0 && pid.kind == CH_NUMBER)
    number = pid.v;
  else if (number >= 0 && (pid.kind != CH_NUMBER || pid.v != number)) {
    g_autofree char *both
        = g_strdup_printf ("%s/%" G_GINT64_FORMAT, nprof_text (host, key), number);
    key = nprof_intern (host, both);
  }
  nprof_str text = device_label (host, label, number);
  if (!text && c->runs) /* ONNX Runtime writes pid -1 for work of its device */
    text = nprof_intern (host, "GPU");
  if (label && label->whole && text)
    text = with_rank (host, text, label->rank);
  return host->track (host, 0, NPROF_TRACK_DEVICE, key, text, label ? label->sort : 0);
}

nprof_track
ch_device (const Chrome *c, const struct nprof_host *host, int64_t number)
{
  return device (c, host, (ChId){ number, CH_NUMBER }, -1);
}

/* -- Where an event ran ------------------------------------------------------------------ */

/* Finds the member device of args; false: there is none. */
static bool
find_device (ChPart *part, const TeEvent *event, TeValue *value)
{
  const TeScanner *with = part->scan.with;
  const TeValue *args = &event->value[TE_ARGS];
  if (!te_has (event, TE_ARGS) || args->kind != TE_OBJECT)
    return false;
  if (!*part->device_shapes && !(*part->device_shapes = with->shapes_new ()))
    return ch_member_of_args (with, event, "device", value);
  const TeKeys *keys = &part->c->device_key;
  TeScan s = { .controls = &part->controls,
               .with = with, .shapes = *part->device_shapes, .end = part->scan.end };
  TeWalk walk = { args->p + 1, with->mention (args->p, args->p + args->len, &keys->pairs), 0 };
  return with->wanted (&s, &walk, keys, value) < TE_MOST_KEYS;
}

/* Returns the number of the device, which the event says where no label does: one process may write
 * of several devices. */
static int64_t
device_number (ChPart *part, const TeEvent *event, ChId pid)
{
  const ChLabel *label = ch_process_label (part, pid);
  TeValue value;
  int64_t number = -1;
  if ((label && label->device) || !find_device (part, event, &value))
    return -1;
  if (value.kind != TE_INT && value.kind != TE_TEXT && value.kind != TE_WORD)
    return -1;
  bool whole = te_int (value.p, value.p + value.len, &number) || ch_whole_number (&value, &number);
  return whole && number <= INT32_MAX ? MAX (number, -1) : -1;
}

enum {
  ON_HOST,
  ON_DEVICE,
  ON_NUMBERED_DEVICE
}; /* of ChThread.apart; the last: and more by number */

static uint32_t
apart (ChPart *part, const TeEvent *event, ChId pid, ChId tid)
{
  if (ch_own_label (part->c, pid, (ChId){ 0 }))
    return ON_HOST; /* its track is known by its numbers alone */
  ChSide side = ch_side (part, event);
  if (side == CH_BY_LABEL)
    return ch_labelled_device (part, event, pid, tid) ? ON_DEVICE : ON_HOST;
  if (side == CH_HOST)
    return ON_HOST;
  int64_t number = device_number (part, event, pid);
  return number < 0 ? ON_DEVICE : ON_NUMBERED_DEVICE + (uint32_t) number;
}

/* -- Threads ----------------------------------------------------------------------------- */

static nprof_str
queue_label (const struct nprof_host *host, ChId tid, nprof_str name)
{
  return name || tid.kind != CH_NUMBER ? name : ch_number_text (host, "stream ", tid.v);
}

static nprof_track
make_thread (const Chrome *c, const struct nprof_host *host, ChThread *thread)
{
  if (thread->tid_kind == CH_NO_ID)
    return thread->process ? thread->process : c->input->root;
  const ChLabel *own = ch_own_label (c, ch_pid_of (thread), ch_tid_of (thread));
  if (own && ch_own_label (c, ch_pid_of (thread), (ChId){ 0 })) {
    thread->line = own->kind == NPROF_TRACK_ENGINE || own->kind == NPROF_TRACK_ASYNC;
    return ch_own_track (c, host, ch_pid_of (thread), ch_tid_of (thread));
  }
  const ChLabel *label = ch_label_of (c, ch_pid_of (thread), ch_tid_of (thread));
  nprof_str key = ch_id_text (host, ch_tid_of (thread)), name = label ? label->name : 0;
  uint32_t kind = NPROF_TRACK_THREAD;
  if (thread->apart != ON_HOST) {
    const char *text = nprof_text (host, name);
    kind = nprof_line_is_derived (thread->tid_kind == CH_NUMBER ? thread->tid : 0)
               ? NPROF_TRACK_DERIVED
           : c->unitrace
               ? NPROF_TRACK_QUEUE
               : nprof_line_kind (text, strlen (text));
    thread->line = kind == NPROF_TRACK_ENGINE || kind == NPROF_TRACK_ASYNC;
    name = queue_label (host, ch_tid_of (thread), name);
  }
  return host->track (host, thread->process, kind, key, name, label ? label->sort : 0);
}

/* Makes the track above a thread: of its process, or of the device that has its rows. */
static nprof_track
make_process (const ChPart *part, const ChThread *thread)
{
  if (ch_own_label (part->c, ch_pid_of (thread), (ChId){ 0 }))
    return ch_own_track (part->c, part->host, ch_pid_of (thread), (ChId){ 0 });
  if (thread->apart == ON_HOST)
    return process (part->c, part->host, ch_pid_of (thread));
  int64_t number = (int64_t) thread->apart - ON_NUMBERED_DEVICE;
  return device (part->c, part->host, ch_pid_of (thread), MAX (number, -1));
}

/* Returns the process of the last thread that was met, if the thread is of the same; 0: it is
 * not. */
static nprof_track
same_process (const ChThreads *threads, const ChThread *thread)
{
  const ChThread *last = threads->last;
  bool same = last && last->pid == thread->pid && last->pid_kind == thread->pid_kind
              && last->apart == thread->apart;
  return same ? last->process : 0;
}

ChThread *
ch_thread (ChPart *part, const TeEvent *event)
{
  ChId pid = ch_pid (part->c, part->names, event), tid = ch_id (part->names, event, TE_TID);
  const ChLabel *own = ch_own_label (part->c, pid, tid);
  if (own && own->lane_of > 0)
    tid.v = own->lane_of;
  ChThread *thread
      = ch_thread_slot (part->threads, pid, tid,
                        pid.kind == CH_NO_ID ? ON_HOST : apart (part, event, pid, tid));
  if (thread->used)
    return thread;
  if (pid.kind != CH_NO_ID && !(thread->process = same_process (part->threads, thread))
      && !(thread->process = make_process (part, thread)))
    return NULL;
  if (!(thread->thread = make_thread (part->c, part->host, thread)))
    return NULL;
  if (thread->apart != ON_HOST)
    ch_queue_met (part, event, pid, tid);
  return ch_thread_made (part->threads, thread);
}
