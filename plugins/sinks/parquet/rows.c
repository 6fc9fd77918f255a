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
  rows->n_shared = rows->rows_in_sets = 0;
  rows->shared_bytes = rows->uncounted = 0;
}

size_t
pq_rows_bytes (const struct pq_rows *rows)
{
  return rows->rows_in_sets * sizeof (uint32_t) + rows->entries.len + rows->lists.len
         + rows->own.len + rows->spans.len - rows->uncounted + rows->shared_bytes;
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

bool
pq_rows_pad (struct pq_rows *rows, size_t n_rows)
{
  size_t end = (n_rows + 7) / 8 * 8 * sizeof (uint32_t);
  if (rows->of_row.len >= end)
    return true;
  size_t gap = end - rows->of_row.len;
  if (!nprof_buf_need (&rows->of_row, gap))
    return false;
  memset (rows->of_row.data + rows->of_row.len, 0, gap);
  rows->of_row.len = end;
  return true;
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
