/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - writes FileMetaData: schema, row groups, key-value metadata.  The numbers of fields
 * and of types are those of parquet.thrift. */
#include "file.h"
#include "parquet/thrift.h"

enum { OPTIONAL = 1, REPEATED = 2, REQUIRED = 0 };
/* ConvertedType, which old readers look at */
enum { UTF8 = 0, MAP = 1, UINT_32 = 13, UINT_64 = 14, NO_CONVERTED = -1 };
/* LogicalType */
enum { L_NONE = 0, L_STRING = 1, L_MAP = 2, L_TIMESTAMP = 8, L_INTEGER = 10, L_UUID = 14 };

/* -- Schema ---------------------------------------------------------------- */

static void
put_unsigned (struct pq_thrift *t, int8_t bits)
{
  pq_field_byte (t, 1, bits);
  pq_field_bool (t, 2, false);
}

static void
put_nanoseconds_utc (struct pq_thrift *t)
{
  pq_field_bool (t, 1, true);
  pq_field_struct (t, 2);
  pq_field_struct (t, 3);
  pq_end (t);
  pq_end (t);
}

static int16_t
logical_of (enum pq_kind kind)
{
  switch (kind) {
  case PQ_UINT32:
  case PQ_UINT64:
    return L_INTEGER;
  case PQ_TIMESTAMP_NS:
    return L_TIMESTAMP;
  case PQ_UUID:
    return L_UUID;
  default:
    return pq_is_bytes (kind) ? L_STRING : L_NONE;
  }
}

static int
converted_of (enum pq_kind kind)
{
  return kind == PQ_UINT32    ? UINT_32
         : kind == PQ_UINT64  ? UINT_64
         : pq_is_bytes (kind) ? UTF8
                              : NO_CONVERTED;
}

static void
put_logical (struct pq_thrift *t, int16_t logical, enum pq_kind kind)
{
  pq_field_struct (t, 10);
  pq_field_struct (t, logical);
  if (logical == L_INTEGER)
    put_unsigned (t, kind == PQ_UINT32 ? 32 : 64);
  if (logical == L_TIMESTAMP)
    put_nanoseconds_utc (t);
  pq_end (t);
  pq_end (t);
}

static void
put_leaf (struct pq_thrift *t, const char *name, enum pq_kind kind, int repetition)
{
  pq_element_struct (t);
  pq_field_int (t, 1, PQ_T_I32, pq_physical (kind));
  if (kind == PQ_UUID)
    pq_field_int (t, 2, PQ_T_I32, 16);
  pq_field_int (t, 3, PQ_T_I32, repetition);
  pq_field_text (t, 4, name);
  if (converted_of (kind) != NO_CONVERTED)
    pq_field_int (t, 6, PQ_T_I32, converted_of (kind));
  if (logical_of (kind))
    put_logical (t, logical_of (kind), kind);
  pq_end (t);
}

/* Puts a node; repetition -1 is the root. */
static void
put_node (struct pq_thrift *t, const char *name, int repetition, size_t n_children, bool map)
{
  pq_element_struct (t);
  if (repetition >= 0)
    pq_field_int (t, 3, PQ_T_I32, repetition);
  pq_field_text (t, 4, name);
  pq_field_int (t, 5, PQ_T_I32, (int64_t) n_children);
  if (map) {
    pq_field_int (t, 6, PQ_T_I32, MAP);
    put_logical (t, L_MAP, PQ_TEXT);
  }
  pq_end (t);
}

/* Puts the schema; a map is three nodes above its two leaves: LogicalTypes.md, "Maps". */
static void
put_schema (struct pq_thrift *t, const struct pq_file *file)
{
  size_t n = 1, top = 0;
  for (uint32_t k = 0; k < file->n_columns; k++) {
    n += file->columns[k].kind == PQ_MAP_KEY ? 3 : 1;
    top += file->columns[k].kind != PQ_MAP_VALUE;
  }
  pq_field_list (t, 2, PQ_T_STRUCT, n);
  put_node (t, "schema", -1, top, false);
  for (uint32_t k = 0; k < file->n_columns; k++) {
    const struct pq_column *c = file->columns + k;
    if (c->kind == PQ_MAP_KEY) {
      put_node (t, c->name, OPTIONAL, 1, true);
      put_node (t, "key_value", REPEATED, 2, false);
    }
    if (pq_is_map (c->kind))
      put_leaf (t, c->kind == PQ_MAP_KEY ? "key" : "value", c->kind, REQUIRED);
    else
      put_leaf (t, c->name, c->kind, OPTIONAL);
  }
}

/* -- Row groups ------------------------------------------------------------ */

static void
put_statistics (struct pq_thrift *t, const struct pq_meta *m)
{
  pq_field_struct (t, 12);
  pq_field_int (t, 3, PQ_T_I64, (int64_t) m->nulls);
  if (m->range.known) {
    pq_field_binary (t, 5, m->range.max.data, m->range.max.len);
    pq_field_binary (t, 6, m->range.min.data, m->range.min.len);
    pq_field_bool (t, 7, m->range.max.exact);
    pq_field_bool (t, 8, m->range.min.exact);
  }
  pq_end (t);
}

static void
put_page_count (struct pq_thrift *t, int page, int encoding, int64_t n)
{
  pq_element_struct (t);
  pq_field_int (t, 1, PQ_T_I32, page);
  pq_field_int (t, 2, PQ_T_I32, encoding);
  pq_field_int (t, 3, PQ_T_I32, n);
  pq_end (t);
}

static void
put_encodings (struct pq_thrift *t, const struct pq_meta *m)
{
  bool two = m->dict_bytes > 0;
  pq_field_list (t, 2, PQ_T_I32, two ? 3 : 2);
  pq_put_zigzag (t->to, PQ_ENC_RLE);
  pq_put_zigzag (t->to, m->encoding);
  if (two)
    pq_put_zigzag (t->to, PQ_ENC_PLAIN);
}

static void
put_path (struct pq_thrift *t, const struct pq_column *c)
{
  bool map = pq_is_map (c->kind);
  pq_field_list (t, 3, PQ_T_BINARY, map ? 3 : 1);
  pq_element_binary (t, c->name, strlen (c->name));
  if (!map)
    return;
  pq_element_binary (t, "key_value", 9);
  if (c->kind == PQ_MAP_KEY)
    pq_element_binary (t, "key", 3);
  else
    pq_element_binary (t, "value", 5);
}

static void
put_meta (struct pq_thrift *t, const struct pq_file *file, const struct pq_column *c,
          const struct pq_meta *m)
{
  pq_field_struct (t, 3);
  pq_field_int (t, 1, PQ_T_I32, pq_physical (c->kind));
  put_encodings (t, m);
  put_path (t, c);
  pq_field_int (t, 4, PQ_T_I32, pq_codec_id (file->codec));
  pq_field_int (t, 5, PQ_T_I64, (int64_t) m->n_values);
  pq_field_int (t, 6, PQ_T_I64, (int64_t) m->uncompressed);
  pq_field_int (t, 7, PQ_T_I64, (int64_t) m->bytes);
  pq_field_int (t, 9, PQ_T_I64, (int64_t) (m->at + m->dict_bytes));
  if (m->dict_bytes)
    pq_field_int (t, 11, PQ_T_I64, (int64_t) m->at);
  put_statistics (t, m);
  pq_field_list (t, 13, PQ_T_STRUCT, m->dict_bytes ? 2 : 1);
  if (m->dict_bytes)
    put_page_count (t, PQ_PAGE_DICT, PQ_ENC_PLAIN, 1);
  put_page_count (t, PQ_PAGE_DATA, m->encoding, m->n_pages);
  pq_end (t);
}

static void
put_index_place (struct pq_thrift *t, int16_t id, uint64_t *at, uint32_t bytes)
{
  if (!bytes)
    return;
  pq_field_int (t, id, PQ_T_I64, (int64_t) *at);
  pq_field_int (t, (int16_t) (id + 1), PQ_T_I32, bytes);
  *at += bytes;
}

static void
put_sorting (struct pq_thrift *t, const struct pq_file *file, const struct pq_group *group)
{
  if (!group->n_sorting)
    return;
  pq_field_list (t, 4, PQ_T_STRUCT, group->n_sorting);
  for (uint32_t k = 0; k < group->n_sorting; k++) {
    pq_element_struct (t);
    pq_field_int (t, 1, PQ_T_I32, file->sorting[k].column);
    pq_field_bool (t, 2, file->sorting[k].descending);
    pq_field_bool (t, 3, false);
    pq_end (t);
  }
}

static void
put_group (struct pq_thrift *t, const struct pq_file *file, size_t number, uint64_t *column_index,
           uint64_t *offset_index)
{
  const struct pq_group *group
      = (const struct pq_group *) (const void *) file->groups.data + number;
  const struct pq_meta *m
      = (const struct pq_meta *) (const void *) file->metas.data + number * file->n_columns;
  uint64_t bytes = 0, uncompressed = 0;
  pq_element_struct (t);
  pq_field_list (t, 1, PQ_T_STRUCT, file->n_columns);
  for (uint32_t k = 0; k < file->n_columns; k++) {
    pq_element_struct (t);
    pq_field_int (t, 2, PQ_T_I64, 0); /* deprecated, and 0 is what it should be */
    put_meta (t, file, file->columns + k, m + k);
    put_index_place (t, 4, offset_index, m[k].offset_index);
    put_index_place (t, 6, column_index, m[k].column_index);
    pq_end (t);
    bytes += m[k].bytes;
    uncompressed += m[k].uncompressed;
  }
  pq_field_int (t, 2, PQ_T_I64, (int64_t) uncompressed);
  pq_field_int (t, 3, PQ_T_I64, (int64_t) group->n_rows);
  put_sorting (t, file, group);
  pq_field_int (t, 5, PQ_T_I64, (int64_t) m[0].at);
  pq_field_int (t, 6, PQ_T_I64, (int64_t) bytes);
  if (number <= INT16_MAX)
    pq_field_int (t, 7, PQ_T_I16, (int64_t) number);
  pq_end (t);
}

/* -- The whole ------------------------------------------------------------- */

static void
put_pairs (struct pq_thrift *t, const struct pq_pair *pairs, size_t n)
{
  if (!n)
    return;
  pq_field_list (t, 5, PQ_T_STRUCT, n);
  for (size_t k = 0; k < n; k++) {
    pq_element_struct (t);
    pq_field_text (t, 1, pairs[k].key);
    pq_field_text (t, 2, pairs[k].value);
    pq_end (t);
  }
}

/* Puts the orders, without which statistics are not used: all columns are ordered as their types
 * are. */
static void
put_orders (struct pq_thrift *t, uint32_t n_columns)
{
  pq_field_list (t, 7, PQ_T_STRUCT, n_columns);
  for (uint32_t k = 0; k < n_columns; k++) {
    pq_element_struct (t);
    pq_field_struct (t, 1);
    pq_end (t);
    pq_end (t);
  }
}

void
pq_put_footer (struct nprof_buf *to, const struct pq_file *file, uint64_t column_indexes,
               uint64_t offset_indexes, const struct pq_pair *pairs, size_t n_pairs, const char *by)
{
  struct pq_thrift t = { .to = to };
  size_t n_groups = file->groups.len / sizeof (struct pq_group);
  pq_field_int (&t, 1, PQ_T_I32, 2);
  put_schema (&t, file);
  pq_field_int (&t, 3, PQ_T_I64, (int64_t) file->n_rows);
  pq_field_list (&t, 4, PQ_T_STRUCT, n_groups);
  for (size_t k = 0; k < n_groups; k++)
    put_group (&t, file, k, &column_indexes, &offset_indexes);
  put_pairs (&t, pairs, n_pairs);
  pq_field_text (&t, 6, by);
  put_orders (&t, file->n_columns);
  pq_end (&t);
}
