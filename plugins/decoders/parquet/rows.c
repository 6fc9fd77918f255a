/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - reads a row group as rows: in slices that end where a page of a column does, or where
 * the batch is full.  No output shows where they end. */
#include "neuron.h"

#include <nprof/keys.h>
#include <stdlib.h>

nprof_status
rows_fail (Rows *r, guint field)
{
  g_autofree char *why = g_steal_pointer (&r->fail.why);
  const char *column = pq_node (r->s->footer, source_field (r->s, field)->node)->name;
  gboolean no_memory = r->fail.no_memory;
  guint64 at = r->fail.at;
  r->fail = (PqFail){ 0 };
  if (no_memory)
    return nprof_fail (r->host, NPROF_E_NOMEM, "%s: no memory for a page", r->s->file);
  nprof_status status = nprof_damage (r->host, at, "%s%scolumn %s, row group %u: %s",
                                      r->s->main ? "" : r->s->file, r->s->main ? "" : ": ", column,
                                      r->part->group, why ? why : "it ends too early");
  return status ? status : ROWS_LOST;
}

/* -- Series ---------------------------------------------------------------- */

/* Puts a row of counters of a table: each of its columns is a series, so a row of it is several. */
static nprof_status
put_series_row (Rows *r, gsize k, gint64 start, nprof_track track, gsize *values)
{
  nprof_status status = NPROF_OK;
  for (guint f = 0; f < r->s->fields->len && !status; f++) {
    const Cursor *c = &r->columns[f].cursor;
    if (source_field (r->s, f)->role != FIELD_SERIES || !cursor_has (c, c->at + k))
      continue;
    Value v = cursor_value (c, values[f]++);
    status = nprof_counter (r->w, track, source_field (r->s, f)->handle, start,
                            rows_double_of (r, c->node, &v));
    if (!status)
      nprof_set_category (r->w, r->s->category);
  }
  return status;
}

/* Fills the columns of the slice into the free end of the batch first. */
static nprof_status
series_slice (Rows *r)
{
  g_autofree gint64 *start = g_new (gint64, r->n);
  g_autofree nprof_track *track = g_new (nprof_track, r->n);
  g_autofree gint32 *kept = g_new (gint32, r->n);
  g_autofree gsize *values = g_new0 (gsize, r->s->fields->len + 1);
  r->first = r->w->n_rows;
  nprof_status status = rows_fill (r);
  if (status)
    return status;
  memcpy (start, r->w->start + r->first, r->n * sizeof *start);
  memcpy (track, r->w->track + r->first, r->n * sizeof *track);
  memcpy (kept, r->row_of, r->n * sizeof *kept);
  for (guint f = 0; f < r->s->fields->len; f++)
    values[f] = r->columns[f].cursor.value;
  for (gsize k = 0; k < r->n && !status; k++)
    if (kept[k] >= 0)
      status = put_series_row (r, k, start[k], track[k], values);
  rows_advance (r);
  return status;
}

static nprof_status
next_series (Rows *r, gint64 *left)
{
  gint failed;
  r->n = 0;
  nprof_status status = r->w->n_rows == r->w->max_rows ? r->w->flush (r->w) : NPROF_OK;
  if (status)
    return status;
  r->n = rows_slice_rows (r, *left, &failed);
  if (!r->n)
    return rows_fail (r, (guint) failed);
  *left -= (gint64) r->n;
  return series_slice (r);
}

/* -- Damage ---------------------------------------------------------------- */

/* Takes the last slice back, because the rest of the row group is lost, and it too. */
static void
take_back (Rows *r)
{
  struct nprof_writer *w = r->w;
  if (!r->n || r->by[FIELD_SERIES] >= 0)
    return;
  for (guint i = r->before.n_rows; i < r->before.n_rows + r->n; i++) {
    rows_set_bit (w->value_valid, i, FALSE);
    w->value[i] = 0;
    w->id[i] = w->parent[i] = w->flow[i] = 0;
  }
  w->n_rows = r->before.n_rows;
  w->n_attrs = r->before.n_attrs;
  w->n_bytes = r->before.n_bytes;
  w->attr_at[w->n_rows] = w->n_attrs;
}

/* -- A row group ----------------------------------------------------------- */

/* Looks ahead; a fault is found again, and said, when the column is read. */
static gboolean
look_ahead (Rows *r, Cursor *c)
{
  PqFail fail = { 0 };
  gboolean any = c && cursor_left (c, &fail);
  r->one.failed |= fail.no_memory;
  g_free (fail.why);
  return any;
}

static gboolean
is_fact_there (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_KIND);
  if (r->by[FIELD_NUMBER] < 0 || !look_ahead (r, c))
    return FALSE;
  for (gsize k = 0; c->page.code && k < c->n_known; k++) {
    const PqText *text = &pq_column_dictionary (c->column)->text[k];
    if (text->len == 4 && !memcmp (text->data, "fact", 4))
      return TRUE;
  }
  return !c->page.code;
}

/* Begins columns of all rows first: whether there are facts decides which attributes are read. */
static void
begin (Rows *r)
{
  for (guint k = 0; k <= FIELD_REST; k++)
    r->by[k] = -1;
  for (guint k = r->s->fields->len; k-- > 0;) {
    const Field *f = source_field (r->s, k);
    r->by[f->role] = (int) k;
    if (f->role < FIELD_ATTRIBUTE)
      cursor_begin (&r->columns[k].cursor, r->host, r->s->data, r->s->end, r->s->footer,
                    r->part->group, source_leaf (r->s, f));
  }
  r->flow_phase = nprof_intern (r->host, NPROF_KEY_FLOW_PHASE);
  r->facts = is_fact_there (r);
  attributes_begin (r);
}

/* Returns whether the row group has rows of the profile. */
static gboolean
is_of_profile (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_INPUT);
  if (!r->p->label || !look_ahead (r, c) || !c->page.code)
    return TRUE;
  for (gsize k = 0; k < c->n_known; k++) {
    const PqText *text = &pq_column_dictionary (c->column)->text[k];
    if (r->host->intern (r->host, text->data, text->len) == r->p->label)
      return TRUE;
  }
  return FALSE;
}

/* Checks that a flat column has one value a row, null or not. */
static nprof_status
check_counts (Rows *r, gint64 rows)
{
  for (guint k = 0; k < r->s->fields->len; k++) {
    const Field *f = source_field (r->s, k);
    gint64 n = f->nested ? rows
                         : pq_chunk (r->s->footer, r->part->group, source_leaf (r->s, f))->n_values;
    if (n == rows)
      continue;
    r->fail.at = r->s->end;
    r->fail.why = g_strdup_printf ("it has %" G_GINT64_FORMAT
                                   " values, but the row group has %" G_GINT64_FORMAT " rows",
                                   n, rows);
    return rows_fail (r, k);
  }
  return NPROF_OK;
}

static guint
hash_path (gconstpointer path)
{
  return g_string_hash (path);
}

static gboolean
equal_paths (gconstpointer a, gconstpointer b)
{
  return g_string_equal (a, b);
}

static void
free_path (gpointer path)
{
  g_string_free (path, TRUE);
}

static void
rows_init (Rows *r, guint n)
{
  r->columns = g_new0 (Column, n + 1);
  r->row_of = g_new (gint32, SLICE);
  r->count = g_new (guint32, SLICE);
  r->scratch = g_new (guint64, SLICE);
  r->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  r->entries_at = g_new0 (gsize, n + 1);
  r->keys = g_hash_table_new (NULL, NULL);
  r->tracks = g_hash_table_new_full (hash_path, equal_paths, free_path, NULL);
}

static void
rows_clear (Rows *r, guint n)
{
  for (guint k = 0; k < n; k++) {
    cursor_end (&r->columns[k].cursor);
    if (r->columns[k].nested.cursors)
      nested_end (&r->columns[k].nested);
    g_free (r->columns[k].values);
  }
  g_free (r->columns);
  g_free (r->row_of);
  g_free (r->count);
  g_free (r->scratch);
  g_array_unref (r->entries);
  g_free (r->entries_at);
  g_hash_table_unref (r->keys);
  g_hash_table_unref (r->tracks);
  g_clear_pointer (&r->ends, g_array_unref);
  g_free (r->fail.why);
  nprof_buf_clear (&r->json);
  nprof_buf_clear (&r->one);
}

/* Reports the bytes worked through, for the progress bar and so that pages of the input can go. */
static nprof_status
progress (const Rows *r)
{
  guint64 from = G_MAXUINT64, to = 0;
  for (guint k = 0; k < r->s->footer->leaves->len; k++) {
    const PqChunk *c = pq_chunk (r->s->footer, r->part->group, k);
    gint64 at = c->dict_at > 0 ? MIN (c->dict_at, c->data_at) : c->data_at;
    if (at < 0 || c->bytes < 0 || (guint64) at > r->s->end
        || (guint64) c->bytes > r->s->end - (guint64) at)
      continue;
    from = MIN (from, (guint64) at);
    to = MAX (to, (guint64) at + (guint64) c->bytes);
  }
  return r->host->progress (r->host, r->s->main && from < to ? from : 0, r->s->main ? to : 0);
}

nprof_status
rows_decode (Parquet *p, const struct nprof_host *host, const Part *part)
{
  Rows r = { .p = p, .host = host, .part = part, .s = part->source, .w = host->writer (host) };
  guint n = r.s->fields->len;
  gint64 left = pq_group_rows (r.s->footer, part->group);
  nprof_status status = r.w ? NPROF_OK : NPROF_E_NOMEM;
  if (status || left <= 0)
    return status;
  rows_init (&r, n);
  begin (&r);
  status = r.one.failed ? rows_no_memory (&r) : check_counts (&r, left);
  if (!is_of_profile (&r))
    left = 0;
  while (left > 0 && !status)
    status = r.by[FIELD_SERIES] >= 0 ? next_series (&r, &left) : rows_next_slice (&r, &left);
  if (status == ROWS_LOST) {
    take_back (&r);
    status = NPROF_OK;
  }
  if (!status && r.ends)
    status = neuron_put_ends (&r);
  if (!status)
    status = progress (&r);
  rows_clear (&r, n);
  return status;
}
