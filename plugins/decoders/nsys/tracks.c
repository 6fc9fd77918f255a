/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes processes, threads, GPUs and their queues, and what the file says of the GPUs.
 * A globalTid holds a process in bits 24 to 47 and a thread in bits 0 to 23; the bits above say on
 * which machine of a VM. source: "Serialized process and thread identifiers" of Nsight's manual */
#include "nsys.h"

#include <string.h>

static guint
place_hash (gconstpointer p)
{
  const NsPlace *place = p;
  return g_int64_hash (&place->process) * 31 + (guint) place->device * 1021 + (guint) place->stream;
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (NsPlace)) == 0;
}

static gint64 *
key_of (gint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

/* -- Loading what names them ------------------------------------------------------------------- */

static nprof_status
load_processes (Nsys *self)
{
  NsRows rows;
  gint64 pid;
  nprof_status status = ns_rows_begin (self, "PROCESSES", &rows);
  int id = status ? -1 : ns_column (&rows, "globalPid"),
      name = status ? -1 : ns_column (&rows, "name");
  while (!status && ns_rows_next (&rows, &status)) {
    const char *text = ns_text (&rows, name);
    if (!ns_int (&rows, id, &pid) || !text || !*text)
      continue;
    g_autofree char *base = g_path_get_basename (text);
    g_autofree char *label = g_strdup_printf ("%s %u", base, (guint) (pid >> 24 & 0xffffff));
    g_hash_table_replace (self->names, key_of (NS_PROCESS (pid)),
                          GUINT_TO_POINTER (nprof_intern (self->host, label)));
  }
  ns_rows_end (&rows);
  return status;
}

/* Loads names of threads; thread 0 of a process stands for the process itself, and has its name
 * there. */
static nprof_status
load_threads (Nsys *self)
{
  NsRows rows;
  gint64 tid, name;
  nprof_status status = ns_rows_begin (self, "ThreadNames", &rows);
  int id = status ? -1 : ns_column (&rows, "globalTid"),
      text = status ? -1 : ns_column (&rows, "nameId");
  while (!status && ns_rows_next (&rows, &status))
    if (ns_int (&rows, id, &tid) && ns_int (&rows, text, &name) && NS_PROCESS (tid) != tid)
      g_hash_table_replace (self->names, key_of (tid), GUINT_TO_POINTER (ns_string (self, name)));
  ns_rows_end (&rows);
  return status;
}

/* Loads the numbers of GPUs: CUDA's number depends on what a process may see, so (process, CUDA's
 * number) leads to the file's own.  In files without the table TARGET_INFO_GPU.cuDevice says it;
 * without that both are one. */
static nprof_status
load_devices (Nsys *self, const char *table, const char *gpu, const char *device, bool by_process)
{
  NsRows rows;
  nprof_status status = NPROF_OK;
  NsPlace key = { .stream = G_MININT64 };
  gint64 number;
  if (!ns_has (self, table) || (status = ns_rows_begin (self, table, &rows)))
    return status;
  int at_gpu = ns_column (&rows, gpu), at_device = ns_column (&rows, device),
      at_process = by_process ? ns_column (&rows, "pid") : -1;
  while (ns_rows_next (&rows, &status)) {
    if (!ns_int (&rows, at_gpu, &number) || !ns_int (&rows, at_device, &key.device)
        || (by_process && !ns_int (&rows, at_process, &key.process)))
      continue;
    g_hash_table_replace (self->devices, g_memdup2 (&key, sizeof key), key_of (number));
  }
  ns_rows_end (&rows);
  return status;
}

nprof_status
ns_tracks_load (Nsys *self)
{
  nprof_status status = NPROF_OK;
  self->threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->gpus = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->devices = g_hash_table_new_full (place_hash, place_equal, g_free, g_free);
  self->contexts = g_hash_table_new_full (place_hash, place_equal, g_free, g_free);
  self->queues = g_hash_table_new_full (place_hash, place_equal, g_free, NULL);
  if (ns_has (self, "PROCESSES"))
    status = load_processes (self);
  if (!status && ns_has (self, "ThreadNames"))
    status = load_threads (self);
  if (!status)
    status = load_devices (self, "TARGET_INFO_GPU", "id", "cuDevice", false);
  return status ? status : load_devices (self, "TARGET_INFO_CUDA_DEVICE", "gpuId", "cudaId", true);
}

/* -- Hosts ------------------------------------------------------------------------------------- */

static nprof_str
number_text (Nsys *self, gint64 high, gint64 number)
{
  char text[48];
  int n = high ? g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, high,
                             number)
               : g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  return self->host->intern (self->host, text, (size_t) n);
}

static nprof_str
name_of (const Nsys *self, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->names, &id));
}

/* Returns a process.  The usual machine is 1 << 48; others are told apart by what they have
 * instead. */
nprof_track
ns_process (Nsys *self, gint64 pid)
{
  const struct nprof_host *host = self->host;
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (self->threads, &pid));
  if (track)
    return track;
  gint64 machine = (gint64) ((guint64) pid >> 48);
  track = host->track (host, 0, NPROF_TRACK_PROCESS,
                       number_text (self, machine == 1 ? 0 : machine, pid >> 24 & 0xffffff),
                       name_of (self, pid), 0);
  g_hash_table_insert (self->threads, key_of (pid), GUINT_TO_POINTER (track));
  return track;
}

nprof_track
ns_thread (Nsys *self, gint64 tid)
{
  const struct nprof_host *host = self->host;
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (self->threads, &tid));
  nprof_track process = track ? track : ns_process (self, NS_PROCESS (tid));
  if (track || !process || NS_PROCESS (tid) == tid)
    return process;
  track = host->track (host, process, NPROF_TRACK_THREAD, number_text (self, 0, tid & 0xffffff),
                       name_of (self, tid), 0);
  g_hash_table_insert (self->threads, key_of (tid), GUINT_TO_POINTER (track));
  return track;
}

nprof_track
ns_ranges (Nsys *self, gint64 pid)
{
  nprof_track process = ns_process (self, pid);
  return process ? self->host->track (self->host, process, NPROF_TRACK_ASYNC,
                                      nprof_intern (self->host, "nvtx"),
                                      nprof_intern (self->host, "NVTX start/end ranges"), 0)
                 : 0;
}

nprof_track
ns_faults (Nsys *self, gint64 pid)
{
  nprof_track process = ns_process (self, pid);
  return process ? self->host->track (self->host, process, NPROF_TRACK_ASYNC,
                                      nprof_intern (self->host, "page faults"),
                                      nprof_intern (self->host, "page faults of unified memory"), 0)
                 : 0;
}

guint64
ns_correlation (Nsys *self, gint64 pid, gint64 id)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, &pid));
  if (!number) {
    number = g_hash_table_size (self->numbers) + 1;
    g_hash_table_insert (self->numbers, key_of (pid), GUINT_TO_POINTER (number));
  }
  return (guint64) id + ((guint64) (number - 1) << 32);
}

/* -- GPUs -------------------------------------------------------------------------------------- */

nprof_track
ns_gpu (Nsys *self, gint64 gpu)
{
  char text[48];
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (self->gpus, &gpu));
  if (track)
    return track;
  int n = g_snprintf (text, sizeof text, "GPU %" G_GINT64_FORMAT, gpu);
  track = self->host->track (self->host, 0, NPROF_TRACK_DEVICE, number_text (self, 0, gpu),
                             self->host->intern (self->host, text, (size_t) n), gpu);
  g_hash_table_insert (self->gpus, key_of (gpu), GUINT_TO_POINTER (track));
  return track;
}

nprof_track
ns_device (Nsys *self, gint64 pid, gint64 device)
{
  NsPlace key = { pid >> 24 & 0xffffff, device, G_MININT64 };
  const gint64 *gpu = g_hash_table_lookup (self->devices, &key);
  key.process = 0;
  if (!gpu)
    gpu = g_hash_table_lookup (self->devices, &key);
  return ns_gpu (self, gpu ? *gpu : device);
}

/* Returns whether another process came first on that GPU. */
static bool
shares (Nsys *self, nprof_track device, gint64 pid)
{
  const NsPlace key = { G_MININT64, (gint64) device, G_MININT64 };
  gpointer first;
  if (g_hash_table_lookup_extended (self->queues, &key, NULL, &first))
    return GPOINTER_TO_UINT (first) != (guint) pid;
  g_hash_table_insert (self->queues, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER ((guint) pid));
  return false;
}

/* Makes a queue; streams of two processes on one GPU are two. */
static nprof_track
make_queue (Nsys *self, nprof_track device, const NsPlace *place)
{
  const struct nprof_host *host = self->host;
  gint64 pid = place->process >> 24 & 0xffffff;
  char text[96];
  int n = g_snprintf (text, sizeof text, "stream %" G_GINT64_FORMAT, place->stream);
  if (shares (self, device, pid))
    n = g_snprintf (text, sizeof text, "stream %" G_GINT64_FORMAT " of process %" G_GINT64_FORMAT,
                    place->stream, pid);
  return host->track (host, device, NPROF_TRACK_QUEUE, number_text (self, pid, place->stream),
                      host->intern (host, text, (size_t) n), place->stream);
}

static nprof_track
find_queue (Nsys *self, const NsPlace *place)
{
  nprof_track queue = GPOINTER_TO_UINT (g_hash_table_lookup (self->queues, place));
  const nprof_track device = queue ? queue : ns_device (self, place->process, place->device);
  if (queue || !device)
    return queue;
  queue = make_queue (self, device, place);
  g_hash_table_insert (self->queues, g_memdup2 (place, sizeof *place), GUINT_TO_POINTER (queue));
  return queue;
}

nprof_track
ns_queue (Nsys *self, gint64 pid, gint64 device, const gint64 *stream)
{
  if (!stream)
    return ns_device (self, pid, device);
  const NsPlace place = { pid, device, *stream };
  if (!self->queue || !place_equal (&place, &self->place))
    self->queue = find_queue (self, &place);
  self->place = place;
  return self->queue;
}

void
ns_context_seen (Nsys *self, gint64 pid, gint64 context, gint64 device)
{
  const NsPlace key = { pid, context, 0 };
  if (!g_hash_table_contains (self->contexts, &key))
    g_hash_table_insert (self->contexts, g_memdup2 (&key, sizeof key), key_of (device));
}

gint64
ns_context_device (const Nsys *self, gint64 pid, gint64 context, gint64 device)
{
  const NsPlace key = { pid, context, 0 };
  const gint64 *known = g_hash_table_lookup (self->contexts, &key);
  return known ? *known : device;
}

/* -- What the file says of them ---------------------------------------------------------------- */

/* TARGET_INFO_GPU has these units: byte, byte/s, Hz. */
static const struct {
  const char *column, *key;
  uint8_t type;
} facts[] = {
  { "name", NPROF_KEY_DEVICE_TYPE, NPROF_STRING },
  { "totalMemory", NPROF_KEY_MEMORY_SIZE, NPROF_INT64 },
  { "memoryBandwidth", NPROF_KEY_PEAK_BANDWIDTH, NPROF_DOUBLE },
  { "clockRate", NPROF_KEY_CLOCK_RATE, NPROF_DOUBLE },
  { "smCount", NPROF_KEY_CORE_COUNT, NPROF_INT64 },
};

static nprof_status
give_fact (NsRows *rows, nprof_track track, gsize which, int column)
{
  Nsys *self = rows->self;
  gint64 number = 0;
  const char *text = ns_text (rows, column);
  if (facts[which].type == NPROF_STRING ? !text : !ns_int (rows, column, &number) || number <= 0)
    return NPROF_OK; /* 0 is how it writes unknown */
  nprof_str key = nprof_intern (self->host, facts[which].key);
  nprof_status status = ns_row (self, NPROF_FACT, track, key, 0, 0);
  if (status)
    return status;
  nprof_set_category (self->w, nprof_intern (self->host, "TARGET_INFO_GPU"));
  if (facts[which].type == NPROF_STRING)
    return nprof_attr_str (self->w, key, nprof_intern (self->host, text));
  if (facts[which].type == NPROF_DOUBLE)
    return nprof_attr_double (self->w, key, (double) number);
  return nprof_attr_int (self->w, key, number);
}

/* Writes facts of GPUs that have rows, because the table lists all of the machine. */
nprof_status
ns_facts (Nsys *self)
{
  NsRows rows;
  gint64 gpu;
  nprof_status status = NPROF_OK;
  if (!ns_has (self, "TARGET_INFO_GPU"))
    return status;
  status = ns_rows_begin (self, "TARGET_INFO_GPU", &rows);
  int id = status ? -1 : ns_column (&rows, "id"), at[G_N_ELEMENTS (facts)];
  for (gsize i = 0; i < G_N_ELEMENTS (facts) && !status; i++) /* before the first row */
    at[i] = ns_column (&rows, facts[i].column);
  while (!status && ns_rows_next (&rows, &status)) {
    nprof_track track
        = ns_int (&rows, id, &gpu) ? GPOINTER_TO_UINT (g_hash_table_lookup (self->gpus, &gpu)) : 0;
    if (!track)
      self->host->skip (self->host, "GPU of TARGET_INFO_GPU", 0, "no row ran on it");
    for (gsize i = 0; i < G_N_ELEMENTS (facts) && track && !status; i++)
      status = give_fact (&rows, track, i, at[i]);
  }
  ns_rows_end (&rows);
  return status;
}
