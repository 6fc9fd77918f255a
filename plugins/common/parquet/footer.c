/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - reads FileMetaData and passes over unknown members. */
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

/* Reads a TimeUnit: the member of the union that is set. */
static int
read_unit (struct pq_reader *r)
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

/* Reads fields 1 and 2 of the struct of a member of LogicalType. */
static void
read_logical_member (PqNode *n, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    if (n->logical == PQ_L_DECIMAL && id == 1)
      n->scale = pq_read_int (r, type);
    else if (n->logical == PQ_L_DECIMAL && id == 2)
      n->precision = pq_read_int (r, type);
    else if (n->logical == PQ_L_INTEGER && id == 2)
      n->is_unsigned = !pq_read_int (r, type);
    else if ((n->logical == PQ_L_TIME || n->logical == PQ_L_TIMESTAMP) && id == 1)
      n->utc = pq_read_int (r, type) != 0;
    else if ((n->logical == PQ_L_TIME || n->logical == PQ_L_TIMESTAMP) && id == 2
             && type == PQ_T_STRUCT)
      n->unit = read_unit (r);
    else
      pq_skip (r, type);
  }
}

static void
read_logical (PqNode *n, struct pq_reader *r)
{
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return;
  while (pq_next_field (r, &id, &type)) {
    n->logical = id;
    if (type == PQ_T_STRUCT)
      read_logical_member (n, r);
    else
      pq_skip (r, type);
  }
}

/* Converts a ConvertedType, which older writers have instead. */
static void
convert (PqNode *n, gint64 converted)
{
  static const struct {
    guint8 logical, unit, is_unsigned;
  } as[] = { { PQ_L_STRING, 0, 0 },
             { PQ_L_MAP, 0, 0 },
             { PQ_L_MAP, 0, 0 }, /* MAP_KEY_VALUE */
             { PQ_L_LIST, 0, 0 },
             { PQ_L_ENUM, 0, 0 },
             { PQ_L_DECIMAL, 0, 0 },
             { PQ_L_DATE, 0, 0 },
             { PQ_L_TIME, PQ_MILLIS, 0 },
             { PQ_L_TIME, PQ_MICROS, 0 },
             { PQ_L_TIMESTAMP, PQ_MILLIS, 0 },
             { PQ_L_TIMESTAMP, PQ_MICROS, 0 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 1 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_INTEGER, 0, 0 },
             { PQ_L_JSON, 0, 0 },
             { PQ_L_BSON, 0, 0 } };
  if (n->logical || converted < 0 || converted >= (gint64) G_N_ELEMENTS (as))
    return;
  n->logical = as[converted].logical;
  n->unit = as[converted].unit;
  n->is_unsigned = as[converted].is_unsigned;
  n->utc = n->logical == PQ_L_TIMESTAMP; /* as LogicalTypes.md has it */
}

static PqNode
read_node (struct pq_reader *r)
{
  PqNode n = { .type = -1 };
  gint64 converted = -1;
  int16_t id;
  unsigned type;
  if (!pq_open_struct (r))
    return n;
  while (pq_next_field (r, &id, &type)) {
    if (id == 1)
      n.type = (int) pq_read_int (r, type);
    else if (id == 2)
      n.length = pq_read_int (r, type);
    else if (id == 3)
      n.repetition = (int) pq_read_int (r, type);
    else if (id == 4)
      set_text (&n.name, r, type);
    else if (id == 5)
      n.n_children = pq_read_int (r, type);
    else if (id == 6)
      converted = pq_read_int (r, type);
    else if (id == 7)
      n.scale = pq_read_int (r, type);
    else if (id == 8)
      n.precision = pq_read_int (r, type);
    else if (id == 10 && type == PQ_T_STRUCT)
      read_logical (&n, r);
    else
      pq_skip (r, type);
  }
  convert (&n, converted);
  return n;
}

/* Nodes come before their children, so `nodes` is the way to the next, and `left` how many children
 * each of them still has. */
typedef struct {
  guint nodes[MAX_DEPTH];
  gint64 left[MAX_DEPTH];
  guint depth;
} Way;

static PqNode *
node_at (PqFooter *footer, guint k)
{
  return &g_array_index (footer->nodes, PqNode, k);
}

/* Leaves the groups whose children have all been seen. */
static void
go_up (PqFooter *footer, Way *way)
{
  while (way->depth && way->left[way->depth - 1] == 0) {
    PqNode *done = node_at (footer, way->nodes[--way->depth]);
    done->next = footer->nodes->len;
    done->n_leaves = footer->leaves->len - done->leaf;
  }
}

static void
add_leaf (PqFooter *footer, const Way *way, guint node)
{
  const PqNode *n = node_at (footer, node);
  g_autoptr (GString) path = g_string_new (NULL);
  for (guint k = 1; k < way->depth; k++)
    g_string_append_printf (path, "%s.", node_at (footer, way->nodes[k])->name);
  PqLeaf leaf = { g_strconcat (path->str, n->name, NULL),
                  n->type,
                  n->length,
                  n->logical,
                  n->is_unsigned,
                  node,
                  n->max_def,
                  n->max_rep };
  g_array_append_val (footer->leaves, leaf);
}

/* Adds a node below the last one of the way. */
static gboolean
add_node (PqFooter *footer, Way *way, PqNode *n)
{
  go_up (footer, way);
  guint number = footer->nodes->len;
  if (!n->name || n->n_children < 0 || n->repetition < 0 || n->repetition > PQ_REPEATED
      || (number && !way->depth) || way->depth == MAX_DEPTH)
    return FALSE;
  if (way->depth) {
    way->left[way->depth - 1]--;
    n->parent = way->nodes[way->depth - 1];
    n->max_def = node_at (footer, n->parent)->max_def + (n->repetition != PQ_REQUIRED);
    n->max_rep = node_at (footer, n->parent)->max_rep + (n->repetition == PQ_REPEATED);
  }
  n->leaf = footer->leaves->len;
  n->next = number + 1;
  n->n_leaves = !n->n_children;
  g_array_append_val (footer->nodes, *n);
  n->name = NULL;
  if (!number || n->n_children) {
    way->left[way->depth] = n->n_children;
    way->nodes[way->depth++] = number;
  } else
    add_leaf (footer, way, number);
  return TRUE;
}

static void
read_schema (PqFooter *footer, struct pq_reader *r, unsigned type)
{
  unsigned element;
  size_t n = pq_read_list (r, type, &element);
  Way way = { .depth = 0 };
  for (size_t k = 0; k < n && !r->failed; k++) {
    PqNode node = read_node (r);
    if (!k)
      node.repetition = PQ_REQUIRED; /* the root has none, whatever is said */
    if (!r->failed && !add_node (footer, &way, &node))
      r->failed = true;
    g_free (node.name);
  }
  go_up (footer, &way);
  r->failed |= way.depth > 0; /* children are missing */
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
