/* SPDX-License-Identifier: Apache-2.0 */
/* dma.c - pairs transfers: the starts and ends of each queue of each array of DMA records, in the
 * way that the counts of the whole file allow. */
#include "ntff.h"

#define MOST_PENDING 4096u

enum { START, END, UNKNOWN };
enum {
  UNDECIDED,
  IN_ORDER,      /* as many starts as ends: several may be under way, the first in is first out */
  ONE_AT_A_TIME, /* some are lost, but otherwise each ends before the next starts              */
  UNPAIRED       /* some are lost of several under way: which, nobody can tell                 */
};

typedef struct {
  uint32_t array, queue;
  uint64_t starts, ends, depth, deepest; /* while counting */
  uint8_t how;
  GArray *pending; /* of NtffRecord  */
  nprof_track track;
  nprof_str name;
} DmaQueue;

static void
queue_free (gpointer p)
{
  DmaQueue *q = p;
  g_array_unref (q->pending);
  g_free (q);
}

static DmaQueue *
queue_of (Ntff *n, uint32_t array, uint32_t queue)
{
  gpointer key = GUINT_TO_POINTER (array * 16 + queue + 1);
  if (!n->dma)
    n->dma = g_hash_table_new_full (NULL, NULL, NULL, queue_free);
  DmaQueue *q = g_hash_table_lookup (n->dma, key);
  if (q)
    return q;
  q = g_new0 (DmaQueue, 1);
  q->array = array;
  q->queue = queue;
  q->pending = g_array_new (FALSE, FALSE, sizeof (NtffRecord));
  g_hash_table_insert (n->dma, key, q);
  return q;
}

/* Tells the kind and the queue of a record. format: ntff.md.  Start: type:4 (0), queue:4, meta:7, 0
 * | unused; end: bytes:24 | type:4, queue:4, ..., crc:16. *q is its queue, unless that is
 * unknown. */
static int
kind_of (Ntff *n, uint32_t array, const NtffRecord *r, DmaQueue **q)
{
  bool start = (r->meta & 0xf) == 0 && (r->meta >> 15 & 1) == 0;
  if (start && r->meta2 == 0) {
    *q = queue_of (n, array, r->meta >> 4 & 15);
    return START;
  }
  *q = queue_of (n, array, r->meta2 >> 4 & 15);
  if (r->meta2 & 0xf || !start)
    return END;
  return (*q)->depth || (*q)->pending->len ? END : UNKNOWN;
}

void
ntff_dma_count (Ntff *n, uint32_t array, const NtffRecord *r)
{
  DmaQueue *q;
  int kind = kind_of (n, array, r, &q);
  if (kind == START) {
    q->starts++;
    q->depth++;
    q->deepest = MAX (q->deepest, q->depth);
  } else if (kind == END) {
    q->ends++;
    q->depth -= q->depth > 0;
  }
}

static void
decide (DmaQueue *q)
{
  uint64_t lost = q->starts > q->ends ? q->starts - q->ends : 0;
  q->how = q->starts == q->ends ? IN_ORDER : q->deepest <= 1 + lost ? ONE_AT_A_TIME : UNPAIRED;
  q->depth = 0;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
transfer (Ntff *n, DmaQueue *q, const NtffRecord *start, int64_t duration)
{
  if (!q->track)
    q->track = ntff_queue_track (n, &g_array_index (n->found.arrays, NtffArray, q->array), q->queue,
                                 &q->name);
  if (!q->track)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_span (n->w, q->track, q->name, ntff_when (n, start->time), duration);
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, n->category_dma);
  return n->want[NTFF_KEY_QUEUE] ? nprof_attr_str (n->w, n->key[NTFF_KEY_QUEUE], q->name)
                                 : NPROF_OK;
}

static nprof_status
lose_first (Ntff *n, DmaQueue *q)
{
  NtffRecord start = g_array_index (q->pending, NtffRecord, 0);
  g_array_remove_index (q->pending, 0);
  if (q->how == UNPAIRED)
    n->dma_unpaired++;
  else
    n->dma_lost_ends++;
  return transfer (n, q, &start, -1);
}

static nprof_status
begin (Ntff *n, DmaQueue *q, const NtffRecord *r)
{
  nprof_status status = NPROF_OK;
  guint most = q->how == IN_ORDER ? MOST_PENDING : 1;
  if (q->pending->len >= most)
    status = lose_first (n, q);
  g_array_append_val (q->pending, *r);
  return status;
}

static nprof_status
end (Ntff *n, DmaQueue *q, const NtffRecord *r, uint64_t at)
{
  if (q->how == UNPAIRED) {
    n->dma_unpaired++;
    n->host->skip (
        n->host, "end of a transfer", at,
        "several were under way and some records are lost, so whose end it is is not known");
    return NPROF_OK;
  }
  if (q->pending->len == 0 || g_array_index (q->pending, NtffRecord, 0).time > r->time) {
    n->dma_lost_starts++;
    n->host->skip (n->host, "end of a transfer", at, "its start is not in the file");
    return NPROF_OK;
  }
  NtffRecord start = g_array_index (q->pending, NtffRecord, 0);
  g_array_remove_index (q->pending, 0);
  nprof_status status = transfer (n, q, &start, (int64_t) (r->time - start.time));
  status = status ? status : ntff_attr (n, NTFF_KEY_BYTES, r->meta & 0xffffff);
  return status || !(r->meta2 >> 16) ? status : ntff_attr (n, NTFF_KEY_CRC, r->meta2 >> 16);
}

static nprof_status
unknown (Ntff *n, uint32_t array, const NtffRecord *r)
{
  uint32_t core = g_array_index (n->found.arrays, NtffArray, array).core;
  nprof_status status
      = nprof_instant (n->w, ntff_core (n->cores, core)->track,
                       nprof_intern (n->host, "DMA, unknown"), ntff_when (n, r->time));
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, n->category_dma);
  status = ntff_attr (n, NTFF_KEY_META, r->meta & 0xffffff);
  return status ? status : ntff_attr (n, NTFF_KEY_META2, r->meta2);
}

nprof_status
ntff_dma (Ntff *n, uint32_t array, const NtffRecord *r, uint64_t at)
{
  DmaQueue *q;
  int kind = kind_of (n, array, r, &q);
  if (q->how == UNDECIDED)
    decide (q);
  return kind == START ? begin (n, q, r) : kind == END ? end (n, q, r, at) : unknown (n, array, r);
}

static int
by_array_and_queue (gconstpointer a, gconstpointer b)
{
  const DmaQueue *x = a, *y = b;
  if (x->array != y->array)
    return x->array < y->array ? -1 : 1;
  return x->queue < y->queue ? -1 : x->queue > y->queue;
}

nprof_status
ntff_dma_finish (Ntff *n)
{
  nprof_status status = NPROF_OK;
  if (!n->dma)
    return NPROF_OK;
  g_autoptr (GList) queues = g_list_sort (g_hash_table_get_values (n->dma), by_array_and_queue);
  for (GList *l = queues; l && !status; l = l->next)
    while (((DmaQueue *) l->data)->pending->len && !status)
      status = lose_first (n, l->data);
  if (n->dma_lost_ends || n->dma_lost_starts || n->dma_unpaired)
    nprof_log (n->host, NPROF_WARNING,
               "DMA: %" G_GUINT64_FORMAT " transfers without an end, %" G_GUINT64_FORMAT
               " ends without a start, %" G_GUINT64_FORMAT " records that cannot be paired",
               n->dma_lost_ends, n->dma_lost_starts, n->dma_unpaired);
  return status;
}

void
ntff_dma_clear (Ntff *n)
{
  g_clear_pointer (&n->dma, g_hash_table_unref);
}
