/* SPDX-License-Identifier: Apache-2.0 */
/* hlo-memory.c - the buffers that XLA assigned to a program: bytes by what they are for and by
 * memory space, and the peak of the heap when its simulation is replayed. Field numbers:
 * openxla/xla hlo.proto, BufferAssignmentProto */
#include "xplane.h"

NPROF_TABLE (program_memory, "Memory of compiled programs",
             "as the compiler assigned it. heap_peak: the most logical bytes that live at "
             "one time; alignment makes the allocation larger.",
             PROGRAM_MEMORY)

typedef struct {
  const char *use;
  int64_t color, bytes, n, peak; /* peak: -1: there is no trace of its heap */
} Sum;

typedef struct {
  int64_t index, size, color;
  bool thread_local, parameter, output, constant;
} Allocation;

typedef struct {
  GHashTable *sizes;     /* of logical buffers, by id: int64_t to int64_t */
  GHashTable *sum_of;    /* of allocations, by index: int64_t to 1 + number of Sum */
  GHashTable *holder_of; /* of logical buffers, by id: the same */
  GArray *sums;          /* of Sum */
} Buffers;

static void
put_number (GHashTable *table, int64_t key, int64_t value)
{
  int64_t *pair = g_new (int64_t, 2);
  pair[0] = key;
  pair[1] = value;
  g_hash_table_replace (table, pair, pair);
}

static int64_t
get (GHashTable *table, int64_t key, int64_t none)
{
  const int64_t *pair = g_hash_table_lookup (table, &key);
  return pair ? pair[1] : none;
}

static bool
read_buffer (Buffers *b, PbSpan body)
{
  int64_t id = 0, size = 0;
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    if (f.tag == PB_VARINT (1))
      id = (int64_t) f.value;
    else if (f.tag == PB_VARINT (2))
      size = (int64_t) f.value;
  }
  put_number (b->sizes, id, size);
  return size >= 0;
}

static bool
read_allocation (PbSpan body, Allocation *a)
{
  *a = (Allocation){ 0 };
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    switch (f.tag) {
    case PB_VARINT (1):
      a->index = (int64_t) f.value;
      break;
    case PB_VARINT (2):
      a->size = (int64_t) f.value;
      break;
    case PB_VARINT (3):
      a->thread_local = f.value;
      break;
    case PB_VARINT (5):
      a->parameter = f.value;
      break;
    case PB_VARINT (7):
      a->output = f.value;
      break;
    case PB_VARINT (8):
      a->color = (int64_t) f.value;
      break;
    case PB_VARINT (12):
      a->constant = f.value;
      break;
    default:
      break;
    }
  }
  return a->size >= 0;
}

/* Returns the id of a logical buffer that lies in an allocation. */
static int64_t
assigned_id (PbSpan body)
{
  int64_t id = 0;
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_VARINT (1))
      id = (int64_t) f.value;
  return id;
}

static void
note_assigned (Buffers *b, PbSpan body, int64_t number)
{
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (9))
      put_number (b->holder_of, assigned_id (f.span), number);
}

static const char *
use_of (const Allocation *a)
{
  if (a->parameter && a->output)
    return "both";
  if (a->thread_local)
    return "thread_local";
  if (a->constant)
    return "constant";
  return a->parameter ? "parameter" : a->output ? "output" : "temporary";
}

static Sum *
sum_at (Buffers *b, guint number)
{
  return &g_array_index (b->sums, Sum, number);
}

static bool
add_allocation (Buffers *b, PbSpan body)
{
  Allocation a;
  if (!read_allocation (body, &a))
    return false;
  const char *use = use_of (&a);
  guint i = 0;
  while (i < b->sums->len
         && (strcmp (sum_at (b, i)->use, use) != 0 || sum_at (b, i)->color != a.color))
    i++;
  if (i == b->sums->len)
    g_array_append_val (b->sums, ((Sum){ use, a.color, 0, 0, -1 }));
  sum_at (b, i)->n++;
  put_number (b->sum_of, a.index, i + 1);
  note_assigned (b, body, i + 1);
  return !__builtin_add_overflow (sum_at (b, i)->bytes, a.size, &sum_at (b, i)->bytes);
}

/* -- The heap ---------------------------------------------------------------------------------- */

enum { HEAP_ALLOC, HEAP_FREE, HEAP_SHARE };

typedef struct {
  const Buffers *b;
  GHashTable *live; /* bytes by buffer id */
  int64_t now, peak;
  int64_t first; /* buffer */
  uint64_t events;
} Heap;

static bool
replay (Heap *h, PbSpan body)
{
  uint64_t kind = HEAP_ALLOC;
  int64_t id = 0;
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    if (f.tag == PB_VARINT (1))
      kind = f.value;
    else if (f.tag == PB_VARINT (2))
      id = (int64_t) f.value;
  }
  h->first = h->events++ ? h->first : id;
  int64_t size = kind == HEAP_ALLOC ? get (h->b->sizes, id, 0) : 0;
  if (kind == HEAP_FREE) {
    h->now -= get (h->live, id, 0);
    g_hash_table_remove (h->live, &id);
  } else {
    put_number (h->live, id, size); /* what shares another's bytes adds none */
  }
  if (__builtin_add_overflow (h->now, size, &h->now))
    return false;
  h->peak = MAX (h->peak, h->now);
  return true;
}

/* Adds a heap, which belongs to the allocation that its buffers lie in; its own index is not always
 * that of one. */
static bool
add_heap (Buffers *b, PbSpan body)
{
  int64_t index = 0;
  g_autoptr (GHashTable) live = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  Heap h = { .b = b, .live = live };
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    if (f.tag == PB_VARINT (3))
      index = (int64_t) f.value;
    else if (f.tag == PB_BYTES (1) && !replay (&h, f.span))
      return false;
  }
  int64_t number = get (b->holder_of, h.first, get (b->sum_of, index, 0));
  if (!h.events || !number)
    return true;
  Sum *sum = sum_at (b, (guint) number - 1);
  return !__builtin_add_overflow (MAX (sum->peak, 0), h.peak, &sum->peak);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static bool
each (Buffers *b, PbSpan body, uint64_t tag, bool (*read) (Buffers *b, PbSpan body))
{
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    if (f.tag == tag && !read (b, f.span))
      return false;
  }
  return true;
}

static gint
by_use (gconstpointer a, gconstpointer b)
{
  const Sum *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  int order = strcmp (x->use, y->use);
  return order ? order : (x->color > y->color) - (x->color < y->color);
}

static nprof_status
write_sums (const Xplane *x, const struct nprof_host *host, nprof_str program, GArray *sums)
{
  nprof_status status = NPROF_OK;
  g_array_sort (sums, by_use);
  for (guint i = 0; i < sums->len && status == NPROF_OK; i++) {
    const Sum *s = &g_array_index (sums, Sum, i);
    const struct program_memory_row row = {
      .program = nprof_any_str (program),
      .use = nprof_any_str (nprof_intern (host, s->use)),
      .color = nprof_some_int (s->color),
      .bytes = nprof_some_int (s->bytes),
      .allocations = nprof_some_int (s->n),
      .heap_peak_bytes = nprof_int_if (s->peak >= 0, s->peak),
    };
    status = host->row (host, &program_memory_table,
                        program_memory_cells (nprof_cell_str (x->input), &row).cells);
  }
  return status;
}

nprof_status
xp_hlo_memory (const Xplane *x, const struct nprof_host *host, nprof_str program, PbSpan assignment)
{
  Buffers b = { g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free),
                g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free),
                g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free),
                g_array_new (FALSE, FALSE, sizeof (Sum)) };
  bool fine = each (&b, assignment, PB_BYTES (1), read_buffer)
              && each (&b, assignment, PB_BYTES (3), add_allocation)
              && each (&b, assignment, PB_BYTES (4), add_heap);
  nprof_status status = NPROF_OK;
  if (fine)
    status = write_sums (x, host, program, b.sums);
  else
    host->skip (host, "buffer assignment", xp_at (x, assignment.p),
                "it cannot be read as xla.BufferAssignmentProto");
  g_hash_table_unref (b.sizes);
  g_hash_table_unref (b.sum_of);
  g_hash_table_unref (b.holder_of);
  g_array_unref (b.sums);
  return status;
}
