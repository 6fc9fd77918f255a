/* SPDX-License-Identifier: Apache-2.0 */
/* window-rows.c - has another nprof make all tables of a part of a profile, and gives the rows of one the columns of
 * the stored table, so that it is sorted, filtered and written as that.  All tables come of one report, because the
 * page shows several of them at once and a report costs the time of its analyzers. */

#include "view/window-rows.h"
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

static struct nprof_store_cell
real_cell (double real)
{
  struct nprof_store_cell cell = { .type = NPROF_DOUBLE };
  memcpy (&cell.value, &real, sizeof real);
  return cell;
}

/* Takes the text; the cell is its place. */
static struct nprof_store_cell
text_cell (NpMadeRows *made, guint type, char *text)
{
  g_ptr_array_add (made->texts, text);
  return (struct nprof_store_cell){ type, made->texts->len - 1 };
}

static struct nprof_store_cell
value_cell (NpMadeRows *made, guint type, JsonNode *node)
{
  GType kind = json_node_get_value_type (node);
  if (kind == G_TYPE_STRING && type == NPROF_DOUBLE) /* NaN, Infinity */
    return real_cell (g_ascii_strtod (json_node_get_string (node), NULL));
  if (kind == G_TYPE_STRING)
    return text_cell (made, NPROF_STRING, g_strdup (json_node_get_string (node)));
  if (kind == G_TYPE_BOOLEAN)
    return (struct nprof_store_cell){ NPROF_BOOL, json_node_get_boolean (node) };
  if (kind == G_TYPE_DOUBLE || type == NPROF_DOUBLE)
    return real_cell (json_node_get_double (node));
  return (struct nprof_store_cell){ type == NPROF_UINT64 ? NPROF_UINT64 : NPROF_INT64,
                                    (guint64) json_node_get_int (node) };
}

static struct nprof_store_cell
cell_of (NpMadeRows *made, guint type, JsonNode *node)
{
  if (!node || JSON_NODE_HOLDS_NULL (node))
    return (struct nprof_store_cell){ .type = NPROF_NULL };
  if (JSON_NODE_HOLDS_VALUE (node))
    return value_cell (made, type, node);
  return text_cell (made, NPROF_JSON, json_to_string (node, FALSE));
}

/* -- Columns --------------------------------------------------------------------------------- */

/* Returns how a report calls the column, transfer full: one of times says their unit. */
static char *
name_in_report (NpAsk *ask, const struct nprof_store_table_column *c)
{
  const char *name = np_ask_string (ask, c->name);
  gboolean is_time = !strcmp (np_ask_string (ask, c->unit), "ps");
  gsize len = strlen (name);
  if (is_time && (g_str_has_suffix (name, "_ns") || g_str_has_suffix (name, "_ps")))
    len -= 3;
  g_autofree char *stem = g_strndup (name, len);
  return g_strconcat (stem, is_time ? "_ps" : "", NULL);
}

/* Returns where the report has each column of the table; -1: it has none.  Transfer full. */
static int *
places_of (NpAsk *ask, const NpCells *cells, const NpReport *report)
{
  int *places = g_new (int, cells->table->n_columns + 1);
  for (guint i = 0; i < cells->table->n_columns; i++) {
    const struct nprof_store_table_column *c = np_cells_describe (cells, i);
    g_autofree char *name = c ? name_in_report (ask, c) : g_strdup ("");
    places[i] = np_report_column (report, name);
  }
  return places;
}

static void
take_rows (NpAsk *ask, NpCells *cells, const NpReport *report)
{
  NpMadeRows *made = &cells->made;
  g_autofree int *places = places_of (ask, cells, report);
  made->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_store_cell));
  made->texts = g_ptr_array_new_with_free_func (g_free);
  cells->rows = report->n;
  for (guint row = 0; row < report->n; row++) {
    JsonArray *own = json_node_get_array (json_array_get_element (report->rows, row));
    for (guint i = 0; i < cells->table->n_columns; i++) {
      const struct nprof_store_table_column *c = np_cells_describe (cells, i);
      JsonNode *node = places[i] < 0 ? NULL : json_array_get_element (own, (guint) places[i]);
      struct nprof_store_cell cell = cell_of (made, c ? c->type : NPROF_NULL, node);
      g_array_append_val (made->cells, cell);
    }
  }
}

gboolean
np_is_of_whole (const NpCells *cells)
{
  return cells->table && (cells->table->origin == G_MAXUINT32 || !cells->table->origin);
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
  NpReport table = np_report_table (report, np_ask_string (ask, cells->table->name));
  take_rows (ask, cells, &table);
  return TRUE;
}
