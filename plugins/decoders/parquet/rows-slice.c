/* SPDX-License-Identifier: Apache-2.0 */
/* rows-slice.c - reads one slice: fills the columns of the batch, and closes the gaps of rows that
 * were dropped. */
#include "neuron.h"

#include <nprof/keys.h>

#define NESTED_SLICE 256u /* rows, when texts of any length are made of them */
#define MUCH_TEXT (64u << 20)

/* Fills the columns that the file may lack: a span has no end then, its track is the root. */
static void
fill_defaults (Rows *r)
{
  struct nprof_writer *w = r->w;
  nprof_track root = r->host->input (r->host, r->host->own_input)->root;
  for (gsize k = 0; k < r->n; k++) {
    gsize i = r->first + k;
    r->row_of[k] = (gint32) i;
    w->kind[i] = r->s->kind;
    w->name[i] = r->s->name;
    w->category[i] = r->s->category;
    w->duration[i] = r->s->kind == NPROF_SPAN ? -1 : 0;
    w->track[i] = root;
  }
}

/* Drops rows of another profile of the file. */
static void
drop_others (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_INPUT);
  nprof_str *label = (nprof_str *) (void *) r->scratch;
  if (!c || !r->p->label)
    return;
  rows_fill_strings (c, r->n, r->p->label, label);
  for (gsize k = 0; k < r->n; k++)
    if (label[k] != r->p->label)
      r->row_of[k] = -1;
}

static nprof_str
looked_up (const Rows *r, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (r->p->texts, &id));
}

/* Fills names and categories that are numbers of the texts in another table. */
static void
fill_texts (Rows *r, Cursor *c, nprof_str *to)
{
  gsize value = c->value;
  rows_fill_strings (c, r->n, 0, to);
  if (!r->p->texts || !c->page.values.bits || c->page.code)
    return;
  for (gsize k = 0; k < r->n; k++) {
    nprof_str text
        = cursor_has (c, c->at + k) ? looked_up (r, (gint64) c->page.values.bits[value++]) : 0;
    to[k] = text ? text - 1 : to[k];
  }
}

static nprof_status
fill_times (Rows *r)
{
  nprof_status status = r->by[FIELD_START] < 0 ? NPROF_OK : rows_fill_starts (r);
  if (!status && r->by[FIELD_DURATION] >= 0)
    status = rows_fill_durations (r);
  else if (!status && r->by[FIELD_END] >= 0)
    status = rows_fill_ends (r);
  return status;
}

/* Checks times; those of a fact mean nothing, and an instant takes no time, whatever the file
 * says. */
static nprof_status
check_times (Rows *r)
{
  struct nprof_writer *w = r->w;
  for (guint i = r->first; i < r->first + r->n; i++) {
    if (w->kind[i] == NPROF_FACT)
      w->start[i] = w->duration[i] = 0;
    else if (w->kind[i] != NPROF_SPAN && w->kind[i] != NPROF_GAP)
      w->duration[i] = 0;
    if (w->start[i] > 0 && w->duration[i] > G_MAXINT64 - w->start[i])
      return rows_time_fails (r, rows_cursor_by (r, FIELD_START), FIELD_START);
  }
  return NPROF_OK;
}

nprof_status
rows_no_memory (const Rows *r)
{
  return nprof_fail (r->host, NPROF_E_NOMEM, "%s: no memory for a row", r->s->file);
}

nprof_status
rows_fill (Rows *r)
{
  struct nprof_writer *w = r->w;
  Cursor *c;
  fill_defaults (r);
  drop_others (r);
  if (rows_cursor_by (r, FIELD_KIND))
    rows_fill_kinds (r);
  if ((c = rows_cursor_by (r, FIELD_NAME)))
    fill_texts (r, c, w->name + r->first);
  if ((c = rows_cursor_by (r, FIELD_CATEGORY)))
    fill_texts (r, c, w->category + r->first);
  if (r->by[FIELD_NUMBER] >= 0 && r->p->numbers) {
    if (!rows_fill_numbered (r))
      return rows_fail (r, (guint) r->by[FIELD_NUMBER]);
  } else if (r->by[FIELD_NUMBER] >= 0)
    rows_fill_labelled (r);
  else if (r->by[FIELD_TRACK] >= 0)
    rows_fill_paths (r);
  if (r->one.failed)
    return rows_no_memory (r);
  if ((c = rows_cursor_by (r, FIELD_VALUE)))
    rows_fill_doubles (r, c, r->n);
  if ((c = rows_cursor_by (r, FIELD_ID)))
    rows_fill_ids (r, c, r->n, w->id + r->first);
  if ((c = rows_cursor_by (r, FIELD_PARENT)))
    rows_fill_ids (r, c, r->n, w->parent + r->first);
  if ((c = rows_cursor_by (r, FIELD_FLOW)))
    rows_fill_ids (r, c, r->n, w->flow + r->first);
  nprof_status status = fill_times (r);
  return status ? status : check_times (r);
}

/* Drops a counter without a value and a flow without a number, which say nothing. */
static void
drop_empty (Rows *r)
{
  struct nprof_writer *w = r->w;
  for (gsize k = 0; k < r->n; k++) {
    guint i = r->first + (guint) k;
    if (r->row_of[k] < 0)
      continue;
    if (w->kind[i] == NPROF_COUNTER && !(w->value_valid[i >> 3] >> (i & 7) & 1))
      rows_drop (r, k, &r->columns[0].cursor, "counter", "it has no value");
    else if (w->kind[i] == NPROF_FLOW && !w->flow[i])
      rows_drop (r, k, &r->columns[0].cursor, "flow", "it has no number");
  }
}

void
rows_set_bit (guint8 *bits, guint i, gboolean on)
{
  bits[i >> 3] = (guint8) ((bits[i >> 3] & ~(1u << (i & 7))) | (guint) !!on << (i & 7));
}

/* Moves rows up over those that are dropped. */
static void
close_gaps (Rows *r)
{
  struct nprof_writer *w = r->w;
  guint to = r->first;
  for (gsize k = 0; k < r->n; k++) {
    guint i = r->first + (guint) k;
    if (r->row_of[k] < 0)
      continue;
    r->row_of[k] = (gint32) to;
    if (i != to) {
      w->start[to] = w->start[i];
      w->duration[to] = w->duration[i];
      w->track[to] = w->track[i];
      w->name[to] = w->name[i];
      w->category[to] = w->category[i];
      w->kind[to] = w->kind[i];
      w->value[to] = w->value[i];
      rows_set_bit (w->value_valid, to, w->value_valid[i >> 3] >> (i & 7) & 1);
      w->id[to] = w->id[i];
      w->parent[to] = w->parent[i];
      w->flow[to] = w->flow[i];
    }
    to++;
  }
  for (guint i = to; i < r->first + r->n; i++) { /* as they were lent */
    rows_set_bit (w->value_valid, i, FALSE);
    w->value[i] = 0;
    w->id[i] = w->parent[i] = w->flow[i] = 0;
  }
  w->n_rows = to;
}

static void
say_present (Rows *r)
{
  r->w->present |= (r->by[FIELD_ID] >= 0 ? NPROF_HAS_ID : 0u)
                   | (r->by[FIELD_PARENT] >= 0 ? NPROF_HAS_PARENT : 0u)
                   | (r->by[FIELD_FLOW] >= 0 ? NPROF_HAS_FLOW : 0u);
}

void
rows_advance (Rows *r)
{
  for (guint k = 0; k < r->s->fields->len; k++) {
    Cursor *c = &r->columns[k].cursor;
    if (!c->column)
      continue;
    gsize there = r->n;
    if (c->page.def) {
      there = 0;
      for (gsize i = 0; i < r->n; i++)
        there += cursor_has (c, c->at + i);
    }
    c->at += r->n;
    c->value += there;
  }
}

/* Fails when a column had no memory for a text, which reading it could not say. */
static nprof_status
say_no_memory (const Rows *r)
{
  for (guint k = 0; k < r->s->fields->len; k++)
    if (r->columns[k].cursor.no_memory)
      return nprof_fail (r->host, NPROF_E_NOMEM, "%s: no memory for a text", r->s->file);
  return NPROF_OK;
}

static nprof_status
put_slice (Rows *r)
{
  r->first = r->w->n_rows;
  say_present (r);
  nprof_status status = rows_fill (r);
  if (status)
    return status;
  drop_empty (r);
  close_gaps (r);
  status = attributes_put (r);
  if (!status && r->p->flows)
    status = neuron_flows (r);
  if (!status)
    status = say_no_memory (r);
  rows_advance (r);
  return status;
}

/* Counts the bytes of texts that are in no dictionary, and are copied. */
static gsize
text_bytes (const Rows *r, gsize n)
{
  gsize bytes = 0;
  for (guint k = 0; k < r->s->fields->len; k++) {
    const Cursor *c = &r->columns[k].cursor;
    if (!c->column || c->page.code || !c->page.values.text)
      continue;
    for (gsize i = 0; i < n && c->value + i < c->page.values.n; i++)
      bytes += c->page.values.text[c->value + i].len;
  }
  return bytes;
}

/* Returns how many rows come next, before any page ends; 0: see *failed, and r->fail. */
gsize
rows_slice_rows (Rows *r, gint64 left, gint *failed)
{
  gsize n = MIN ((gsize) left, r->w->max_rows - r->w->n_rows);
  *failed = -1;
  for (guint k = 0; k < r->s->fields->len && n; k++) {
    if (r->columns[k].cursor.column) {
      n = MIN (n, cursor_left (&r->columns[k].cursor, &r->fail));
      *failed = n ? -1 : (gint) k;
    } else if (r->columns[k].open)
      n = MIN (n, NESTED_SLICE);
  }
  while (n > 1 && text_bytes (r, n) > MUCH_TEXT)
    n /= 2;
  return n;
}

nprof_status
rows_next_slice (Rows *r, gint64 *left)
{
  gint failed;
  r->n = 0;
  nprof_status status = NPROF_OK;
  if (r->w->n_rows == r->w->max_rows || r->w->n_bytes > MUCH_TEXT)
    status = r->w->flush (r->w);
  if (status)
    return status;
  r->n = rows_slice_rows (r, *left, &failed);
  if (!r->n) {
    if (!r->fail.why)
      r->fail.at = pq_column_end (r->columns[failed].cursor.column);
    return rows_fail (r, (guint) failed);
  }
  *left -= (gint64) r->n;
  r->before = *r->w;
  return put_slice (r);
}
