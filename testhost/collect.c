/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - makes of batches and chunks what a test reads: rows with text. */

#include "rows/row-copy.h"
#include "test-run.h"

#include <string.h>

/* The shortest text that reads back as the same number. */
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
format_id (NpTestWorld *world, const guint8 *id, gsize len)
{
  g_autoptr (GString) hex = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (hex, "%02x", id[i]);
  return world_text (world, hex->str, hex->len);
}

static const char *
format_number (NpTestWorld *world, guint type, gint64 i, guint64 u, double f)
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
  return world_text (world, text, strlen (text));
}

/* -- Tables ---------------------------------------------------------------- */

static const char *
cell_text (NpTestWorld *world, const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_NULL:
    return NULL;
  case NPROF_STRING:
    return np_strings_get (world->shared->strings, cell->v.s, NULL);
  case NPROF_TEXT:
  case NPROF_JSON:
    return world_text (world, cell->v.text, cell->len);
  case NPROF_ID128:
    return format_id (world, (const guint8 *) cell->v.text, cell->len);
  default:
    return format_number (world, cell->type, cell->v.i, cell->v.u, cell->v.f);
  }
}

static Rows *
rows_of (NpTestWorld *world, const struct nprof_table *table)
{
  for (guint i = 0; i < world->tables->len; i++) {
    Rows *rows = g_ptr_array_index (world->tables, i);
    if (rows->table == table)
      return rows;
  }
  Rows *rows = g_new0 (Rows, 1);
  rows->table = table;
  rows->cells = g_ptr_array_new ();
  g_ptr_array_add (world->tables, rows);
  return rows;
}

void
collect_chunk (NpTestWorld *world, const NpChunk *chunk)
{
  Rows *rows = rows_of (world, chunk->table);
  for (guint i = 0; i < chunk->n_rows * chunk->n_columns; i++)
    g_ptr_array_add (rows->cells, (gpointer) cell_text (world, &chunk->cells[i]));
}

/* -- Rows ------------------------------------------------------------------ */

static char *
make_path (NpTestWorld *world, const struct nprof_track_info *info)
{
  NpStrings *strings = world->shared->strings;
  GString *path = g_string_new (NULL);
  for (; info && info->parent; info = np_tracks_get (world->shared->tracks, info->parent)) {
    if (path->len)
      g_string_prepend_c (path, '/');
    g_string_prepend (path, np_strings_get (strings, nprof_track_label (info), NULL));
  }
  return g_string_free (path, FALSE);
}

const char *
collect_path (NpTestWorld *world, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (world->shared->tracks, track);
  if (!info)
    return "";
  if (track >= world->paths->len)
    g_ptr_array_set_size (world->paths, (int) track + 1);
  if (!world->paths->pdata[track])
    world->paths->pdata[track] = make_path (world, info);
  return world->paths->pdata[track];
}

static NpTestAttr
make_attr (NpTestWorld *world, nprof_str key, guint type, nprof_value value, const char *bytes)
{
  NpStrings *strings = world->shared->strings;
  NpTestAttr attr = { .key = np_strings_get (strings, key, NULL), .type = type, .value = value };
  if (type == NPROF_STRING) {
    attr.text = np_strings_get (strings, value.s, &attr.len);
    return attr;
  }
  if (type == NPROF_ID128)
    attr.text = format_id (world, (const guint8 *) bytes + value.bytes.at, value.bytes.len);
  else if (np_type_in_bytes ((guint8) type))
    attr.text = world_text (world, bytes + value.bytes.at, value.bytes.len);
  else
    attr.text = format_number (world, type, value.i, value.u, value.f);
  attr.len = type == NPROF_TEXT || type == NPROF_JSON ? value.bytes.len : strlen (attr.text);
  return attr;
}

/* Keys are interned, so equal keys are one pointer. */
static void
put_attr (GArray *attrs, const NpTestAttr *attr)
{
  for (guint i = 0; i < attrs->len; i++)
    if (g_array_index (attrs, NpTestAttr, i).key == attr->key) {
      g_array_index (attrs, NpTestAttr, i) = *attr;
      return;
    }
  g_array_append_vals (attrs, attr, 1);
}

static void
collect_attrs (NpTestWorld *world, const struct nprof_batch *batch, guint i, NpTestRow *row)
{
  g_autoptr (GArray) attrs = g_array_new (FALSE, FALSE, sizeof (NpTestAttr));
  const struct nprof_attrs *set
      = np_attrsets_get (world->shared->sets, batch->shared ? batch->shared[i] : 0);
  for (guint j = 0; j < set->n; j++) {
    NpTestAttr attr = make_attr (world, set->key[j], set->type[j], set->value[j], set->bytes);
    put_attr (attrs, &attr);
  }
  for (guint j = batch->attr_at ? batch->attr_at[i] : 0;
       j < (batch->attr_at ? batch->attr_at[i + 1] : 0); j++) {
    NpTestAttr attr = make_attr (world, batch->attr_key[j], batch->attr_type[j],
                                 batch->attr_value[j], batch->bytes);
    put_attr (attrs, &attr);
  }
  if (attrs->len == 0)
    return;
  NpTestAttr *copy = np_arena_alloc (&world->text, attrs->len * sizeof *copy);
  memcpy (copy, attrs->data, attrs->len * sizeof *copy);
  row->attrs = copy;
  row->n_attrs = attrs->len;
}

void
collect_batch (NpTestWorld *world, const struct nprof_batch *batch)
{
  world->run.n_batches++;
  for (guint i = 0; i < batch->n_rows; i++) {
    NpTestRow row = {
      .kind = batch->kind[i],
      .input = batch->input,
      .start = batch->start[i],
      .duration = batch->duration[i],
      .track = batch->track[i],
      .path = collect_path (world, batch->track[i]),
      .name = np_strings_get (world->shared->strings, batch->name[i], NULL),
      .category = np_strings_get (world->shared->strings, batch->category[i], NULL),
      .has_value = batch->value && (batch->value_valid[i >> 3] >> (i & 7) & 1),
      .id = batch->id ? batch->id[i] : 0,
      .parent = batch->parent ? batch->parent[i] : 0,
      .flow = batch->flow ? batch->flow[i] : 0,
    };
    row.value = row.has_value ? batch->value[i] : 0;
    collect_attrs (world, batch, i, &row);
    g_array_append_val (world->rows, row);
  }
}
