/* SPDX-License-Identifier: Apache-2.0 */
/* attrs.c - puts attributes of rows: those that have a column go there, the rest become entries of
 * the map.  A set that rows share is spread over the columns once a row group (sets.c); only the
 * own attributes of its rows are looked at, and mostly just copied (fast-attrs.c).  Where a row's
 * own attribute overrides one of the set's, the row does without the set: all its attributes are
 * its own then. */
#include "events.h"

#include <nprof/unmapped.h>

void
attrs_open (struct events *e)
{
  keys_open (e);
  sets_open (e);
}

void
attrs_clear (struct events *e)
{
  g_clear_pointer (&e->sets, g_array_unref);
  g_clear_pointer (&e->keys, g_array_unref);
  nprof_buf_clear (&e->json);
}

/* -- Values ---------------------------------------------------------------- */

/* Puts a number, a bool or an id, for a column of text. */
static void
put_plain (struct nprof_buf *to, const struct nprof_field *f)
{
  switch (f->type) {
  case NPROF_INT64:
    nprof_put_i64 (to, f->value.i);
    break;
  case NPROF_UINT64:
    nprof_put_u64 (to, f->value.u);
    break;
  case NPROF_DOUBLE:
    nprof_put_double (to, f->value.f);
    break;
  case NPROF_BOOL:
    nprof_put_text (to, f->value.u ? "true" : "false");
    break;
  case NPROF_ID128:
    nprof_put_id128 (to, f->bytes + f->value.bytes.at);
    break;
  }
}

/* Returns the value as the column keeps it: bits of a number, or a ref.  Not for an id. */
guint64
attrs_value (struct events *e, struct table_file *table_file, guint leaf,
             const struct nprof_field *f)
{
  const nprof_value *v = &f->value;
  if (f->type == NPROF_STRING)
    return v->s;
  if (attrs_is_text (f->type))
    return table_file_own_text (table_file, leaf, f->bytes + v->bytes.at, v->bytes.len);
  if (table_file_leaf (table_file, leaf)->kind != PQ_TEXT)
    return v->u;
  e->json.len = 0;
  put_plain (&e->json, f);
  return table_file_own_text (table_file, leaf, e->json.data, e->json.len);
}

void
attrs_put_field (struct events *e, struct table_file *table_file, guint leaf,
                 const struct nprof_field *f)
{
  enum pq_kind kind = table_file_leaf (table_file, leaf)->kind;
  if (kind == PQ_UUID)
    table_file_put_uuid (table_file, leaf, f->bytes + f->value.bytes.at);
  else if (kind == PQ_BOOL)
    table_file_put_bool (table_file, leaf, f->value.u != 0);
  else if (kind == PQ_TEXT)
    table_file_put_32 (table_file, leaf, (guint32) attrs_value (e, table_file, leaf, f));
  else
    table_file_put_64 (table_file, leaf, f->value.u);
}

/* -- The map --------------------------------------------------------------- */

void
attrs_put_value (const void *user, struct nprof_buf *to, uint32_t how, uint64_t value)
{
  const struct nprof_field f = { .type = how, .value = { .u = value } };
  if (how == NPROF_STRING) {
    size_t len;
    const struct nprof_host *host = user;
    const char *text = host->string (host, (nprof_str) value, &len);
    nprof_put_json_string (to, text, len, 0);
  } else {
    nprof_put_json_field (to, user, &f, 0);
  }
}

/* Returns an entry; text and JSON lie in the batch, so they are made at once; equal numbers have
 * equal types. */
struct pq_entry
attrs_entry (struct events *e, const struct slice *s, const struct nprof_field *f)
{
  switch (f->type) {
  case NPROF_STRING:
    return (struct pq_entry){ f->value.s, f->key, f->type };
  case NPROF_UINT64:
    return (struct pq_entry){ f->value.u, f->key, f->value.u > INT64_MAX ? f->type : NPROF_INT64 };
  case NPROF_INT64:
  case NPROF_DOUBLE:
  case NPROF_BOOL:
    return (struct pq_entry){ f->value.u, f->key, f->type };
  }
  e->json.len = 0;
  nprof_put_json_field (&e->json, e->host, f, 0);
  return (struct pq_entry){ table_file_own_entry (s->table_file, e->json.data, e->json.len), f->key,
                            PQ_ENTRY_OWN };
}

/* -- Rows ------------------------------------------------------------------ */

static void
put_columns (struct events *e, struct table_file *table_file)
{
  for (guint k = 0; k < e->row_columns.n_used; k++) {
    guint c = e->row_columns.used[k];
    if (e->row_columns.field[c].type != NPROF_NULL)
      attrs_put_field (e, table_file, e->attrs + c, e->row_columns.field + c);
  }
}

static void
put_rest (const struct slice *s)
{
  struct events *e = s->e;
  for (guint k = 0; k < e->row_columns.n_unmapped; k++) {
    if (e->row_columns.unmapped[k].type == NPROF_NULL)
      continue;
    struct pq_entry entry = attrs_entry (e, s, e->row_columns.unmapped + k);
    pq_rows_add_entry (&s->table_file->writer.rows, s->table_file->writer.n_rows, &entry);
  }
}

static nprof_status
put_all (const struct slice *s, const struct nprof_batch *b, guint i)
{
  nprof_status status = nprof_row_columns_row (&s->e->row_columns, b, i);
  if (status != NPROF_OK)
    return status;
  put_columns (s->e, s->table_file);
  put_rest (s);
  return s->e->json.failed ? NPROF_E_NOMEM : NPROF_OK;
}

nprof_status
attrs_put (const struct slice *s, guint i)
{
  const struct nprof_batch *b = s->b;
  struct pq_rows *rows = &s->table_file->writer.rows;
  guint32 set = SETS_NONE;
  gboolean has_own = b->attr_at && b->attr_at[i + 1] > b->attr_at[i];
  nprof_set handle = b->shared ? b->shared[i] : 0;
  nprof_status status = handle ? sets_look_up (s, handle, &set) : NPROF_OK;
  if (status != NPROF_OK || (!handle && !has_own))
    return status;
  if (handle && (set == SETS_NONE || rows->sets.failed))
    return put_all (s, b, i);
  guint64 mask = handle ? pq_rows_set (rows, set)->mask : 0;
  if (has_own && keys_override (s, i, mask))
    return put_all (s, b, i);
  if (handle)
    pq_rows_use_set (rows, s->table_file->writer.n_rows, set);
  if (!has_own || fast_attrs_put (s, i))
    return s->e->json.failed ? NPROF_E_NOMEM : NPROF_OK;
  return put_all (s, s->own, i);
}
