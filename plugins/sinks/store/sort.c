/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - sorts rows of tracks whose starts go back: in runs, spilled to a temporary file, merged
 * at the end. */
#include "extra.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BYTES (24u << 20)
#define READ_BYTES (64u << 10) /* of a run while merging */

struct store_record {
  int64_t start, duration;
  uint64_t ordinal, at; /* at: its bytes */
  uint32_t unit, label, has, len;
};

static int
compare (const struct store_record *a, const struct store_record *b)
{
  if (a->unit != b->unit)
    return a->unit < b->unit ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->duration != b->duration) /* the longer first, -1 last */
    return a->duration > b->duration ? -1 : 1;
  return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static int
by_order (const void *a, const void *b)
{
  return compare (a, b);
}

/* -- Taking in -------------------------------------------------------------------- */

static bool
spill (struct store_writer *w)
{
  struct store_sorter *s = &w->sorter;
  qsort (s->records, s->n, sizeof *s->records, by_order);
  if (!s->temp.name && !store_out_temp (&s->temp, &w->fault))
    return false;
  if (!store_room (&w->fault, &s->runs, &s->max_runs, s->n_runs + 2, sizeof *s->runs))
    return false;
  s->runs[s->n_runs++] = s->temp.at;
  for (size_t i = 0; i < s->n; i++)
    if (!store_out_put (&s->temp, s->records + i, sizeof *s->records, &w->fault)
        || !store_out_put (&s->temp, s->bytes + s->records[i].at, s->records[i].len, &w->fault))
      return false;
  s->runs[s->n_runs] = s->temp.at;
  s->n = s->n_bytes = 0;
  return true;
}

static bool
put_record (void *user, uint32_t unit, const struct store_row *row)
{
  struct store_writer *w = user;
  struct store_sorter *s = &w->sorter;
  uint32_t has = store_extra_has (row);
  size_t len = store_extra_size (w, has, row->shape);
  if (s->n && s->n * sizeof *s->records + s->n_bytes + len > RUN_BYTES && !spill (w))
    return false;
  if (len > UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED, "more than 4 GiB of attributes of one row");
  if (!store_room (&w->fault, &s->records, &s->max_records, s->n + 1, sizeof *s->records)
      || !store_room (&w->fault, &s->bytes, &s->max_bytes, s->n_bytes + len + 1, 1))
    return false;
  s->records[s->n++] = (struct store_record){ .start = row->start,
                                              .duration = row->duration,
                                              .ordinal = row->ordinal,
                                              .at = s->n_bytes,
                                              .unit = unit,
                                              .label = row->label,
                                              .has = has,
                                              .len = (uint32_t) len };
  store_extra_write (w, has, row, s->bytes + s->n_bytes);
  s->n_bytes += len;
  return true;
}

struct taken {
  struct store_writer *w;
  uint32_t unit;
};

static bool
take_row (void *user, const struct store_row *row)
{
  struct taken *t = user;
  return put_record (t->w, t->unit, row);
}

bool
store_sort_unit (struct store_writer *w, struct store_unit *unit)
{
  struct store_sorter *s = &w->sorter;
  if (!store_room (&w->fault, &s->units, &s->max_units, s->n_units + 1, sizeof *s->units))
    return false;
  struct taken t = { w, (uint32_t) s->n_units };
  s->units[s->n_units++] = unit;
  unit->number = (uint32_t) s->n_units;
  return store_line_restart (w, unit, take_row, &t);
}

bool
store_sort_put (struct store_writer *w, struct store_unit *unit, const struct store_row *row)
{
  return put_record (w, unit->number - 1, row);
}

/* -- Merging ----------------------------------------------------------------------- */

struct run {
  struct store_record head;
  uint8_t *buffer; /* what was read of the temporary file */
  size_t n, at, max;
  uint64_t from, end;
};

/* Makes len bytes available at run->at. */
static bool
fill (struct store_writer *w, struct run *run, size_t len)
{
  if (run->n - run->at >= len)
    return true;
  size_t want = len > READ_BYTES ? len : READ_BYTES, left = run->n - run->at;
  if (!store_room (&w->fault, &run->buffer, &run->max, want + left, 1))
    return false;
  memmove (run->buffer, run->buffer + run->at, left);
  size_t k = run->end - run->from < want ? (size_t) (run->end - run->from) : want;
  if (!store_out_read (&w->sorter.temp, run->from, run->buffer + left, k, &w->fault))
    return false;
  run->from += k;
  run->at = 0;
  run->n = left + k;
  return true;
}

/* Goes to the next row; false: the run has ended, or failed. */
static bool
next (struct store_writer *w, struct run *run)
{
  if (run->at == run->n && run->from == run->end)
    return false;
  if (!fill (w, run, sizeof run->head))
    return false;
  memcpy (&run->head, run->buffer + run->at, sizeof run->head);
  if (!fill (w, run, sizeof run->head + run->head.len))
    return false;
  run->at += sizeof run->head;
  return true;
}

static bool
place_record (struct store_writer *w, const struct store_record *r, const uint8_t *bytes)
{
  static const uint8_t kinds[]
      = { NPROF_SPAN, NPROF_SPAN, NPROF_INSTANT, NPROF_COUNTER, NPROF_FLOW, NPROF_GAP, NPROF_FACT };
  struct store_unit *unit = w->sorter.units[r->unit];
  struct store_row row = { .start = r->start,
                           .duration = r->duration,
                           .kind = kinds[unit->type],
                           .label = r->label,
                           .ordinal = r->ordinal };
  if (!store_room (&w->fault, &w->attrs, &w->max_attrs, w->names.n_keys + 1, sizeof *w->attrs))
    return false;
  store_extra_read (w, r->has, bytes, &row, w->attrs);
  return store_line_place (w, unit, &row);
}

static void
sift (struct run **heap, size_t n, size_t at)
{
  for (size_t down; (down = 2 * at + 1) < n; at = down) {
    down += down + 1 < n && compare (&heap[down + 1]->head, &heap[down]->head) < 0;
    if (compare (&heap[at]->head, &heap[down]->head) <= 0)
      return;
    struct run *x = heap[at];
    heap[at] = heap[down];
    heap[down] = x;
  }
}

static bool
merge (struct store_writer *w, struct run *runs, struct run **heap)
{
  size_t n = 0;
  for (size_t i = 0; i < w->sorter.n_runs; i++)
    if (next (w, runs + i))
      heap[n++] = runs + i;
  for (size_t i = n; i-- > 0;)
    sift (heap, n, i);
  while (n && !w->fault.status) {
    struct run *run = heap[0];
    if (!place_record (w, &run->head, run->buffer + run->at))
      return false;
    run->at += run->head.len;
    if (!next (w, run))
      heap[0] = heap[--n];
    sift (heap, n, 0);
  }
  return !w->fault.status;
}

static bool
merge_runs (struct store_writer *w)
{
  struct store_sorter *s = &w->sorter;
  struct run *runs = calloc (s->n_runs, sizeof *runs);
  struct run **heap = calloc (s->n_runs, sizeof *heap);
  bool ok = runs && heap;
  for (size_t i = 0; ok && i < s->n_runs; i++) {
    runs[i].from = s->runs[i];
    runs[i].end = s->runs[i + 1];
  }
  ok = ok ? merge (w, runs, heap)
          : store_fail (&w->fault, NPROF_E_NOMEM, "no memory to merge %zu runs", s->n_runs);
  for (size_t i = 0; runs && i < s->n_runs; i++)
    free (runs[i].buffer);
  free (runs);
  free (heap);
  return ok;
}

bool
store_sort_finish (struct store_writer *w)
{
  struct store_sorter *s = &w->sorter;
  if (s->n_runs)
    return spill (w) && merge_runs (w);
  if (s->n)
    qsort (s->records, s->n, sizeof *s->records, by_order);
  for (size_t i = 0; i < s->n; i++)
    if (!place_record (w, s->records + i, s->bytes + s->records[i].at))
      return false;
  return true;
}

void
store_sort_clear (struct store_sorter *s)
{
  store_out_clear (&s->temp);
  free (s->units);
  free (s->records);
  free (s->bytes);
  free (s->runs);
}
