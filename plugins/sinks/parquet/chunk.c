/* SPDX-License-Identifier: Apache-2.0 */
/* chunk.c - cuts a column into pages and writes them.
 * format: parquet-format, README.md, "Data Pages"; Encodings.md */
#include "chunk.h"

#include "delta.h"
#include "hybrid.h"
#include "pack.h"
#include "page.h"
#include "plain.h"
#include "schema.h"

/* A part of a column: rows, and the values and lists (of a map) that they have. */
struct cut {
  size_t row, n_rows;
  size_t value, n_values;
  size_t list, n_lists;
  size_t bytes; /* about what it takes */
};

void
pq_encoder_clear (struct pq_encoder *e)
{
  pq_codec_clear (&e->codec);
  pq_dict_clear (&e->dict);
  nprof_buf_clear (&e->ids);
  nprof_buf_clear (&e->levels);
  nprof_buf_clear (&e->body);
  nprof_buf_clear (&e->scratch);
}

void
pq_chunk_clear (struct pq_chunk *chunk)
{
  nprof_buf_clear (&chunk->bytes);
  nprof_buf_clear (&chunk->pages);
}

/* -- Cutting --------------------------------------------------------------- */

static size_t
value_bytes (const struct pq_encoder *e, const struct pq_values *v, int encoding, size_t from,
             size_t n)
{
  const uint32_t *refs = (const void *) v->data.data;
  size_t bytes = 0;
  if (encoding != PQ_ENC_PLAIN || !pq_is_bytes (v->kind))
    return n * pq_width (v->kind);
  for (size_t k = from; k < from + n; k++)
    bytes += 4 + pq_values_text (v, refs[k], e->texts.of, e->texts.user).len;
  return bytes;
}

static unsigned
count_bits (const struct pq_values *v, size_t row)
{
  static const uint8_t of_nibble[] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
  uint8_t bits = (uint8_t) v->bits.data[row / 8];
  return of_nibble[bits & 15] + of_nibble[bits >> 4];
}

/* Do all values that are left fit into one page? */
static bool
cut_all (const struct pq_values *v, size_t n_rows, int encoding, struct cut *c)
{
  size_t bytes = (v->n - c->value) * pq_width (v->kind);
  if (n_rows - c->row > PQ_PAGE_ROWS || bytes >= PQ_PAGE_BYTES
      || (encoding == PQ_ENC_PLAIN && pq_is_bytes (v->kind)))
    return false;
  c->n_rows = n_rows - c->row;
  c->n_values = v->n - c->value;
  c->bytes = bytes;
  return true;
}

/* Rows are taken in eights, so that each page's bits begin with a byte. */
static void
cut_flat (const struct pq_encoder *e, const struct pq_values *v, size_t n_rows, int encoding,
          struct cut *c)
{
  if (cut_all (v, n_rows, encoding, c))
    return;
  while (c->row + c->n_rows < n_rows && c->n_rows < PQ_PAGE_ROWS && c->bytes < PQ_PAGE_BYTES) {
    size_t at = c->row + c->n_rows, rows = n_rows - at < 8 ? n_rows - at : 8;
    size_t n = count_bits (v, at);
    c->bytes += value_bytes (e, v, encoding, c->value + c->n_values, n);
    c->n_rows += rows;
    c->n_values += n;
  }
}

static void
cut_map (const struct pq_encoder *e, const struct pq_values *v, size_t n_rows, int encoding,
         struct cut *c)
{
  const struct pq_list *lists = (const void *) v->lists.data;
  size_t n_lists = v->lists.len / sizeof *lists;
  while (c->row + c->n_rows < n_rows && c->n_rows < PQ_PAGE_ROWS && c->bytes < PQ_PAGE_BYTES) {
    size_t list = c->list + c->n_lists;
    if (list < n_lists && lists[list].row == c->row + c->n_rows) {
      c->bytes += value_bytes (e, v, encoding, c->value + c->n_values, lists[list].n);
      c->n_values += lists[list].n;
      c->n_lists++;
    }
    c->n_rows++;
  }
}

static void
next_cut (const struct pq_encoder *e, const struct pq_values *v, size_t n_rows, int encoding,
          struct cut *c)
{
  *c = (struct cut){ .row = c->row + c->n_rows,
                     .value = c->value + c->n_values,
                     .list = c->list + c->n_lists };
  if (pq_is_map (v->kind))
    cut_map (e, v, n_rows, encoding, c);
  else
    cut_flat (e, v, n_rows, encoding, c);
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

/* A row without entries has one level: null.  Returns their number. */
static size_t
list_levels (uint32_t *repetition, uint32_t *definition, const struct pq_list *lists,
             const struct cut *c)
{
  size_t n = 0;
  for (size_t row = c->row, list = c->list; row < c->row + c->n_rows; row++) {
    bool any = list < c->list + c->n_lists && lists[list].row == row;
    uint32_t entries = any ? lists[list++].n : 1;
    for (uint32_t k = 0; k < entries; k++, n++) {
      repetition[n] = k > 0;
      definition[n] = any ? 2 : 0;
    }
  }
  return n;
}

/* Returns the number of levels. */
static size_t
put_map_levels (struct pq_encoder *e, const struct pq_values *v, const struct cut *c)
{
  size_t max = c->n_rows + c->n_values;
  e->levels.len = 0;
  if (!nprof_buf_need (&e->levels, 2 * max * sizeof (uint32_t))) {
    e->body.failed = true;
    return 0;
  }
  uint32_t *repetition = (void *) e->levels.data, *definition = repetition + max;
  size_t n = list_levels (repetition, definition, (const void *) v->lists.data, c);
  size_t begin = begin_levels (&e->body);
  pq_put_hybrid (&e->body, repetition, n, 1);
  end_levels (&e->body, begin);
  begin = begin_levels (&e->body);
  pq_put_hybrid (&e->body, definition, n, 2);
  end_levels (&e->body, begin);
  return n;
}

static size_t
put_levels (struct pq_encoder *e, const struct pq_values *v, const struct cut *c)
{
  if (pq_is_map (v->kind))
    return put_map_levels (e, v, c);
  size_t begin = begin_levels (&e->body);
  pq_put_hybrid_bits (&e->body, (const uint8_t *) v->bits.data, c->row, c->n_rows);
  end_levels (&e->body, begin);
  return c->n_rows;
}

/* -- Pages ----------------------------------------------------------------- */

static void
put_values (struct pq_encoder *e, const struct pq_values *v, int encoding, const struct cut *c)
{
  if (encoding == PQ_ENC_DELTA) {
    pq_put_delta (&e->body, (const int64_t *) (const void *) v->data.data + c->value, c->n_values);
  } else if (encoding == PQ_ENC_DICT) {
    unsigned width = pq_bits (e->dict.n - 1);
    nprof_put_char (&e->body, (char) width);
    pq_put_hybrid (&e->body, (const uint32_t *) (const void *) e->ids.data + c->value, c->n_values,
                   width);
  } else {
    pq_put_plain (&e->body, v, c->value, c->value + c->n_values, e->texts);
  }
}

/* Of a dictionary each entry is looked at once, in e->levels. */
static void
range_of_texts (struct pq_encoder *e, const struct pq_values *v, int encoding, const struct cut *c,
                struct pq_range *range)
{
  struct pq_text_range r = { 0 };
  const uint32_t *refs = (const void *) v->data.data, *ids = (const void *) e->ids.data;
  bool once = encoding == PQ_ENC_DICT;
  e->levels.len = 0;
  if (once && !nprof_buf_need (&e->levels, e->dict.n)) {
    e->body.failed = true;
    return;
  }
  if (once)
    memset (e->levels.data, 0, e->dict.n);
  for (size_t k = c->value; k < c->value + c->n_values; k++) {
    if (once && e->levels.data[ids[k]])
      continue;
    if (once)
      e->levels.data[ids[k]] = 1;
    pq_text_range_add (&r, pq_values_text (v, refs[k], e->texts.of, e->texts.user));
  }
  pq_text_range_end (&r, range);
}

/* A text without a bound that fits takes the chunk's away; a page of NaN alone does not. */
static void
note_range (struct pq_chunk *chunk, const struct pq_page *page, enum pq_kind kind, size_t n_values)
{
  if (!n_values || chunk->unbounded)
    return;
  if (!page->range.known) {
    chunk->unbounded = kind != PQ_DOUBLE;
    chunk->range.known = chunk->range.known && !chunk->unbounded;
  } else if (chunk->range.known) {
    pq_range_merge (&chunk->range, &page->range, kind);
  } else {
    chunk->range = page->range;
  }
}

static void
put_data_page (struct pq_encoder *e, const struct pq_values *v, int encoding, const struct cut *c,
               struct pq_chunk *chunk)
{
  struct pq_page page = { .at = chunk->bytes.len, .first_row = c->row };
  struct pq_page_head head = { PQ_PAGE_DATA, encoding, 0 };
  e->body.len = 0;
  size_t n = put_levels (e, v, c);
  head.n = (uint32_t) n;
  put_values (e, v, encoding, c);
  page.nulls = n - c->n_values;
  page.all_null = !c->n_values;
  if (pq_is_bytes (v->kind))
    range_of_texts (e, v, encoding, c, &page.range);
  else
    pq_range_of (&page.range, v, c->value, c->value + c->n_values);
  chunk->uncompressed += pq_put_page (&chunk->bytes, &head, &e->body, &e->codec, &e->scratch);
  chunk->uncompressed += e->body.len;
  page.bytes = chunk->bytes.len - page.at;
  note_range (chunk, &page, v->kind, c->n_values);
  chunk->n_values += n;
  chunk->nulls += page.nulls;
  nprof_put (&chunk->pages, &page, sizeof page);
}

static void
put_dict_page (struct pq_encoder *e, const struct pq_values *v, struct pq_chunk *chunk)
{
  struct pq_page_head head = { PQ_PAGE_DICT, PQ_ENC_PLAIN, e->dict.n };
  e->body.len = 0;
  pq_put_entries (&e->body, v, &e->dict, e->texts);
  chunk->uncompressed += pq_put_page (&chunk->bytes, &head, &e->body, &e->codec, &e->scratch);
  chunk->uncompressed += e->body.len;
  chunk->dict_bytes = chunk->bytes.len;
}

static void
begin_chunk (struct pq_chunk *chunk)
{
  struct nprof_buf bytes = chunk->bytes, pages = chunk->pages;
  bytes.len = pages.len = 0;
  *chunk = (struct pq_chunk){ .bytes = bytes, .pages = pages };
}

bool
pq_encode (struct pq_encoder *e, struct pq_values *v, size_t n_rows, struct pq_chunk *chunk)
{
  begin_chunk (chunk);
  e->ids.len = 0;
  if (!pq_values_pad (v, n_rows) || pq_values_failed (v)
      || !nprof_buf_need (&e->ids, v->n * sizeof (uint32_t)))
    return false;
  bool numbered = pq_number (&e->dict, (void *) e->ids.data, v, e->texts);
  chunk->encoding = pq_choose (e, v, numbered);
  if (chunk->encoding == PQ_ENC_DICT)
    put_dict_page (e, v, chunk);
  struct cut c = { 0 };
  do {
    next_cut (e, v, n_rows, chunk->encoding, &c);
    put_data_page (e, v, chunk->encoding, &c, chunk);
  } while (c.row + c.n_rows < n_rows);
  return !e->dict.failed && !e->body.failed && !e->scratch.failed && !chunk->bytes.failed
         && !chunk->pages.failed;
}
