/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - walks the records of all arrays in order of time, without holding them: arrays are cut
 * where their clock jumps back (a ring that has wrapped), and the pieces are merged.  Within a
 * piece the clock may step back by NTFF_BACK, so records wait for that long. */
#include "ntff.h"

#define MOST_SEGMENTS 65536u
#define TELL_BYTES (1u << 20)
#define TELL_ROWS 50000u

typedef struct {
  uint64_t at, end, told;
  uint64_t key; /* highest time so far */
  uint32_t array, order;
  NtffRecord r;
} Cursor;

typedef struct {
  NtffRecord r;
  uint64_t at;
  uint32_t array, order;
} Waiting;

/* -- What there is ----------------------------------------------------------------------------- */

/* Returns whether this is a record of the session. ntff_measure counts the others once. */
static bool
counts (const Ntff *n, const NtffRecord *r)
{
  return NTFF_KNOWN_TYPES >> ntff_type (r) & 1 && ntff_in_session (&n->found, r->time);
}

static void
count_other (const Ntff *n, const NtffRecord *r, uint64_t at)
{
  if (r->meta == 0 && r->time == 0)
    return; /* the unused end of a ring */
  if (NTFF_KNOWN_TYPES >> ntff_type (r) & 1)
    n->host->skip (n->host, "record", at, "its time is not of this session");
  else
    n->host->skip (n->host, "record", at, "its type is not known");
}

static void
measure_record (Ntff *n, uint32_t array, const NtffRecord *r)
{
  unsigned type = ntff_type (r);
  n->found.records++;
  n->found.earliest = MIN (n->found.earliest, r->time);
  if (type == NTFF_DMA) {
    g_array_index (n->found.arrays, NtffArray, array).has_dma = true;
    ntff_dma_count (n, array, r);
  }
  if (type >= NTFF_INST && type <= NTFF_INST_LAST && ((type - NTFF_INST) & 3) == NTFF_EXPLICIT)
    n->found.first_explicit = MIN (n->found.first_explicit, r->time);
}

static nprof_status
measure_array (Ntff *n, uint32_t array)
{
  const NtffArray a = g_array_index (n->found.arrays, NtffArray, array);
  NtffSegment segment = { .array = array, .at = a.at };
  uint64_t highest = 0;
  for (uint64_t i = 0; i < a.n; i++) {
    uint64_t at = a.at + i * NTFF_RECORD;
    NtffRecord r = ntff_record (n->message.data + at);
    nprof_status status = i % (4u << 16) ? NPROF_OK : n->host->progress (n->host, at, at);
    if (status)
      return status;
    if (!counts (n, &r)) {
      count_other (n, &r, at);
      continue;
    }
    measure_record (n, array, &r);
    if (highest > NTFF_BACK && r.time < highest - NTFF_BACK && n->segments->len < MOST_SEGMENTS) {
      segment.n = (at - segment.at) / NTFF_RECORD;
      g_array_append_val (n->segments, segment);
      segment.at = at;
      highest = 0;
    }
    n->late += r.time < highest - MIN (highest, NTFF_BACK);
    highest = MAX (highest, r.time);
  }
  segment.n = (a.at + a.n * NTFF_RECORD - segment.at) / NTFF_RECORD;
  g_array_append_val (n->segments, segment);
  return NPROF_OK;
}

nprof_status
ntff_measure (Ntff *n)
{
  nprof_status status = NPROF_OK;
  uint32_t rings = 0;
  n->found.earliest = n->found.first_explicit = UINT64_MAX;
  for (guint i = 0; i < n->found.arrays->len && !status; i++) {
    status = measure_array (n, i);
    NtffArray *a = &g_array_index (n->found.arrays, NtffArray, i);
    if (a->has_dma)
      a->ring = rings++;
  }
  return status;
}

/* -- Heaps ------------------------------------------------------------------------------------- */

static bool
cursor_before (const Cursor *a, const Cursor *b)
{
  return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static bool
waiting_before (const Waiting *a, const Waiting *b)
{
  if (a->r.time != b->r.time)
    return a->r.time < b->r.time;
  return a->order != b->order ? a->order < b->order : a->at < b->at;
}

static void
sink_cursor (Cursor *heap, guint n, guint i)
{
  Cursor c = heap[i];
  for (guint k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && cursor_before (&heap[k + 1], &heap[k]))
      k++;
    if (!cursor_before (&heap[k], &c))
      break;
    heap[i] = heap[k];
  }
  heap[i] = c;
}

static void
push_waiting (GArray *heap, const Waiting *w)
{
  g_array_append_val (heap, *w);
  Waiting *h = (Waiting *) (void *) heap->data;
  guint i = heap->len - 1;
  for (; i > 0 && waiting_before (w, &h[(i - 1) / 2]); i = (i - 1) / 2)
    h[i] = h[(i - 1) / 2];
  h[i] = *w;
}

static Waiting
pop_waiting (GArray *heap)
{
  Waiting *h = (Waiting *) (void *) heap->data;
  Waiting first = h[0], last = h[heap->len - 1];
  guint n = heap->len - 1, i = 0;
  for (guint k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && waiting_before (&h[k + 1], &h[k]))
      k++;
    if (!waiting_before (&h[k], &last))
      break;
    h[i] = h[k];
  }
  h[i] = last;
  g_array_set_size (heap, n);
  return first;
}

/* -- Merging ----------------------------------------------------------------------------------- */

/* Moves to the next record of the session; false: there is none. */
static bool
settle_cursor (const Ntff *n, Cursor *c)
{
  for (; c->at < c->end; c->at += NTFF_RECORD) {
    c->r = ntff_record (n->message.data + c->at);
    if (!counts (n, &c->r))
      continue;
    c->key = MAX (c->key, c->r.time);
    return true;
  }
  return false;
}

static nprof_status
give_record (Ntff *n, Cursor *c)
{
  if (c->at < c->end && c->at - c->told < TELL_BYTES && n->rows < TELL_ROWS)
    return NPROF_OK;
  uint64_t from = c->told;
  c->told = c->at;
  n->rows = 0;
  return n->host->progress (n->host, from, c->at);
}

static nprof_status
release (Ntff *n, GArray *waiting, uint64_t before)
{
  nprof_status status = NPROF_OK;
  while (waiting->len && !status && g_array_index (waiting, Waiting, 0).r.time < before) {
    Waiting w = pop_waiting (waiting);
    status = ntff_row (n, w.array, &w.r, w.at);
  }
  return status;
}

/* Opens each segment that has a record of the session, as a heap. */
static guint
open_cursors (const Ntff *n, Cursor *heap)
{
  guint k = 0;
  for (guint i = 0; i < n->segments->len; i++) {
    const NtffSegment *s = &g_array_index (n->segments, NtffSegment, i);
    Cursor c = {
      .at = s->at, .end = s->at + s->n * NTFF_RECORD, .told = s->at, .array = s->array, .order = i
    };
    if (settle_cursor (n, &c))
      heap[k++] = c;
  }
  for (guint i = k / 2; i-- > 0;)
    sink_cursor (heap, k, i);
  return k;
}

nprof_status
ntff_merge (Ntff *n)
{
  g_autofree Cursor *heap = g_new (Cursor, n->segments->len + 1);
  g_autoptr (GArray) waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  guint k = open_cursors (n, heap);
  nprof_status status = NPROF_OK;
  while (k && !status) {
    Cursor *c = &heap[0];
    Waiting w = { c->r, c->at, c->array, c->order };
    push_waiting (waiting, &w);
    c->at += NTFF_RECORD;
    bool more = settle_cursor (n, c);
    status = give_record (n, c);
    if (!more)
      heap[0] = heap[--k];
    sink_cursor (heap, k, 0);
    if (!status && k)
      status = release (n, waiting, heap[0].key - MIN (heap[0].key, NTFF_BACK));
  }
  while (waiting->len && !status) {
    Waiting w = pop_waiting (waiting);
    status = ntff_row (n, w.array, &w.r, w.at);
    if (!status && n->rows >= TELL_ROWS) {
      n->rows = 0;
      status = n->host->progress (n->host, n->message.len, n->message.len);
    }
  }
  return status;
}
