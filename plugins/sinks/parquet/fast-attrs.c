/* SPDX-License-Identifier: Apache-2.0 */
/* fast-attrs.c - copies a row's own attributes where nothing speaks against it: each key comes
 * once, and each value is of its column's type, or the map's. nprof_row_columns takes the others,
 * with the same result. */
#include "events.h"

/* This is known of a key; cleared: no column, no set has it. */
struct events_key {
  guint32 seen;   /* the row that had it last              */
  guint16 column; /* 1 + column of the spread; 0: the map  */
  guint8 type;    /* of the column                         */
  guint8 bit;     /* 1 + its bit; 0: no set has it         */
};

static struct events_key *
reach (struct events *e, nprof_str key)
{
  if (key >= e->keys->len)
    g_array_set_size (e->keys, MAX (key + 1, e->keys->len * 2));
  return &g_array_index (e->keys, struct events_key, key);
}

void
keys_open (struct events *e)
{
  e->keys = g_array_new (FALSE, TRUE, sizeof (struct events_key));
  for (guint c = 0; c < e->row_columns.n_columns && c < G_MAXUINT16; c++) {
    struct events_key *key = reach (e, e->row_columns.columns[c]->key);
    key->column = (guint16) (c + 1);
    key->type = (guint8) e->row_columns.columns[c]->type;
  }
}

static inline guint64
bit_of (const struct events_key *key)
{
  return key->bit ? G_GUINT64_CONSTANT (1) << (key->bit - 1) : 0;
}

/* Makes the bit of a key; beyond 64 keys two share a bit: then a row may do without its set in
 * vain. */
guint64
keys_make_bit (struct events *e, nprof_str handle)
{
  struct events_key *key = reach (e, handle);
  if (!key->bit)
    key->bit = (guint8) (1 + e->n_key_bits++ % 64);
  return bit_of (key);
}

gboolean
keys_override (const struct slice *s, guint i, guint64 mask)
{
  const struct nprof_batch *b = s->b;
  for (guint32 j = b->attr_at[i]; mask && j < b->attr_at[i + 1]; j++)
    if (mask & bit_of (reach (s->e, b->attr_key[j])))
      return TRUE;
  return FALSE;
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

static gboolean
is_fast (const struct slice *s, guint i)
{
  const struct nprof_batch *b = s->b;
  guint32 row = next_row (s->e);
  for (guint32 j = b->attr_at[i]; j < b->attr_at[i + 1]; j++) {
    struct events_key *key = reach (s->e, b->attr_key[j]);
    guint type = b->attr_type[j];
    if (key->seen == row || type == NPROF_NULL || type > NPROF_ID128)
      return FALSE;
    if (key->column && type != key->type)
      return FALSE;
    key->seen = row;
  }
  return TRUE;
}

static void
put_value (const struct slice *s, guint32 j)
{
  const struct nprof_batch *b = s->b;
  guint column = g_array_index (s->e->keys, struct events_key, b->attr_key[j]).column;
  guint leaf = s->e->attrs + column - 1;
  const nprof_value *v = b->attr_value + j;
  const struct nprof_field f = { b->attr_type[j], b->attr_key[j], *v, b->bytes };
  if (!column) {
    struct pq_entry entry = attrs_entry (s->e, s, &f);
    pq_rows_add_entry (&s->table_file->writer.rows, s->table_file->writer.n_rows, &entry);
  } else if (f.type == NPROF_STRING) {
    table_file_put_str (s->table_file, leaf, v->s);
  } else if (f.type <= NPROF_DOUBLE) {
    table_file_put_64 (s->table_file, leaf, v->u);
  } else {
    attrs_put_field (s->e, s->table_file, leaf, &f);
  }
}

gboolean
fast_attrs_put (const struct slice *s, guint i)
{
  if (!is_fast (s, i))
    return FALSE;
  for (guint32 j = s->b->attr_at[i]; j < s->b->attr_at[i + 1]; j++)
    put_value (s, j);
  return TRUE;
}
