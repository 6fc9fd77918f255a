/* SPDX-License-Identifier: Apache-2.0 */
/* window-rows.c - gives a table that is open the rows of a part of the profile, so that it is
 * sorted, filtered and written as that of the whole. All tables come of one analysis, because the
 * page shows several of them at once. */

#include "window-rows.h"
#include "table/kept-table.h"
#include "ask-jobs.h"
#include "parts.h"

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

/* -- The tables ---------------------------------------------------------------------------- */

/* Returns NULL: the reply is 202, or says why there are none.  Transfer full. */
static NpTableStore *
make_tables (NpAsk *ask)
{
  NpAnalysis *analysis = np_job_analysis (ask);
  NpSelection *s = &analysis->selection;
  s->has_from = np_request_param (ask->request, "t0") != NULL;
  s->has_to = np_request_param (ask->request, "t1") != NULL;
  s->clip = s->has_from || s->has_to;
  if (np_ask_range (ask, &s->from, &s->to) && np_parts_select (ask, s))
    return np_job_tables (ask, analysis);
  np_analysis_free (analysis);
  return NULL;
}

const NpTableStore *
np_window_tables (NpAsk *ask)
{
  if (!ask->of_window)
    ask->of_window = make_tables (ask);
  return ask->of_window;
}

void
np_window_forget (NpAsk *ask)
{
  np_table_store_free (ask->of_window);
  ask->of_window = NULL;
}

gboolean
np_window_is_known (NpAsk *ask)
{
  gint64 t0, t1;
  return !np_asks_for_window (ask) || (np_ask_range (ask, &t0, &t1) && np_window_tables (ask));
}

/* -- Cells ----------------------------------------------------------------------------------- */

/* Puts the table of the part in place of that of the whole; where no analyzer made one it has no
 * rows. */
static void
take_rows (NpCells *cells, const NpTableStore *tables)
{
  g_auto (NpCells) made = { 0 };
  if (!np_cells_lend (&made, tables, cells->table->schema->name)) {
    made.table = np_kept_table_new (cells->table->schema);
    made.lent = FALSE;
  }
  np_cells_clear (cells);
  *cells = made;
  made = (NpCells){ 0 };
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
  if (cells->of_file) {
    *why = "the file states this table of the whole run, and not of a part of it";
    return TRUE;
  }
  const NpTableStore *tables = np_window_tables (ask);
  if (tables)
    take_rows (cells, tables);
  return tables != NULL;
}
