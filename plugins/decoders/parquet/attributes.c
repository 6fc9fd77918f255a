/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - puts the attributes of a slice of rows, column by column: first how many each row
 * has, then where each goes. */
#include "rows.h"

#include <nprof/json.h>

static gboolean
is_attribute (const Field *f)
{
  return f->role == FIELD_ATTRIBUTE || f->role == FIELD_MAP || f->role == FIELD_REST;
}

static gboolean
is_list (const Field *f)
{
  return f->nested || f->role != FIELD_ATTRIBUTE;
}

/* -- Which are read -------------------------------------------------------- */

/* Returns whether a component reads the key; one that reads it of some rows only gets it of all. */
static gboolean
somebody_reads (const Rows *r, const char *key)
{
  return r->host->wanted (r->host, key) || r->host->row_want (r->host, key, 0);
}

/* Returns whether the key is wanted; rows of flows must always say which end they are. */
static gboolean
key_wanted (Rows *r, nprof_str key)
{
  gpointer known = g_hash_table_lookup (r->keys, GUINT_TO_POINTER (key));
  if (!known) {
    gboolean wanted = key == r->flow_phase || somebody_reads (r, nprof_text (r->host, key));
    known = GUINT_TO_POINTER (1 + wanted);
    g_hash_table_insert (r->keys, GUINT_TO_POINTER (key), known);
  }
  return GPOINTER_TO_UINT (known) - 1;
}

/* Returns whether a component reads one of the keys of a map, where they are in a dictionary. */
static gboolean
map_wanted (Rows *r, Column *c)
{
  PqFail fail = { 0 };
  Cursor *keys = &c->nested.cursors[0];
  gboolean any = !cursor_left (keys, &fail) || !keys->page.code;
  r->one.failed |= fail.no_memory;
  g_free (fail.why); /* is found again when it is read */
  for (gsize k = 0; !any && k < keys->n_known; k++) {
    const PqText *text = &pq_column_dictionary (keys->column)->text[k];
    any = key_wanted (r, r->host->intern (r->host, text->data, text->len));
  }
  return any;
}

void
attributes_begin (Rows *r)
{
  for (guint k = 0; k < r->s->fields->len; k++) {
    Field *f = source_field (r->s, k);
    Column *c = &r->columns[k];
    if (!is_attribute (f))
      continue;
    c->wanted = f->role == FIELD_ATTRIBUTE ? key_wanted (r, f->handle) : TRUE;
    c->open = c->wanted || r->facts;
    if (!c->open)
      continue;
    if (is_list (f))
      nested_begin (&c->nested, r->host, r->s->data, r->s->end, r->s->footer, r->part->group,
                    f->node);
    else
      cursor_begin (&c->cursor, r->host, r->s->data, r->s->end, r->s->footer, r->part->group,
                    source_leaf (r->s, f));
    if (f->role != FIELD_ATTRIBUTE && !r->facts && !map_wanted (r, c)) {
      nested_end (&c->nested);
      c->open = FALSE;
    }
  }
}

/* Returns whether this row of the slice gets the attribute. */
static inline gboolean
goes (const Rows *r, gsize k, gboolean wanted)
{
  return r->row_of[k] >= 0 && (wanted || r->w->kind[r->row_of[k]] == NPROF_FACT);
}

/* -- Flat columns ---------------------------------------------------------- */

static void
count_flat (Rows *r, const Column *c)
{
  const Cursor *cur = &c->cursor;
  if (cur->page.def && !cur->page.values.n)
    return;
  for (gsize k = 0; k < r->n; k++)
    if (cursor_has (cur, cur->at + k) && goes (r, k, c->wanted))
      r->count[k]++;
}

static nprof_status
room_for_bytes (Rows *r, gsize len)
{
  struct nprof_writer *w = r->w;
  if (len > UINT32_MAX - w->n_bytes)
    return nprof_fail (r->host, NPROF_E_UNSUPPORTED,
                       "%s: the texts of a few rows take more than 4 GB", r->s->file);
  return w->max_bytes - w->n_bytes < len ? w->grow (w, 0, (uint32_t) len) : NPROF_OK;
}

static nprof_status
put_bytes (Rows *r, const void *data, gsize len, nprof_value *to)
{
  nprof_status status = room_for_bytes (r, len);
  if (status)
    return status;
  struct nprof_writer *w = r->w;
  to->bytes.at = w->n_bytes;
  to->bytes.len = (uint32_t) len;
  if (len)
    memcpy (w->bytes + w->n_bytes, data, len);
  w->n_bytes += (uint32_t) len;
  return NPROF_OK;
}

/* Puts a value that is no text as it lies there as one. */
static nprof_status
put_written (Rows *r, const Cursor *c, const Value *v, guint8 *type, nprof_value *to)
{
  r->one.len = 0;
  value_put (&r->one, c->node, v);
  *type = NPROF_TEXT;
  return put_bytes (r, r->one.data, r->one.len, to);
}

static nprof_status
put_text (Rows *r, Cursor *c, const Field *f, gsize value, guint8 *type, nprof_value *to)
{
  Value v = cursor_value (c, value);
  if (f->type == NPROF_JSON && value_is_json (&v.text)) {
    *type = NPROF_JSON;
    return put_bytes (r, v.text.data, v.text.len, to);
  }
  if (c->page.code || f->interned) {
    *type = NPROF_STRING;
    *to = (nprof_value){ .u = 0 };
    to->s = cursor_string (c, value);
    return NPROF_OK;
  }
  if (!value_is_utf8 (&v.text))
    return put_written (r, c, &v, type, to);
  *type = NPROF_TEXT;
  return put_bytes (r, v.text.data, v.text.len, to);
}

static nprof_status
put_value (Rows *r, Cursor *c, const Field *f, gsize value, guint8 *type, nprof_value *to)
{
  Value v;
  double number;
  *type = (guint8) f->type;
  switch (value_as (c->node)) {
  case AS_INT64:
  case AS_UINT64:
  case AS_DOUBLE:
    to->u = c->page.values.bits[value];
    return NPROF_OK;
  case AS_BOOL:
    to->u = c->page.values.bits[value] != 0;
    return NPROF_OK;
  case AS_ID128:
    v = cursor_value (c, value);
    return put_bytes (r, v.text.data, v.text.len, to);
  case AS_HALF:
  case AS_DECIMAL:
    v = cursor_value (c, value);
    if (!value_double (c->node, &v, &number))
      return put_written (r, c, &v, type, to);
    to->f = number;
    return NPROF_OK;
  case AS_WRITTEN:
    v = cursor_value (c, value);
    return put_written (r, c, &v, type, to);
  default:
    return put_text (r, c, f, value, type, to);
  }
}

/* Puts numbers, which most attributes are. */
static void
put_numbers (Rows *r, const Field *f, Column *c)
{
  struct nprof_writer *w = r->w;
  const Cursor *cur = &c->cursor;
  gsize value = cur->value;
  for (gsize k = 0; k < r->n; k++) {
    if (!cursor_has (cur, cur->at + k))
      continue;
    guint64 bits = cur->page.values.bits[value++];
    if (!goes (r, k, c->wanted))
      continue;
    guint32 at = r->count[k]++;
    w->attr_key[at] = f->handle;
    w->attr_type[at] = (guint8) f->type;
    w->attr_value[at].u = bits;
  }
}

static nprof_status
put_flat (Rows *r, const Field *f, Column *c)
{
  Cursor *cur = &c->cursor;
  ValueAs as = value_as (cur->node);
  gsize value = cur->value;
  nprof_status status = NPROF_OK;
  if (cur->page.def && !cur->page.values.n)
    return status;
  if (as == AS_INT64 || as == AS_UINT64 || as == AS_DOUBLE) {
    put_numbers (r, f, c);
    return status;
  }
  for (gsize k = 0; k < r->n && !status; k++) {
    if (!cursor_has (cur, cur->at + k))
      continue;
    gsize this = value++;
    if (!goes (r, k, c->wanted))
      continue;
    guint32 at = r->count[k]++;
    guint8 type;
    nprof_value v = { .u = 0 };
    status = put_value (r, cur, f, this, &type, &v);
    r->w->attr_key[at] = f->handle;
    r->w->attr_type[at] = type;
    r->w->attr_value[at] = v;
  }
  return status;
}

/* -- Nested columns -------------------------------------------------------- */

typedef struct {
  Rows *r;
  Column *c;
  guint row;
  gboolean rest; /* values are JSON */
} Taking;

static void
add_entry (Taking *t, nprof_str key, guint type, guint64 bits, const char *text, gsize len)
{
  Entry e = { t->row, key, type, bits, t->r->json.len, len };
  if (text)
    nprof_put (&t->r->json, text, len);
  g_array_append_val (t->r->entries, e);
  t->r->count[t->row]++;
}

static guint
hex4 (const char *at)
{
  guint u = 0;
  for (guint k = 0; k < 4; k++)
    u = u << 4 | (guint) g_ascii_xdigit_value (at[k]);
  return u;
}

/* Unescapes the text of a JSON string that is known to be right. */
static void
unescape (struct nprof_buf *to, const char *at, const char *end)
{
  static const char from[] = "\"\\/bfnrt", made[] = "\"\\/\b\f\n\r\t";
  while (at < end) {
    const char *plain = memchr (at, '\\', (gsize) (end - at));
    nprof_put (to, at, (gsize) ((plain ? plain : end) - at));
    if (!plain)
      return;
    at = plain + 2;
    if (plain[1] != 'u') {
      nprof_put_char (to, made[strchr (from, plain[1]) - from]);
      continue;
    }
    char utf8[6];
    gunichar c = hex4 (at);
    at += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
      guint low = hex4 (at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      }
    }
    nprof_put (to, utf8, (gsize) g_unichar_to_utf8 (c >= 0xd800 && c < 0xe000 ? 0xfffd : c, utf8));
  }
}

/* Reads a number as the type that prints it like this; FALSE: none does. */
static gboolean
read_number (Rows *r, const PqText *text, Known *to)
{
  char copy[64], *end;
  if (!text->len || text->len >= sizeof copy || !strchr ("-0123456789", text->data[0]))
    return FALSE;
  memcpy (copy, text->data, text->len);
  copy[text->len] = '\0';
  to->type = NPROF_INT64;
  to->bits = (guint64) g_ascii_strtoll (copy, &end, 10);
  r->one.len = 0;
  nprof_put_json_i64 (&r->one, (gint64) to->bits, 0);
  if (r->one.len == text->len && !memcmp (r->one.data, copy, text->len))
    return TRUE;
  to->type = NPROF_UINT64;
  to->bits = g_ascii_strtoull (copy, &end, 10);
  r->one.len = 0;
  nprof_put_json_u64 (&r->one, to->bits, 0);
  if (r->one.len == text->len && !memcmp (r->one.data, copy, text->len))
    return TRUE;
  double f = g_ascii_strtod (copy, &end);
  to->type = NPROF_DOUBLE;
  memcpy (&to->bits, &f, 8);
  r->one.len = 0;
  nprof_put_json_double (&r->one, f);
  return r->one.len == text->len && !memcmp (r->one.data, copy, text->len);
}

/* Tells the type of a value of nprof's own map; NPROF_JSON: the value stays as it is. */
static Known
read_json (Rows *r, const PqText *text)
{
  Known k = { NPROF_JSON, 0 };
  if (!value_is_json (text)) {
    k.type = NPROF_TEXT;
    return k;
  }
  if (text->data[0] == '"') {
    r->one.len = 0;
    unescape (&r->one, text->data + 1, text->data + text->len - 1);
    k.type = NPROF_STRING;
    k.bits = r->host->intern (r->host, r->one.len ? r->one.data : "", r->one.len);
  } else if (text->data[0] == 't' || text->data[0] == 'f') {
    k.type = NPROF_BOOL;
    k.bits = text->data[0] == 't';
  } else if (!read_number (r, text, &k))
    k = (Known){ NPROF_JSON, 0 };
  return k;
}

static Known
known_value (Rows *r, Column *c, const Value *v)
{
  const Cursor *values = &c->nested.cursors[1];
  if (!values->page.code)
    return read_json (r, &v->text);
  if (!c->values) {
    c->n_values = values->n_known;
    c->values = g_new0 (Known, c->n_values + 1);
  }
  gsize code = values->page.code[values->page.one_code ? 0 : values->value];
  if (c->values[code].type == NPROF_NULL)
    c->values[code] = read_json (r, &v->text);
  return c->values[code];
}

static void
take_entry (void *user, const char *key, gsize len, guint type, const Value *v, const PqNode *leaf,
            const char *json, gsize json_len)
{
  Taking *t = user;
  Rows *r = t->r;
  nprof_str handle = r->host->intern (r->host, key, len);
  if (!goes (r, t->row, key_wanted (r, handle)))
    return;
  if (!leaf) {
    add_entry (t, handle, NPROF_JSON, 0, json, json_len);
    return;
  }
  if (t->rest) {
    Known k = known_value (r, t->c, v);
    gboolean bytes = k.type == NPROF_JSON || k.type == NPROF_TEXT;
    add_entry (t, handle, k.type, k.bits, bytes ? v->text.data : NULL, bytes ? v->text.len : 0);
    return;
  }
  if (type == NPROF_INT64 || type == NPROF_UINT64
      || (type == NPROF_DOUBLE && leaf->type != PQ_FIXED && leaf->logical != PQ_L_DECIMAL)) {
    add_entry (t, handle, type, v->bits, NULL, 0);
    return;
  }
  r->one.len = 0;
  value_put (&r->one, leaf, v);
  add_entry (t, handle, NPROF_TEXT, 0, r->one.len ? r->one.data : "", r->one.len);
}

/* Takes nested rows, also those that go nowhere, because the next one begins behind them. */
static gboolean
take_nested (Rows *r, const Field *f, Column *c)
{
  struct nprof_buf scratch = { 0 };
  Taking t = { r, c, 0, f->role == FIELD_REST };
  MapEntries entries = { take_entry, &t };
  gboolean ok = TRUE, null;
  for (gsize k = 0; ok && k < r->n; k++) {
    t.row = (guint) k;
    scratch.len = 0;
    if (f->role != FIELD_ATTRIBUTE) {
      ok = nested_map_row (&c->nested, &scratch, &entries, &r->fail);
      continue;
    }
    ok = nested_row (&c->nested, &scratch, &null, &r->fail);
    if (ok && !null && goes (r, k, c->wanted))
      add_entry (&t, f->handle, NPROF_JSON, 0, scratch.data, scratch.len);
  }
  r->json.failed |= scratch.failed;
  nprof_buf_clear (&scratch);
  return ok;
}

static nprof_status
put_entries (Rows *r, gsize from, gsize to)
{
  nprof_status status = NPROF_OK;
  for (gsize k = from; k < to && !status; k++) {
    const Entry *e = &g_array_index (r->entries, Entry, k);
    guint32 at = r->count[e->row]++;
    nprof_value v = { .u = 0 };
    if (e->type == NPROF_TEXT || e->type == NPROF_JSON)
      status = put_bytes (r, e->len ? r->json.data + e->at : "", e->len, &v);
    else if (e->type == NPROF_STRING)
      v.s = (nprof_str) e->bits;
    else
      v.u = e->bits;
    r->w->attr_key[at] = e->key;
    r->w->attr_type[at] = (guint8) e->type;
    r->w->attr_value[at] = v;
  }
  return status;
}

/* -- The slice ------------------------------------------------------------- */

static gboolean
has_attribute (const struct nprof_writer *w, guint row, nprof_str key)
{
  for (guint k = w->attr_at[row]; k < w->attr_at[row + 1]; k++)
    if (w->attr_key[k] == key)
      return TRUE;
  return FALSE;
}

/* Returns whether a row is whole: a fact has exactly one attribute, of its name; a flow says which
 * end it is. */
static gboolean
is_whole (const Rows *r, guint row)
{
  const struct nprof_writer *w = r->w;
  if (w->kind[row] == NPROF_FACT)
    return w->attr_at[row + 1] - w->attr_at[row] == 1
           && w->attr_key[w->attr_at[row]] == w->name[row];
  return w->kind[row] != NPROF_FLOW || has_attribute (w, row, r->flow_phase);
}

static nprof_status
check_rows (Rows *r)
{
  const struct nprof_writer *w = r->w;
  for (guint row = r->first; row < w->n_rows; row++)
    if (!is_whole (r, row))
      return nprof_fail (r->host, NPROF_E_FORMAT,
                         "%s: row group %u: row \"%s\" has not the attribute that a fact or a flow "
                         "has: the file was changed after nprof wrote it",
                         r->s->file, r->part->group, nprof_text (r->host, w->name[row]));
  return NPROF_OK;
}

/* Turns counts into places, and says where each row's end. */
static nprof_status
make_room (Rows *r)
{
  struct nprof_writer *w = r->w;
  guint64 total = 0;
  for (gsize k = 0; k < r->n; k++)
    total += r->count[k];
  if (total > UINT32_MAX / 2)
    return nprof_fail (r->host, NPROF_E_UNSUPPORTED, "%s: a few rows have 2^31 attributes",
                       r->s->file);
  if (w->max_attrs - w->n_attrs < total) {
    nprof_status status = w->grow (w, (uint32_t) total, 0);
    if (status)
      return status;
  }
  guint32 at = w->n_attrs;
  for (gsize k = 0; k < r->n; k++) {
    guint32 n = r->count[k];
    r->count[k] = at;
    at += n;
    if (r->row_of[k] >= 0)
      w->attr_at[r->row_of[k] + 1] = at;
  }
  w->n_attrs = at;
  return NPROF_OK;
}

nprof_status
attributes_put (Rows *r)
{
  guint n = r->s->fields->len;
  nprof_status status;
  memset (r->count, 0, r->n * sizeof *r->count);
  g_array_set_size (r->entries, 0);
  r->json.len = 0;
  for (guint k = 0; k < n; k++) {
    const Field *f = source_field (r->s, k);
    r->entries_at[k] = r->entries->len;
    if (!is_attribute (f) || !r->columns[k].open)
      continue;
    if (!is_list (f))
      count_flat (r, &r->columns[k]);
    else if (!take_nested (r, f, &r->columns[k]))
      return rows_fail (r, k);
  }
  r->entries_at[n] = r->entries->len;
  status = make_room (r);
  for (guint k = 0; k < n && !status; k++) {
    const Field *f = source_field (r->s, k);
    if (is_attribute (f) && r->columns[k].open)
      status = is_list (f) ? put_entries (r, r->entries_at[k], r->entries_at[k + 1])
                           : put_flat (r, f, &r->columns[k]);
  }
  if (!status && (r->json.failed || r->one.failed))
    status = nprof_fail (r->host, NPROF_E_NOMEM, "no memory for the attributes of a few rows");
  return status ? status : check_rows (r);
}
