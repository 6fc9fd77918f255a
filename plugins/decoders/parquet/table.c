/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - reads a file as rows of a table of the run, and row by row for a search. */
#include "parquet.h"

#include <nprof/sdk.h>

typedef struct {
  Parquet *p;
  Source *s;
  guint group, failed;
  Cursor *cursors; /* one a field; of nested ones: nested */
  Nested *nested;
  struct nprof_buf *text; /* one a field: what its cell shows */
  struct nprof_cell *cells;
  PqFail fail;
} Walk;

static void
walk_begin (Walk *w, guint group)
{
  w->group = group;
  for (guint k = 0; k < w->s->fields->len; k++) {
    const Field *f = source_field (w->s, k);
    if (f->nested)
      nested_begin (&w->nested[k], w->p->host, w->s->data, w->s->end, w->s->footer, group, f->node);
    else
      cursor_begin (&w->cursors[k], w->p->host, w->s->data, w->s->end, w->s->footer, group,
                    source_leaf (w->s, f));
  }
}

static void
walk_end (Walk *w)
{
  for (guint k = 0; k < w->s->fields->len; k++)
    if (source_field (w->s, k)->nested)
      nested_end (&w->nested[k]);
    else
      cursor_end (&w->cursors[k]);
}

static void
walk_init (Walk *w, Parquet *p, Source *s)
{
  guint n = s->fields->len + 1;
  *w = (Walk){ .p = p,
               .s = s,
               .cursors = g_new0 (Cursor, n),
               .nested = g_new0 (Nested, n),
               .text = g_new0 (struct nprof_buf, n),
               .cells = g_new0 (struct nprof_cell, n + 1) };
}

static void
walk_clear (Walk *w)
{
  for (guint k = 0; k < w->s->fields->len; k++)
    nprof_buf_clear (&w->text[k]);
  g_free (w->cursors);
  g_free (w->nested);
  g_free (w->text);
  g_free (w->cells);
  g_free (w->fail.why);
}

#define LOST 1 /* a status: the rest of the row group cannot be read, and the run goes on */

static nprof_status
fail (Walk *w)
{
  g_autofree char *why = g_steal_pointer (&w->fail.why);
  guint64 at = why ? w->fail.at : w->s->end;
  gboolean no_memory = w->fail.no_memory;
  w->fail = (PqFail){ 0 };
  if (no_memory)
    return nprof_fail (w->p->host, NPROF_E_NOMEM, "%s: no memory for a page", w->s->file);
  nprof_status status
      = nprof_damage (w->p->host, at, "%s%scolumn %s, row group %u: %s",
                      w->s->main ? "" : w->s->file, w->s->main ? "" : ": ",
                      pq_node (w->s->footer, source_field (w->s, w->failed)->node)->name, w->group,
                      why ? why : "it has fewer values than its row group has rows");
  return status ? status : LOST;
}

/* -- Cells ----------------------------------------------------------------- */

static struct nprof_cell
text_cell (guint type, const struct nprof_buf *text)
{
  return (struct nprof_cell){ .type = type,
                              .len = (uint32_t) text->len,
                              .v.text = text->len ? text->data : "" };
}

static struct nprof_cell
cell_of (const Field *f, Cursor *c, struct nprof_buf *text)
{
  Value v = cursor_value (c, c->value);
  struct nprof_cell cell = { .type = f->type, .v.u = v.bits };
  text->len = 0;
  switch (value_as (c->node)) {
  case AS_INT64:
  case AS_UINT64:
  case AS_DOUBLE:
    return cell;
  case AS_BOOL:
    cell.v.u = v.bits != 0;
    return cell;
  case AS_HALF:
  case AS_DECIMAL:
    return value_double (c->node, &v, &cell.v.f) ? cell : (struct nprof_cell){ 0 };
  case AS_ID128:
    nprof_put (text, v.text.data, v.text.len);
    return text_cell (NPROF_ID128, text);
  default:
    if (f->type == NPROF_STRING)
      return nprof_cell_str (cursor_string (c, c->value));
    value_put (text, c->node, &v);
    if (f->type == NPROF_JSON && !value_is_json (&v.text)) {
      text->len = 0;
      value_put_json (text, c->node, &v);
    }
    return text_cell (f->type, text);
  }
}

static gboolean
fill_cell (Walk *w, guint k, struct nprof_cell *cell)
{
  const Field *f = source_field (w->s, k);
  Cursor *c = &w->cursors[k];
  gboolean null;
  *cell = (struct nprof_cell){ 0 };
  w->failed = k;
  w->text[k].len = 0;
  if (f->nested) {
    if (!nested_row (&w->nested[k], &w->text[k], &null, &w->fail))
      return FALSE;
    *cell = null ? *cell : text_cell (f->type, &w->text[k]);
    return TRUE;
  }
  if (!cursor_left (c, &w->fail))
    return FALSE;
  if (cursor_has (c, c->at)) {
    *cell = cell_of (f, c, &w->text[k]);
    c->value++;
  }
  c->at++;
  return TRUE;
}

/* Fills the row's cells, but that of the input; *ours: it belongs to the profile. */
static gboolean
fill_row (Walk *w, gboolean *ours)
{
  guint to = 1;
  *ours = TRUE;
  for (guint k = 0; k < w->s->fields->len; k++) {
    const Field *f = source_field (w->s, k);
    struct nprof_cell cell;
    if (!fill_cell (w, k, &cell))
      return FALSE;
    if (f->role == FIELD_INPUT)
      *ours = !w->p->label || !cell.type || cell.v.s == w->p->label;
    else
      w->cells[to++] = cell;
  }
  return TRUE;
}

static nprof_status
put_group (Walk *w, gint64 rows)
{
  nprof_status status = NPROF_OK;
  for (gint64 k = 0; k < rows && !status; k++) {
    gboolean ours;
    if (!fill_row (w, &ours))
      return fail (w);
    for (guint f = 0; f < w->s->fields->len; f++)
      if (w->text[f].failed || w->cursors[f].no_memory)
        return nprof_fail (w->p->host, NPROF_E_NOMEM, "%s: no memory for a row", w->s->file);
    if (ours)
      status = w->p->host->row (w->p->host, &w->s->table, w->cells);
    if (!status && k % 1024 == 0)
      status = w->p->host->cancelled (w->p->host) ? NPROF_CANCELLED : NPROF_OK;
  }
  return status;
}

nprof_status
table_decode (Parquet *p, Source *s)
{
  Walk w;
  nprof_status status = p->host->table (p->host, &s->table);
  walk_init (&w, p, s);
  w.cells[0] = nprof_cell_own_input (p->host);
  for (guint g = 0; g < s->footer->groups->len && !status; g++) {
    walk_begin (&w, g);
    status = put_group (&w, pq_group_rows (s->footer, g));
    status = status == LOST ? NPROF_OK : status;
    walk_end (&w);
  }
  walk_clear (&w);
  return status;
}

/* -- Row by row ------------------------------------------------------------ */

static gboolean
read_row (Walk *w, Value *values, gboolean *has)
{
  for (guint k = 0; k < w->s->fields->len; k++) {
    Cursor *c = &w->cursors[k];
    w->failed = k;
    if (!cursor_left (c, &w->fail))
      return FALSE;
    has[k] = cursor_has (c, c->at);
    if (has[k])
      values[k] = cursor_value (c, c->value++);
    c->at++;
  }
  return TRUE;
}

/* Walks the rows; no page is left before the row has been looked at: the next one is read only when
 * it is needed. */
nprof_status
table_each (Parquet *p, Source *s, RowFn fn, void *user)
{
  Walk w;
  guint n = s->fields->len;
  g_autofree Value *values = g_new0 (Value, n + 1);
  g_autofree gboolean *has = g_new0 (gboolean, n + 1);
  nprof_status status = NPROF_OK;
  gboolean more = TRUE;
  walk_init (&w, p, s);
  for (guint g = 0; g < s->footer->groups->len && more && !status; g++) {
    gint64 rows = pq_group_rows (s->footer, g);
    walk_begin (&w, g);
    for (gint64 k = 0; k < rows && more && !status; k++) {
      if (!read_row (&w, values, has))
        status = fail (&w);
      else
        more = fn (user, values, has);
    }
    status = status == LOST ? NPROF_OK : status;
    walk_end (&w);
  }
  walk_clear (&w);
  return status;
}
