/* SPDX-License-Identifier: Apache-2.0 */
/* rows-tracks.c - reads kinds and tracks of a slice: by number, by labels, or by paths. */
#include "rows.h"

#include <nprof/keys.h>

void
rows_fill_kinds (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_KIND);
  nprof_str *text = (nprof_str *) (void *) r->scratch;
  guint8 *kind = r->w->kind + r->first;
  rows_fill_strings (c, r->n, r->p->kinds[NPROF_SPAN], text);
  nprof_str last = text[0] + 1;
  guint8 is = 0;
  for (gsize k = 0; k < r->n; k++) {
    for (is = last == text[k] ? is : 0; last != text[k] && is < 6 && r->p->kinds[is] != text[k];)
      is++;
    last = text[k];
    kind[k] = is;
    if (is == 6 || (is == NPROF_FACT && !r->facts)) {
      kind[k] = NPROF_SPAN;
      rows_drop (r, k, c, "row", "its kind is not span, instant, counter, flow or gap");
    }
  }
}

/* Finds the track by the number that the writing run gave it. */
static nprof_track
numbered (Rows *r, guint64 number)
{
  if (number == r->last_number && r->last_track)
    return r->last_track;
  guint64 key = number;
  gpointer found = r->p->numbers ? g_hash_table_lookup (r->p->numbers, &key) : NULL;
  r->last_number = number;
  return r->last_track = GPOINTER_TO_UINT (found);
}

gboolean
rows_fill_numbered (Rows *r)
{
  Cursor *c = rows_cursor_by (r, FIELD_NUMBER);
  nprof_track *track = r->w->track + r->first;
  rows_fill_bits (c, r->n, 0, r->scratch);
  for (gsize k = 0; k < r->n; k++) {
    if (r->row_of[k] < 0) {
      track[k] = r->host->input (r->host, r->host->own_input)->root;
      continue;
    }
    track[k] = numbered (r, r->scratch[k]);
    if (!track[k]) {
      r->fail.at = c->page.at;
      r->fail.why = g_strdup_printf ("its track %" G_GUINT64_FORMAT
                                     " is not in tracks.parquet beside the file: both must come "
                                     "from one run of nprof",
                                     r->scratch[k]);
      return FALSE;
    }
  }
  return TRUE;
}

/* Makes the track of the labels in each row, which a file without its table tracks has. */
static nprof_track
labelled (Rows *r, guint64 number, nprof_str process, nprof_str thread)
{
  char key[24];
  const struct nprof_host *h = r->host;
  if (number == r->last_number && r->last_track)
    return r->last_track;
  nprof_track above = process ? h->track (h, 0, NPROF_TRACK_PROCESS, process, process, 0) : 0;
  g_snprintf (key, sizeof key, "%" G_GUINT64_FORMAT, number);
  r->last_number = number;
  r->last_track
      = h->track (h, above, NPROF_TRACK_THREAD, nprof_intern (h, key), thread, (gint64) number);
  r->one.failed |= !r->last_track || (process && !above);
  return r->last_track;
}

void
rows_fill_labelled (Rows *r)
{
  g_autofree nprof_str *process = g_new0 (nprof_str, r->n), *thread = g_new0 (nprof_str, r->n);
  Cursor *number = rows_cursor_by (r, FIELD_NUMBER);
  rows_fill_bits (number, r->n, 0, r->scratch);
  for (guint k = 0, seen = 0; k < r->s->fields->len; k++)
    if (source_field (r->s, k)->role == FIELD_TRACK)
      rows_fill_strings (&r->columns[k].cursor, r->n, 0, seen++ ? thread : process);
  for (gsize k = 0; k < r->n; k++)
    r->w->track[r->first + k] = labelled (r, r->scratch[k], process[k], thread[k]);
}

/* Tells the kind by the name of the column; a track that holds others is a process where nothing is
 * said. */
static guint
kind_of_level (const char *name, gboolean last)
{
  static const struct {
    const char *in;
    guint kind;
  } words[] = { { "thread", NPROF_TRACK_THREAD },   { "tid", NPROF_TRACK_THREAD },
                { "process", NPROF_TRACK_PROCESS }, { "pid", NPROF_TRACK_PROCESS },
                { "device", NPROF_TRACK_DEVICE },   { "core", NPROF_TRACK_CORE },
                { "nc_idx", NPROF_TRACK_CORE },     { "engine", NPROF_TRACK_ENGINE },
                { "queue", NPROF_TRACK_QUEUE },     { "stream", NPROF_TRACK_QUEUE },
                { "host", NPROF_TRACK_HOST } };
  g_autofree char *small = g_ascii_strdown (name, -1);
  for (gsize k = 0; k < G_N_ELEMENTS (words); k++)
    if (strstr (small, words[k].in))
      return words[k].kind;
  return last ? NPROF_TRACK_THREAD : NPROF_TRACK_PROCESS;
}

/* Makes one level of the path: a number is shown behind the column's name, a text alone. */
static nprof_track
level (Rows *r, nprof_track above, const Field *f, const Cursor *c, gsize value, gboolean last)
{
  const struct nprof_host *h = r->host;
  Value v = cursor_value (c, value);
  r->one.len = 0;
  value_put (&r->one, c->node, &v);
  nprof_str key = h->intern (h, r->one.len ? r->one.data : "", r->one.len), label = 0;
  gint64 sort = 0;
  if (value_as (c->node) == AS_INT64 || value_as (c->node) == AS_UINT64) {
    g_autofree char *text = g_strdup_printf ("%s %s", f->key, nprof_text (h, key));
    label = nprof_intern (h, text);
    sort = (gint64) v.bits;
  }
  nprof_track track = h->track (h, above, kind_of_level (f->key, last), key, label, sort);
  r->one.failed |= !track;
  return track;
}

/* Looks tracks up by the values of their columns, which most rows share with the one before. */
void
rows_fill_paths (Rows *r)
{
  gsize values[64] = { 0 };
  guint fields[64], n = 0;
  g_autoptr (GString) path = g_string_new (NULL), last = g_string_new ("\1");
  nprof_track track = 0, root = r->host->input (r->host, r->host->own_input)->root;
  for (guint k = 0; k < r->s->fields->len && n < G_N_ELEMENTS (fields); k++)
    if (source_field (r->s, k)->role == FIELD_TRACK) {
      values[n] = r->columns[k].cursor.value;
      fields[n++] = k;
    }
  for (gsize row = 0; row < r->n; row++) {
    g_string_truncate (path, 0);
    for (guint k = 0; k < n; k++) {
      const Cursor *c = &r->columns[fields[k]].cursor;
      if (!cursor_has (c, c->at + row)) {
        g_string_append_c (path, '\2');
        continue;
      }
      Value v = cursor_value (c, values[k]);
      guint32 len = v.text.data ? v.text.len : 8;
      g_string_append_len (path, (const char *) &len, 4);
      g_string_append_len (path, v.text.data ? v.text.data : (const char *) &v.bits, (gssize) len);
    }
    if (!g_string_equal (path, last)) {
      gpointer known = g_hash_table_lookup (r->tracks, path);
      track = GPOINTER_TO_UINT (known);
      for (guint k = 0; !known && k < n; k++) {
        const Cursor *c = &r->columns[fields[k]].cursor;
        track = k ? track : 0;
        if (cursor_has (c, c->at + row))
          track = level (r, track, source_field (r->s, fields[k]), c, values[k], k + 1 == n);
      }
      track = track ? track : root;
      if (!known)
        g_hash_table_insert (r->tracks, g_string_new_len (path->str, (gssize) path->len),
                             GUINT_TO_POINTER (track));
      g_string_assign (last, "");
      g_string_append_len (last, path->str, (gssize) path->len);
    }
    r->w->track[r->first + row] = track;
    for (guint k = 0; k < n; k++)
      values[k]
          += cursor_has (&r->columns[fields[k]].cursor, r->columns[fields[k]].cursor.at + row);
  }
}
