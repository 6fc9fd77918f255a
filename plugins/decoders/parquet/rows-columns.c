/* SPDX-License-Identifier: Apache-2.0 */
/* rows-columns.c - reads values of flat columns as arrays of a slice: numbers, strings, ids. */
#include "rows.h"

#include <nprof/keys.h>

Cursor *
rows_cursor_by (Rows *r, FieldRole role)
{
  return r->by[role] < 0 ? NULL : &r->columns[r->by[role]].cursor;
}

void
rows_fill_bits (const Cursor *c, gsize n, guint64 missing, guint64 *to)
{
  const guint8 *def = c->page.def;
  const guint64 *from = c->page.values.bits;
  from = from ? from + c->value : NULL; /* a page of nulls alone holds no values */
  if (!def) {
    memcpy (to, from, n * sizeof *to);
    return;
  }
  for (gsize k = 0; k < n; k++) {
    gboolean has = def[c->at + k] == c->node->max_def;
    to[k] = has ? *from : missing;
    from += has;
  }
}

void
rows_fill_strings (Cursor *c, gsize n, nprof_str missing, nprof_str *to)
{
  gsize value = c->value;
  for (gsize k = 0; k < n; k++) {
    if (!cursor_has (c, c->at + k)) {
      to[k] = missing;
      continue;
    }
    const nprof_str known = c->page.code ? c->known[c->page.code[c->page.one_code ? 0 : value]] : 0;
    to[k] = known ? known - 1 : cursor_string (c, value);
    value++;
  }
}

/* Ids may be numbers or texts; texts become a number by their bytes (FNV-1a). */
static guint64
hash_text (const PqText *text)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (guint32 k = 0; k < text->len; k++)
    hash = (hash ^ (guint8) text->data[k]) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash ? hash : 1;
}

void
rows_fill_ids (const Rows *r, const Cursor *c, gsize n, guint64 *to)
{
  gsize value = c->value;
  if (c->page.values.bits && !c->page.code && !r->s->table_id) {
    rows_fill_bits (c, n, 0, to);
    return;
  }
  for (gsize k = 0; k < n; k++) {
    to[k] = 0;
    if (!cursor_has (c, c->at + k))
      continue;
    Value v = cursor_value (c, value++);
    to[k] = c->page.values.bits && !c->page.code ? v.bits : hash_text (&v.text);
    if (r->s->table_id)
      to[k] = source_id (r->s->table_id, to[k]);
  }
}

/* Returns the double nearest to a decimal of more digits than a double has. */
static double
nearest (Rows *r, const PqNode *node, const Value *v)
{
  r->one.len = 0;
  value_put (&r->one, node, v);
  nprof_put_char (&r->one, '\0');
  return r->one.failed ? 0 : g_ascii_strtod (r->one.data, NULL);
}

double
rows_double_of (Rows *r, const PqNode *node, const Value *v)
{
  double f = 0;
  switch (value_as (node)) {
  case AS_INT64:
    return (double) (gint64) v->bits;
  case AS_UINT64:
  case AS_BOOL:
    return (double) v->bits;
  case AS_DOUBLE:
    memcpy (&f, &v->bits, 8);
    return f;
  default:
    return value_double (node, v, &f) ? f : nearest (r, node, v);
  }
}

void
rows_fill_doubles (Rows *r, const Cursor *c, gsize n)
{
  struct nprof_writer *w = r->w;
  gsize value = c->value;
  for (gsize k = 0; k < n; k++) {
    if (!cursor_has (c, c->at + k))
      continue;
    Value v = cursor_value (c, value++);
    guint i = r->first + (guint) k;
    double f = rows_double_of (r, c->node, &v);
    w->value[i] = f;
    w->value_valid[i >> 3] = (guint8) (w->value_valid[i >> 3] | 1u << (i & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}
