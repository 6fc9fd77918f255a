/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - collects the values of a column. */
#include "values.h"

void
pq_values_clear (struct pq_values *v)
{
  nprof_buf_clear (&v->data);
  nprof_buf_clear (&v->bits);
  nprof_buf_clear (&v->lists);
  nprof_buf_clear (&v->own);
  nprof_buf_clear (&v->spans);
  v->n = v->spared = 0;
}

/* What a long text has taken is given back. */
static void
empty (struct nprof_buf *b)
{
  if (b->failed || b->max > 8u << 20)
    nprof_buf_clear (b);
  b->len = 0;
}

void
pq_values_empty (struct pq_values *v)
{
  empty (&v->data);
  empty (&v->bits);
  empty (&v->lists);
  empty (&v->own);
  empty (&v->spans);
  v->n = v->spared = 0;
}

size_t
pq_values_bytes (const struct pq_values *v)
{
  return v->data.len + v->bits.len + v->lists.len + v->own.len + v->spans.len + v->spared;
}

bool
pq_values_failed (const struct pq_values *v)
{
  return v->data.failed || v->bits.failed || v->lists.failed || v->own.failed || v->spans.failed;
}

bool
pq_values_pad (struct pq_values *v, size_t n_rows)
{
  size_t bytes = (n_rows + 7) / 8;
  if (bytes <= v->bits.len)
    return true;
  if (!nprof_buf_need (&v->bits, bytes - v->bits.len))
    return false;
  memset (v->bits.data + v->bits.len, 0, bytes - v->bits.len);
  v->bits.len = bytes;
  return true;
}

void *
pq_values_add_all (struct pq_values *v, size_t row, size_t n)
{
  if (!pq_values_pad (v, row + n))
    return NULL;
  for (size_t k = row; k < row + n;) {
    if (k % 8 == 0 && row + n - k >= 8) {
      v->bits.data[k / 8] = (char) 0xff;
      k += 8;
    } else {
      v->bits.data[k / 8] = (char) (v->bits.data[k / 8] | 1 << k % 8);
      k++;
    }
  }
  return pq_values_grow (v, n);
}

void *
pq_values_add_entry (struct pq_values *v, size_t row)
{
  struct pq_list *last
      = v->lists.len ? (struct pq_list *) (v->lists.data + v->lists.len) - 1 : NULL;
  if (last && last->row == row) {
    last->n++;
  } else {
    struct pq_list list = { (uint32_t) row, 1 };
    nprof_put (&v->lists, &list, sizeof list);
  }
  return pq_values_grow (v, 1);
}

uint32_t
pq_values_own (struct pq_values *v, const void *text, uint32_t len)
{
  struct pq_span span = { v->own.len, len };
  size_t ref = v->spans.len / sizeof span;
  nprof_put (&v->own, text, len);
  nprof_put (&v->spans, &span, sizeof span);
  return PQ_OWN_TEXT + (uint32_t) ref;
}

void
pq_values_again (struct pq_values *v, uint32_t ref)
{
  const struct pq_span *span = (const struct pq_span *) v->spans.data + (ref - PQ_OWN_TEXT);
  v->spared += sizeof *span + span->len;
}
