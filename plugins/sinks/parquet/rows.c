/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - collects sets that rows share, and entries of the map. */
#include "rows.h"

#define N_BUFS 7

static void
list_bufs (struct pq_rows *rows, struct nprof_buf *bufs[N_BUFS])
{
  struct nprof_buf *all[N_BUFS] = { &rows->sets,        &rows->of_row, &rows->entries, &rows->lists,
                                    &rows->set_entries, &rows->own,    &rows->spans };
  memcpy (bufs, all, sizeof all);
}

void
pq_rows_clear (struct pq_rows *rows)
{
  struct nprof_buf *bufs[N_BUFS];
  list_bufs (rows, bufs);
  for (unsigned k = 0; k < N_BUFS; k++)
    nprof_buf_clear (bufs[k]);
  *rows = (struct pq_rows){ 0 };
}

void
pq_rows_empty (struct pq_rows *rows)
{
  struct nprof_buf *bufs[N_BUFS];
  list_bufs (rows, bufs);
  for (unsigned k = 0; k < N_BUFS; k++)
    pq_buf_empty (bufs[k]);
  rows->n_sets = 0;
  rows->n_shared = 0;
  rows->shared_bytes = rows->uncounted = 0;
}

size_t
pq_rows_bytes (const struct pq_rows *rows)
{
  return rows->of_row.len + rows->entries.len + rows->lists.len + rows->own.len + rows->spans.len
         - rows->uncounted + rows->shared_bytes;
}

bool
pq_rows_failed (const struct pq_rows *rows)
{
  return rows->sets.failed || rows->of_row.failed || rows->entries.failed || rows->lists.failed
         || rows->set_entries.failed || rows->own.failed || rows->spans.failed;
}

uint32_t
pq_rows_add_set (struct pq_rows *rows)
{
  struct pq_set set = { .ends = (uint32_t) (rows->set_entries.len / sizeof (struct pq_entry)) };
  nprof_put (&rows->sets, &set, sizeof set);
  return rows->n_sets++;
}

void
pq_rows_share_entry (struct pq_rows *rows, const struct pq_entry *entry)
{
  nprof_put (&rows->set_entries, entry, sizeof *entry);
  if (!rows->sets.failed)
    pq_rows_set (rows, rows->n_sets - 1)->ends++;
}

static bool
make_room_for (struct pq_rows *rows, size_t n_rows)
{
  size_t end = n_rows * sizeof (uint32_t), gap = end - rows->of_row.len;
  if (rows->of_row.len >= end)
    return true;
  if (gap == sizeof (uint32_t)) { /* which is what mostly happens */
    uint32_t none = 0;
    nprof_put (&rows->of_row, &none, sizeof none);
    return !rows->of_row.failed;
  }
  if (!nprof_buf_need (&rows->of_row, gap))
    return false;
  memset (rows->of_row.data + rows->of_row.len, 0, gap);
  rows->of_row.len = end;
  return true;
}

bool
pq_rows_pad (struct pq_rows *rows, size_t n_rows)
{
  return make_room_for (rows, (n_rows + 7) / 8 * 8);
}

void
pq_rows_use_set (struct pq_rows *rows, size_t row, uint32_t set)
{
  if (rows->sets.failed || !make_room_for (rows, row + 1))
    return;
  struct pq_set *used = pq_rows_set (rows, set);
  used->used = true;
  ((uint32_t *) rows->of_row.data)[row] = set + 1;
  rows->shared_bytes += used->bytes;
  rows->n_shared += used->ends - (set ? used[-1].ends : 0);
}

uint64_t
pq_rows_own (struct pq_rows *rows, const void *text, uint32_t len)
{
  struct pq_span span = { rows->own.len, len };
  uint64_t number = rows->spans.len / sizeof span;
  nprof_put (&rows->own, text, len);
  nprof_put (&rows->spans, &span, sizeof span);
  return number;
}
