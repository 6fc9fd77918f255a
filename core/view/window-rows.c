/* SPDX-License-Identifier: Apache-2.0 */
/* window-rows.c - has another nprof make all tables of a part of a profile, and gives the rows of one the columns of
 * the stored table, so that it is sorted, filtered and written as that.  All tables come of one report, because the
 * page shows several of them at once and a report costs the time of its analyzers. */

#include "view/window-rows.h"
#include "table/kept-table.h"
#include "view/ask-jobs.h"
#include "view/parts.h"
#include "view/report.h"

#include <string.h>

gboolean
np_asks_for_window (const NpAsk *ask)
{
  static const char *const params[] = { "t0", "t1", "tracks", "parts" };
  for (guint i = 0; ask->request && i < G_N_ELEMENTS (params); i++)
    if (np_request_param (ask->request, params[i]))
      return TRUE;
  return FALSE;
}

static void
put_text (NpAsk *ask, const char *name)
{
  const char *text = np_request_param (ask->request, name);
  if (text && *text)
    np_json_text (&ask->json, name, text);
}

void
np_json_window (NpAsk *ask)
{
  gint64 t0, t1;
  if (!np_asks_for_window (ask) || !np_ask_range (ask, &t0, &t1))
    return;
  np_json_i64 (&ask->json, "t0", t0);
  np_json_i64 (&ask->json, "t1", t1);
  put_text (ask, "tracks");
  put_text (ask, "parts");
}

/* -- The report ---------------------------------------------------------------------------- */

/* Returns NULL: the reply is 202, or says why there is none.  Transfer full. */
static JsonNode *
make_report (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *input = np_job_input (ask, ask->id);
  g_strv_builder_add_many (words, "/proc/self/exe", "report", "--format", "json", "--full", "--top",
                           "0", "--no-progress", NULL);
  np_job_add_analyzers (ask, words);
  np_job_add_window (ask, words);
  if (!np_parts_add_options (ask, words))
    return NULL;
  g_strv_builder_add_many (words, "--", input, NULL);
  g_autoptr (NpJob) job = np_job_of (ask, words, np_request_segment (ask->request, 4));
  return job ? np_job_json (ask, job, "nprof report") : NULL;
}

/* Returns the report, which the question keeps: one looks at several tables. */
static JsonNode *
report_of_window (NpAsk *ask)
{
  if (!ask->of_window)
    ask->of_window = make_report (ask);
  return ask->of_window;
}

void
np_window_forget (NpAsk *ask)
{
  if (ask->of_window)
    json_node_unref (ask->of_window);
  ask->of_window = NULL;
}

gboolean
np_window_is_known (NpAsk *ask)
{
  gint64 t0, t1;
  return !np_asks_for_window (ask) || (np_ask_range (ask, &t0, &t1) && report_of_window (ask));
}

/* -- Cells ----------------------------------------------------------------------------------- */

static struct nprof_cell
real_cell (double real)
{
  return (struct nprof_cell){ .type = NPROF_DOUBLE, .v.f = real };
}

static struct nprof_cell
text_cell (guint type, const char *text)
{
  return (struct nprof_cell){ .type = type, .len = (guint32) strlen (text), .v.text = text };
}

static struct nprof_cell
value_cell (guint type, JsonNode *node)
{
  GType kind = json_node_get_value_type (node);
  if (kind == G_TYPE_STRING && type == NPROF_DOUBLE) /* NaN, Infinity */
    return real_cell (g_ascii_strtod (json_node_get_string (node), NULL));
  if (kind == G_TYPE_STRING)
    return text_cell (NPROF_TEXT, json_node_get_string (node));
  if (kind == G_TYPE_BOOLEAN)
    return (struct nprof_cell){ .type = NPROF_BOOL, .v.u = json_node_get_boolean (node) };
  if (kind == G_TYPE_DOUBLE || type == NPROF_DOUBLE)
    return real_cell (json_node_get_double (node));
  return (struct nprof_cell){ .type = type == NPROF_UINT64 ? NPROF_UINT64 : NPROF_INT64,
                              .v.i = json_node_get_int (node) };
}

/* The text of what is nested goes to `texts`, which own it. */
static struct nprof_cell
cell_of (GPtrArray *texts, guint type, JsonNode *node)
{
  if (!node || JSON_NODE_HOLDS_NULL (node))
    return (struct nprof_cell){ .type = NPROF_NULL };
  if (JSON_NODE_HOLDS_VALUE (node))
    return value_cell (type, node);
  char *text = json_to_string (node, FALSE);
  g_ptr_array_add (texts, text);
  return text_cell (NPROF_JSON, text);
}

/* -- Columns --------------------------------------------------------------------------------- */

/* Returns how a report calls the column, transfer full: one of times says their unit. */
static char *
name_in_report (const struct nprof_table_column *c)
{
  gboolean is_time = !strcmp (c->unit, "ps");
  gsize len = strlen (c->name);
  if (is_time && (g_str_has_suffix (c->name, "_ns") || g_str_has_suffix (c->name, "_ps")))
    len -= 3;
  g_autofree char *stem = g_strndup (c->name, len);
  return g_strconcat (stem, is_time ? "_ps" : "", NULL);
}

/* Returns where the report has each column of the table; -1: it has none.  Transfer full. */
static int *
places_of (const NpTable *table, const NpReport *report)
{
  int *places = g_new (int, table->n_columns + 1);
  for (guint i = 0; i < table->n_columns; i++) {
    g_autofree char *name = name_in_report (table->schema->columns[i]);
    places[i] = np_report_column (report, name);
  }
  return places;
}

static void
add_row (NpTable *to, JsonArray *row, const int *places, struct nprof_cell *cells)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < to->n_columns; i++) {
    JsonNode *node = places[i] < 0 ? NULL : json_array_get_element (row, (guint) places[i]);
    cells[i] = cell_of (texts, to->schema->columns[i]->type, node);
  }
  np_kept_table_add (to, cells);
}

static void
take_rows (NpCells *cells, const NpReport *report)
{
  NpTable *made = np_kept_table_new (cells->table->schema);
  g_autofree int *places = places_of (made, report);
  g_autofree struct nprof_cell *row = g_new (struct nprof_cell, made->n_columns + 1);
  for (guint i = 0; i < report->n; i++)
    add_row (made, json_node_get_array (json_array_get_element (report->rows, i)), places, row);
  np_table_close (cells->table);
  cells->table = made;
  cells->rows = made->n_rows;
}

gboolean
np_is_of_whole (const NpCells *cells)
{
  return cells->of_file;
}

gboolean
np_window_rows (NpAsk *ask, NpCells *cells, const char **why)
{
  gint64 t0, t1;
  *why = NULL;
  if (!np_asks_for_window (ask))
    return TRUE;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (np_is_of_whole (cells)) {
    *why = "the file states this table of the whole run, and not of a part of it";
    return TRUE;
  }
  JsonNode *report = report_of_window (ask);
  if (!report)
    return FALSE;
  NpReport table = np_report_table (report, cells->table->schema->name);
  take_rows (cells, &table);
  return TRUE;
}
