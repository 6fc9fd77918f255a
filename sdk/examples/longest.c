/* SPDX-License-Identifier: Apache-2.0 */
/* longest.c - example of an analyzer: the N longest spans of each input, in a table.
 *
 * It shows: rows by the column, several inputs, memory that does not grow with the profile, results
 * that do not depend on the order of handles. */

#include <nprof/sdk.h>

#include <stdlib.h>

typedef struct {
  uint64_t number; /* of the span: the earlier one wins among equals */
  int64_t start, duration;
  nprof_track track;
  nprof_str name;
} Span;

typedef struct { /* of an input: a heap whose first is the shortest */
  Span *spans;
  uint32_t n;
} Heap;

typedef struct {
  const struct nprof_host *host;
  int64_t top;

  Heap *heaps; /* by input */
  uint32_t n_heaps;
  uint64_t n_spans;
} Longest;

static const struct nprof_table table = {
  .size = sizeof table,
  .name = "longest",
  .title = "Longest spans",
  .note = "Spans without an end in the file are not among them.",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "rank", "", "1 is the longest of its input"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "thread", "", "label of the track"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "name", "", "name of the span"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "start_ns", "ps", "from the origin"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "duration_ns", "ps", "how long it took")),
};

/* -- The heap -------------------------------------------------------------- */

/* Tells whether a comes behind b in the table. */
static bool
is_less (const Span *a, const Span *b)
{
  return a->duration != b->duration ? a->duration < b->duration : a->number > b->number;
}

static void
sift_up (Span *spans, uint32_t i)
{
  for (Span span = spans[i]; i > 0; i = (i - 1) / 2) {
    if (!is_less (&span, &spans[(i - 1) / 2]))
      return;
    spans[i] = spans[(i - 1) / 2];
    spans[(i - 1) / 2] = span;
  }
}

static void
sift_down (Span *spans, uint32_t n, uint32_t i)
{
  for (;;) {
    uint32_t least = i;
    for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
      if (is_less (&spans[child], &spans[least]))
        least = child;
    if (least == i)
      return;
    Span span = spans[i];
    spans[i] = spans[least];
    spans[least] = span;
    i = least;
  }
}

static void
heap_add (Heap *heap, uint32_t top, const Span *span)
{
  if (heap->n < top) {
    heap->spans[heap->n++] = *span;
    sift_up (heap->spans, heap->n - 1);
  } else if (is_less (&heap->spans[0], span)) {
    heap->spans[0] = *span;
    sift_down (heap->spans, heap->n, 0);
  }
}

static int
longer_first (const void *a, const void *b)
{
  return is_less (a, b) ? 1 : -1;
}

/* NULL: out of memory */
static Heap *
heap_of (Longest *l, uint32_t input)
{
  if (input >= l->n_heaps) {
    Heap *grown = realloc (l->heaps, (input + 1) * sizeof *grown);
    if (!grown)
      return NULL;
    memset (grown + l->n_heaps, 0, (input + 1 - l->n_heaps) * sizeof *grown);
    l->heaps = grown;
    l->n_heaps = input + 1;
  }
  Heap *heap = &l->heaps[input];
  if (!heap->spans)
    heap->spans = malloc ((size_t) l->top * sizeof *heap->spans);
  return heap->spans ? heap : NULL;
}

/* -- What nprof calls ------------------------------------------------------ */

static nprof_status
open_longest (void *self, const struct nprof_host *host)
{
  Longest *l = self;
  l->host = host;
  return host->table (host, &table);
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  Longest *l = self;
  Heap *heap = heap_of (l, batch->input);
  if (!heap)
    return nprof_fail (l->host, NPROF_E_NOMEM, "no memory for %lld spans", (long long) l->top);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0)
      continue;
    const Span span = { .number = l->n_spans++,
                        .start = batch->start[i],
                        .duration = batch->duration[i],
                        .track = batch->track[i],
                        .name = batch->name[i] };
    heap_add (heap, (uint32_t) l->top, &span);
  }
  return NPROF_OK;
}

static nprof_status
add_row (const Longest *l, uint32_t input, uint32_t rank, const Span *span)
{
  const struct nprof_host *host = l->host;
  const struct nprof_cell cells[] = {
    nprof_cell_str (host->input (host, input)->label),
    nprof_cell_int (rank),
    nprof_cell_str (nprof_track_label (host->track_info (host, span->track))),
    nprof_cell_str (span->name),
    nprof_cell_int (span->start),
    nprof_cell_int (span->duration),
  };
  return host->row (host, &table, cells);
}

static nprof_status
finish (void *self)
{
  Longest *l = self;
  nprof_status status = NPROF_OK;
  for (uint32_t input = 0; input < l->n_heaps; input++) {
    const Heap *heap = &l->heaps[input];
    if (heap->n)
      qsort (heap->spans, heap->n, sizeof *heap->spans, longer_first);
    for (uint32_t i = 0; !status && i < heap->n; i++)
      status = add_row (l, input, i + 1, &heap->spans[i]);
  }
  return status;
}

static void
close_longest (void *self)
{
  Longest *l = self;
  for (uint32_t input = 0; input < l->n_heaps; input++)
    free (l->heaps[input].spans);
  free (l->heaps);
}

static const struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = "longest",
  .summary = "the longest spans of each input",
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (Longest, top, "top", "10", "1..100000", "how many of each input")),
  .tables = (const struct nprof_table *const[]){ &table, NULL },
  .flags = NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Longest),
  .open = open_longest,
  .consume = consume,
  .finish = finish,
  .close = close_longest,
};

NPROF_PLUGIN ("longest", "1.0", "Apache-2.0", &analyzer)
