/* SPDX-License-Identifier: Apache-2.0 */
/* longest.c - example of an analyzer: the N longest spans of each input, in a table.
 *
 * It shows: rows by the column, several inputs, memory that does not grow with the profile, results
 * that do not depend on the order of handles. */

#include <nprof/sdk.h>
#include <nprof/top.h>

#include <stdlib.h>

typedef struct {
  uint64_t number; /* of the span: the earlier one wins among equals */
  int64_t start, duration;
  nprof_track track;
  nprof_str name;
} Span;

typedef struct {
  const struct nprof_host *host;
  int64_t top;

  struct nprof_top *tops; /* by input */
  uint32_t n_tops;
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

static bool
comes_before (const void *a, const void *b)
{
  const Span *x = a, *y = b;
  return x->duration != y->duration ? x->duration > y->duration : x->number < y->number;
}

/* NULL: out of memory */
static struct nprof_top *
top_of (Longest *l, uint32_t input)
{
  if (input >= l->n_tops) {
    struct nprof_top *grown = realloc (l->tops, (input + 1) * sizeof *grown);
    if (!grown)
      return NULL;
    memset (grown + l->n_tops, 0, (input + 1 - l->n_tops) * sizeof *grown);
    l->tops = grown;
    l->n_tops = input + 1;
  }
  struct nprof_top *top = &l->tops[input];
  return top->items || nprof_top_init (top, (uint32_t) l->top, sizeof (Span), comes_before) ? top
                                                                                            : NULL;
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
  struct nprof_top *top = top_of (l, batch->input);
  if (!top)
    return nprof_fail (l->host, NPROF_E_NOMEM, "no memory for %lld spans", (long long) l->top);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0)
      continue;
    const Span span = { .number = l->n_spans++,
                        .start = batch->start[i],
                        .duration = batch->duration[i],
                        .track = batch->track[i],
                        .name = batch->name[i] };
    nprof_top_add (top, &span);
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
  for (uint32_t input = 0; input < l->n_tops; input++) {
    struct nprof_top *top = &l->tops[input];
    nprof_top_sort (top);
    for (uint32_t i = 0; !status && i < top->n; i++)
      status = add_row (l, input, i + 1, nprof_top_item (top, i));
  }
  return status;
}

static void
close_longest (void *self)
{
  Longest *l = self;
  for (uint32_t input = 0; input < l->n_tops; input++)
    nprof_top_clear (&l->tops[input]);
  free (l->tops);
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
