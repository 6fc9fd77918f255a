/* SPDX-License-Identifier: Apache-2.0 */
/* sets.c - keeps the sets of attributes that rows share: each is spread over the columns and the
 * map once a row group, when its first row comes. */
#include "events.h"

/* This is a set of the run in the row group that met it last. */
struct events_set {
  guint64 group;
  guint32 number; /* in the row group, or SETS_NONE: its rows do without it */
};

void
sets_open (struct events *e)
{
  e->sets = g_array_new (FALSE, TRUE, sizeof (struct events_set));
}

static void
share_columns (struct events *e, const struct slice *s, guint32 number, struct pq_set *set)
{
  for (guint k = 0; k < e->row_columns.n_used; k++) {
    guint leaf = e->attrs + e->row_columns.used[k];
    const struct nprof_field *f = e->row_columns.field + e->row_columns.used[k];
    struct pq_values *v = table_file_leaf (s->table_file, leaf);
    gsize before = v->own.len + v->spans.len;
    pq_values_share (v, number, attrs_value (e, s->table_file, leaf, f));
    gsize texts = v->own.len + v->spans.len - before;
    v->uncounted += texts;
    set->bytes += pq_width (v->kind) + texts;
    set->mask |= keys_make_bit (e, f->key);
  }
}

static void
share_rest (struct events *e, const struct slice *s, struct pq_set *set)
{
  struct pq_rows *rows = &s->table_file->writer.rows;
  for (guint k = 0; k < e->row_columns.n_unmapped; k++) {
    const struct nprof_field *f = e->row_columns.unmapped + k;
    gsize before = rows->own.len + rows->spans.len;
    struct pq_entry entry = attrs_entry (e, s, f);
    pq_rows_share_entry (rows, &entry);
    gsize texts = rows->own.len + rows->spans.len - before;
    rows->uncounted += texts;
    set->bytes += sizeof entry + texts;
    set->mask |= keys_make_bit (e, f->key);
  }
}

/* Tells whether each key of the set comes once, with a value that fits.  Misfits are counted by the
 * row, and ids do not fit into pq_shared. */
static gboolean
can_share (const struct events *e, const struct nprof_attrs *attrs)
{
  const struct nprof_row_columns *row_columns = &e->row_columns;
  for (guint k = 0; k < row_columns->n_used; k++) {
    guint type = row_columns->field[row_columns->used[k]].type;
    if (type == NPROF_NULL || type == NPROF_ID128)
      return FALSE;
  }
  for (guint k = 0; k < row_columns->n_unmapped; k++)
    if (row_columns->unmapped[k].type == NPROF_NULL)
      return FALSE;
  return row_columns->n_used + row_columns->n_unmapped == attrs->n;
}

/* Spreads the set alone; misfits in it are counted with the rows. */
static nprof_status
spread_set (struct events *e, nprof_set handle)
{
  const struct nprof_batch one = { .size = sizeof one, .n_rows = 1, .shared = &handle };
  guint64 unknown = e->row_columns.unknown;
  nprof_status status = nprof_row_columns_row (&e->row_columns, &one, 0);
  e->row_columns.unknown = unknown;
  for (guint k = 0; k < e->row_columns.n_used; k++)
    if (e->row_columns.field[e->row_columns.used[k]].type == NPROF_NULL)
      e->row_columns.misfits[e->row_columns.used[k]]--;
  return status;
}

static guint32
share (struct events *e, const struct slice *s)
{
  struct pq_rows *rows = &s->table_file->writer.rows;
  struct pq_set set = { 0 };
  guint32 number = pq_rows_add_set (rows);
  share_columns (e, s, number, &set);
  share_rest (e, s, &set);
  if (!rows->sets.failed) {
    pq_rows_set (rows, number)->mask = set.mask;
    pq_rows_set (rows, number)->bytes = set.bytes;
  }
  return number;
}

nprof_status
sets_look_up (const struct slice *s, nprof_set handle, guint32 *number)
{
  struct events *e = s->e;
  if (handle >= e->sets->len)
    g_array_set_size (e->sets, MAX (handle + 1, e->sets->len * 2));
  struct events_set *known = &g_array_index (e->sets, struct events_set, handle);
  *number = known->number;
  if (known->group == s->group)
    return NPROF_OK;
  nprof_status status = spread_set (e, handle);
  known->group = s->group;
  known->number = SETS_NONE;
  if (status == NPROF_OK && can_share (e, e->host->attr_set (e->host, handle)))
    known->number = share (e, s);
  *number = known->number;
  return status;
}
