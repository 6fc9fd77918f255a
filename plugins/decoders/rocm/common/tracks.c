/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes machines, processes, threads, GPUs and their queues, and writes what the file
 * says of the GPUs. */
#include "producers/meaning.h"
#include "producers/step-times.h"
#include "rocm.h"

#include <string.h>

typedef struct {
  const RocmAgent *agent;
  gint64 queue;
} RocmQueue;

static guint
queue_hash (gconstpointer p)
{
  const RocmQueue *q = p;
  return g_direct_hash (q->agent) * 31 + g_int64_hash (&q->queue);
}

static gboolean
queue_equal (gconstpointer a, gconstpointer b)
{
  const RocmQueue *x = a, *y = b;
  return x->agent == y->agent && x->queue == y->queue;
}

static gint64 *
key_of (gint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

static void
process_free (gpointer data)
{
  RocmProcess *p = data;
  GHashTable *const tables[] = { p->agents, p->threads, p->names, p->queues };
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    g_hash_table_unref (tables[i]);
  g_array_unref (p->steps);
  np_large_array_free (p->uses);
  ids_clear (&p->launches);
  g_free (p);
}

/* -- Life ------------------------------------------------------------------------------------- */

static void
learn_keys (Rocm *self)
{
  const struct {
    const char *key;
    nprof_str *str;
    bool *want;
  } keys[] = {
    { NPROF_KEY_CORRELATION_ID, &self->key_correlation, &self->want_correlation },
    { NPROF_KEY_STREAM, &self->key_stream, &self->want_stream },
    { NPROF_KEY_BYTES, &self->key_bytes, &self->want_bytes },
    { NPROF_KEY_KERNEL, &self->key_kernel, &self->want_kernel },
    { NPROF_KEY_STEP, &self->key_step, &self->want_step },
    { "args", &self->key_args, &self->want_args },
    { "dispatch_id", &self->key_dispatch, &self->want_dispatch },
    { "private_segment_size", &self->key_scratch, &self->want_scratch },
    { "graph_exec_id", &self->key_graph, &self->want_graph },
    { "graph_node_id", &self->key_node, &self->want_graph },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    *keys[i].str = nprof_intern (self->host, keys[i].key);
    *keys[i].want |= self->host->wanted (self->host, keys[i].key);
  }
  self->want_args |= nprof_wanted_of (self->host, "args", NPROF_INSTANT);
}

/* Makes the set by which rows say that they are a step. */
static nprof_status
learn_step (Rocm *self)
{
  const nprof_str key = nprof_intern (self->host, NPROF_KEY_WORK);
  const uint8_t type = NPROF_STRING;
  const nprof_value value = { .s = nprof_intern (self->host, meaning_word (MEANS_STEP)) };
  if (!self->host->wanted (self->host, NPROF_KEY_WORK))
    return NPROF_OK;
  self->step = self->host->attrs (self->host, &(struct nprof_attrs){ sizeof (struct nprof_attrs), 1,
                                                                     &key, &type, &value, NULL });
  return self->step ? NPROF_OK : nprof_fail (self->host, NPROF_E_NOMEM, "no memory for attributes");
}

nprof_status
rocm_open (Rocm *self, const struct nprof_host *host)
{
  self->host = host;
  self->processes = g_ptr_array_new_with_free_func (process_free);
  self->hosts = g_hash_table_new (NULL, NULL);
  self->told = g_hash_table_new (NULL, NULL);
  learn_keys (self);
  self->kernel = nprof_intern (host, "kernel");
  self->copy = nprof_intern (host, "gpu_memcpy");
  self->roctx = nprof_intern (host, "roctx");
  self->memory = nprof_intern (host, "[memory]");
  self->allocation = nprof_intern (host, "cuda_memory");
  nprof_status status = learn_step (self);
  return status ? status : meaning_say (host);
}

void
rocm_close (Rocm *self)
{
  g_clear_pointer (&self->processes, g_ptr_array_unref);
  g_clear_pointer (&self->hosts, g_hash_table_unref);
  g_clear_pointer (&self->told, g_hash_table_unref);
}

/* -- Hosts ------------------------------------------------------------------------------------- */

static nprof_str
number_text (const Rocm *self, gint64 number)
{
  char text[32];
  int n = g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  return self->host->intern (self->host, text, (size_t) n);
}

nprof_track
rocm_track (Rocm *self, nprof_track parent, uint32_t kind, nprof_str key, nprof_str label,
            gint64 sort)
{
  const nprof_track track = self->host->track (self->host, parent, kind, key, label, sort);
  self->no_track |= !track;
  return track;
}

static nprof_track
machine_track (const RocmProcess *p)
{
  return p->machine ? rocm_track (p->self, 0, NPROF_TRACK_HOST, p->machine, 0, 0) : 0;
}

/* Returns "python 1000" for "/usr/bin/python train.py"; 0: the command is unknown. */
static nprof_str
label_of (const Rocm *self, const char *command, gint64 pid)
{
  if (!command || !*command)
    return 0;
  g_autofree char *program = g_strndup (command, strcspn (command, " "));
  g_autofree char *base = g_path_get_basename (program);
  g_autofree char *label = g_strdup_printf ("%s %" G_GINT64_FORMAT, base, pid);
  return nprof_intern (self->host, label);
}

RocmProcess *
rocm_process (Rocm *self, const char *machine, gint64 pid, const char *command)
{
  const struct nprof_host *host = self->host;
  RocmProcess *p = g_new0 (RocmProcess, 1);
  p->self = self;
  p->pid = pid;
  p->number = self->processes->len;
  p->machine = machine && *machine ? nprof_intern (host, machine) : 0;
  p->agents = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  p->threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  p->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  p->queues = g_hash_table_new_full (queue_hash, queue_equal, g_free, NULL);
  ids_init (&p->launches, sizeof (RocmLaunch));
  p->steps = g_array_new (FALSE, FALSE, sizeof (StepTime));
  p->uses = np_large_array_new (sizeof (RocmUse));
  g_hash_table_add (self->hosts, GUINT_TO_POINTER (p->machine));
  p->track = rocm_track (self, machine_track (p), NPROF_TRACK_PROCESS, number_text (self, pid),
                         label_of (self, command, pid), pid);
  g_ptr_array_add (self->processes, p);
  return p;
}

nprof_track
rocm_thread (RocmProcess *p, gint64 tid)
{
  if (tid == ROCM_UNKNOWN)
    return p->track;
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (p->threads, &tid));
  if (track)
    return track;
  const nprof_str name = GPOINTER_TO_UINT (g_hash_table_lookup (p->names, &tid));
  track = rocm_track (p->self, p->track, NPROF_TRACK_THREAD, number_text (p->self, tid), name, tid);
  g_hash_table_insert (p->threads, key_of (tid), GUINT_TO_POINTER (track));
  return track;
}

nprof_track
rocm_ranges (RocmProcess *p)
{
  const struct nprof_host *host = p->self->host;
  if (!p->ranges)
    p->ranges = rocm_track (p->self, p->track, NPROF_TRACK_ASYNC, nprof_intern (host, "roctx"),
                            nprof_intern (host, "roctx process ranges"), 0);
  return p->ranges;
}

/* -- GPUs -------------------------------------------------------------------------------------- */

RocmAgent *
rocm_agent_of (const RocmProcess *p, guint64 id)
{
  return g_hash_table_lookup (p->agents, &id);
}

RocmAgent *
rocm_agent (RocmProcess *p, guint64 id)
{
  RocmAgent *agent = rocm_agent_of (p, id);
  if (!agent) {
    agent = g_new0 (RocmAgent, 1);
    g_hash_table_insert (p->agents, key_of ((gint64) id), agent);
  }
  return agent;
}

/* Two processes of a machine see one GPU; those of two machines are told apart by name. */
nprof_track
rocm_device (RocmProcess *p, RocmAgent *agent)
{
  Rocm *self = p->self;
  const struct nprof_host *host = self->host;
  if (agent->device)
    return agent->device;
  const bool several = g_hash_table_size (self->hosts) > 1;
  g_autofree char *label
      = g_strdup_printf ("%s %" G_GINT64_FORMAT "%s%s", agent->gpu ? "GPU" : "CPU", agent->index,
                         several && p->machine ? " of " : "",
                         several ? nprof_text (host, p->machine) : "");
  g_autofree char *key
      = g_strdup_printf ("%s%" G_GINT64_FORMAT, agent->gpu ? "" : "CPU ", agent->index);
  agent->device = rocm_track (self, machine_track (p), NPROF_TRACK_DEVICE, nprof_intern (host, key),
                              nprof_intern (host, label), agent->index);
  const gpointer device = GUINT_TO_POINTER (agent->device);
  if (!g_hash_table_contains (self->told, device))
    g_hash_table_insert (self->told, device, p);
  return agent->device;
}

static nprof_track
make_queue (RocmProcess *p, RocmAgent *agent, const gint64 *queue)
{
  const struct nprof_host *host = p->self->host;
  const nprof_track device = rocm_device (p, agent);
  const bool first = g_hash_table_lookup (p->self->told, GUINT_TO_POINTER (device)) == p;
  g_autofree char *name
      = queue ? g_strdup_printf ("queue %" G_GINT64_FORMAT, *queue) : g_strdup ("copies");
  g_autofree char *label
      = first ? NULL : g_strdup_printf ("%s of process %" G_GINT64_FORMAT, name, p->pid);
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT "/%s", p->pid, name);
  return device
             ? rocm_track (p->self, device, NPROF_TRACK_QUEUE, nprof_intern (host, key),
                           nprof_intern (host, label ? label : name), queue ? *queue : G_MAXINT64)
             : 0;
}

nprof_track
rocm_queue (RocmProcess *p, RocmAgent *agent, const gint64 *queue)
{
  const RocmQueue key = { agent, queue ? *queue : ROCM_UNKNOWN };
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (p->queues, &key));
  if (track)
    return track;
  track = make_queue (p, agent, queue);
  g_hash_table_insert (p->queues, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (track));
  return track;
}

/* -- What the file says of them ---------------------------------------------------------------- */

static nprof_status
fact (Rocm *self, nprof_track device, const char *name, nprof_str *key)
{
  *key = nprof_intern (self->host, name);
  nprof_status status = rocm_row (self, NPROF_FACT, device, *key, 0, 0);
  if (!status)
    nprof_set_category (self->w, nprof_intern (self->host, "agent"));
  return status;
}

static nprof_status
facts_of (Rocm *self, const RocmAgent *agent)
{
  nprof_str key;
  nprof_status status = NPROF_OK;
  if (agent->product && !(status = fact (self, agent->device, NPROF_KEY_DEVICE_TYPE, &key)))
    status = nprof_attr_str (self->w, key, agent->product);
  if (!status && agent->cores > 0
      && !(status = fact (self, agent->device, NPROF_KEY_CORE_COUNT, &key)))
    status = nprof_attr_int (self->w, key, agent->cores);
  if (!status && agent->mhz > 0
      && !(status = fact (self, agent->device, NPROF_KEY_CLOCK_RATE, &key)))
    status = nprof_attr_double (self->w, key, (double) agent->mhz * 1e6);
  return status;
}

static int
by_index (gconstpointer a, gconstpointer b)
{
  const RocmAgent *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

nprof_status
rocm_facts (Rocm *self)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->processes->len; i++) {
    RocmProcess *p = g_ptr_array_index (self->processes, i);
    g_autoptr (GList) agents = g_list_sort (g_hash_table_get_values (p->agents), by_index);
    for (const GList *at = agents; at && !status; at = at->next) {
      const RocmAgent *agent = at->data;
      if (agent->device && g_hash_table_lookup (self->told, GUINT_TO_POINTER (agent->device)) == p)
        status = facts_of (self, agent);
    }
  }
  return !status && self->no_track ? NPROF_E_NOMEM : status;
}
