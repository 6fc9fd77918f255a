/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - reads FileMetaData; what it does not know it passes over. */
#include "footer.h"

#include "parquet/thrift.h"

#include <string.h>

#define MAX_DEPTH 32 /* of the schema */
#define TAIL 8       /* length of the footer, "PAR1" */

static char *
read_text (struct pq_reader *r, unsigned type)
{
  size_t len;
  const char *text = pq_read_binary (r, type, &len);
  return g_utf8_make_valid (text, (gssize) len);
}

static void
set_text (char **to, struct pq_reader *r, unsigned type)
{
  g_free (*to);
  *to = read_text (r, type);
}

/* -- Schema ---------------------------------------------------------------- */

typedef struct {
  char *name;
  int type, logical;
  gint64 n_children, length;
} Element;

/* The member of a union that is set. */
static int
read_union (struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  int set = 0;
  if (!pq_open_struct (r))
    return 0;
  while (pq_next_field (r, &id, &type)) {
    set = id;
    pq_skip (r, type);
  }
  return set;
}

static Element
read_element (struct pq_reader *r)
{
  Element e = { .type = -1 };
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return e;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      e.type = (int) pq_read_int (r, type);
    else if (id == 2)
      e.length = pq_read_int (r, type);
    else if (id == 4)
      set_text (&e.name, r, type);
    else if (id == 5)
      e.n_children = pq_read_int (r, type);
    else if (id == 10 && type == PQ_T_STRUCT)
      e.logical = read_union (r);
    else
      pq_skip (r, type);
  }
  return e;
}

/* Nodes come before their children: `names` is the way to the next, `left` how many children
 * each of them still has. */
typedef struct {
  GPtrArray *names;
  gint64 left[MAX_DEPTH];
} Way;

static void
go_up (Way *way)
{
  while (way->names->len && way->left[way->names->len - 1] == 0)
    g_ptr_array_set_size (way->names, (gint) way->names->len - 1);
}

static void
add_leaf (PqFooter *footer, Way *way, const Element *e)
{
  g_autoptr (GString) path = g_string_new (NULL);
  for (guint k = 1; k < way->names->len; k++)
    g_string_append_printf (path, "%s.", (char *) way->names->pdata[k]);
  PqLeaf leaf = { g_strconcat (path->str, e->name, NULL), e->type, e->length, e->logical };
  g_array_append_val (footer->leaves, leaf);
}

static gboolean
add_element (PqFooter *footer, Way *way, Element *e)
{
  go_up (way);
  if (way->names->len)
    way->left[way->names->len - 1]--;
  if (!e->name || e->n_children < 0)
    return FALSE;
  if (!e->n_children) {
    add_leaf (footer, way, e);
    return TRUE;
  }
  if (way->names->len == MAX_DEPTH)
    return FALSE;
  way->left[way->names->len] = e->n_children;
  g_ptr_array_add (way->names, g_steal_pointer (&e->name));
  return TRUE;
}

static void
read_schema (PqFooter *footer, struct pq_reader *r, unsigned type)
{
  unsigned element;
  size_t n = pq_read_list (r, type, &element);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Way way = { .names = names };
  for (size_t k = 0; k < n && !r->failed; k++) {
    Element e = read_element (r);
    /* a root without columns is no leaf */
    if (!r->failed && (k || e.n_children) && !add_element (footer, &way, &e))
      r->failed = true;
    g_free (e.name);
  }
}

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

/* PageEncodingStats: the encodings of pages that are no dictionaries. */
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
        set_text (id == 1 ? &pair.key : &pair.value, r, field);
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
      read_schema (footer, r, type);
    else if (id == 3)
      footer->n_rows = pq_read_int (r, type);
    else if (id == 4)
      read_groups (footer, r, type);
    else if (id == 5)
      read_pairs (footer, r, type);
    else if (id == 6)
      set_text (&footer->created_by, r, type);
    else
      pq_skip (r, type);
  }
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
  footer->leaves = g_array_new (FALSE, TRUE, sizeof (PqLeaf));
  footer->pairs = g_array_new (FALSE, TRUE, sizeof (PqPair));
  footer->groups = g_ptr_array_new_with_free_func (free_group);
  g_array_set_clear_func (footer->leaves, clear_leaf);
  g_array_set_clear_func (footer->pairs, clear_pair);
  return footer;
}

void
pq_footer_free (PqFooter *footer)
{
  g_array_unref (footer->leaves);
  g_array_unref (footer->pairs);
  g_ptr_array_unref (footer->groups);
  g_free (footer->created_by);
  g_free (footer);
}

static PqFooter *
wrong (guint64 *at, guint64 where, char **why, const char *text)
{
  *at = where;
  *why = g_strdup (text);
  return NULL;
}

PqFooter *
pq_footer_read (const guint8 *data, guint64 len, guint64 *end, guint64 *at, char **why)
{
  guint32 size;
  if (len < 4 + TAIL || memcmp (data, "PAR1", 4))
    return wrong (at, 0, why, "no \"PAR1\" at the start: this is no Parquet file");
  if (memcmp (data + len - 4, "PAR1", 4))
    return wrong (at, len - 4, why, "no \"PAR1\" at the end: the file is cut; write it again");
  memcpy (&size, data + len - TAIL, 4);
  size = GUINT32_FROM_LE (size);
  if (size > len - 4 - TAIL)
    return wrong (at, len - TAIL, why, "the footer is longer than the file");
  *end = len - TAIL - size;
  g_autoptr (PqFooter) footer = footer_new ();
  struct pq_reader r;
  pq_read_from (&r, data + *end, size);
  read_all (footer, &r);
  if (r.failed)
    return wrong (at, *end, why, "the footer cannot be read: it is damaged");
  for (guint k = 0; k < footer->groups->len; k++)
    if (((PqGroup *) footer->groups->pdata[k])->chunks->len != footer->leaves->len)
      return wrong (at, *end, why, "a row group has not one chunk for each column");
  return g_steal_pointer (&footer);
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
