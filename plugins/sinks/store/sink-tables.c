/* SPDX-License-Identifier: Apache-2.0 */
/* sink-tables.c - turns tables of the run into tables of the store; those of the core also tell of
 * inputs and tracks. */
#include "sink.h"
#include "system/json-guard.h"

#include <json-glib/json-glib.h>
#include <string.h>

static guint32
origin_of (struct store_sink *self, const char *name)
{
  static const char *const core[] = { "inputs", "tracks", "skipped", "facts" };
  if (self->origins)
    return self->origins->of_table (self->host, name);
  for (guint k = 0; k < G_N_ELEMENTS (core); k++)
    if (!strcmp (core[k], name))
      return NPROF_ORIGIN_CORE;
  return 0;
}

static gboolean
announce (struct store_sink *self, const struct nprof_table *table, struct store_sink_table *entry)
{
  g_autoptr (GArray) columns = g_array_new (FALSE, TRUE, sizeof (struct nprof_store_table_column));
  for (guint c = 0; table->columns[c]; c++) {
    const struct nprof_table_column *from = table->columns[c];
    struct nprof_store_table_column column = {
      .name = store_text_string (self, from->name, -1),
      .unit = store_text_string (self, from->unit, -1),
      .help = store_text_string (self, from->help, -1),
      .type = (guint16) from->type,
      .role = (guint16) from->role,
    };
    g_array_append_val (columns, column);
  }
  struct nprof_store_table t = {
    .name = store_text_string (self, table->name, -1),
    .title = store_text_string (self, table->title, -1),
    .note = store_text_string (self, table->note, -1),
    .origin = origin_of (self, table->name),
    .n_columns = columns->len,
  };
  *entry = (struct store_sink_table){ .table = table, .n_columns = columns->len };
  return store_writer_table (self->writer, &t, (const void *) columns->data, &entry->number);
}

static struct store_sink_table *
find_table (struct store_sink *self, const struct nprof_table *table)
{
  for (guint k = 0; k < self->tables->len; k++) {
    struct store_sink_table *entry = &g_array_index (self->tables, struct store_sink_table, k);
    if (entry->table == table || !strcmp (entry->table->name, table->name))
      return entry;
  }
  struct store_sink_table fresh;
  if (!announce (self, table, &fresh))
    return NULL;
  g_array_append_val (self->tables, fresh);
  return &g_array_index (self->tables, struct store_sink_table, self->tables->len - 1);
}

/* Writes a text; a short one that was written lately is not written again. */
static guint64
store_cell_text (struct store_sink *self, const char *text, guint32 len)
{
  if (len > STORE_SHORT)
    return store_writer_text (self->writer, text, len);
  guint32 hash = 2166136261u;
  for (guint32 i = 0; i < len; i++)
    hash = (hash ^ (guint8) text[i]) * 16777619u;
  struct store_short_text *known = &self->short_texts[(hash ^ hash >> 16) % STORE_SHORT_TEXTS];
  if (known->size == len + 1 && !memcmp (known->text, text, len))
    return known->at;
  known->at = store_writer_text (self->writer, text, len);
  known->size = (guint8) (len + 1);
  memcpy (known->text, text, len);
  return known->at;
}

static struct nprof_store_cell
store_cell (struct store_sink *self, const struct nprof_cell *cell)
{
  struct nprof_store_cell to = { .type = cell->type, .value = cell->v.u };
  if (cell->type == NPROF_NULL)
    to.value = 0;
  else if (cell->type == NPROF_STRING)
    to.value = store_string (self, cell->v.s);
  else if (cell->type == NPROF_TEXT || cell->type == NPROF_JSON || cell->type == NPROF_ID128)
    to.value = store_cell_text (self, cell->v.text, cell->len);
  return to;
}

/* -- What the core says of inputs and tracks ------------------------------------------------ */

static gboolean
is_set (const struct nprof_cell *cell)
{
  return cell->type != NPROF_NULL;
}

#define DEEPEST 8 /* levels of properties, which are an object of texts */

static void
take_properties (struct store_sink *self, const struct nprof_cell *json)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (!is_set (json) || json_guard (json->v.text, json->len, DEEPEST, NULL)
      || !json_parser_load_from_data (parser, json->v.text, (gssize) json->len, NULL))
    return;
  JsonNode *root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return;
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;
  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &key, &value)) {
    struct nprof_store_property p = { store_text_string (self, key, -1),
                                      store_text_string (self, json_node_get_string (value), -1) };
    g_array_append_val (self->properties, p);
  }
}

/* The columns are input, decoder, version, origin_unix_ns, bytes, rows, start_ns, end_ns,
 * properties. */
static void
take_input (struct store_sink *self, const struct nprof_cell *c)
{
  struct nprof_store_input in = {
    .label = store_string (self, c[0].v.s),
    .decoder = store_text_string (self, c[1].v.text, c[1].len),
    .version = is_set (c + 2) ? store_text_string (self, c[2].v.text, c[2].len) : 0,
    .origin_unix_ns = is_set (c + 3) ? c[3].v.i : NPROF_NO_EPOCH,
    .bytes = c[4].v.u,
    .rows = c[5].v.u,
    .properties = self->properties->len,
  };
  take_properties (self, c + 8);
  in.n_properties = self->properties->len - in.properties;
  g_array_append_val (self->inputs, in);
}

static guint32
kind_of (const char *name, guint len)
{
  static const char *const names[] = { "input",  "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  for (guint32 k = 0; k < G_N_ELEMENTS (names); k++)
    if (strlen (names[k]) == len && !memcmp (names[k], name, len))
      return k;
  return NPROF_TRACK_DERIVED;
}

static guint32
input_of (struct store_sink *self, nprof_str label)
{
  guint32 string = store_string (self, label);
  for (guint k = 0; k < self->inputs->len; k++)
    if (g_array_index (self->inputs, struct nprof_store_input, k).label == string)
      return k;
  return 0;
}

/* The columns are input, track, parent, kind, key, label, process, thread, sort, rows. */
static void
take_track (struct store_sink *self, const struct nprof_cell *c)
{
  struct nprof_store_track track = {
    .number = (guint32) c[1].v.u,
    .parent = is_set (c + 2) ? (guint32) c[2].v.u : 0,
    .input = input_of (self, c[0].v.s),
    .kind = kind_of (c[3].v.text, c[3].len),
    .key = store_string (self, c[4].v.s),
    .label = is_set (c + 5) ? store_string (self, c[5].v.s) : 0,
    .sort = c[8].v.i,
  };
  g_array_append_val (self->tracks, track);
}

nprof_status
store_table_rows (struct store_sink *self, const struct nprof_table *table,
                  const struct nprof_cell *cells, guint32 n_rows)
{
  struct store_sink_table *entry = find_table (self, table);
  if (!entry)
    return store_failed (self);
  guint n = entry->n_columns;
  g_array_set_size (self->cells, n_rows * n);
  for (guint i = 0; i < n_rows * n; i++)
    g_array_index (self->cells, struct nprof_store_cell, i) = store_cell (self, cells + i);
  for (guint32 r = 0; r < n_rows; r++) {
    if (!strcmp (table->name, "inputs"))
      take_input (self, cells + (gsize) r * n);
    else if (!strcmp (table->name, "tracks"))
      take_track (self, cells + (gsize) r * n);
  }
  if (!n_rows
      || store_writer_cells (self->writer, entry->number, (const void *) self->cells->data, n_rows))
    return store_writer_fault (self->writer)->status ? store_failed (self) : NPROF_OK;
  return store_failed (self);
}
