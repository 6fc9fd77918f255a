/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - makes of batches and chunks what a test reads: rows with text. */

#include "rows/row-copy.h"
#include "test-run.h"

#include <string.h>

/* Prints the shortest text that reads back as the same number. */
static void
format_double (char *text, gsize size, double f)
{
  for (int digits = 15; digits <= 17; digits++) {
    g_autofree char *format = g_strdup_printf ("%%.%dg", digits);
    g_ascii_formatd (text, (int) size, format, f);
    if (g_ascii_strtod (text, NULL) == f)
      return;
  }
}

static const char *
format_id (NprofTestState *test, const guint8 *id, gsize len)
{
  g_autoptr (GString) hex = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (hex, "%02x", id[i]);
  return state_text (test, hex->str, hex->len);
}

static const char *
format_number (NprofTestState *test, guint type, gint64 i, guint64 u, double f)
{
  char text[64];
  if (type == NPROF_INT64)
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, i);
  else if (type == NPROF_UINT64)
    g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, u);
  else if (type == NPROF_BOOL)
    g_strlcpy (text, u ? "true" : "false", sizeof text);
  else
    format_double (text, sizeof text, f);
  return state_text (test, text, strlen (text));
}

/* -- Tables ---------------------------------------------------------------- */

static const char *
cell_text (NprofTestState *test, const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_NULL:
    return NULL;
  case NPROF_STRING:
    return np_strings_get (test->shared->strings, cell->v.s, NULL);
  case NPROF_TEXT:
  case NPROF_JSON:
    return state_text (test, cell->v.text, cell->len);
  case NPROF_ID128:
    return format_id (test, (const guint8 *) cell->v.text, cell->len);
  default:
    return format_number (test, cell->type, cell->v.i, cell->v.u, cell->v.f);
  }
}

static Rows *
rows_of (NprofTestState *test, const struct nprof_table *table)
{
  for (guint i = 0; i < test->tables->len; i++) {
    Rows *rows = g_ptr_array_index (test->tables, i);
    if (rows->table == table)
      return rows;
  }
  Rows *rows = g_new0 (Rows, 1);
  rows->table = table;
  rows->cells = g_ptr_array_new ();
  g_ptr_array_add (test->tables, rows);
  return rows;
}

void
collect_chunk (NprofTestState *test, const NpChunk *chunk)
{
  Rows *rows = rows_of (test, chunk->table);
  for (guint i = 0; i < chunk->n_rows * chunk->n_columns; i++)
    g_ptr_array_add (rows->cells, (gpointer) cell_text (test, &chunk->cells[i]));
}

/* -- Rows ------------------------------------------------------------------ */

static char *
make_path (NprofTestState *test, const struct nprof_track_info *info)
{
  NpStrings *strings = test->shared->strings;
  GString *path = g_string_new (NULL);
  for (; info && info->parent; info = np_tracks_get (test->shared->tracks, info->parent)) {
    if (path->len)
      g_string_prepend_c (path, '/');
    g_string_prepend (path, np_strings_get (strings, nprof_track_label (info), NULL));
  }
  return g_string_free (path, FALSE);
}

const char *
collect_path (NprofTestState *test, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (test->shared->tracks, track);
  if (!info)
    return "";
  if (track >= test->paths->len)
    g_ptr_array_set_size (test->paths, (int) track + 1);
  if (!test->paths->pdata[track])
    test->paths->pdata[track] = make_path (test, info);
  return test->paths->pdata[track];
}

static NprofTestAttr
make_attr (NprofTestState *test, nprof_str key, guint type, nprof_value value, const char *bytes)
{
  NpStrings *strings = test->shared->strings;
  NprofTestAttr attr = { .key = np_strings_get (strings, key, NULL), .type = type, .value = value };
  if (type == NPROF_STRING) {
    attr.text = np_strings_get (strings, value.s, &attr.len);
    return attr;
  }
  if (type == NPROF_ID128)
    attr.text = format_id (test, (const guint8 *) bytes + value.bytes.at, value.bytes.len);
  else if (np_type_in_bytes ((guint8) type))
    attr.text = state_text (test, bytes + value.bytes.at, value.bytes.len);
  else
    attr.text = format_number (test, type, value.i, value.u, value.f);
  attr.len = type == NPROF_TEXT || type == NPROF_JSON ? value.bytes.len : strlen (attr.text);
  return attr;
}

/* Keys are interned, so equal keys are one pointer. */
static void
put_attr (GArray *attrs, const NprofTestAttr *attr)
{
  for (guint i = 0; i < attrs->len; i++)
    if (g_array_index (attrs, NprofTestAttr, i).key == attr->key) {
      g_array_index (attrs, NprofTestAttr, i) = *attr;
      return;
    }
  g_array_append_vals (attrs, attr, 1);
}

static void
collect_attrs (NprofTestState *test, const struct nprof_batch *batch, guint i, NprofTestRow *row)
{
  g_autoptr (GArray) attrs = g_array_new (FALSE, FALSE, sizeof (NprofTestAttr));
  const struct nprof_attrs *set
      = np_attrsets_get (test->shared->sets, batch->shared ? batch->shared[i] : 0);
  for (guint j = 0; j < set->n; j++) {
    NprofTestAttr attr = make_attr (test, set->key[j], set->type[j], set->value[j], set->bytes);
    put_attr (attrs, &attr);
  }
  for (guint j = batch->attr_at ? batch->attr_at[i] : 0;
       j < (batch->attr_at ? batch->attr_at[i + 1] : 0); j++) {
    NprofTestAttr attr = make_attr (test, batch->attr_key[j], batch->attr_type[j],
                                    batch->attr_value[j], batch->bytes);
    put_attr (attrs, &attr);
  }
  if (attrs->len == 0)
    return;
  NprofTestAttr *copy = np_arena_alloc (&test->text, attrs->len * sizeof *copy);
  memcpy (copy, attrs->data, attrs->len * sizeof *copy);
  row->attrs = copy;
  row->n_attrs = attrs->len;
}

void
collect_batch (NprofTestState *test, const struct nprof_batch *batch)
{
  test->run.n_batches++;
  for (guint i = 0; i < batch->n_rows; i++) {
    NprofTestRow row = {
      .kind = batch->kind[i],
      .input = batch->input,
      .start = batch->start[i],
      .duration = batch->duration[i],
      .track = batch->track[i],
      .path = collect_path (test, batch->track[i]),
      .name = np_strings_get (test->shared->strings, batch->name[i], NULL),
      .category = np_strings_get (test->shared->strings, batch->category[i], NULL),
      .has_value = batch->value && (batch->value_valid[i >> 3] >> (i & 7) & 1),
      .id = batch->id ? batch->id[i] : 0,
      .parent = batch->parent ? batch->parent[i] : 0,
      .flow = batch->flow ? batch->flow[i] : 0,
    };
    row.value = row.has_value ? batch->value[i] : 0;
    collect_attrs (test, batch, i, &row);
    g_array_append_val (test->rows, row);
  }
}
