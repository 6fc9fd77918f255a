/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - the page of a report: its views, which NAME.plugin of the tables' makers declare, and
 * their life; summary.c sums them up, grid.c prints their cells. */

#include "views.h"

#include "summary.h"
#include "view.h"

#include <nprof/draft/page.h>
#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_LEAST 80 /* what a line of the first screen is made for */

static void
view_free (gpointer data)
{
  View *view = data;
  g_clear_pointer (&view->table, table_free);
  g_free (view);
}

/* Returns the k-th view that somebody declares; its `table` is NULL beyond the last. */
static ViewDecl
decl_of (const struct nprof_host *host, const struct nprof_page *page, guint k)
{
  const char *top = page->view (host, k, "top"), *rows = page->view (host, k, "rows");
  const ViewDecl decl = { .table = page->view (host, k, "table"),
                          .title = page->view (host, k, "title"),
                          .columns = page->view (host, k, "columns"),
                          .by = page->view (host, k, "by"),
                          .note = page->view (host, k, "note"),
                          .needs = page->view (host, k, "needs"),
                          .top = top ? (guint) strtoul (top, NULL, 10) : 0,
                          .rows = view_rows_find (rows) };
  if (rows && !decl.rows)
    nprof_log (host, NPROF_WARNING, "[view %s] in a NAME.plugin: rows=%s is no choice of rows",
               decl.table, rows);
  return decl;
}

/* Returns the views that somebody declares, in the order of the page. */
static GPtrArray *
read_views (const struct nprof_host *host)
{
  const struct nprof_page *page = host->extension (host, NPROF_PAGE);
  GPtrArray *views = g_ptr_array_new_with_free_func (view_free);
  for (guint k = 0; page && page->view (host, k, "table"); k++) {
    View *view = g_new0 (View, 1);
    view->decl = decl_of (host, page, k);
    g_ptr_array_add (views, view);
  }
  return views;
}

/* Returns the view of table devices, whose rows are the devices; NULL: there is none. */
static const View *
find_devices (const GPtrArray *views)
{
  for (guint i = 0; i < views->len; i++) {
    const View *view = views->pdata[i];
    if (view->decl.columns && g_str_equal (view->decl.table, "devices"))
      return view;
  }
  return NULL;
}

Views *
views_new (const struct nprof_host *host, gint64 top, const char *by, const WantedTables *only)
{
  Views *views = g_new0 (Views, 1);
  *views = (Views){ .host = host,
                    .top = top,
                    .by = by,
                    .only = only,
                    .views = read_views (host),
                    .reasons = reasons_new (),
                    .shown = g_ptr_array_new () };
  views->devices = find_devices (views->views);
  return views;
}

void
views_free (Views *views)
{
  g_ptr_array_unref (views->views);
  g_clear_pointer (&views->lines, table_free);
  reasons_free (views->reasons);
  g_ptr_array_unref (views->shown);
  g_free (views);
}

gboolean
views_know (const Views *views, const char *table)
{
  for (guint i = 0; i < views->views->len; i++)
    if (g_str_equal (table, view_at (views, i)->decl.table))
      return TRUE;
  return g_str_equal (table, SUMMARY_TABLE);
}

static guint64
rows_to_keep (const Views *views, const View *view)
{
  return view->decl.by && !*views->by ? view_top (views, view) : 0;
}

static void
open_view (const Views *views, View *view, const struct nprof_table *decl)
{
  view->table = table_new (views->host, decl, rows_to_keep (views, view), views->by);
  view->asked = view->table->by >= 0;
  if ((view->asked && !views_by_shape (views)) || !view->decl.by)
    return;
  table_free (view->table);
  view->table = table_new (views->host, decl, rows_to_keep (views, view), view->decl.by);
}

static nprof_status
add_lines (Views *views, const struct nprof_table *decl, const struct nprof_cell *cells,
           guint32 n_rows)
{
  if (!views->lines)
    views->lines = table_new (views->host, decl, 0, NULL);
  for (guint32 r = 0; r < n_rows; r++)
    if (table_add (views->lines, cells + (gsize) r * views->lines->n_columns))
      return NPROF_E_NOMEM;
  return NPROF_OK;
}

nprof_status
views_add (Views *views, const struct nprof_table *decl, const struct nprof_cell *cells,
           guint32 n_rows)
{
  reasons_add (views->reasons, decl, cells, n_rows);
  if (g_str_equal (decl->name, SUMMARY_TABLE))
    return add_lines (views, decl, cells, n_rows);
  for (guint i = 0; i < views->views->len; i++) {
    View *view = view_at (views, i);
    if (!view->decl.columns || !g_str_equal (view->decl.table, decl->name))
      continue;
    if (!view->table)
      open_view (views, view, decl);
    for (guint32 r = 0; r < n_rows; r++) {
      const struct nprof_cell *row = cells + (gsize) r * view->table->n_columns;
      if (view_takes (views, view, row) && table_add (view->table, row))
        return NPROF_E_NOMEM;
    }
  }
  return NPROF_OK;
}

static gboolean
is_wanted (const Views *views, const char *table)
{
  return !views->only || wanted_tables_has (views->only, table);
}

static void
finish_tables (const Views *views)
{
  for (guint i = 0; i < views->views->len; i++)
    if (view_at (views, i)->table)
      table_finish (view_at (views, i)->table);
}

GPtrArray *
views_finish (Views *views)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func ((GDestroyNotify) table_free);
  finish_tables (views);
  Table *summary = is_wanted (views, SUMMARY_TABLE)
                       ? summary_new (views->lines, views->more_room, views->whole)
                       : NULL;
  if (summary)
    g_ptr_array_add (tables, summary);
  for (guint i = 0; i < views->views->len; i++) {
    const View *view = view_at (views, i);
    if (!is_wanted (views, view->decl.table) || !view_is_worth_it (view))
      continue;
    Table *table = view_print (views, view);
    if (!table)
      return NULL;
    g_ptr_array_add (tables, table);
    g_ptr_array_add (views->shown, (gpointer) view->decl.table);
  }
  return g_steal_pointer (&tables);
}

void
views_room (Views *views, guint columns, gboolean whole)
{
  views->more_room = columns > COLUMNS_LEAST && !whole ? columns - COLUMNS_LEAST : 0;
  views->whole = whole;
}

const Reasons *
views_reasons (const Views *views)
{
  return views->reasons;
}

gboolean
views_show (const Views *views, const char *table)
{
  for (guint i = 0; i < views->shown->len; i++)
    if (g_str_equal (g_ptr_array_index (views->shown, i), table))
      return TRUE;
  return FALSE;
}
