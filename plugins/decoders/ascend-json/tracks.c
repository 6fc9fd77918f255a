/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - finds the tracks of events: all layers of a device are one device with its streams,
 * all of the host are threads of one process.  It takes the place of the tracks.c of the decoder
 * chrome. */
#include "layers.h"

#define LOW_BITS 31         /* of the pid of a layer: its device           */
#define LAYER_BITS 10       /* above them: the layer; then the host's pid  */
#define LEAST_PID (1 << 20) /* of those pids: below it they are pastes      */

static const char *
name_of (const Chrome *c, ChId pid, ChId tid)
{
  const ChLabel *label = ch_label_of (c, pid, tid);
  return label && label->name ? nprof_text (c->host, label->name) : "";
}

AjLayer
aj_layer (const Chrome *c, ChId pid)
{
  static const struct {
    const char *name;
    AjLayer is;
  } layers[] = {
    { "Ascend Hardware", LAYER_HARDWARE },
    { "HCCL", LAYER_COLLECTIVES },
    { "Communication", LAYER_COLLECTIVES },
    { "Overlap Analysis", LAYER_DERIVED },
  };
  const ChLabel *label = ch_label_of (c, pid, (ChId){ 0 });
  if (!label)
    return LAYER_HOST;
  const char *name = label->name ? nprof_text (c->host, label->name) : "";
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    if (strcmp (name, layers[i].name) == 0)
      return layers[i].is;
  const nprof_str labels = label->device ? label->device : label->labels;
  return labels && g_str_has_prefix (nprof_text (c->host, labels), "NPU") ? LAYER_COUNTERS
                                                                          : LAYER_HOST;
}

int
aj_holds_wholes (const Chrome *c, ChId pid, ChId tid)
{
  const char *name = name_of (c, pid, tid);
  if (g_str_has_prefix (name, "Plane"))
    return 0;
  return g_str_has_suffix (name, "Communication") || strcmp (name, "Communication Kernel") == 0
             ? 1
             : -1;
}

/* -- Devices ----------------------------------------------------------------------------------- */

/* Reads "msprof_1_0_9.json", as files of 2023 are called: device, model, iteration. */
static int64_t
device_in_name (const char *file)
{
  static const char *const kinds[] = { "msprof_", "hccl_", "task_time_", "step_trace_" };
  for (gsize i = 0; i < G_N_ELEMENTS (kinds) && file; i++) {
    if (!g_str_has_prefix (file, kinds[i]))
      continue;
    const char *at = file + strlen (kinds[i]);
    g_auto (GStrv) numbers = g_strsplit (at, "_", 4);
    if (g_strv_length (numbers) == 3 && strlen (numbers[0]) <= 2 && g_ascii_isdigit (*numbers[0]))
      return g_ascii_strtoll (numbers[0], NULL, 10);
  }
  return ASCEND_NONE;
}

void
aj_learn_devices (AscendJson *a)
{
  GHashTableIter iter;
  gpointer at;
  const Chrome *c = &a->chrome;
  a->named_device = device_in_name (c->input->file);
  a->pids_tell = true;
  a->has_wholes = false;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &at, NULL)) {
    const ChLabel *label = at;
    const AjLayer is = label->tid.kind == CH_NO_ID ? aj_layer (c, label->pid) : LAYER_HOST;
    if (is == LAYER_HARDWARE || is == LAYER_COLLECTIVES)
      a->pids_tell &= label->pid.kind == CH_NUMBER && label->pid.v >= LEAST_PID;
    else if (aj_layer (c, label->pid) == LAYER_COLLECTIVES)
      a->has_wholes |= aj_holds_wholes (c, label->pid, label->tid) > 0;
  }
}

/* The label says it, else the name of the file, else the pid. */
int64_t
aj_device_of (const AscendJson *a, ChId pid)
{
  const ChLabel *label = ch_label_of (&a->chrome, pid, (ChId){ 0 });
  const char *text = label && label->device ? nprof_text (a->chrome.host, label->device) : "";
  if (g_str_has_prefix (text, "NPU "))
    return g_ascii_strtoll (text + 4, NULL, 10);
  if (a->named_device != ASCEND_NONE)
    return a->named_device;
  return a->pids_tell && pid.kind == CH_NUMBER ? pid.v & LOW_BITS : ASCEND_NONE;
}

GHashTable *
aj_devices (const AscendJson *a)
{
  GHashTable *devices = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer at;
  g_hash_table_iter_init (&iter, a->chrome.labels);
  while (g_hash_table_iter_next (&iter, &at, NULL)) {
    const ChLabel *label = at;
    const int64_t number = aj_device_of (a, label->pid);
    if (aj_layer (&a->chrome, label->pid) == LAYER_HARDWARE)
      g_hash_table_add (devices, g_memdup2 (&number, sizeof number));
  }
  return devices;
}

nprof_str
aj_device_label (const struct nprof_host *host, int64_t number)
{
  return number < 0 ? nprof_intern (host, "NPU of unknown number")
                    : ch_number_text (host, "NPU ", number);
}

static nprof_track
device_track (const struct nprof_host *host, int64_t number)
{
  return host->track (host, 0, NPROF_TRACK_DEVICE, ch_number_text (host, "", number),
                      aj_device_label (host, number), number);
}

nprof_track
ch_device (const Chrome *c, const struct nprof_host *host, int64_t number)
{
  (void) c;
  return device_track (host, number);
}

/* -- Threads ----------------------------------------------------------------------------------- */

/* Returns the process of a layer of the host: Python's, whose pid CANN's holds. */
static ChId
host_pid (const AscendJson *a, ChId pid)
{
  const int64_t above[] = { pid.v >> LAYER_BITS, pid.v / 100 };
  for (gsize i = 0; i < G_N_ELEMENTS (above) && pid.kind == CH_NUMBER; i++)
    if (g_hash_table_contains (a->hosts, &above[i]))
      return (ChId){ above[i], CH_NUMBER };
  return pid;
}

static nprof_track
process_of (const AscendJson *a, const struct nprof_host *host, ChId pid)
{
  const ChId above = host_pid (a, pid);
  const ChLabel *label = ch_label_of (&a->chrome, above, (ChId){ 0 });
  return host->track (host, 0, NPROF_TRACK_PROCESS, ch_id_text (host, above),
                      label ? label->name : 0, label ? label->sort : 0);
}

static nprof_track
thread_of (const Chrome *c, const struct nprof_host *host, nprof_track above, ChId pid, ChId tid)
{
  const AjLayer layer = aj_layer (c, pid);
  const ChLabel *label = ch_label_of (c, pid, tid);
  const nprof_str name = label ? label->name : 0;
  nprof_str key = ch_id_text (host, tid);
  uint32_t kind = NPROF_TRACK_THREAD;
  if (tid.kind == CH_NO_ID || layer == LAYER_COUNTERS) /* counters have tracks by their names */
    return above;
  if (layer == LAYER_HARDWARE)
    kind = g_str_has_prefix (nprof_text (host, name), "Step Trace") ? NPROF_TRACK_DERIVED
                                                                    : NPROF_TRACK_QUEUE;
  else if (layer != LAYER_HOST) { /* tids of layers are the same */
    const char *text = nprof_text (host, name);
    kind = layer == LAYER_COLLECTIVES && aj_holds_wholes (c, pid, tid) ? NPROF_TRACK_QUEUE
                                                                       : NPROF_TRACK_DERIVED;
    g_autofree char *both
        = g_strdup_printf ("%s/%s/%s", name_of (c, pid, (ChId){ 0 }), nprof_text (host, key), text);
    key = nprof_intern (host, both);
  }
  return host->track (host, above, kind, key, name, label ? label->sort : 0);
}

static nprof_track
above_of (const AscendJson *a, const struct nprof_host *host, ChId pid)
{
  return aj_layer (&a->chrome, pid) == LAYER_HOST ? process_of (a, host, pid)
                                                  : device_track (host, aj_device_of (a, pid));
}

nprof_track
aj_thread (const Chrome *c, const struct nprof_host *host, ChId pid, ChId tid)
{
  const nprof_track above = above_of ((const AscendJson *) c, host, pid);
  return above ? thread_of (c, host, above, pid, tid) : 0;
}

ChThread *
ch_thread (ChPart *part, const TeEvent *event)
{
  const ChId pid = ch_id (part->names, event, TE_PID), tid = ch_id (part->names, event, TE_TID);
  ChThread *thread = ch_thread_slot (part->threads, pid, tid, 0);
  if (thread->used)
    return thread;
  if (pid.kind == CH_NO_ID) {
    thread->process = thread->thread = part->c->input->root;
    return ch_thread_made (part->threads, thread);
  }
  thread->process = above_of (aj_of (part), part->host, pid);
  if (!thread->process)
    return NULL;
  thread->thread = thread_of (part->c, part->host, thread->process, pid, tid);
  return thread->thread ? ch_thread_made (part->threads, thread) : NULL;
}
