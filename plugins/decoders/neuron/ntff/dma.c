/* SPDX-License-Identifier: Apache-2.0 */
/* dma.c - packets of DMA: starts and ends pair first in, first out on each queue of each engine.
 * format: ntff.md, "Array 4" */
#include "file.h"

enum { STARTS = 1, ENDS = 5 };
enum { DATA, SOFTWARE_DYNAMIC, HARDWARE_DYNAMIC, INSTRUCTION, OTHER, TYPES };

typedef struct {
  GArray *starts; /* of uint64_t: ticks                                     */
  guint next;
  nprof_track track;
  nprof_str name;
  unsigned type;
  nprof_str use;       /* what it is for; 0: not stated                           */
  bool straddles;      /* one of its packets began before the execution           */
  int64_t first, last; /* of packets that are data; first > last: none            */
  uint64_t bytes;      /* of these, without those that write semaphores           */
} Queue;

static void
queue_free (gpointer p)
{
  Queue *q = p;
  g_array_unref (q->starts);
  g_free (q);
}

/* -- Names ----------------------------------------------------------------------------------- */

/* The names are the vendor's names of the engines. */
static char *
vendors_name (const char *name)
{
  static const char *const engines[][2]
      = { { "qSP", "qSync" }, { "qPool", "qGpSimd" }, { "qAct", "qScalar" } };
  for (gsize i = 0; i < G_N_ELEMENTS (engines); i++)
    if (g_str_has_prefix (name, engines[i][0]))
      return g_strconcat (engines[i][1], name + strlen (engines[i][0]), NULL);
  return g_strdup (name);
}

static const NtffQueue *
listed (const NtffGraph *g, uint32_t engine, uint32_t queue)
{
  for (guint i = 0; i < g->queues->len; i++) {
    const NtffQueue *q = &g_array_index (g->queues, NtffQueue, i);
    if (q->engine == engine && q->queue == queue)
      return q;
  }
  return NULL;
}

/* Returns the vendor's queue_type, by the name; queues that are not listed fetch instructions. */
static unsigned
type_of (const char *name, bool known)
{
  if (!known)
    return INSTRUCTION;
  if (g_str_has_suffix (name, "DynamicHW"))
    return HARDWARE_DYNAMIC;
  if (g_str_has_suffix (name, "Dynamic"))
    return SOFTWARE_DYNAMIC;
  return g_str_has_suffix (name, "Table") ? OTHER : DATA;
}

/* Returns what a queue is for: as the compiler says it, else weights where the file says so. Of
 * dynamic queues it says so whatever they move, which is decided while they run. format: ntff.md,
 * 4.4.1.7 */
static nprof_str
use_of (const Ntff *n, const NtffGraph *g, const NtffQueue *entry, unsigned type)
{
  enum { WEIGHTS = 2 };
  const struct nprof_host *h = n->host;
  g_autofree char *full
      = entry ? g_strconcat (nprof_text (h, g->name), "/", nprof_text (h, entry->name), NULL)
              : NULL;
  const char *stated
      = full && n->neff.queue_types ? g_hash_table_lookup (n->neff.queue_types, full) : NULL;
  if (stated)
    return nprof_intern (h, stated);
  return type == DATA && entry && entry->type == WEIGHTS ? nprof_intern (h, "weights") : 0;
}

static Queue *
queue_of (NtffWalk *w, const NtffPart *part, GHashTable *queues, uint32_t engine, uint32_t queue)
{
  const struct nprof_host *h = w->n->host;
  gpointer key = GUINT_TO_POINTER (engine * 16 + queue + 1);
  Queue *q = g_hash_table_lookup (queues, key);
  if (q)
    return q;
  const NtffGraph *g = ntff_graph (w->f, part->graph);
  uint32_t number = (uint32_t) g->engine_base + engine;
  const NtffQueue *entry = listed (g, number, queue);
  g_autofree char *name = vendors_name (entry ? nprof_text (h, entry->name) : "");
  q = g_new0 (Queue, 1);
  q->starts = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  q->type = type_of (name, entry != NULL);
  q->use = use_of (w->n, g, entry, q->type);
  q->first = INT64_MAX;
  q->last = INT64_MIN;
  q->track = ntff_dma_track (h, g->track, number, queue, name, &q->name);
  g_hash_table_insert (queues, key, q);
  return q;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_str
type_text (const Ntff *n, unsigned type)
{
  static const char *const types[TYPES]
      = { "data", "software_dynamic", "hardware_dynamic", "instruction", "other" };
  return nprof_intern (n->host, types[type]);
}

static nprof_status
packet (NtffWalk *w, Queue *q, const NtffRecord *r, int64_t start, int64_t end)
{
  Ntff *n = w->n;
  uint64_t bytes = r->meta & 0xffffff;
  if (start < w->origin) {
    q->straddles |= end >= w->origin;
    w->before++;
    return NPROF_OK;
  }
  if (q->type == DATA) {
    q->first = MIN (q->first, start);
    q->last = MAX (q->last, end);
    q->bytes += bytes == 4 ? 0 : bytes;
  }
  nprof_status status = q->track
                            ? nprof_span (n->w, q->track, q->name, start - w->origin, end - start)
                            : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (n->w, n->category_dma);
  status = ntff_attr (n, NTFF_KEY_BYTES, bytes);
  if (!status && r->meta2 >> 16)
    status = ntff_attr (n, NTFF_KEY_CRC, r->meta2 >> 16);
  if (!status && n->want[NTFF_KEY_QUEUE])
    status = nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE], q->name);
  if (!status && n->want[NTFF_KEY_QUEUE_TYPE])
    status = nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE_TYPE], n->queue_type[q->type]);
  if (!status && q->use && n->want[NTFF_KEY_QUEUE_USE])
    status = nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE_USE], q->use);
  if (!status && q->straddles)
    status = ntff_attr (n, NTFF_KEY_LEFT_OUT, 1);
  return status;
}

static nprof_status
end (NtffWalk *w, Queue *q, const NtffClock *clock, const NtffRecord *r, uint64_t at)
{
  int64_t from, to;
  if (q->next == q->starts->len) {
    w->n->host->skip (w->n->host, "end of a transfer", at, "its start is not in the file");
    return NPROF_OK;
  }
  uint64_t ticks = g_array_index (q->starts, uint64_t, q->next);
  q->next++;
  if (!ntff_time (clock, ticks, &from) || !ntff_time (clock, r->time, &to) || to < from) {
    w->errors++;
    return NPROF_OK;
  }
  return packet (w, q, r, from, to);
}

/* Writes a static transfer, around its packets.  It is not known how two on one queue part, so none
 * is told where none was ever compared. */
static nprof_status
transfer (NtffWalk *w, const NtffPart *part, const Queue *q)
{
  Ntff *n = w->n;
  const struct nprof_host *h = n->host;
  nprof_track track = h->track (h, ntff_graph (w->f, part->graph)->track, NPROF_TRACK_DERIVED,
                                nprof_intern (h, "DMA transfers"), 0, 50);
  nprof_status status
      = track ? nprof_span (n->w, track, q->name, q->first - w->origin, q->last - q->first)
              : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (n->w, nprof_intern (h, "transfer"));
  status = ntff_attr (n, NTFF_KEY_BYTES, q->bytes);
  if (!status && q->use && n->want[NTFF_KEY_QUEUE_USE])
    status = nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE_USE], q->use);
  return status || !n->want[NTFF_KEY_QUEUE_TYPE]
             ? status
             : nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE_TYPE], n->queue_type[DATA]);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const Queue *x = a, *y = b;
  return x->name < y->name ? -1 : x->name > y->name;
}

/* Writes transfers; the packets of one are spread over the engines, and those of a name belong
 * together. */
static nprof_status
transfers (NtffWalk *w, const NtffPart *part, GHashTable *queues)
{
  g_autoptr (GList) all = g_list_sort (g_hash_table_get_values (queues), by_name);
  nprof_status status = NPROF_OK;
  Queue sum = { .first = INT64_MAX, .last = INT64_MIN };
  for (GList *l = all; l && !status; l = l->next) {
    const Queue *q = l->data;
    if (q->first <= q->last && q->type == DATA) {
      sum.name = q->name;
      sum.use = q->use;
      sum.first = MIN (sum.first, q->first);
      sum.last = MAX (sum.last, q->last);
      sum.bytes += q->bytes;
    }
    const Queue *next = l->next ? l->next->data : NULL;
    if (next && next->name == q->name)
      continue;
    if (sum.first <= sum.last)
      status = transfer (w, part, &sum);
    sum = (Queue){ .first = INT64_MAX, .last = INT64_MIN };
  }
  return status;
}

static void
under_way (NtffWalk *w, GHashTable *queues)
{
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, queues);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    for (const Queue *q = value; q->next < q->starts->len; ((Queue *) value)->next++)
      w->n->host->skip (w->n->host, "start of a transfer", w->f->base,
                        "its end is not in the file: the recording stopped before it");
}

nprof_status
ntff_dma (NtffWalk *w, const NtffPart *part)
{
  g_autoptr (GHashTable) queues = g_hash_table_new_full (NULL, NULL, NULL, queue_free);
  const GArray *clocks = ntff_graph (w->f, part->graph)->dma_clocks;
  nprof_status status = NPROF_OK;
  for (unsigned i = 0; i < TYPES; i++)
    w->n->queue_type[i] = type_text (w->n, i);
  for (uint64_t k = 0; k < part->n && !status; k++) {
    uint64_t at = part->at + k * NTFF_RECORD;
    NtffRecord r = ntff_record (w->n->data + at);
    uint32_t engine = r.meta >> 24 & 31;
    Queue *q = queue_of (w, part, queues, engine, r.meta2 >> 4 & 15);
    const NtffClock *clock = &g_array_index (clocks, NtffClock, engine % clocks->len);
    if ((r.meta2 & 15) == STARTS)
      g_array_append_val (q->starts, r.time);
    else if ((r.meta2 & 15) == ENDS)
      status = end (w, q, clock, &r, at);
  }
  if (!status && !w->f->one_clock)
    status = transfers (w, part, queues);
  under_way (w, queues);
  return status;
}
