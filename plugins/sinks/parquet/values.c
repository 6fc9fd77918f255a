/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - collects the values of a column. */
#include "values.h"

void
pq_values_clear (struct pq_values *v)
{
  nprof_buf_clear (&v->data);
  nprof_buf_clear (&v->bits);
  nprof_buf_clear (&v->shared);
  nprof_buf_clear (&v->own);
  nprof_buf_clear (&v->spans);
  v->n = v->uncounted = 0;
}

void
pq_buf_empty (struct nprof_buf *b)
{
  if (b->failed || b->max > 8u << 20)
    nprof_buf_clear (b);
  b->len = 0;
}

void
pq_values_empty (struct pq_values *v)
{
  pq_buf_empty (&v->data);
  pq_buf_empty (&v->bits);
  pq_buf_empty (&v->shared);
  pq_buf_empty (&v->own);
  pq_buf_empty (&v->spans);
  v->n = v->uncounted = 0;
}

size_t
pq_values_bytes (const struct pq_values *v)
{
  return v->data.len + v->bits.len + v->own.len + v->spans.len - v->uncounted;
}

bool
pq_values_failed (const struct pq_values *v)
{
  return v->data.failed || v->bits.failed || v->shared.failed || v->own.failed || v->spans.failed;
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

/* Copies all, and counts only some: there is no branch on a value.  Rows are taken in eights, whose
 * bits are one byte. */
#define PRESENT(name, type)                                                                        \
  static inline size_t name##_of_byte (type *to, uint8_t *byte, const type *from, size_t first,    \
                                       size_t n)                                                   \
  {                                                                                                \
    size_t kept = 0;                                                                               \
    unsigned bits = 0;                                                                             \
    for (size_t k = 0; k < n; k++) {                                                               \
      to[kept] = from[k];                                                                          \
      kept += from[k] != 0;                                                                        \
      bits |= (unsigned) (from[k] != 0) << k;                                                      \
    }                                                                                              \
    *byte = (uint8_t) (*byte | bits << first);                                                     \
    return kept;                                                                                   \
  }                                                                                                \
                                                                                                   \
  static size_t name (void *data, uint8_t *bits, size_t row, const void *values, size_t n)         \
  {                                                                                                \
    const type *from = values, *end = from + n;                                                    \
    type *to = data;                                                                               \
    size_t first = -row % 8 < n ? -row % 8 : n;                                                    \
    to += name##_of_byte (to, bits + row / 8, from, row % 8, first);                               \
    from += first;                                                                                 \
    bits += (row + first) / 8;                                                                     \
    for (; end - from >= 8; from += 8)                                                             \
      to += name##_of_byte (to, bits++, from, 0, 8);                                               \
    if (from < end)                                                                                \
      to += name##_of_byte (to, bits, from, 0, (size_t) (end - from));                             \
    return (size_t) (to - (type *) data);                                                          \
  }
PRESENT (present_32, uint32_t)
PRESENT (present_64, uint64_t)
#undef PRESENT

void
pq_values_add_present (struct pq_values *v, size_t row, const void *values, size_t n)
{
  size_t width = pq_width (v->kind);
  if (!n || !nprof_buf_need (&v->data, n * width) || !pq_values_pad (v, row + n))
    return;
  uint8_t *bits = (uint8_t *) v->bits.data;
  size_t kept = width == 4 ? present_32 (v->data.data + v->data.len, bits, row, values, n)
                           : present_64 (v->data.data + v->data.len, bits, row, values, n);
  v->data.len += kept * width;
  v->n += kept;
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
pq_values_share (struct pq_values *v, uint32_t set, uint64_t value)
{
  struct pq_shared shared = { value, set };
  nprof_put (&v->shared, &shared, sizeof shared);
}
