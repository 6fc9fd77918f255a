/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - writes the column index and the offset index of a chunk: where its pages are and what
 * they hold, so that a reader can skip pages. format: parquet-format, PageIndex.md */
#include "file.h"
#include "parquet/thrift.h"

enum { UNORDERED, ASCENDING, DESCENDING };

static const struct pq_page *
pages_of (const struct pq_chunk *chunk, size_t *n)
{
  *n = chunk->pages.len / sizeof (struct pq_page);
  return (const void *) chunk->pages.data;
}

/* Returns whether all ranges are known: only a page of nulls may have none here. */
static bool
all_known (const struct pq_page *pages, size_t n)
{
  for (size_t k = 0; k < n; k++)
    if (!pages[k].range.known && !pages[k].all_null)
      return false;
  return true;
}

static int
boundary_order (const struct pq_page *pages, size_t n, enum pq_kind kind)
{
  const struct pq_page *last = NULL;
  bool up = true, down = true;
  for (size_t k = 0; k < n; k++) {
    if (!pages[k].range.known)
      continue;
    if (last) {
      int min = pq_bound_compare (&pages[k].range.min, &last->range.min, kind);
      int max = pq_bound_compare (&pages[k].range.max, &last->range.max, kind);
      up &= min >= 0 && max >= 0;
      down &= min <= 0 && max <= 0;
    }
    last = pages + k;
  }
  return up ? ASCENDING : down ? DESCENDING : UNORDERED;
}

static void
put_bounds (struct pq_thrift *t, int16_t id, const struct pq_page *pages, size_t n, bool max)
{
  pq_field_list (t, id, PQ_T_BINARY, n);
  for (size_t k = 0; k < n; k++) {
    const struct pq_bound *bound = max ? &pages[k].range.max : &pages[k].range.min;
    pq_element_binary (t, bound->data, pages[k].range.known ? bound->len : 0);
  }
}

void
pq_put_column_index (struct nprof_buf *to, const struct pq_chunk *chunk, enum pq_kind kind)
{
  size_t n;
  const struct pq_page *pages = pages_of (chunk, &n);
  struct pq_thrift t = { .to = to };
  if (!all_known (pages, n))
    return;
  pq_field_list (&t, 1, PQ_T_FALSE, n);
  for (size_t k = 0; k < n; k++)
    nprof_put_char (to, pages[k].all_null ? PQ_T_TRUE : PQ_T_FALSE);
  put_bounds (&t, 2, pages, n, false);
  put_bounds (&t, 3, pages, n, true);
  pq_field_int (&t, 4, PQ_T_I32, boundary_order (pages, n, kind));
  pq_field_list (&t, 5, PQ_T_I64, n);
  for (size_t k = 0; k < n; k++)
    pq_put_zigzag (to, (int64_t) pages[k].nulls);
  pq_end (&t);
}

void
pq_put_offset_index (struct nprof_buf *to, const struct pq_chunk *chunk, uint64_t at)
{
  size_t n;
  const struct pq_page *pages = pages_of (chunk, &n);
  struct pq_thrift t = { .to = to };
  pq_field_list (&t, 1, PQ_T_STRUCT, n);
  for (size_t k = 0; k < n; k++) {
    pq_element_struct (&t);
    pq_field_int (&t, 1, PQ_T_I64, (int64_t) (at + pages[k].at));
    pq_field_int (&t, 2, PQ_T_I32, (int64_t) pages[k].bytes);
    pq_field_int (&t, 3, PQ_T_I64, (int64_t) pages[k].first_row);
    pq_end (&t);
  }
  pq_end (&t);
}
