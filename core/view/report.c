/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reads cells of what another nprof reported, where json-glib has them. */

#include "view/report.h"
#include "view/body.h"

#include <string.h>

typedef struct {
  NpTable base;
  JsonNode *report; /* which holds the rows */
  JsonArray *rows;
  struct nprof_table schema;
  struct nprof_table_column *columns;
  const struct nprof_table_column **list; /* of columns, and NULL */
  GStringChunk *texts;                    /* names, and what is nested */
} ReportTable;

static struct nprof_cell
text_cell (guint type, const char *text)
{
  return (struct nprof_cell){ .type = type, .len = (guint32) strlen (text), .v.text = text };
}

static struct nprof_cell
value_cell (JsonNode *node)
{
  GType kind = json_node_get_value_type (node);
  if (kind == G_TYPE_STRING)
    return text_cell (NPROF_TEXT, json_node_get_string (node));
  if (kind == G_TYPE_BOOLEAN)
    return (struct nprof_cell){ .type = NPROF_BOOL, .v.u = json_node_get_boolean (node) };
  if (kind == G_TYPE_DOUBLE)
    return (struct nprof_cell){ .type = NPROF_DOUBLE, .v.f = json_node_get_double (node) };
  return (struct nprof_cell){ .type = NPROF_INT64, .v.i = json_node_get_int (node) };
}

static gboolean
read_reported (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell)
{
  const ReportTable *t = (const ReportTable *) table;
  JsonArray *cells = json_node_get_array (json_array_get_element (t->rows, (guint) row));
  JsonNode *node = json_array_get_element (cells, column);
  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (JSON_NODE_HOLDS_VALUE (node)) {
    *cell = value_cell (node);
    return TRUE;
  }
  g_autofree char *nested = json_to_string (node, FALSE);
  *cell = text_cell (NPROF_JSON, g_string_chunk_insert_const (t->texts, nested));
  return TRUE;
}

static void
free_reported (NpTable *table)
{
  ReportTable *t = (ReportTable *) table;
  json_node_unref (t->report);
  g_free (t->columns);
  g_free (t->list);
  g_string_chunk_free (t->texts);
  g_free (t);
}

/* Returns the name that the table has everywhere; a report says the unit of times. */
static const char *
name_of (const ReportTable *t, const char *reported)
{
  if (!g_str_has_suffix (reported, "_ps"))
    return g_string_chunk_insert (t->texts, reported);
  g_autofree char *stem = g_strndup (reported, strlen (reported) - strlen ("_ps"));
  g_autofree char *name = g_strconcat (stem, "_ns", NULL);
  return g_string_chunk_insert (t->texts, name);
}

static void
take_columns (ReportTable *t, JsonArray *columns)
{
  guint n = json_array_get_length (columns);
  t->columns = g_new0 (struct nprof_table_column, n);
  t->list = g_new0 (const struct nprof_table_column *, n + 1);
  for (guint c = 0; c < n; c++) {
    t->columns[c] = (struct nprof_table_column){
      .size = sizeof (struct nprof_table_column),
      .name = name_of (t, json_node_get_string (json_array_get_element (columns, c))),
    };
    t->list[c] = &t->columns[c];
  }
  t->base.n_columns = n;
}

static NpTable *
table_of (JsonNode *report, JsonObject *o)
{
  ReportTable *t = g_new0 (ReportTable, 1);
  t->report = json_node_ref (report);
  t->rows = json_node_get_array (json_object_get_member (o, "rows"));
  t->texts = g_string_chunk_new (256);
  take_columns (t, json_node_get_array (json_object_get_member (o, "columns")));
  t->schema = (struct nprof_table){ .size = sizeof t->schema,
                                    .name = np_body_text (o, "name"),
                                    .columns = t->list };
  t->base.schema = &t->schema;
  t->base.n_rows = json_array_get_length (t->rows);
  t->base.read = read_reported;
  t->base.free = free_reported;
  return &t->base;
}

gboolean
np_report_cells (NpCells *cells, JsonNode *report, const char *table)
{
  JsonObject *whole = json_node_get_object (report);
  JsonArray *all = json_node_get_array (json_object_get_member (whole, "tables"));
  *cells = (NpCells){ 0 };
  for (guint i = 0; i < json_array_get_length (all) && !cells->table; i++) {
    JsonObject *o = json_array_get_object_element (all, i);
    if (!strcmp (np_body_text (o, "name"), table))
      cells->table = table_of (report, o);
  }
  cells->rows = cells->table ? cells->table->n_rows : 0;
  return cells->table != NULL;
}
