/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - a row group as rows: slices that end where a page of a column does, or where the batch is
 * full.  Where they end shows in nothing. */
#include "rows.h"

#include <nprof/keys.h>
#include <stdlib.h>

#define MOST_PS (INT64_C (106) * 86400 * 1000000000000) /* what a start may be */
#define NESTED_SLICE 256u /* rows, when texts of any length are made of them */
#define MUCH_TEXT (64u << 20)

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

/* -- Columns of the slice -------------------------------------------------- */

static Cursor *
cursor_by (Rows *r, FieldRole role)
{
  return r->by[role] < 0 ? NULL : &r->columns[r->by[role]].cursor;
}

static void
fill_bits (const Cursor *c, gsize n, guint64 missing, guint64 *to)
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

static void
fill_strings (Cursor *c, gsize n, nprof_str missing, nprof_str *to)
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

static void
fill_ids (const Rows *r, const Cursor *c, gsize n, guint64 *to)
{
  gsize value = c->value;
  if (c->page.values.bits && !c->page.code && !r->s->table_id) {
    fill_bits (c, n, 0, to);
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

static double
double_of (Rows *r, const PqNode *node, const Value *v)
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

static void
fill_doubles (Rows *r, const Cursor *c, gsize n)
{
  struct nprof_writer *w = r->w;
  gsize value = c->value;
  for (gsize k = 0; k < n; k++) {
    if (!cursor_has (c, c->at + k))
      continue;
    Value v = cursor_value (c, value++);
    guint i = r->first + (guint) k;
    double f = double_of (r, c->node, &v);
    w->value[i] = f;
    w->value_valid[i >> 3] = (guint8) (w->value_valid[i >> 3] | 1u << (i & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}

/* -- Times ----------------------------------------------------------------- */

static gboolean
drop (Rows *r, gsize k, const Cursor *c, const char *what, const char *why)
{
  r->row_of[k] = -1;
  r->host->skip (r->host, what, c->page.at, why);
  return FALSE;
}

static gboolean
read_time (Rows *r, const Cursor *c, gsize value, gint64 per, __int128 base, gint64 *to)
{
  Value v = cursor_value (c, value);
  __int128 ps;
  if (!value_time (c->node, &v, per, &ps))
    return FALSE;
  ps -= base;
  *to = (gint64) ps;
  return ps <= 2 * (__int128) MOST_PS && ps >= -2 * (__int128) MOST_PS
         && (r->s->per != 1 || *to <= MOST_PS);
}

static nprof_status
time_fails (Rows *r, const Cursor *c, FieldRole role)
{
  return nprof_fail (
      r->host, NPROF_E_FORMAT,
      "%s%sbyte %" G_GUINT64_FORMAT
      ": column %s, row group %u: a time lies more than 106 days from the first one, or "
      "is none: name its unit with -d parquet:unit=ns (or ps, us, ms, s)",
      r->s->main ? "" : r->s->file, r->s->main ? "" : ": ", c->page.at,
      source_field (r->s, (guint) r->by[role])->key, r->part->group);
}

/* Whole numbers, of which none is missing and all lie within 106 days, as nearly always; FALSE: not so,
 * and `to` holds anything. */
static gboolean
fill_plain_times (const Cursor *c, gsize n, gint64 per, __int128 base, gint64 *to)
{
  gint64 less = (gint64) base;
  gboolean bad = base != less || c->page.def || c->node->type != PQ_INT64
                 || c->node->logical == PQ_L_DECIMAL || c->node->is_unsigned;
  if (bad)
    return FALSE;
  const gint64 *from = (const gint64 *) c->page.values.bits + c->value;
  per = value_unit (c->node) ? value_unit (c->node) : per;
  for (gsize k = 0; k < n; k++) {
    gint64 ps;
    bad |= __builtin_mul_overflow (from[k], per, &ps);
    bad |= __builtin_sub_overflow (ps, less, &ps);
    bad |= (guint64) ps + MOST_PS > 2 * (guint64) MOST_PS;
    to[k] = ps;
  }
  return !bad;
}

static nprof_status
fill_starts (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_START);
  gint64 *start = r->w->start + r->first;
  gsize value = c->value;
  if (fill_plain_times (c, r->n, r->s->per, r->p->base, start))
    return NPROF_OK;
  for (gsize k = 0; k < r->n; k++) {
    start[k] = 0;
    if (!cursor_has (c, c->at + k)) {
      if (r->w->kind[r->first + k] != NPROF_FACT && r->w->kind[r->first + k] != NPROF_GAP
          && r->row_of[k] >= 0)
        drop (r, k, c, "row", "it has no start");
      continue;
    }
    if (!read_time (r, c, value++, r->s->per, r->p->base, &start[k]) || start[k] > MOST_PS
        || start[k] < -MOST_PS)
      return time_fails (r, c, FIELD_START);
  }
  return NPROF_OK;
}

static nprof_status
fill_durations (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_DURATION);
  gint64 *duration = r->w->duration + r->first;
  gsize value = c->value;
  if (fill_plain_times (c, r->n, r->s->duration_per, 0, duration)) {
    for (gsize k = 0; k < r->n; k++)
      duration[k] = MAX (duration[k], -1);
    return NPROF_OK;
  }
  for (gsize k = 0; k < r->n; k++) {
    duration[k] = -1;
    if (cursor_has (c, c->at + k)
        && !read_time (r, c, value++, r->s->duration_per, 0, &duration[k]))
      return time_fails (r, c, FIELD_DURATION);
    if (duration[k] < 0)
      duration[k] = -1;
  }
  return NPROF_OK;
}

/* An end before the start is none. */
static nprof_status
fill_ends (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_END);
  const gint64 *start = r->w->start + r->first;
  gint64 *duration = r->w->duration + r->first, end;
  gsize value = c->value;
  for (gsize k = 0; k < r->n; k++) {
    duration[k] = -1;
    if (!cursor_has (c, c->at + k))
      continue;
    if (!read_time (r, c, value++, r->s->per, r->p->base, &end))
      return time_fails (r, c, FIELD_END);
    if (end >= start[k])
      duration[k] = end - start[k];
    else
      r->host->skip (r->host, "end", c->page.at, "it is before the start");
  }
  return NPROF_OK;
}

/* -- Kinds and tracks ------------------------------------------------------ */

static void
fill_kinds (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_KIND);
  nprof_str *text = (nprof_str *) (void *) r->scratch;
  guint8 *kind = r->w->kind + r->first;
  fill_strings (c, r->n, r->p->kinds[NPROF_SPAN], text);
  nprof_str last = text[0] + 1;
  guint8 is = 0;
  for (gsize k = 0; k < r->n; k++) {
    for (is = last == text[k] ? is : 0; last != text[k] && is < 6 && r->p->kinds[is] != text[k];)
      is++;
    last = text[k];
    kind[k] = is;
    if (is == 6 || (is == NPROF_FACT && !r->facts)) {
      kind[k] = NPROF_SPAN;
      drop (r, k, c, "row", "its kind is not span, instant, counter, flow or gap");
    }
  }
}

/* The track is found by the number that the writing run gave it. */
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

static gboolean
fill_numbered (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_NUMBER);
  nprof_track *track = r->w->track + r->first;
  fill_bits (c, r->n, 0, r->scratch);
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

/* A file without its table tracks has labels in each row, and these make the track. */
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

static void
fill_labelled (Rows *r)
{
  g_autofree nprof_str *process = g_new0 (nprof_str, r->n), *thread = g_new0 (nprof_str, r->n);
  Cursor *number = cursor_by (r, FIELD_NUMBER);
  fill_bits (number, r->n, 0, r->scratch);
  for (guint k = 0, seen = 0; k < r->s->fields->len; k++)
    if (source_field (r->s, k)->role == FIELD_TRACK)
      fill_strings (&r->columns[k].cursor, r->n, 0, seen++ ? thread : process);
  for (gsize k = 0; k < r->n; k++)
    r->w->track[r->first + k] = labelled (r, r->scratch[k], process[k], thread[k]);
}

/* The name of the column tells the kind; a track that holds others is a process where nothing is said. */
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

/* One level of the path: a number is shown behind the column's name, a text alone. */
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

/* Tracks are looked up by the values of their columns, which most rows share with the one before. */
static void
fill_paths (Rows *r)
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

/* -- A slice --------------------------------------------------------------- */

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

/* Rows of another profile of the file. */
static void
drop_others (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_INPUT);
  nprof_str *label = (nprof_str *) (void *) r->scratch;
  if (!c || !r->p->label)
    return;
  fill_strings (c, r->n, r->p->label, label);
  for (gsize k = 0; k < r->n; k++)
    if (label[k] != r->p->label)
      r->row_of[k] = -1;
}

static nprof_str
looked_up (const Rows *r, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (r->p->texts, &id));
}

/* Names and categories that are numbers of the texts in another table. */
static void
fill_texts (Rows *r, Cursor *c, nprof_str *to)
{
  gsize value = c->value;
  fill_strings (c, r->n, 0, to);
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
  nprof_status status = r->by[FIELD_START] < 0 ? NPROF_OK : fill_starts (r);
  if (!status && r->by[FIELD_DURATION] >= 0)
    status = fill_durations (r);
  else if (!status && r->by[FIELD_END] >= 0)
    status = fill_ends (r);
  return status;
}

/* Times of a fact mean nothing; an instant takes no time, whatever the file says. */
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
      return time_fails (r, cursor_by (r, FIELD_START), FIELD_START);
  }
  return NPROF_OK;
}

static nprof_status
no_memory (const Rows *r)
{
  return nprof_fail (r->host, NPROF_E_NOMEM, "%s: no memory for a row", r->s->file);
}

static nprof_status
fill (Rows *r)
{
  struct nprof_writer *w = r->w;
  Cursor *c;
  fill_defaults (r);
  drop_others (r);
  if (cursor_by (r, FIELD_KIND))
    fill_kinds (r);
  if ((c = cursor_by (r, FIELD_NAME)))
    fill_texts (r, c, w->name + r->first);
  if ((c = cursor_by (r, FIELD_CATEGORY)))
    fill_texts (r, c, w->category + r->first);
  if (r->by[FIELD_NUMBER] >= 0 && r->p->numbers) {
    if (!fill_numbered (r))
      return rows_fail (r, (guint) r->by[FIELD_NUMBER]);
  } else if (r->by[FIELD_NUMBER] >= 0)
    fill_labelled (r);
  else if (r->by[FIELD_TRACK] >= 0)
    fill_paths (r);
  if (r->one.failed)
    return no_memory (r);
  if ((c = cursor_by (r, FIELD_VALUE)))
    fill_doubles (r, c, r->n);
  if ((c = cursor_by (r, FIELD_ID)))
    fill_ids (r, c, r->n, w->id + r->first);
  if ((c = cursor_by (r, FIELD_PARENT)))
    fill_ids (r, c, r->n, w->parent + r->first);
  if ((c = cursor_by (r, FIELD_FLOW)))
    fill_ids (r, c, r->n, w->flow + r->first);
  nprof_status status = fill_times (r);
  return status ? status : check_times (r);
}

/* A counter without a value, and a flow without a number, say nothing. */
static void
drop_empty (Rows *r)
{
  struct nprof_writer *w = r->w;
  for (gsize k = 0; k < r->n; k++) {
    guint i = r->first + (guint) k;
    if (r->row_of[k] < 0)
      continue;
    if (w->kind[i] == NPROF_COUNTER && !(w->value_valid[i >> 3] >> (i & 7) & 1))
      drop (r, k, &r->columns[0].cursor, "counter", "it has no value");
    else if (w->kind[i] == NPROF_FLOW && !w->flow[i])
      drop (r, k, &r->columns[0].cursor, "flow", "it has no number");
  }
}

static void
set_bit (guint8 *bits, guint i, gboolean on)
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
      set_bit (w->value_valid, to, w->value_valid[i >> 3] >> (i & 7) & 1);
      w->id[to] = w->id[i];
      w->parent[to] = w->parent[i];
      w->flow[to] = w->flow[i];
    }
    to++;
  }
  for (guint i = to; i < r->first + r->n; i++) { /* as they were lent */
    set_bit (w->value_valid, i, FALSE);
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

static void
advance (Rows *r)
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

static nprof_status
check_memory (const Rows *r)
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
  nprof_status status = fill (r);
  if (status)
    return status;
  drop_empty (r);
  close_gaps (r);
  status = attributes_put (r);
  if (!status && r->p->flows)
    status = neuron_flows (r);
  if (!status)
    status = check_memory (r);
  advance (r);
  return status;
}

/* Texts that are in no dictionary, and are copied. */
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

/* How many rows come next, before any page ends; 0: see *failed, and r->fail. */
static gsize
slice_rows (Rows *r, gint64 left, gint *failed)
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

static nprof_status
next_slice (Rows *r, gint64 *left)
{
  gint failed;
  r->n = 0;
  nprof_status status = NPROF_OK;
  if (r->w->n_rows == r->w->max_rows || r->w->n_bytes > MUCH_TEXT)
    status = r->w->flush (r->w);
  if (status)
    return status;
  r->n = slice_rows (r, *left, &failed);
  if (!r->n) {
    if (!r->fail.why)
      r->fail.at = pq_column_end (r->columns[failed].cursor.column);
    return rows_fail (r, (guint) failed);
  }
  *left -= (gint64) r->n;
  r->before = *r->w;
  return put_slice (r);
}

/* -- Series ---------------------------------------------------------------- */

/* Counters of a table: each of its columns is a series, so a row of it is several. */
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
                            double_of (r, c->node, &v));
    if (!status)
      nprof_set_category (r->w, r->s->category);
  }
  return status;
}

/* The columns of the slice are filled into the free end of the batch first. */
static nprof_status
series_slice (Rows *r)
{
  g_autofree gint64 *start = g_new (gint64, r->n);
  g_autofree nprof_track *track = g_new (nprof_track, r->n);
  g_autofree gint32 *kept = g_new (gint32, r->n);
  g_autofree gsize *values = g_new0 (gsize, r->s->fields->len + 1);
  r->first = r->w->n_rows;
  nprof_status status = fill (r);
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
  advance (r);
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
  r->n = slice_rows (r, *left, &failed);
  if (!r->n)
    return rows_fail (r, (guint) failed);
  *left -= (gint64) r->n;
  return series_slice (r);
}

/* -- Damage ---------------------------------------------------------------- */

/* The rest of the row group is lost, its last slice too; a row says so. */
static nprof_status
put_gap (Rows *r)
{
  struct nprof_writer *w = r->w;
  if (r->n && r->by[FIELD_SERIES] < 0) {
    for (guint i = r->before.n_rows; i < r->before.n_rows + r->n; i++) {
      set_bit (w->value_valid, i, FALSE);
      w->value[i] = 0;
      w->id[i] = w->parent[i] = w->flow[i] = 0;
    }
    w->n_rows = r->before.n_rows;
    w->n_attrs = r->before.n_attrs;
    w->n_bytes = r->before.n_bytes;
    w->attr_at[w->n_rows] = w->n_attrs;
  }
  return nprof_row (w, NPROF_GAP, r->host->input (r->host, r->host->own_input)->root,
                    nprof_intern (r->host, "rows of a damaged row group"), 0, 0);
}

/* -- A row group ----------------------------------------------------------- */

/* The fault is found again, and said, when the column is read. */
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
  Cursor *c = cursor_by (r, FIELD_KIND);
  if (r->by[FIELD_NUMBER] < 0 || !look_ahead (r, c))
    return FALSE;
  for (gsize k = 0; c->page.code && k < c->n_known; k++) {
    const PqText *text = &pq_column_dictionary (c->column)->text[k];
    if (text->len == 4 && !memcmp (text->data, "fact", 4))
      return TRUE;
  }
  return !c->page.code;
}

/* Columns of all rows first: whether there are facts decides which attributes are read. */
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

/* Does the row group have rows of the profile? */
static gboolean
is_of_profile (Rows *r)
{
  Cursor *c = cursor_by (r, FIELD_INPUT);
  if (!r->p->label || !look_ahead (r, c) || !c->page.code)
    return TRUE;
  for (gsize k = 0; k < c->n_known; k++) {
    const PqText *text = &pq_column_dictionary (c->column)->text[k];
    if (r->host->intern (r->host, text->data, text->len) == r->p->label)
      return TRUE;
  }
  return FALSE;
}

/* A flat column has one value a row, null or not. */
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
  status = r.one.failed ? no_memory (&r) : check_counts (&r, left);
  if (!is_of_profile (&r))
    left = 0;
  while (left > 0 && !status)
    status = r.by[FIELD_SERIES] >= 0 ? next_series (&r, &left) : next_slice (&r, &left);
  if (status == ROWS_LOST)
    status = put_gap (&r);
  if (!status && r.ends)
    status = neuron_put_ends (&r);
  if (!status)
    status = progress (&r);
  rows_clear (&r, n);
  return status;
}
