/* SPDX-License-Identifier: Apache-2.0 */
/* paginate.c - cuts a column into pages.
 * format: parquet-format, README.md, "Data Pages" */
#include "paginate.h"

#include "encodings.h"

/* -- Cutting --------------------------------------------------------------- */

static bool
writes_texts (const struct pq_encoder *e, int encoding)
{
  return encoding != PQ_ENC_DICT && pq_is_bytes (e->assembled.v.kind);
}

static size_t
value_bytes (const struct pq_encoder *e, int encoding, size_t from, size_t n)
{
  const struct pq_text *texts = (const void *) e->assembled.spelling.data;
  size_t bytes = n * pq_width (e->assembled.v.kind);
  for (size_t k = from; writes_texts (e, encoding) && k < from + n; k++)
    bytes += texts[k].len;
  return bytes;
}

static unsigned
count_bits (const struct pq_values *v, size_t row)
{
  static const uint8_t of_nibble[] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
  uint8_t bits = (uint8_t) v->bits.data[row / 8];
  return of_nibble[bits & 15] + of_nibble[bits >> 4];
}

/* Cuts one page when all values that are left fit into it; of texts, all that there are. */
static bool
cut_all (const struct pq_encoder *e, size_t n_rows, int encoding, struct pq_page_range *c)
{
  const struct pq_values *v = &e->assembled.v;
  size_t bytes = (v->n - c->value) * pq_width (v->kind);
  bytes += writes_texts (e, encoding) ? e->assembled.text_bytes : 0;
  if (n_rows - c->row > PQ_PAGE_ROWS || bytes >= PQ_PAGE_BYTES)
    return false;
  c->n_rows = n_rows - c->row;
  c->n_values = v->n - c->value;
  c->bytes = bytes;
  return true;
}

/* Cuts a flat column; rows are taken in eights, so that each page's bits begin with a byte. */
static void
cut_flat (const struct pq_encoder *e, size_t n_rows, int encoding, struct pq_page_range *c)
{
  const struct pq_values *v = &e->assembled.v;
  if (cut_all (e, n_rows, encoding, c))
    return;
  while (c->row + c->n_rows < n_rows && c->n_rows < PQ_PAGE_ROWS && c->bytes < PQ_PAGE_BYTES) {
    size_t at = c->row + c->n_rows, rows = n_rows - at < 8 ? n_rows - at : 8;
    size_t n = count_bits (v, at);
    c->bytes += value_bytes (e, encoding, c->value + c->n_values, n);
    c->n_rows += rows;
    c->n_values += n;
  }
}

static void
cut_map (const struct pq_encoder *e, size_t n_rows, int encoding, struct pq_page_range *c)
{
  const struct pq_list *lists = (const void *) e->assembled.lists.data;
  size_t n_lists = e->assembled.lists.len / sizeof *lists;
  if (cut_all (e, n_rows, encoding, c)) {
    c->n_lists = n_lists - c->list;
    return;
  }
  while (c->row + c->n_rows < n_rows && c->n_rows < PQ_PAGE_ROWS && c->bytes < PQ_PAGE_BYTES) {
    size_t list = c->list + c->n_lists;
    if (list < n_lists && lists[list].row == c->row + c->n_rows) {
      c->bytes += value_bytes (e, encoding, c->value + c->n_values, lists[list].n);
      c->n_values += lists[list].n;
      c->n_lists++;
    }
    c->n_rows++;
  }
}

void
pq_next_page_range (const struct pq_encoder *e, size_t n_rows, int encoding,
                    struct pq_page_range *c)
{
  *c = (struct pq_page_range){ .row = c->row + c->n_rows,
                               .value = c->value + c->n_values,
                               .list = c->list + c->n_lists };
  if (pq_is_map (e->assembled.v.kind))
    cut_map (e, n_rows, encoding, c);
  else
    cut_flat (e, n_rows, encoding, c);
}

/* -- Levels: which rows have a value, and where lists begin ---------------- */

static size_t
begin_levels (struct nprof_buf *to)
{
  nprof_put (to, "\0\0\0\0", 4);
  return to->len;
}

static void
end_levels (struct nprof_buf *to, size_t begin)
{
  uint32_t len = (uint32_t) (to->len - begin);
  if (!to->failed)
    memcpy (to->data + begin - 4, &len, 4);
}

/* Sets bits behind each other in cleared memory. */
static inline void
set_bits (uint8_t *bits, size_t at, uint64_t mask)
{
  uint64_t word;
  memcpy (&word, bits + at / 8, 8);
  word |= mask << at % 8;
  memcpy (bits + at / 8, &word, 8);
}

/* Makes levels; a row without entries has one: null.  The bits lie in cleared memory: those that
 * repeat, and those that are defined.  Returns the number of levels. */
static size_t
list_levels (uint8_t *repetition, uint8_t *definition, const struct pq_list *lists,
             const struct pq_page_range *c)
{
  const struct pq_list *list = lists + c->list, *end = list + c->n_lists;
  size_t n = 0, row = c->row;
  for (; list < end; list++) {
    n += list->row - row; /* rows without entries */
    row = list->row + 1;
    uint64_t first = 1;
    for (uint32_t left = list->n, now; left; left -= now, n += now, first = 0) {
      now = left < 32 ? left : 32;
      uint64_t all = (UINT64_C (1) << now) - 1;
      set_bits (repetition, n, all & ~first);
      set_bits (definition, n, all);
    }
  }
  return n + (c->row + c->n_rows - row);
}

/* Returns the number of levels. */
static size_t
put_map_levels (struct pq_encoder *e, const struct pq_page_range *c)
{
  size_t bytes = (c->n_rows + c->n_values) / 8 + 16; /* set_bits reads words */
  e->levels.len = 0;
  if (!nprof_buf_need (&e->levels, 2 * bytes)) {
    e->body.failed = true;
    return 0;
  }
  uint8_t *repetition = (void *) e->levels.data, *definition = repetition + bytes;
  memset (repetition, 0, 2 * bytes);
  size_t n = list_levels (repetition, definition, (const void *) e->assembled.lists.data, c);
  size_t begin = begin_levels (&e->body);
  pq_put_hybrid_bits (&e->body, repetition, 0, n, 1);
  end_levels (&e->body, begin);
  begin = begin_levels (&e->body);
  pq_put_hybrid_bits (&e->body, definition, 0, n, 2);
  end_levels (&e->body, begin);
  return n;
}

size_t
pq_put_levels (struct pq_encoder *e, const struct pq_page_range *c)
{
  if (pq_is_map (e->assembled.v.kind))
    return put_map_levels (e, c);
  size_t begin = begin_levels (&e->body);
  pq_put_hybrid_bits (&e->body, (const uint8_t *) e->assembled.v.bits.data, c->row, c->n_rows, 1);
  end_levels (&e->body, begin);
  return c->n_rows;
}
