/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - attributes as columns: a value whose type does not fit its column's exactly stands
 * among the rest, as in all outputs. */
#include "sql/profile.h"
#include "system/json-writer.h"

#include <nprof/format.h>
#include <nprof/keys.h>
#include <nprof/row.h>
#include <string.h>

/* -- Values -------------------------------------------------------------------------------- */

void
np_sql_result_value (NpSqlProfile *p, guint32 type, guint64 bits, const char *text, guint32 len,
                     sqlite3_context *out)
{
  struct nprof_cell cell = { .type = type, .len = len, .v.u = bits };
  if (type == NPROF_STRING) {
    NpSqlText string = np_sql_string (p, (guint32) bits);
    cell.type = NPROF_TEXT;
    cell.len = (guint32) string.len;
    cell.v.text = string.text ? string.text : "";
  } else if (type > NPROF_STRING) {
    cell.v.text = text;
  }
  np_sql_result_cell (&cell, out);
}

static bool
has_bytes (guint32 type)
{
  return type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

/* Gives the value as its column's type; false: it does not fit. */
static bool
result_fitting (NpSqlProfile *p, guint32 column_type, guint32 type, guint64 bits,
                sqlite3_context *out)
{
  struct nprof_field f = { .type = type, .value.u = bits };
  if (type == NPROF_STRING)
    f.value.s = (guint32) bits;
  if (type == NPROF_NULL || type > NPROF_ID128 || !nprof_fit (column_type, &f))
    return false;
  guint32 len = 0;
  const char *text = has_bytes (type) ? nprof_store_text (&p->query, bits, &len) : NULL;
  if (has_bytes (type) && (!text || (type == NPROF_ID128 && len != 16)))
    sqlite3_result_error (out, p->query.error, -1);
  else
    np_sql_result_value (p, f.type, f.type == NPROF_STRING ? f.value.s : f.value.u, text, len, out);
  return true;
}

/* -- A column of a row ----------------------------------------------------------------------- */

/* Returns by column 1 + the last key of the shape that is the column's; 0: it has none. */
static const guint16 *
columns_of_shape (NpSqlProfile *p, guint32 shape)
{
  const guint16 *keys;
  guint32 n;
  if (shape >= p->shapes->len)
    return NULL;
  guint16 *of = g_ptr_array_index (p->shapes, shape);
  if (of || !nprof_store_shape (&p->query, shape, &keys, &n))
    return of;
  of = g_new0 (guint16, p->columns->len + 1);
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_store_key *key = nprof_store_key_at (p->store, keys[i]);
    guint column
        = key ? GPOINTER_TO_UINT (g_hash_table_lookup (p->by_key, GUINT_TO_POINTER (key->key))) : 0;
    if (column)
      of[column - 1] = (guint16) (keys[i] + 1);
  }
  return p->shapes->pdata[shape] = of;
}

static void
result_shared (NpSqlProfile *p, guint32 set, const NpSqlColumn *column, sqlite3_context *out)
{
  const struct nprof_store_value *values;
  guint32 n;
  if (!set)
    return;
  if (!nprof_store_set (&p->query, set, &values, &n)) {
    sqlite3_result_error (out, p->query.error, -1);
    return;
  }
  for (guint32 i = n; i-- > 0;)
    if (values[i].key == column->key) {
      result_fitting (p, column->type, values[i].type, values[i].value, out);
      return;
    }
}

void
np_sql_result_attribute (NpSqlProfile *p, const NpSqlRow *row, guint number, sqlite3_context *out)
{
  const struct nprof_store_block *b = row->block;
  const NpSqlColumn *column = &g_array_index (p->columns, NpSqlColumn, number);
  guint32 shape
      = (guint32) nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_SHAPE), row->i);
  const guint16 *keys = columns_of_shape (p, shape);
  if (!column->any)
    return;
  if (!keys) {
    sqlite3_result_error (out, *p->query.error ? p->query.error : "the store is damaged", -1);
    return;
  }
  if (!keys[number]) {
    guint32 set = (guint32) nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_SET), row->i);
    result_shared (p, set, column, out);
    return;
  }
  const struct nprof_store_key *key = nprof_store_key_at (p->store, keys[number] - 1u);
  gint64 bits
      = nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_ATTR + keys[number] - 1u), row->i);
  result_fitting (p, column->type, key->type, (guint64) bits, out);
}

/* -- What has no column ------------------------------------------------------------------------ */

static void
put_field (NpSqlProfile *p, struct nprof_buf *b, const struct nprof_store_field *f)
{
  NpSqlText s;
  switch (f->type) {
  case NPROF_INT64:
    nprof_put_json_i64 (b, f->v.i, 0);
    break;
  case NPROF_UINT64:
    nprof_put_json_u64 (b, f->v.u, 0);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (b, f->v.f);
    break;
  case NPROF_BOOL:
    nprof_put_text (b, f->v.u ? "true" : "false");
    break;
  case NPROF_STRING:
    s = np_sql_string (p, f->v.s);
    nprof_put_json_string (b, s.text ? s.text : "", s.len, 0);
    break;
  case NPROF_JSON:
    nprof_put_json (b, f->v.text, f->len, 0);
    break;
  case NPROF_ID128:
    nprof_put_char (b, '"');
    nprof_put_id128 (b, f->v.text);
    nprof_put_char (b, '"');
    break;
  default:
    nprof_put_json_string (b, f->v.text, f->len, 0);
  }
}

static bool
has_column (const NpSqlProfile *p, const struct nprof_store_field *f)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (p->by_key, GUINT_TO_POINTER (f->key)));
  struct nprof_field copy = { .type = f->type, .value.u = f->v.u };
  if (f->type == NPROF_STRING)
    copy.value.s = f->v.s;
  return number && nprof_fit (g_array_index (p->columns, NpSqlColumn, number - 1).type, &copy);
}

bool
np_sql_leaves (NpSqlProfile *p, const struct nprof_store_field *f)
{
  static const char *const meaning[] = { NPROF_MEANING_KEYS, NULL };
  const NpSqlText key = np_sql_string (p, f->key);
  return key.text && g_strv_contains (meaning, key.text)
         && !g_hash_table_contains (p->by_key, GUINT_TO_POINTER (f->key));
}

static void
put_rest (NpSqlProfile *p, const struct nprof_store_field *fields, guint32 n, struct nprof_buf *b)
{
  NpJson json = { .buf = b };
  for (guint32 i = 0; i < n; i++) {
    if (has_column (p, fields + i) || np_sql_leaves (p, fields + i))
      continue;
    NpSqlText key = np_sql_string (p, fields[i].key);
    if (!b->len)
      np_json_object (&json, NULL);
    put_field (p, np_json_value (&json, key.text ? key.text : "", key.len), fields + i);
  }
  if (b->len)
    np_json_end_object (&json);
}

void
np_sql_result_rest (NpSqlProfile *p, const NpSqlRow *row, sqlite3_context *out)
{
  struct nprof_event event;
  const struct nprof_store_field *fields;
  guint32 n;
  struct nprof_buf b = { 0 };
  if (!np_sql_event (p, row, &event)
      || !nprof_store_fields (&p->query, &event, false, &fields, &n)) {
    sqlite3_result_error (out, p->query.error, -1);
    return;
  }
  put_rest (p, fields, n, &b);
  if (b.len)
    sqlite3_result_text64 (out, b.data, b.len, SQLITE_TRANSIENT, SQLITE_UTF8);
  nprof_buf_clear (&b);
}
