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

/* Returns the cell as its column has it; a report writes no types, and NaN and Infinity as texts. */
static struct nprof_cell
as_declared (guint type, struct nprof_cell cell)
{
  if (type == NPROF_DOUBLE && cell.type == NPROF_TEXT)
    return (struct nprof_cell){ .type = type, .v.f = g_ascii_strtod (cell.v.text, NULL) };
  if (type == NPROF_DOUBLE && cell.type == NPROF_INT64)
    return (struct nprof_cell){ .type = type, .v.f = (double) cell.v.i };
  if (type == NPROF_UINT64 && cell.type == NPROF_INT64)
    cell.type = NPROF_UINT64;
  return cell;
}

static void
take_rows (NpCells *cells, const NpCells *reported)
{
  NpTable *made = np_kept_table_new (cells->table->schema);
  g_autofree int *places = g_new (int, made->n_columns + 1);
  g_autofree struct nprof_cell *row = g_new (struct nprof_cell, made->n_columns + 1);
  for (guint c = 0; c < made->n_columns; c++)
    places[c] = np_cells_column (reported, made->schema->columns[c]->name);
  for (guint64 i = 0; i < reported->rows; i++) {
    for (guint c = 0; c < made->n_columns; c++)
      row[c] = as_declared (made->schema->columns[c]->type,
                            np_table_cell (reported->table, i, places[c]));
    np_kept_table_add (made, row);
  }
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
  g_auto (NpCells) reported = { 0 };
  np_report_cells (&reported, report, cells->table->schema->name);
  take_rows (cells, &reported);
  return TRUE;
}
