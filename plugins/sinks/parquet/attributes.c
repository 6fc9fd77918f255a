/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - puts attributes of rows: those that have a column go there, the rest become
 * entries of the map. A set that rows share is spread over the columns once a row group; only the
 * own attributes of its rows are looked at, and mostly just copied. Where a row's own attribute
 * overrides one of the set's, the row does without the set: all its attributes are its own then. */
#include "events.h"

#include <nprof/unmapped.h>

/* -- Own attributes that are copied ------------------------------------------------------- */

#define COLUMN_NONE G_MAXUINT16

/* This is known of a key; cleared: no column, no set has it. */
struct events_key {
  guint64 bit;    /* of its sets' masks; 0: no set has it  */
  guint32 seen;   /* the row that had it last              */
  guint16 column; /* 1 + column of the spread; 0: the map; COLUMN_NONE: rows leave it out */
  guint8 type;    /* of the column                         */
};

static struct events_key *
key_slot (struct events *e, nprof_str key)
{
  if (key >= e->keys->len)
    g_array_set_size (e->keys, MAX (key + 1, e->keys->len * 2));
  return &g_array_index (e->keys, struct events_key, key);
}

static void
keys_open (struct events *e)
{
  e->keys = g_array_new (FALSE, TRUE, sizeof (struct events_key));
  for (guint c = 0; c < e->row_columns.n_columns && c + 1 < COLUMN_NONE; c++) {
    struct events_key *key = key_slot (e, e->row_columns.columns[c]->key);
    key->column = (guint16) (c + 1);
    key->type = (guint8) e->row_columns.columns[c]->type;
  }
  for (nprof_str key = 0; key < e->row_columns.n_slots; key++)
    if (nprof_row_columns_leaves (&e->row_columns, key))
      key_slot (e, key)->column = COLUMN_NONE; /* of no type, so that rows are looked at */
}

/* Makes the bit of a key; beyond 64 keys two share a bit: then a row may do without its set in
 * vain. */
static guint64
make_bit (struct events *e, nprof_str handle)
{
  struct events_key *key = key_slot (e, handle);
  if (!key->bit)
    key->bit = G_GUINT64_CONSTANT (1) << e->n_key_bits++ % 64;
  return key->bit;
}

/* Returns the next row; rows are counted around, so that keys need not be cleared. */
static guint32
next_row (struct events *e)
{
  if (++e->n_fast)
    return e->n_fast;
  for (guint k = 0; k < e->keys->len; k++)
    g_array_index (e->keys, struct events_key, k).seen = 0;
  return e->n_fast = 1;
}

/* The own attributes of a row are treated in one of these ways. */
enum own {
  OWN_COPIED,    /* each key comes once, with a type that its column has */
  OWN_LOOKED_AT, /* one by one                                           */
  OWN_OVERRIDES  /* one is in the row's set, or may be                   */
};

static inline gboolean
has_own (const struct nprof_batch *b, guint i)
{
  return b->attr_at && b->attr_at[i + 1] > b->attr_at[i];
}

static enum own
look_at_own (const struct slice *s, guint i, guint64 mask)
{
  const struct nprof_batch *b = s->b;
  gboolean copied = TRUE;
  guint64 bits = 0;
  if (!has_own (b, i))
    return OWN_COPIED;
  guint32 row = next_row (s->e);
  for (guint32 j = b->attr_at[i]; j < b->attr_at[i + 1]; j++) {
    struct events_key *key = key_slot (s->e, b->attr_key[j]);
    guint type = b->attr_type[j];
    copied &= key->seen != row && type != NPROF_NULL && type <= NPROF_ID128
              && (!key->column || type == key->type);
    bits |= key->bit;
    key->seen = row;
  }
  return bits & mask ? OWN_OVERRIDES : copied ? OWN_COPIED : OWN_LOOKED_AT;
}

static void
put_other (const struct slice *s, guint column, guint32 j)
{
  const struct nprof_batch *b = s->b;
  const struct nprof_field f = { b->attr_type[j], b->attr_key[j], b->attr_value[j], b->bytes };
  if (column) {
    attrs_put_field (s->e, s->table_file, s->e->attrs + column - 1, &f);
    return;
  }
  pq_rows_add_entry (&s->table_file->writer.rows, s->table_file->writer.n_rows,
                     attrs_entry (s->e, s, &f));
}

/* Returns the entry of a number; equal ones have equal types. */
static inline struct pq_entry
entry_of_number (nprof_str key, guint type, const nprof_value *v)
{
  gboolean fits = type == NPROF_UINT64 && v->u <= INT64_MAX;
  return (struct pq_entry){ v->u, key, fits ? NPROF_INT64 : type };
}

static inline void
put_value (const struct slice *s, guint32 j)
{
  guint column = g_array_index (s->e->keys, struct events_key, s->b->attr_key[j]).column;
  guint leaf = s->e->attrs + column - 1, type = s->b->attr_type[j];
  struct pq_writer *w = &s->table_file->writer;
  const nprof_value *v = s->b->attr_value + j;
  if (type <= NPROF_DOUBLE && column)
    table_file_put_64 (s->table_file, leaf, v->u);
  else if (type <= NPROF_DOUBLE)
    pq_rows_add_entry (&w->rows, w->n_rows, entry_of_number (s->b->attr_key[j], type, v));
  else if (column && type == NPROF_STRING)
    table_file_put_str (s->table_file, leaf, v->s);
  else
    put_other (s, column, j);
}

static void
put_own (const struct slice *s, guint i)
{
  const struct nprof_batch *b = s->b;
  for (guint32 j = b->attr_at[i]; j < b->attr_at[i + 1]; j++)
    put_value (s, j);
}

/* -- Sets that rows share ----------------------------------------------------------------- */

#define SETS_NONE G_MAXUINT32
#define SETS_EMPTY (G_MAXUINT32 - 1) /* rows leave all of it out */

/* This is a set of the run in the row group that met it last. */
struct events_set {
  guint64 group;
  guint32 number; /* in the row group, SETS_EMPTY, or SETS_NONE: its rows do without it */
};

static void
sets_open (struct events *e)
{
  e->sets = g_array_new (FALSE, TRUE, sizeof (struct events_set));
}

/* Makes the field of an attribute of a set, and says which column of the spread has it (1 + column;
 * 0: the map). FALSE: it cannot be shared, as misfits are counted by the row, and ids do not fit
 * into pq_shared. */
static inline gboolean
field_of_set (struct events *e, const struct nprof_attrs *attrs, guint j, struct nprof_field *f,
              guint *column)
{
  *f = (struct nprof_field){ attrs->type[j], attrs->key[j], attrs->value[j], attrs->bytes };
  *column = key_slot (e, f->key)->column;
  if (f->type == NPROF_NULL || f->type > NPROF_ID128)
    return FALSE;
  return !*column || *column == COLUMN_NONE
         || (f->type != NPROF_ID128 && nprof_fit (e->row_columns.columns[*column - 1]->type, f));
}

/* Returns whether each key of the set comes once, with a value that fits. */
static gboolean
can_share (struct events *e, const struct nprof_attrs *attrs)
{
  struct nprof_field f;
  guint column;
  guint32 row = next_row (e);
  for (guint j = 0; j < attrs->n; j++) {
    if (!field_of_set (e, attrs, j, &f, &column) || key_slot (e, f.key)->seen == row)
      return FALSE;
    key_slot (e, f.key)->seen = row;
  }
  return TRUE;
}

static void
share_value (struct events *e, const struct slice *s, guint leaf, const struct nprof_field *f,
             guint32 number, struct pq_set *set)
{
  struct pq_values *v = table_file_leaf (s->table_file, leaf);
  gsize before = v->own.len + v->spans.len;
  pq_values_share (v, number, attrs_value (e, s->table_file, leaf, f));
  gsize texts = v->own.len + v->spans.len - before;
  v->uncounted += texts;
  set->bytes += pq_width (v->kind) + texts;
}

static void
share_entry (struct events *e, const struct slice *s, const struct nprof_field *f,
             struct pq_set *set)
{
  struct pq_rows *rows = &s->table_file->writer.rows;
  gsize before = rows->own.len + rows->spans.len;
  struct pq_entry entry = attrs_entry (e, s, f);
  pq_rows_share_entry (rows, &entry);
  gsize texts = rows->own.len + rows->spans.len - before;
  rows->uncounted += texts;
  set->bytes += sizeof entry + texts;
}

static guint32
share (struct events *e, const struct slice *s, const struct nprof_attrs *attrs)
{
  struct pq_rows *rows = &s->table_file->writer.rows;
  struct pq_set set = { 0 };
  struct nprof_field f;
  guint column;
  guint32 number = pq_rows_add_set (rows);
  for (guint j = 0; j < attrs->n && field_of_set (e, attrs, j, &f, &column); j++) {
    if (column == COLUMN_NONE)
      continue;
    set.mask |= make_bit (e, f.key);
    if (column)
      share_value (e, s, e->attrs + column - 1, &f, number, &set);
    else
      share_entry (e, s, &f, &set);
  }
  if (!rows->sets.failed) {
    pq_rows_set (rows, number)->mask = set.mask;
    pq_rows_set (rows, number)->bytes = set.bytes;
  }
  return number;
}

static gboolean
is_left_out (struct events *e, const struct nprof_attrs *attrs)
{
  for (guint j = 0; j < attrs->n; j++)
    if (key_slot (e, attrs->key[j])->column != COLUMN_NONE)
      return FALSE;
  return TRUE;
}

/* Meets a set for the first time in the row group.  Returns its number there. */
G_GNUC_NO_INLINE static guint32
meet_set (const struct slice *s, nprof_set handle)
{
  struct events *e = s->e;
  const struct nprof_attrs *attrs = e->host->attr_set (e->host, handle);
  if (is_left_out (e, attrs))
    return SETS_EMPTY;
  return can_share (e, attrs) ? share (e, s, attrs) : SETS_NONE;
}

/* Returns the number of the set in the slice's row group, or SETS_NONE: its rows do without it. */
static inline guint32
look_up_set (const struct slice *s, nprof_set handle)
{
  GArray *sets = s->e->sets;
  if (handle >= sets->len)
    g_array_set_size (sets, MAX (handle + 1, sets->len * 2));
  struct events_set *known = &g_array_index (sets, struct events_set, handle);
  if (known->group != s->group)
    *known = (struct events_set){ s->group, meet_set (s, handle) };
  return known->number;
}

/* -- Rows --------------------------------------------------------------------------------- */

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

/* Returns an entry; text and JSON lie in the batch, so they are made at once. */
struct pq_entry
attrs_entry (struct events *e, const struct slice *s, const struct nprof_field *f)
{
  if (f->type <= NPROF_BOOL)
    return entry_of_number (f->key, f->type, &f->value);
  if (f->type == NPROF_STRING)
    return (struct pq_entry){ f->value.s, f->key, f->type };
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
    pq_rows_add_entry (&s->table_file->writer.rows, s->table_file->writer.n_rows,
                       attrs_entry (e, s, e->row_columns.unmapped + k));
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
  nprof_set handle = b->shared ? b->shared[i] : 0;
  guint32 set = handle ? look_up_set (s, handle) : SETS_NONE;
  if (set == SETS_EMPTY)
    handle = 0;
  if (!handle && !has_own (b, i))
    return NPROF_OK;
  if (handle && (set == SETS_NONE || rows->sets.failed))
    return put_all (s, b, i);
  enum own own = look_at_own (s, i, handle ? pq_rows_set (rows, set)->mask : 0);
  if (own == OWN_OVERRIDES)
    return put_all (s, b, i);
  if (handle)
    pq_rows_use_set (rows, s->table_file->writer.n_rows, set);
  if (own == OWN_LOOKED_AT)
    return put_all (s, s->own, i);
  if (has_own (b, i))
    put_own (s, i);
  return s->e->json.failed ? NPROF_E_NOMEM : NPROF_OK;
}
