/* SPDX-License-Identifier: Apache-2.0 */
/* column.c - walks the pages of a column chunk and takes their values out. */
#include "column.h"

#include "decompress.h"
#include "page-head.h"
#include "system/crc32.h"

#include <string.h>

/* A page may hold this many values; writers stay far below, at 1 MB or the rows of a row group. */
#define MAX_VALUES (G_GINT64_CONSTANT (1) << 26)
/* Writers before 2017 did not count the header of the dictionary as part of the column
 * (PARQUET-816). */
#define UNCOUNTED 100
#define MAX_BYTES (G_GINT64_CONSTANT (1) << 30)

typedef struct { /* memory that grows and is used again */
  void *data;
  gsize size;
} Room;

struct PqColumn {
  const guint8 *data;
  const PqLeaf *leaf;
  const PqChunk *chunk;
  guint64 at, end; /* the next page; where the chunk ends                              */
  guint64 limit;   /* where its last page ends at the latest                           */
  gint64 left;     /* values that are still to come                                    */
  gboolean begun, has_dictionary;
  PqDecompressor decompressor;
  PqValues dictionary;
  GByteArray *own; /* texts that are in no page                                        */
  Room page, dictionary_page, def, rep, code, bits, text, split;
};

PqColumn *
pq_column_new (const guint8 *data, guint64 end, const PqLeaf *leaf, const PqChunk *chunk)
{
  PqColumn *c = g_new0 (PqColumn, 1);
  c->data = data;
  c->end = end;
  c->leaf = leaf;
  c->chunk = chunk;
  c->left = chunk->n_values;
  return c;
}

void
pq_column_free (PqColumn *c)
{
  Room *const rooms[] = {
    &c->page, &c->dictionary_page, &c->def, &c->rep, &c->code, &c->bits, &c->text, &c->split
  };
  for (gsize k = 0; k < G_N_ELEMENTS (rooms); k++)
    g_free (rooms[k]->data);
  g_free (c->dictionary.bits);
  g_free (c->dictionary.text);
  g_clear_pointer (&c->own, g_byte_array_unref);
  pq_decompressor_clear (&c->decompressor);
  g_free (c);
}

const PqValues *
pq_column_dictionary (const PqColumn *c)
{
  return &c->dictionary;
}

guint64
pq_column_end (const PqColumn *c)
{
  return c->end;
}

static gboolean G_GNUC_PRINTF (3, 4) wrong (PqFail *fail, guint64 at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  fail->at = at;
  fail->why = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

static gboolean
need (Room *room, gsize size, PqFail *fail)
{
  if (size <= room->size)
    return TRUE;
  g_free (room->data);
  room->data = g_try_malloc (size);
  room->size = room->data ? size : 0;
  fail->no_memory |= !room->data;
  return room->data || wrong (fail, 0, "no memory for a page");
}

/* -- The place ------------------------------------------------------------- */

static gboolean
begin (PqColumn *c, PqFail *fail)
{
  const PqChunk *k = c->chunk;
  gint64 at = k->dict_at > 0 && k->dict_at < k->data_at ? k->dict_at : k->data_at;
  const char *problem = pq_codec_problem (k->codec);
  c->begun = TRUE;
  if (c->leaf->type < PQ_BOOLEAN || c->leaf->type > PQ_FIXED)
    return wrong (fail, c->end, "it has the unknown type %d", c->leaf->type);
  if (k->outside)
    return wrong (fail, c->end, "its pages are in another file, which is not read");
  if (k->encrypted)
    return wrong (fail, c->end, "it is encrypted, which nprof does not read");
  if (problem)
    return wrong (fail, at > 0 ? (guint64) at : c->end, "%s", problem);
  if (at < 4 || k->bytes < 0 || k->n_values < 0 || (guint64) at > c->end
      || (guint64) k->bytes > c->end - (guint64) at)
    return wrong (fail, c->end,
                  "the footer puts it at byte %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                  " bytes long: that is outside the file",
                  at, k->bytes);
  c->at = (guint64) at;
  c->limit = MIN (c->end, c->at + (guint64) k->bytes + UNCOUNTED);
  c->end = c->at + (guint64) k->bytes;
  return TRUE;
}

/* -- Pages ----------------------------------------------------------------- */

static gboolean
read_head (PqColumn *c, PqHead *head, const guint8 **body, PqFail *fail)
{
  struct pq_reader r;
  pq_read_from (&r, c->data + c->at, c->limit - c->at);
  pq_head_read (head, &r);
  if (r.failed)
    return wrong (fail, c->at, "the header of a page cannot be read");
  *body = r.at;
  if (head->type < PQ_DATA_PAGE || head->type > PQ_DATA_PAGE_V2 || head->uncompressed < 0
      || head->bytes < 0 || (head->type != PQ_INDEX_PAGE && head->n_values < 0))
    return wrong (fail, c->at, "the header of a page cannot be right");
  if (head->bytes > r.end - r.at)
    return wrong (fail, c->at, "a page of %" G_GINT64_FORMAT " bytes is longer than its column",
                  head->bytes);
  if (head->n_values > MAX_VALUES || head->uncompressed > MAX_BYTES)
    return wrong (fail, c->at,
                  "a page of %" G_GINT64_FORMAT " values and %" G_GINT64_FORMAT
                  " bytes is larger than nprof reads: write the file with smaller pages",
                  head->n_values, head->uncompressed);
  return TRUE;
}

static gboolean
check_crc (const PqColumn *c, const PqHead *head, const guint8 *body, PqFail *fail)
{
  guint32 crc = head->crc < 0 ? 0 : np_crc32 (0, body, (gsize) head->bytes);
  return head->crc < 0 || crc == (guint32) head->crc
         || wrong (fail, c->at,
                   "the CRC of a page's %" G_GINT64_FORMAT
                   " bytes is %08x, but its header says %08x: a byte was changed; write the file "
                   "again",
                   head->bytes, crc, (guint32) head->crc);
}

/* Unpacks a page; its first `kept` bytes never were compressed. */
static gboolean
unpack (PqColumn *c, const PqHead *head, const guint8 *body, gsize kept, Room *room, PqBytes *b,
        PqFail *fail)
{
  gsize size = (gsize) head->uncompressed - kept, len = (gsize) head->bytes - kept;
  const char *why;
  if (c->chunk->codec == 0 || head->stored) {
    *b = (PqBytes){ body + kept, body + head->bytes };
    return head->bytes == head->uncompressed
           || wrong (fail, c->at, "a page that is not compressed has two sizes");
  }
  if (!need (room, size + PQ_SLACK, fail))
    return FALSE;
  if (size
      && !pq_decompress (&c->decompressor, c->chunk->codec, body + kept, len, room->data, size,
                         &why))
    return wrong (fail, c->at, "a page: %s", why);
  *b = (PqBytes){ room->data, (guint8 *) room->data + size };
  return TRUE;
}

static gboolean
too_short (const PqColumn *c, const char *what, PqFail *fail)
{
  return wrong (fail, c->at, "the %s of a page end too early or cannot be right", what);
}

/* -- Values ---------------------------------------------------------------- */

static gboolean
is_number (const PqLeaf *leaf)
{
  return leaf->type != PQ_BYTE_ARRAY && leaf->type != PQ_FIXED && leaf->type != PQ_INT96;
}

/* Returns the bytes of a value that always has as many; 0: it has not. */
static gsize
width_of (const PqLeaf *leaf)
{
  static const guint8 widths[] = { 0, 4, 8, 12, 4, 8, 0, 0 };
  return leaf->type == PQ_FIXED ? (gsize) CLAMP (leaf->length, 0, G_MAXINT32) : widths[leaf->type];
}

static gboolean
decode_plain (const PqLeaf *leaf, PqBytes *b, gsize n, guint64 *bits, PqText *text)
{
  if (leaf->type == PQ_BOOLEAN)
    return pq_decode_bools (b, n, bits);
  if (is_number (leaf))
    return pq_decode_numbers (b, n, leaf->type, leaf->is_unsigned, bits);
  return leaf->type == PQ_BYTE_ARRAY ? pq_decode_texts (b, n, text)
                                     : pq_decode_fixed (b, n, width_of (leaf), text);
}

/* Puts the bytes of the values in their usual order, then decodes them as plain ones. */
static gboolean
decode_split (PqColumn *c, PqBytes *b, gsize n, PqFail *fail)
{
  gsize width = width_of (c->leaf);
  if (!width || (gsize) (b->end - b->at) / width < n
      || !need (&c->split, n * width + PQ_SLACK, fail))
    return FALSE;
  pq_decode_split (b, n, width, c->split.data);
  PqBytes whole = { c->split.data, (guint8 *) c->split.data + n * width };
  return decode_plain (c->leaf, &whole, n, c->bits.data, c->text.data);
}

/* Makes 64 bits of each INT32 as plain ones are: with its sign, or zeros when it is unsigned. */
static void
narrow (const PqLeaf *leaf, gsize n, guint64 *bits)
{
  for (gsize k = 0; leaf->type == PQ_INT32 && k < n; k++)
    bits[k] = leaf->is_unsigned ? (guint32) bits[k] : (guint64) (gint64) (gint32) bits[k];
}

static gboolean
decode_rle_bools (PqColumn *c, PqBytes *b, gsize n, PqFail *fail)
{
  gboolean one;
  guint64 *to = c->bits.data;
  if (b->end - b->at < 4 || !need (&c->code, n * sizeof (guint32), fail))
    return FALSE;
  b->at += 4; /* their length */
  const guint32 *from = c->code.data;
  if (!pq_decode_hybrid (b, 1, n, c->code.data, &one))
    return FALSE;
  for (gsize k = 0; k < n; k++)
    to[k] = from[one ? 0 : k];
  return TRUE;
}

/* Decodes n values into c->bits or c->text, which have the room; codes of a dictionary are
 * decode_codes'.  Texts of delta bytes lie in c->own until the next page of them.  FALSE: the
 * encoding is not for this type, or the bytes cannot be right; `fail` is set only when there is
 * no memory. */
static gboolean
decode_by (PqColumn *c, gint64 encoding, PqBytes *b, gsize n, PqFail *fail)
{
  int type = c->leaf->type;
  switch (encoding) {
  case PQ_E_PLAIN:
    return decode_plain (c->leaf, b, n, c->bits.data, c->text.data);
  case PQ_E_SPLIT:
    return decode_split (c, b, n, fail);
  case PQ_E_DELTA:
    if ((type != PQ_INT32 && type != PQ_INT64) || !pq_decode_delta (b, n, c->bits.data))
      return FALSE;
    narrow (c->leaf, n, c->bits.data);
    return TRUE;
  case PQ_E_DELTA_LENGTH:
    return type == PQ_BYTE_ARRAY && pq_decode_delta_lengths (b, n, c->text.data);
  case PQ_E_DELTA_BYTES:
    c->own = c->own ? c->own : g_byte_array_new ();
    return !is_number (c->leaf) && pq_decode_delta_bytes (b, n, c->text.data, c->own);
  case PQ_E_RLE:
    return type == PQ_BOOLEAN && decode_rle_bools (c, b, n, fail);
  default:
    return FALSE;
  }
}

/* -- Dictionaries ---------------------------------------------------------- */

static gboolean
read_dictionary (PqColumn *c, const PqHead *head, const guint8 *body, PqFail *fail)
{
  PqBytes b;
  gsize n = (gsize) head->n_values;
  if (c->has_dictionary)
    return wrong (fail, c->at, "a second dictionary");
  if (head->encoding != PQ_E_PLAIN && head->encoding != PQ_E_PLAIN_DICTIONARY)
    return wrong (fail, c->at, "a dictionary of encoding %" G_GINT64_FORMAT, head->encoding);
  if (!unpack (c, head, body, 0, &c->dictionary_page, &b, fail))
    return FALSE;
  /* no value takes less than a bit */
  if (n / 8 > (gsize) (b.end - b.at))
    return too_short (c, "values", fail);
  gboolean numbers = is_number (c->leaf);
  c->dictionary.bits = numbers ? g_try_new (guint64, n + 1) : NULL;
  c->dictionary.text = numbers ? NULL : g_try_new (PqText, n + 1);
  if (!c->dictionary.bits && !c->dictionary.text) {
    fail->no_memory = TRUE;
    return wrong (fail, c->at, "no memory for a dictionary");
  }
  if (!decode_plain (c->leaf, &b, n, c->dictionary.bits, c->dictionary.text)) {
    g_clear_pointer (&c->dictionary.bits, g_free); /* the page may be read again */
    g_clear_pointer (&c->dictionary.text, g_free);
    return too_short (c, "values of a dictionary", fail);
  }
  c->dictionary.n = n;
  c->has_dictionary = TRUE;
  return TRUE;
}

static gboolean
look_up_numbers (PqColumn *c, gsize n, gboolean one)
{
  const guint32 *code = c->code.data;
  const guint64 *from = c->dictionary.bits;
  guint64 *to = c->bits.data;
  for (gsize k = 0; k < n; k++)
    to[k] = from[code[one ? 0 : k]];
  return TRUE;
}

static gboolean
decode_codes (PqColumn *c, PqBytes *b, gsize n, PqPage *page, PqFail *fail)
{
  const guint32 *code;
  guint32 largest = 0;
  gboolean one = FALSE;
  if (!c->has_dictionary)
    return wrong (fail, c->at, "a page needs a dictionary, but there is none before it");
  if (!need (&c->code, (n + 1) * sizeof (guint32), fail))
    return FALSE;
  code = c->code.data;
  if (n
      && (b->at == b->end
          || !pq_decode_hybrid (&(PqBytes){ b->at + 1, b->end }, *b->at, n, c->code.data, &one)))
    return too_short (c, "values", fail);
  for (gsize k = 0; k < (one ? 1 : n); k++)
    largest = MAX (largest, code[k]);
  if (n && largest >= c->dictionary.n)
    return wrong (fail, c->at, "a page has entry %u of a dictionary of %" G_GSIZE_FORMAT, largest,
                  c->dictionary.n);
  page->one_code = one;
  if (is_number (c->leaf))
    return look_up_numbers (c, n, one);
  page->code = code;
  return TRUE;
}

static gboolean
read_values (PqColumn *c, const PqHead *head, PqBytes *b, PqPage *page, PqFail *fail)
{
  gsize n = page->values.n;
  gboolean numbers = is_number (c->leaf);
  gboolean codes = head->encoding == PQ_E_PLAIN_DICTIONARY || head->encoding == PQ_E_RLE_DICTIONARY;
  if (!need (numbers ? &c->bits : &c->text,
             (n + 1) * (numbers ? sizeof (guint64) : sizeof (PqText)), fail))
    return FALSE;
  page->values.bits = numbers ? c->bits.data : NULL;
  page->values.text = numbers ? NULL : c->text.data;
  if (codes)
    return decode_codes (c, b, n, page, fail);
  if (!pq_encoding_name ((int) head->encoding))
    return wrong (fail, c->at, "a page has the unknown encoding %" G_GINT64_FORMAT, head->encoding);
  if (decode_by (c, head->encoding, b, n, fail))
    return TRUE;
  return fail->why ? FALSE : too_short (c, "values", fail);
}

/* -- Levels ---------------------------------------------------------------- */

/* Returns the bits of a level. */
static guint
width_of_level (guint max)
{
  guint width = 0;
  for (; max; max >>= 1)
    width++;
  return width;
}

/* Reads levels of a page of version 1, which lie before its values: with their length, or bit by
 * bit. */
static gboolean
read_levels_v1 (PqBytes *b, gint64 encoding, guint width, gsize n, guint8 *to, gboolean *one)
{
  guint32 len;
  if (encoding == PQ_E_BIT_PACKED)
    return pq_decode_packed_levels (b, width, n, to);
  if (encoding != PQ_E_RLE || b->end - b->at < 4)
    return FALSE;
  memcpy (&len, b->at, 4);
  len = GUINT32_FROM_LE (len);
  b->at += 4;
  if (len > b->end - b->at)
    return FALSE;
  PqBytes levels = { b->at, b->at + len };
  b->at += len;
  return pq_decode_levels (&levels, width, n, to, one);
}

typedef struct {
  guint max;
  Room *room;
  PqBytes *from;
  gint64 encoding; /* of version 1; -1: version 2 */
} Levels;

/* Sets `same` when all levels are *level. */
static gboolean
read_levels (PqColumn *c, const Levels *l, gsize n, gboolean *same, guint8 *level, PqFail *fail)
{
  guint width = width_of_level (l->max);
  gboolean one = FALSE;
  *same = TRUE;
  *level = 0;
  if (!l->max || !n)
    return TRUE;
  if (!need (l->room, n + 8, fail))
    return FALSE;
  guint8 *to = l->room->data;
  if (l->encoding >= 0 ? !read_levels_v1 (l->from, l->encoding, width, n, to, &one)
                       : !pq_decode_levels (l->from, width, n, to, &one))
    return too_short (c, "levels", fail);
  guint8 largest = 0;
  for (gsize k = 0; k < (one ? 1 : n); k++)
    largest = MAX (largest, to[k]);
  if (largest > l->max)
    return wrong (fail, c->at, "a page has level %u, but its column %u at most", largest, l->max);
  *same = one;
  *level = to[0];
  return TRUE;
}

static gsize
count (const guint8 *def, gsize n, guint8 max)
{
  gsize there = 0;
  for (gsize k = 0; k < n; k++)
    there += def[k] == max;
  return there;
}

static gboolean
take_levels (PqColumn *c, Levels *rep, Levels *def, PqPage *page, PqFail *fail)
{
  gboolean same;
  guint8 level;
  if (!read_levels (c, rep, page->n, &same, &level, fail))
    return FALSE;
  page->rep = same && !level ? NULL : c->rep.data;
  if (!read_levels (c, def, page->n, &same, &level, fail))
    return FALSE;
  if (same && level == c->leaf->max_def) {
    page->values.n = page->n;
    return TRUE;
  }
  page->def = c->def.data;
  page->values.n = same ? 0 : count (page->def, page->n, c->leaf->max_def);
  return TRUE;
}

/* -- Data pages ------------------------------------------------------------ */

static gboolean
read_v1 (PqColumn *c, const PqHead *head, const guint8 *body, PqPage *page, PqFail *fail)
{
  PqBytes b;
  if (!unpack (c, head, body, 0, &c->page, &b, fail))
    return FALSE;
  Levels rep = { c->leaf->max_rep, &c->rep, &b, MAX (head->levels[1], 0) };
  Levels def = { c->leaf->max_def, &c->def, &b, MAX (head->levels[0], 0) };
  return take_levels (c, &rep, &def, page, fail) && read_values (c, head, &b, page, fail);
}

static gboolean
read_v2 (PqColumn *c, const PqHead *head, const guint8 *body, PqPage *page, PqFail *fail)
{
  gint64 n_def = head->level_bytes[0], n_rep = head->level_bytes[1];
  PqBytes b;
  if (n_def < 0 || n_rep < 0 || n_def > head->bytes || n_rep > head->bytes - n_def
      || n_def + n_rep > head->uncompressed)
    return wrong (fail, c->at, "the levels of a page are longer than the page");
  PqBytes rep_bytes = { body, body + n_rep }, def_bytes = { body + n_rep, body + n_rep + n_def };
  Levels rep = { c->leaf->max_rep, &c->rep, &rep_bytes, -1 };
  Levels def = { c->leaf->max_def, &c->def, &def_bytes, -1 };
  return take_levels (c, &rep, &def, page, fail)
         && unpack (c, head, body, (gsize) (n_rep + n_def), &c->page, &b, fail)
         && read_values (c, head, &b, page, fail);
}

static gboolean
read_data (PqColumn *c, const PqHead *head, const guint8 *body, PqPage *page, PqFail *fail)
{
  *page = (PqPage){ .at = c->at, .n = (gsize) head->n_values };
  if (head->n_values > c->left)
    return wrong (fail, c->at,
                  "its pages have more values than the %" G_GINT64_FORMAT " of the footer",
                  c->chunk->n_values);
  return head->type == PQ_DATA_PAGE ? read_v1 (c, head, body, page, fail)
                                    : read_v2 (c, head, body, page, fail);
}

/* Reads one page; *page stays empty where it has no values. */
static gboolean
read_page (PqColumn *c, PqPage *page, PqFail *fail)
{
  PqHead head;
  const guint8 *body = NULL;
  if (!read_head (c, &head, &body, fail) || !check_crc (c, &head, body, fail))
    return FALSE;
  gboolean ok = TRUE;
  if (head.type == PQ_DICTIONARY_PAGE)
    ok = read_dictionary (c, &head, body, fail);
  else if (head.type != PQ_INDEX_PAGE)
    ok = read_data (c, &head, body, page, fail);
  if (ok)
    c->left -= (gint64) page->n;
  if (ok)
    c->at = (guint64) (body - c->data) + (guint64) head.bytes;
  return ok;
}

gboolean
pq_column_next (PqColumn *c, PqPage *page, PqFail *fail)
{
  *page = (PqPage){ 0 };
  if (fail->why)
    return FALSE;
  if (!c->begun && !begin (c, fail))
    return FALSE;
  while (c->left > 0 && c->at < c->end && !page->n)
    if (!read_page (c, page, fail)) {
      *page = (PqPage){ 0 };
      return FALSE;
    }
  if (!page->n && c->left > 0)
    wrong (fail, c->end,
           "its pages have %" G_GINT64_FORMAT " values, but the footer says %" G_GINT64_FORMAT,
           c->chunk->n_values - c->left, c->chunk->n_values);
  return page->n > 0;
}
