/* SPDX-License-Identifier: Apache-2.0 */
/* pages.c - checks the pages of a column chunk. */
#include "pages.h"

#include "page-head.h"
#include "system/crc32.h"

#include <string.h>

typedef struct {
  const guint8 *data;
  guint64 begin, end; /* of the chunk */
  const PqChunk *chunk;
  const PqLeaf *leaf;
  gint64 n_values, uncompressed;
  GArray *places; /* guint64: where data pages begin */
  guint64 *at;
  char **why;
} Walk;

static gboolean G_GNUC_PRINTF (3, 4) wrong (Walk *w, guint64 at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  *w->at = at;
  *w->why = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

static gboolean
is_level (gint64 encoding)
{
  return encoding == PQ_E_RLE || encoding == PQ_E_BIT_PACKED;
}

/* Returns whether the encoding is one of the chunk's; some writers leave that of a dictionary
 * out. */
static gboolean
is_encoding (const PqChunk *c, const PqHead *head)
{
  guint64 listed = head->type != PQ_DICTIONARY_PAGE && c->of_data ? c->of_data : c->encodings;
  if (head->type == PQ_DICTIONARY_PAGE && head->encoding == PQ_E_PLAIN)
    return TRUE;
  if (head->type == PQ_DICTIONARY_PAGE && head->encoding != PQ_E_PLAIN_DICTIONARY)
    return FALSE;
  return head->encoding >= 0 && head->encoding < 64 && (listed >> head->encoding & 1);
}

static gboolean
check_head (Walk *w, const PqHead *head, guint64 at, guint64 left)
{
  if (head->type < PQ_DATA_PAGE || head->type > PQ_DATA_PAGE_V2 || head->uncompressed < 0
      || head->n_values < 0)
    return wrong (w, at, "the header of a page cannot be right");
  if (head->bytes < 0 || (guint64) head->bytes > left)
    return wrong (w, at, "a page of %" G_GINT64_FORMAT " bytes is longer than its column",
                  head->bytes);
  if (!is_encoding (w->chunk, head))
    return wrong (w, at, "a page has encoding %" G_GINT64_FORMAT ", which its column does not list",
                  head->encoding);
  if (head->type == PQ_DATA_PAGE && (!is_level (head->levels[0]) || !is_level (head->levels[1])))
    return wrong (w, at, "a page has levels of an unknown encoding");
  if (w->chunk->codec == 0 && head->bytes != head->uncompressed)
    return wrong (w, at, "an uncompressed page has two sizes");
  return TRUE;
}

static gboolean
check_crc (Walk *w, const PqHead *head, guint64 at, const guint8 *body, PqPages *pages)
{
  if (head->crc < 0) {
    pages->bare = pages->bare ? pages->bare : at;
    return TRUE;
  }
  guint32 crc = np_crc32 (0, body, (gsize) head->bytes);
  pages->with_crc++;
  return crc == (guint32) head->crc
         || wrong (w, at,
                   "the CRC of a page's %" G_GINT64_FORMAT " bytes is %08x, but its header "
                   "says %08x: a byte was changed; write the file again",
                   head->bytes, crc, (guint32) head->crc);
}

/* Checks the number of entries against the bytes, where that needs no decompressing. */
static gboolean
check_entries (Walk *w, const PqHead *head, guint64 at, const guint8 *body)
{
  static const gint64 widths[] = { [1] = 4, [2] = 8, [3] = 12, [4] = 4, [5] = 8 };
  int type = w->leaf->type;
  gint64 n = 0, pos = 0;
  guint32 len;
  if (head->type != PQ_DICTIONARY_PAGE)
    return TRUE;
  if (type > 0 && type < 6)
    n = head->uncompressed / widths[type];
  else if (type == PQ_FIXED && w->leaf->length > 0)
    n = head->uncompressed / w->leaf->length;
  else if (type != PQ_BYTE_ARRAY || w->chunk->codec)
    return TRUE;
  for (; type == PQ_BYTE_ARRAY && head->bytes - pos >= 4; n++, pos += 4 + (gint64) len) {
    memcpy (&len, body + pos, 4);
    len = GUINT32_FROM_LE (len);
  }
  return n == head->n_values
         || wrong (w, at,
                   "a dictionary has %" G_GINT64_FORMAT
                   " entries, but its header says %" G_GINT64_FORMAT,
                   n, head->n_values);
}

static gboolean
check_page (Walk *w, guint64 *at, PqPages *pages)
{
  struct pq_reader r;
  PqHead head;
  pq_read_from (&r, w->data + *at, w->end - *at);
  pq_head_read (&head, &r);
  if (r.failed)
    return wrong (w, *at, "the header of a page cannot be read");
  guint64 header = (guint64) (r.at - r.start);
  if (!check_head (w, &head, *at, w->end - *at - header) || !check_crc (w, &head, *at, r.at, pages)
      || !check_entries (w, &head, *at, r.at))
    return FALSE;
  if (head.type == PQ_DATA_PAGE || head.type == PQ_DATA_PAGE_V2) {
    w->n_values += head.n_values;
    g_array_append_val (w->places, *at);
  }
  pages->pages++;
  w->uncompressed += (gint64) header + head.uncompressed;
  *at += header + (guint64) head.bytes;
  return TRUE;
}

static gint64
read_place (struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  gint64 place = -1;
  if (!pq_open_struct (r))
    return place;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      place = pq_read_int (r, type);
    else
      pq_skip (r, type);
  }
  return place;
}

static gboolean
check_index (Walk *w, guint64 end)
{
  const PqChunk *c = w->chunk;
  struct pq_reader r;
  int16_t id;
  unsigned type, element;
  if (c->index_at < 0)
    return TRUE;
  if ((guint64) c->index_at > end || c->index_bytes < 0
      || (guint64) c->index_bytes > end - (guint64) c->index_at)
    return wrong (w, end, "an offset index lies outside the file");
  pq_read_from (&r, w->data + c->index_at, (gsize) c->index_bytes);
  while (pq_next_field (&r, &id, &type)) {
    if (id != 1) {
      pq_skip (&r, type);
      continue;
    }
    size_t n = pq_read_list (&r, type, &element);
    gboolean same = n == w->places->len;
    for (size_t k = 0; k < n && same && !r.failed; k++)
      same = read_place (&r) == (gint64) g_array_index (w->places, guint64, k);
    if (!same)
      return wrong (w, (guint64) c->index_at, "the offset index does not say where the pages are");
  }
  return !r.failed || wrong (w, (guint64) c->index_at, "the offset index cannot be read");
}

static gboolean
check_place (Walk *w, guint64 end)
{
  const PqChunk *c = w->chunk;
  gint64 begin = c->dict_at > 0 && c->dict_at < c->data_at ? c->dict_at : c->data_at;
  if (begin < 4 || c->bytes < 0 || (guint64) begin > end
      || (guint64) c->bytes > end - (guint64) begin)
    return wrong (w, end,
                  "the footer puts a column at byte %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                  " bytes long: that is outside the file",
                  begin, c->bytes);
  w->begin = (guint64) begin;
  w->end = w->begin + (guint64) c->bytes;
  return TRUE;
}

static gboolean
check_sums (Walk *w)
{
  const PqChunk *c = w->chunk;
  if (w->n_values != c->n_values)
    return wrong (w, w->begin,
                  "its pages have %" G_GINT64_FORMAT
                  " values, but the footer says %" G_GINT64_FORMAT,
                  w->n_values, c->n_values);
  if (w->uncompressed != c->uncompressed)
    return wrong (w, w->begin,
                  "its pages have %" G_GINT64_FORMAT
                  " bytes when decompressed, but the footer says %" G_GINT64_FORMAT,
                  w->uncompressed, c->uncompressed);
  return TRUE;
}

gboolean
pq_pages_check (const guint8 *data, guint64 end, const PqLeaf *leaf, const PqChunk *chunk,
                PqPages *pages, guint64 *at, char **why)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint64));
  Walk w = { .data = data, .chunk = chunk, .leaf = leaf, .places = places, .at = at, .why = why };
  if (chunk->outside)
    return wrong (&w, end, "the pages of a column are in another file, which is not read");
  if (!check_place (&w, end))
    return FALSE;
  for (guint64 page = w.begin; page < w.end;)
    if (!check_page (&w, &page, pages))
      return FALSE;
  return check_sums (&w) && check_index (&w, end);
}
