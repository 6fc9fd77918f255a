/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - finds the cores of a file, their tracks, and which array belongs to which: a device
 * holds cores, a core its engines, queues and collectives cores. */
#include "ntff.h"

const char *const ntff_engine_key[NTFF_ENGINES] = { "PE", "ACT", "POOL", "DVE", "SP" };
const char *const ntff_engine_name[NTFF_ENGINES]
    = { "tensor", "scalar", "gpsimd", "vector", "sync" };

enum { SORT_AXI = 10, SORT_CC = 20, SORT_QUEUE = 100 };

/* -- Which cores there are -------------------------------------------------------------------- */

/* Returns the core of a message; when it names none, the only core, or the one without a number. */
uint32_t
ntff_core_of (const NtffMessage *m, const GArray *cores, uint32_t node)
{
  uint32_t graph = ntff_subgraph (m, node);
  uint64_t device = 0, number = 0;
  if (graph == NTFF_NONE)
    return cores->len - 1;
  ntff_find_int (m, graph, 2, &device);
  ntff_find_int (m, graph, 3, &number);
  for (guint i = 0; i < cores->len; i++)
    if (ntff_core (cores, i)->numbered && ntff_core (cores, i)->device == device
        && ntff_core (cores, i)->number == number)
      return i;
  return cores->len - 1;
}

/* format: ntff.md, dma_queue_usage_info: engine_index, queue_index, queue_type, name */
static void
add_queues (Ntff *n, NtffCore *core, uint32_t graph)
{
  const NtffMessage *m = &n->message;
  for (uint32_t i = ntff_node (m, graph)->first; i != NTFF_NONE; i = ntff_field (m, i)->next) {
    const NtffField *f = ntff_field (m, i);
    const NtffField *name
        = f->number == 7 && f->kind == NTFF_MESSAGE ? ntff_find (m, f->child, 4) : NULL;
    if (!name || name->kind != NTFF_TEXT)
      continue;
    uint64_t engine = 0, queue = 0;
    ntff_find_int (m, f->child, 1, &engine);
    ntff_find_int (m, f->child, 2, &queue);
    NtffQueue q = { .engine = (uint32_t) engine, .queue = (uint32_t) queue };
    q.name = n->host->intern (n->host, (const char *) m->data + name->from, name->to - name->from);
    g_array_append_val (core->queues, q);
  }
}

static void
add_core (Ntff *n, uint32_t graph)
{
  NtffCore core = { .first_explicit = UINT64_MAX };
  if (graph != NTFF_NONE) {
    guint before = n->cores->len;
    core.numbered = true;
    ntff_find_int (&n->message, graph, 2, &core.device);
    ntff_find_int (&n->message, graph, 3, &core.number);
    for (guint i = 0; i < before; i++) {
      NtffCore *other = ntff_core (n->cores, i);
      if (other->device == core.device && other->number == core.number) {
        add_queues (n, other, graph);
        return;
      }
    }
  }
  core.queues = g_array_new (FALSE, FALSE, sizeof (NtffQueue));
  if (graph != NTFF_NONE)
    add_queues (n, &core, graph);
  g_array_append_val (n->cores, core);
}

/* -- Collectives cores ------------------------------------------------------------------------- */

/* Counts types of the records of an array, by how many of its first ones have them. */
static void
count_types (const Ntff *n, const NtffArray *a, uint64_t *dma, uint64_t *sp, uint64_t *engines)
{
  *dma = *sp = *engines = 0;
  for (uint64_t i = 0; i < MIN (a->n, 4096); i++) {
    NtffRecord r = ntff_record (n->message.data + a->at + i * NTFF_RECORD);
    unsigned type = ntff_type (&r);
    *dma += type == NTFF_DMA;
    *sp += type >= NTFF_INST + 4 * NTFF_SP && type <= NTFF_INST_LAST;
    *engines += type >= NTFF_INST && type < NTFF_INST + 4 * NTFF_SP;
  }
}

/* Returns whether the field is a block type (NC 0, DMA 1, TOPSP 2) in the messages of all arrays,
 * as far as their records can say. Then arrays of 2 are of collectives cores. */
static bool
is_block_type (const Ntff *n, uint32_t number)
{
  bool seen = false;
  for (guint i = 0; i < n->found.arrays->len; i++) {
    const NtffArray *a = &g_array_index (n->found.arrays, NtffArray, i);
    uint64_t value = 0, dma, sp, engines;
    if (a->node == NTFF_NONE)
      continue;
    ntff_find_int (&n->message, a->node, number, &value);
    count_types (n, a, &dma, &sp, &engines);
    bool fits = value == 0   ? dma <= sp + engines
                : value == 1 ? dma > sp + engines
                : value == 2 ? sp && !engines && !dma
                             : false;
    if (!fits)
      return false;
    seen |= value == 2;
  }
  return seen;
}

/* Numbers collectives cores in the order of the file, because the field that holds their number is
 * not known. */
static void
find_cc_cores (Ntff *n)
{
  const NtffArray *first = NULL;
  for (guint i = 0; i < n->found.arrays->len && !first; i++)
    if (g_array_index (n->found.arrays, NtffArray, i).node != NTFF_NONE)
      first = &g_array_index (n->found.arrays, NtffArray, i);
  /* The field may be in the last message only, because proto3 leaves zeros out. */
  for (uint32_t number = 1; first && number < 64; number++) {
    if (!is_block_type (n, number))
      continue;
    g_autofree int32_t *next = g_new0 (int32_t, n->cores->len);
    for (guint i = 0; i < n->found.arrays->len; i++) {
      NtffArray *a = &g_array_index (n->found.arrays, NtffArray, i);
      uint64_t value = 0;
      if (a->node != NTFF_NONE && ntff_find_int (&n->message, a->node, number, &value)
          && value == 2)
        a->cc_core = next[a->core]++;
    }
    return;
  }
}

void
ntff_cores (Ntff *n)
{
  for (guint i = 0; i < n->message.nodes->len; i++)
    if (ntff_node (&n->message, i)->subgraph)
      add_core (n, i);
  if (n->cores->len != 1)
    add_core (n, NTFF_NONE); /* of arrays that no message names */
  for (guint i = 0; i < n->found.arrays->len; i++) {
    NtffArray *a = &g_array_index (n->found.arrays, NtffArray, i);
    a->core = ntff_core_of (&n->message, n->cores, a->node);
    ntff_core (n->cores, a->core)->used = true;
  }
  find_cc_cores (n);
}

/* -- Tracks ------------------------------------------------------------------------------------ */

G_GNUC_PRINTF (2, 3)
static nprof_str
text (Ntff *n, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *t = g_strdup_vprintf (format, args);
  va_end (args);
  return nprof_intern (n->host, t);
}

nprof_status
ntff_core_tracks (Ntff *n)
{
  const struct nprof_host *h = n->host;
  for (guint i = 0; i < n->cores->len; i++) {
    NtffCore *core = ntff_core (n->cores, i);
    if (!core->used)
      continue;
    int64_t device = (int64_t) MIN (core->device, INT32_MAX),
            number = (int64_t) MIN (core->number, INT32_MAX);
    nprof_str device_key
        = core->numbered ? text (n, "nd%" G_GUINT64_FORMAT, core->device) : text (n, "nd");
    nprof_str device_label = core->numbered
                                 ? text (n, "Neuron device %" G_GUINT64_FORMAT, core->device)
                                 : text (n, "Neuron device");
    nprof_str key
        = core->numbered ? text (n, "nc%" G_GUINT64_FORMAT, core->number) : text (n, "nc");
    nprof_str label = core->numbered ? text (n, "NeuronCore %" G_GUINT64_FORMAT, core->number)
                                     : text (n, "NeuronCore");
    core->device_track = h->track (h, 0, NPROF_TRACK_DEVICE, device_key, device_label, device);
    if (!core->device_track)
      return NPROF_E_NOMEM;
    core->track = h->track (h, core->device_track, NPROF_TRACK_CORE, key, label, number);
    if (!core->track)
      return NPROF_E_NOMEM;
  }
  return NPROF_OK;
}

nprof_track
ntff_engine_track (Ntff *n, uint32_t core, uint32_t engine)
{
  NtffCore *c = ntff_core (n->cores, core);
  if (!c->engines[engine])
    c->engines[engine]
        = n->host->track (n->host, c->track, NPROF_TRACK_ENGINE,
                          nprof_intern (n->host, ntff_engine_key[engine]), 0, engine);
  return c->engines[engine];
}

nprof_track
ntff_axi_track (Ntff *n, uint32_t core)
{
  NtffCore *c = ntff_core (n->cores, core);
  if (!c->axi)
    c->axi = n->host->track (n->host, c->track, NPROF_TRACK_QUEUE, nprof_intern (n->host, "AXI"), 0,
                             SORT_AXI);
  return c->axi;
}

nprof_track
ntff_cc_track (Ntff *n, uint32_t core, int32_t number)
{
  nprof_str key = text (n, "CC-core %d", number);
  return n->host->track (n->host, ntff_core (n->cores, core)->track, NPROF_TRACK_QUEUE, key, 0,
                         SORT_CC + number);
}

/* Returns the name that the file gives to queues of this number, where all of them have the
 * same. */
static nprof_str
queue_name (const NtffCore *core, uint32_t queue)
{
  nprof_str name = 0;
  for (guint i = 0; i < core->queues->len; i++) {
    const NtffQueue *q = &g_array_index (core->queues, NtffQueue, i);
    if (q->queue != queue)
      continue;
    if (name && name != q->name)
      return 0;
    name = q->name;
  }
  return name;
}

nprof_track
ntff_queue_track (Ntff *n, const NtffArray *array, uint32_t queue, nprof_str *name)
{
  const NtffCore *core = ntff_core (n->cores, array->core);
  nprof_str key = text (n, "DMA %u queue %u", array->ring, queue), label = 0;
  *name = queue_name (core, queue);
  if (*name)
    label = text (n, "DMA %u queue %u %s", array->ring, queue, nprof_text (n->host, *name));
  else
    *name = text (n, "queue %u", queue);
  return n->host->track (n->host, core->track, NPROF_TRACK_QUEUE, key, label,
                         SORT_QUEUE + (int64_t) array->ring * 16 + queue);
}

nprof_track
ntff_dma_track (const struct nprof_host *host, nprof_track core, int64_t engine, int64_t queue,
                const char *own, nprof_str *name)
{
  char key[64], other[40];
  g_snprintf (key, sizeof key, "DMA %" G_GINT64_FORMAT " queue %" G_GINT64_FORMAT, engine, queue);
  g_snprintf (other, sizeof other, "queue %" G_GINT64_FORMAT, queue);
  g_autofree char *label = *own ? g_strconcat (key, " ", own, NULL) : NULL;
  *name = nprof_intern (host, *own ? own : other);
  return host->track (host, core, NPROF_TRACK_QUEUE, nprof_intern (host, key),
                      label ? nprof_intern (host, label) : 0,
                      SORT_QUEUE + CLAMP (engine, 0, 1 << 20) * 16 + CLAMP (queue, 0, 15));
}
