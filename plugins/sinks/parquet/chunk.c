/* SPDX-License-Identifier: Apache-2.0 */
/* chunk.c - writes a column: its dictionary, its pages (paginate.c), and what they range over.
 * format: parquet-format, README.md, "Data Pages"; Encodings.md */
#include "encodings.h"
#include "page.h"
#include "paginate.h"
#include "schema.h"

void
pq_encoder_clear (struct pq_encoder *e)
{
  pq_codec_clear (&e->codec);
  pq_dict_clear (&e->dict);
  pq_assembled_clear (&e->assembled);
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

/* -- Pages ----------------------------------------------------------------- */

/* Returns NULL where the column has no texts. */
static const struct pq_text *
texts_of (const struct pq_encoder *e, size_t value)
{
  const struct pq_text *texts = (const void *) e->assembled.spelling.data;
  return texts ? texts + value : NULL;
}

static void
put_values (struct pq_encoder *e, int encoding, const struct pq_page_range *c)
{
  const struct pq_values *v = &e->assembled.v;
  if (encoding == PQ_ENC_DELTA) {
    pq_put_delta (&e->body, (const int64_t *) (const void *) v->data.data + c->value, c->n_values);
  } else if (encoding == PQ_ENC_DICT) {
    unsigned width = pq_bits (e->dict.n - 1);
    nprof_put_char (&e->body, (char) width);
    pq_put_hybrid (&e->body, (const uint32_t *) (const void *) e->assembled.ids.data + c->value,
                   c->n_values, width);
  } else if (encoding == PQ_ENC_LENGTHS) {
    pq_put_lengths_and_texts (&e->body, texts_of (e, c->value), c->n_values, &e->levels);
  } else if (pq_is_bytes (v->kind)) {
    pq_put_plain_texts (&e->body, texts_of (e, c->value), c->n_values);
  } else {
    pq_put_plain (&e->body, v, c->value, c->value + c->n_values);
  }
}

/* -- Ranges ---------------------------------------------------------------- */

/* Marks in e->levels which entries of the dictionary the page has. */
static bool
mark_entries (struct pq_encoder *e, const struct pq_page_range *c)
{
  const uint32_t *ids = (const void *) e->assembled.ids.data;
  bool all = c->n_values == e->assembled.v.n;
  e->levels.len = 0;
  if (!nprof_buf_need (&e->levels, e->dict.n)) {
    e->body.failed = true;
    return false;
  }
  memset (e->levels.data, all, e->dict.n);
  for (size_t k = c->value; !all && k < c->value + c->n_values; k++)
    e->levels.data[ids[k]] = 1;
  return true;
}

static void
range_of_texts (struct pq_encoder *e, int encoding, const struct pq_page_range *c,
                struct pq_range *range)
{
  struct pq_text_range r = { 0 };
  const struct pq_values *v = &e->assembled.v;
  struct pq_texts texts = e->assembled.texts;
  if (encoding != PQ_ENC_DICT) {
    for (size_t k = 0; k < c->n_values; k++)
      pq_text_range_add (&r, texts_of (e, c->value)[k]);
  } else if (mark_entries (e, c)) {
    for (uint32_t k = 0; k < e->dict.n; k++)
      if (e->levels.data[k])
        pq_text_range_add (&r,
                           pq_values_text (v, (uint32_t) e->dict.refs[k], texts.of, texts.user));
  }
  pq_text_range_end (&r, range);
}

/* Returns the numbers that the page has of the dictionary, as if they were a column. */
static void
range_of_entries (struct pq_encoder *e, const struct pq_page_range *c, struct pq_range *range)
{
  struct pq_values v = { .kind = e->assembled.v.kind };
  size_t width = pq_width (v.kind);
  if (!mark_entries (e, c))
    return;
  e->scratch.len = 0;
  if (!nprof_buf_need (&e->scratch, e->dict.n * width))
    return;
  for (uint32_t k = 0; k < e->dict.n; k++)
    if (e->levels.data[k])
      memcpy (e->scratch.data + v.n++ * width, e->dict.keys + k, width);
  v.data = e->scratch;
  pq_range_of (range, &v, 0, v.n);
}

static void
range_of_page (struct pq_encoder *e, int encoding, const struct pq_page_range *c,
               struct pq_range *range)
{
  enum pq_kind kind = e->assembled.v.kind;
  if (!c->n_values)
    return;
  if (pq_is_bytes (kind))
    range_of_texts (e, encoding, c, range);
  else if (encoding == PQ_ENC_DICT && kind != PQ_UUID)
    range_of_entries (e, c, range);
  else
    pq_range_of (range, &e->assembled.v, c->value, c->value + c->n_values);
}

/* Notes the range of a page.  A text without a bound that fits takes the chunk's away; a page of
 * NaN alone does not. */
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
put_data_page (struct pq_encoder *e, int encoding, const struct pq_page_range *c,
               struct pq_chunk *chunk)
{
  struct pq_page page = { .at = chunk->bytes.len, .first_row = c->row };
  struct pq_page_head head = { PQ_PAGE_DATA, encoding, 0 };
  e->body.len = 0;
  size_t n = pq_put_levels (e, c);
  head.n = (uint32_t) n;
  put_values (e, encoding, c);
  page.nulls = n - c->n_values;
  page.all_null = !c->n_values;
  range_of_page (e, encoding, c, &page.range);
  chunk->uncompressed += pq_put_page (&chunk->bytes, &head, &e->body, &e->codec, &e->scratch);
  chunk->uncompressed += e->body.len;
  page.bytes = chunk->bytes.len - page.at;
  note_range (chunk, &page, e->assembled.v.kind, c->n_values);
  chunk->n_values += n;
  chunk->nulls += page.nulls;
  nprof_put (&chunk->pages, &page, sizeof page);
}

static void
put_dict_page (struct pq_encoder *e, struct pq_chunk *chunk)
{
  struct pq_page_head head = { PQ_PAGE_DICT, PQ_ENC_PLAIN, e->dict.n };
  e->body.len = 0;
  pq_put_entries (&e->body, &e->assembled.v, &e->dict, e->assembled.texts);
  chunk->uncompressed += pq_put_page (&chunk->bytes, &head, &e->body, &e->codec, &e->scratch);
  chunk->uncompressed += e->body.len;
  chunk->dict_bytes = chunk->bytes.len;
}

static void
begin_chunk (struct pq_chunk *chunk)
{
  struct nprof_buf bytes = chunk->bytes, pages = chunk->pages;
  bytes.len = pages.len = 0;
  *chunk = (struct pq_chunk){
    .bytes = bytes, .pages = pages, .choices = chunk->choices, .n_entries = chunk->n_entries
  };
}

/* Returns how many values rows have of their own; of a map, how many entries in all. */
static size_t
count_values (const struct pq_values *v, const struct pq_rows *rows)
{
  return pq_is_map (v->kind) ? rows->entries.len / sizeof (struct pq_entry) + rows->n_shared : v->n;
}

/* Makes what the encoding writes, if it is no dictionary. */
static bool
spell_out (struct pq_encoder *e)
{
  return pq_assemble_values (&e->assembled, &e->dict)
         && (!pq_is_bytes (e->assembled.v.kind) || pq_assemble_texts (&e->assembled));
}

bool
pq_encode (struct pq_encoder *e, struct pq_values *v, const struct pq_rows *rows, size_t n_rows,
           struct pq_chunk *chunk)
{
  begin_chunk (chunk);
  e->assembled.expected = chunk->n_entries;
  e->assembled.unnumbered = pq_is_plainly_not_numbered (&chunk->choices, count_values (v, rows));
  if (!pq_values_pad (v, n_rows) || pq_values_failed (v)
      || !pq_assemble (&e->assembled, &e->dict, v, rows, n_rows, e->texts))
    return false;
  chunk->n_entries = e->dict.n;
  chunk->encoding = pq_choose (e, &chunk->choices);
  if (chunk->encoding == PQ_ENC_DICT)
    put_dict_page (e, chunk);
  else if (!spell_out (e))
    return false;
  struct pq_page_range c = { 0 };
  do {
    pq_next_page_range (e, n_rows, chunk->encoding, &c);
    put_data_page (e, chunk->encoding, &c, chunk);
  } while (c.row + c.n_rows < n_rows);
  return !e->dict.failed && !e->body.failed && !e->scratch.failed && !chunk->bytes.failed
         && !chunk->pages.failed;
}
