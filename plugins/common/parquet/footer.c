/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - reads FileMetaData and skips unknown members. */
#include "footer.h"

#include "parquet/footer-schema.h"

#include <string.h>

#define TAIL 8 /* length of the footer, "PAR1" */

/* -- Row groups ------------------------------------------------------------ */

static gint64
read_nulls (struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  gint64 nulls = -1;
  if (!pq_open_struct (r))
    return nulls;
  while (pq_next_field (r, &id, &type)) {
    if (id == 3)
      nulls = pq_read_int (r, type);
    else
      pq_skip (r, type);
  }
  return nulls;
}

static guint64
read_encodings (struct pq_reader *r, unsigned type)
{
  unsigned element;
  guint64 bits = 0;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && !r->failed; k++)
    bits |= (guint64) 1 << (pq_read_int (r, element) & 63);
  return bits;
}

/* Reads PageEncodingStats: the encodings of pages that are no dictionaries. */
static guint64
read_data_encodings (struct pq_reader *r, unsigned type)
{
  unsigned element, field;
  int16_t id;
  guint64 bits = 0;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && pq_open_struct (r); k++) {
    gint64 page = -1, encoding = -1;
    while (pq_next_field (r, &id, &field)) {
      if (id == 1)
        page = pq_read_int (r, field);
      else if (id == 2)
        encoding = pq_read_int (r, field);
      else
        pq_skip (r, field);
    }
    if ((page == 0 || page == 3) && encoding >= 0)
      bits |= (guint64) 1 << (encoding & 63);
  }
  return bits;
}

static void
read_meta (PqChunk *c, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    if (id == 2)
      c->encodings = read_encodings (r, type);
    else if (id == 4)
      c->codec = (int) pq_read_int (r, type);
    else if (id == 5)
      c->n_values = pq_read_int (r, type);
    else if (id == 6)
      c->uncompressed = pq_read_int (r, type);
    else if (id == 7)
      c->bytes = pq_read_int (r, type);
    else if (id == 9)
      c->data_at = pq_read_int (r, type);
    else if (id == 11)
      c->dict_at = pq_read_int (r, type);
    else if (id == 12 && type == PQ_T_STRUCT)
      c->nulls = read_nulls (r);
    else if (id == 13)
      c->of_data = read_data_encodings (r, type);
    else
      pq_skip (r, type);
  }
}

static PqChunk
read_chunk (struct pq_reader *r)
{
  PqChunk c = { .nulls = -1, .dict_at = -1, .index_at = -1 };
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return c;
  while (pq_next_field (r, &id, &type)) {
    if (id == 3 && type == PQ_T_STRUCT)
      read_meta (&c, r);
    else if (id == 4)
      c.index_at = pq_read_int (r, type);
    else if (id == 5)
      c.index_bytes = pq_read_int (r, type);
    else
      pq_skip (r, type);
    c.outside |= id == 1;
    c.encrypted |= id == 8;
  }
  return c;
}

static void
read_chunks (PqGroup *group, struct pq_reader *r, unsigned type)
{
  unsigned element;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && !r->failed; k++) {
    PqChunk c = read_chunk (r);
    g_array_append_val (group->chunks, c);
  }
}

static void
free_group (gpointer data)
{
  PqGroup *group = data;
  g_array_unref (group->chunks);
  g_free (group);
}

static void
read_groups (PqFooter *footer, struct pq_reader *r, unsigned type)
{
  unsigned element, field;
  int16_t id;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && pq_open_struct (r); k++) {
    PqGroup *group = g_new0 (PqGroup, 1);
    group->chunks = g_array_new (FALSE, TRUE, sizeof (PqChunk));
    g_ptr_array_add (footer->groups, group);
    while (pq_next_field (r, &id, &field)) {
      if (id == 1)
        read_chunks (group, r, field);
      else if (id == 3)
        group->n_rows = pq_read_int (r, field);
      else
        pq_skip (r, field);
    }
  }
}

/* -- The whole ------------------------------------------------------------- */

static void
read_pairs (PqFooter *footer, struct pq_reader *r, unsigned type)
{
  unsigned element, field;
  int16_t id;
  size_t n = pq_read_list (r, type, &element);
  for (size_t k = 0; k < n && pq_open_struct (r); k++) {
    PqPair pair = { 0 };
    while (pq_next_field (r, &id, &field)) {
      if (id == 1 || id == 2)
        pq_read_text (r, field, id == 1 ? &pair.key : &pair.value);
      else
        pq_skip (r, field);
    }
    g_array_append_val (footer->pairs, pair);
  }
}

static void
read_all (PqFooter *footer, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      footer->version = pq_read_int (r, type);
    else if (id == 2)
      pq_read_schema (footer, r, type);
    else if (id == 3)
      footer->n_rows = pq_read_int (r, type);
    else if (id == 4)
      read_groups (footer, r, type);
    else if (id == 5)
      read_pairs (footer, r, type);
    else if (id == 6)
      pq_read_text (r, type, &footer->created_by);
    else
      pq_skip (r, type);
  }
}

static void
clear_node (gpointer data)
{
  g_free (((PqNode *) data)->name);
}

static void
clear_leaf (gpointer data)
{
  g_free (((PqLeaf *) data)->path);
}

static void
clear_pair (gpointer data)
{
  g_free (((PqPair *) data)->key);
  g_free (((PqPair *) data)->value);
}

static PqFooter *
footer_new (void)
{
  PqFooter *footer = g_new0 (PqFooter, 1);
  footer->nodes = g_array_new (FALSE, TRUE, sizeof (PqNode));
  footer->leaves = g_array_new (FALSE, TRUE, sizeof (PqLeaf));
  footer->pairs = g_array_new (FALSE, TRUE, sizeof (PqPair));
  footer->groups = g_ptr_array_new_with_free_func (free_group);
  g_array_set_clear_func (footer->nodes, clear_node);
  g_array_set_clear_func (footer->leaves, clear_leaf);
  g_array_set_clear_func (footer->pairs, clear_pair);
  return footer;
}

void
pq_footer_free (PqFooter *footer)
{
  g_array_unref (footer->nodes);
  g_array_unref (footer->leaves);
  g_array_unref (footer->pairs);
  g_ptr_array_unref (footer->groups);
  g_free (footer->created_by);
  g_free (footer);
}

static PqFooter *
fail_footer (guint64 *at, guint64 where, char **why, const char *text)
{
  *at = where;
  *why = g_strdup (text);
  return NULL;
}

PqFooter *
pq_footer_read (const guint8 *data, guint64 len, guint64 *end, guint64 *at, char **why)
{
  guint32 size;
  if (len >= 4 + TAIL && !memcmp (data + len - 4, "PARE", 4))
    return fail_footer (
        at, len - 4, why,
        "the file is encrypted, which nprof does not read: decrypt it with the program "
        "that holds the keys");
  if (len < 4 + TAIL || memcmp (data, "PAR1", 4))
    return fail_footer (at, 0, why, "no \"PAR1\" at the start: this is no Parquet file");
  if (memcmp (data + len - 4, "PAR1", 4))
    return fail_footer (at, len - 4, why,
                        "no \"PAR1\" at the end: the file is cut; write it again");
  memcpy (&size, data + len - TAIL, 4);
  size = GUINT32_FROM_LE (size);
  if (size > len - 4 - TAIL)
    return fail_footer (at, len - TAIL, why, "the footer is longer than the file");
  *end = len - TAIL - size;
  g_autoptr (PqFooter) footer = footer_new ();
  struct pq_reader r;
  pq_read_from (&r, data + *end, size);
  read_all (footer, &r);
  if (r.failed)
    return fail_footer (at, *end, why, "the footer cannot be read: it is damaged");
  if (!footer->nodes->len)
    return fail_footer (at, *end, why, "the footer has no schema: it is damaged");
  for (guint k = 0; k < footer->groups->len; k++)
    if (((PqGroup *) footer->groups->pdata[k])->chunks->len != footer->leaves->len)
      return fail_footer (at, *end, why, "a row group has not one chunk for each column");
  return g_steal_pointer (&footer);
}

/* -- Looking up ------------------------------------------------------------ */

const PqChunk *
pq_chunk (const PqFooter *footer, guint group, guint leaf)
{
  const PqGroup *g = g_ptr_array_index (footer->groups, group);
  return &g_array_index (g->chunks, PqChunk, leaf);
}

const PqNode *
pq_node (const PqFooter *footer, guint node)
{
  return &g_array_index (footer->nodes, PqNode, node);
}

const PqLeaf *
pq_leaf (const PqFooter *footer, guint leaf)
{
  return &g_array_index (footer->leaves, PqLeaf, leaf);
}

gint64
pq_group_rows (const PqFooter *footer, guint group)
{
  return ((const PqGroup *) g_ptr_array_index (footer->groups, group))->n_rows;
}

const char *
pq_pair (const PqFooter *footer, const char *key)
{
  for (guint k = 0; k < footer->pairs->len; k++) {
    const PqPair *pair = &g_array_index (footer->pairs, PqPair, k);
    if (g_strcmp0 (pair->key, key) == 0)
      return pair->value;
  }
  return NULL;
}

/* -- Names ----------------------------------------------------------------- */

const char *
pq_type_name (int type)
{
  static const char *const names[]
      = { "boolean", "int32", "int64", "int96", "float", "double", "byte_array", "fixed" };
  return type >= 0 && type < (int) G_N_ELEMENTS (names) ? names[type] : "unknown";
}

const char *
pq_logical_name (int logical)
{
  static const char *const names[]
      = { "",     "string",    "map",     "list",     "enum",     "decimal", "date",
          "time", "timestamp", "",        "integer",  "null",     "json",    "bson",
          "uuid", "float16",   "variant", "geometry", "geography" };
  return logical >= 0 && logical < (int) G_N_ELEMENTS (names) ? names[logical] : "";
}

const char *
pq_codec_name (int codec)
{
  static const char *const names[]
      = { "none", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw" };
  return codec >= 0 && codec < (int) G_N_ELEMENTS (names) ? names[codec] : "unknown";
}

const char *
pq_encoding_name (int encoding)
{
  static const char *const names[] = { "PLAIN",
                                       NULL,
                                       "PLAIN_DICTIONARY",
                                       "RLE",
                                       "BIT_PACKED",
                                       "DELTA_BINARY_PACKED",
                                       "DELTA_LENGTH_BYTE_ARRAY",
                                       "DELTA_BYTE_ARRAY",
                                       "RLE_DICTIONARY",
                                       "BYTE_STREAM_SPLIT" };
  return encoding >= 0 && encoding < (int) G_N_ELEMENTS (names) ? names[encoding] : NULL;
}
