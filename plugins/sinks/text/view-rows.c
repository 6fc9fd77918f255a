/* SPDX-License-Identifier: Apache-2.0 */
/* view-rows.c - decides which rows of a table a view takes; view-print.c decides what it shows of
 * them. */

#include "system/operator-levels.h"
#include "view.h"

#include <nprof/sdk.h>
#include <string.h>

const struct nprof_cell *
view_cell (const View *view, const struct nprof_cell *cells, const char *column)
{
  int c = table_column (view->table, column);
  return c < 0 ? NULL : &cells[c];
}

/* Returns the text of a text cell; "" for none. */
static const char *
text (const View *view, const struct nprof_cell *cells, const char *column)
{
  const struct nprof_cell *found = view_cell (view, cells, column);
  gsize len;
  return !found || found->type == NPROF_NULL || (found->type == NPROF_TEXT && found->len == 0)
             ? ""
             : cell_text (view->table->host, found, &len);
}

static gint64
integer (const Table *table, const Row *row, const char *column)
{
  int c = table_column (table, column);
  return c >= 0 && row->cells[c].type == NPROF_INT64 ? row->cells[c].v.i : 0;
}

const Table *
views_devices (const Views *views)
{
  const Table *table = views->devices ? views->devices->table : NULL;
  return table && table->rows->len > 0 && table_column (table, "device") == 1 ? table : NULL;
}

/* Returns the device that all tables of one device show; table devices comes first.  NULL: none. */
static const Row *
busiest (const Views *views)
{
  const Table *devices = views_devices (views);
  const Row *most = NULL;
  for (guint r = 0; devices && r < devices->rows->len; r++) {
    const Row *row = g_ptr_array_index (devices->rows, r);
    if (!most || integer (devices, row, "busy_ns") > integer (devices, most, "busy_ns"))
      most = row;
  }
  return most;
}

static gboolean
same_place (const struct nprof_cell *a, const struct nprof_cell *b)
{
  return a[0].v.s == b[0].v.s && a[1].v.s == b[1].v.s;
}

/* Returns whether rows of this place are of the device: of itself, or of the logical core that
 * holds it, whose name begins its own. */
static gboolean
is_of_device (const Views *views, const struct nprof_cell *place, const struct nprof_cell *device)
{
  if (same_place (place, device))
    return TRUE;
  if (place[0].v.s != device[0].v.s || place[1].type != NPROF_STRING
      || device[1].type != NPROF_STRING)
    return FALSE;
  const char *holder = nprof_text (views->host, place[1].v.s),
             *name = nprof_text (views->host, device[1].v.s);
  const gsize len = strlen (holder);
  return !strncmp (name, holder, len) && name[len] == '/';
}

/* Takes rows of the busiest device: rows begin with input and device.  Without devices the first
 * row's place is taken. */
static gboolean
takes_busiest (const Views *views, View *view, const struct nprof_cell *cells)
{
  const Row *device = view->placed ? NULL : busiest (views);
  if (!view->placed)
    memcpy (view->on, device ? device->cells : cells, sizeof view->on);
  view->placed = TRUE;
  if (!is_of_device (views, cells, view->on))
    return FALSE;
  memcpy (view->on, cells, sizeof view->on);
  return TRUE;
}

gboolean
views_by_shape (const Views *views)
{
  return strcmp (views->by, "shape") == 0;
}

static gboolean
takes_kernel (const Views *views, View *view, const struct nprof_cell *cells)
{
  return !views_by_shape (views) && takes_busiest (views, view, cells);
}

static gboolean
takes_shape (const Views *views, View *view, const struct nprof_cell *cells)
{
  return views_by_shape (views) && takes_busiest (views, view, cells);
}

/* Takes operators by shape where somebody asked for them: the page has those by name. */
static gboolean
takes_shaped (const Views *views, View *view, const struct nprof_cell *cells)
{
  gboolean asked = views->only && wanted_tables_has (views->only, view->decl.table);
  return (asked || views_by_shape (views)) && takes_busiest (views, view, cells);
}

static gboolean
is_device (const Views *views, const struct nprof_cell *cells)
{
  const Table *devices = views_devices (views);
  for (guint r = 0; devices && r < devices->rows->len; r++)
    if (is_of_device (views, cells, ((const Row *) g_ptr_array_index (devices->rows, r))->cells))
      return TRUE;
  return FALSE;
}

static void
start_again (View *view)
{
  g_ptr_array_set_size (view->table->rows, 0);
  view->table->n_rows = 0;
}

/* Takes rows of the level that tells most, because the same time is there at several levels. */
static gboolean
takes_level (View *view, const struct nprof_cell *cells)
{
  guint rank = operator_level_rank (text (view, cells, "level"));
  if (rank > view->level) {
    view->level = rank;
    start_again (view);
  }
  return rank == view->level && rank > 0;
}

/* A queue of DMA is no operator: its transfers are in tables of their own. */
static gboolean
takes_operator (const Views *views, View *view, const struct nprof_cell *cells)
{
  return !g_str_equal (text (view, cells, "category"), "dma") && takes_busiest (views, view, cells)
         && takes_level (view, cells);
}

static gboolean
takes_host_operator (const Views *views, View *view, const struct nprof_cell *cells)
{
  if (!views_devices (views) || is_device (views, cells))
    return FALSE;
  if (!view->placed)
    memcpy (view->on, cells, sizeof view->on);
  view->placed = TRUE;
  return same_place (view->on, cells) && takes_level (view, cells);
}

/* Takes rows of a device as a whole, idle time included. */
static gboolean
takes_utilisation (const Views *views G_GNUC_UNUSED, View *view, const struct nprof_cell *cells)
{
  const char *operator= text (view, cells, "operator");
  return g_str_equal (operator, "(total)") || g_str_equal (operator, "(steps)");
}

static gboolean
is_known (const View *view, const struct nprof_cell *cells, const char *column)
{
  const struct nprof_cell *found = view_cell (view, cells, column);
  return found && found->type != NPROF_NULL;
}

/* Takes operators but asynchronous ones, of which no utilisation is known. */
static gboolean
takes_roofline (const Views *views, View *view, const struct nprof_cell *cells)
{
  const char *operator= text (view, cells, "operator");
  return *operator&& * operator!= '(' && * text (view, cells, "bound")
         && (is_known (view, cells, "mfu") || is_known (view, cells, "mbu"))
         && takes_busiest (views, view, cells);
}

static gboolean
takes_busy (const Views *views, View *view, const struct nprof_cell *cells)
{
  const struct nprof_cell *busy = view_cell (view, cells, "busy_ns");
  return busy && !(busy->type == NPROF_INT64 && busy->v.i == 0)
         && takes_busiest (views, view, cells);
}

/* Returns whether a span lies around work, or waits for it: longer than any of it, and no work. */
static gboolean
is_annotation (View *view, const struct nprof_cell *cells)
{
  static const char *const categories[]
      = { "gpu_user_annotation", "user_annotation", "cuda_sync", "xpu_sync" };
  const char *category = text (view, cells, "category");
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    if (strcmp (category, categories[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Takes names with several durations, because one has no percentiles.  Names of the busiest device
 * come before all others, which are taken as long as it has none. */
static gboolean
takes_repeated (const Views *views, View *view, const struct nprof_cell *cells)
{
  const struct nprof_cell *count = view_cell (view, cells, "calls");
  if (!count || count->type != NPROF_INT64 || count->v.i < 2 || is_annotation (view, cells))
    return FALSE;
  if (view->placed)
    return same_place (view->on, cells);
  const Row *device = busiest (views);
  if (!device || !same_place (device->cells, cells))
    return TRUE;
  start_again (view);
  view->placed = TRUE;
  memcpy (view->on, cells, sizeof view->on);
  return TRUE;
}

static gboolean
takes_placed (const Views *views G_GNUC_UNUSED, View *view, const struct nprof_cell *cells)
{
  const struct nprof_cell *start = view_cell (view, cells, "start_ns");
  return start && start->type != NPROF_NULL;
}

/* Takes known metrics: rows begin with input and metric; the device stands last. */
static gboolean
takes_known (const Views *views, View *view, const struct nprof_cell *cells)
{
  const struct nprof_cell *value = view_cell (view, cells, "value");
  const struct nprof_cell *device = view_cell (view, cells, "device");
  if (!value || !device || value->type == NPROF_NULL)
    return FALSE;
  const struct nprof_cell place[2] = { cells[0], *device };
  return takes_busiest (views, view, place);
}

/* -- By name ---------------------------------------------------------------- */

struct ViewRows {
  const char *name;
  gboolean (*takes) (const Views *views, View *view, const struct nprof_cell *cells);
};

enum { HOST_LEVEL };

static const ViewRows choices[] = {
  [HOST_LEVEL] = { "host-level", takes_host_operator },
  { "one-level", takes_operator },
  { "by-name", takes_kernel },
  { "by-shape", takes_shape },
  { "shapes-if-asked", takes_shaped },
  { "with-busy-time", takes_busy },
  { "whole-device", takes_utilisation },
  { "rated", takes_roofline },
  { "repeated", takes_repeated },
  { "placed", takes_placed },
  { "known", takes_known },
};

const ViewRows *
view_rows_find (const char *name)
{
  for (guint i = 0; name && i < G_N_ELEMENTS (choices); i++)
    if (g_str_equal (name, choices[i].name))
      return &choices[i];
  return NULL;
}

gboolean
view_is_of_host (const View *view)
{
  return view->decl.rows == &choices[HOST_LEVEL];
}

gboolean
view_takes (const Views *views, View *view, const struct nprof_cell *cells)
{
  const ViewRows *rows = view->decl.rows;
  return !rows || rows->takes (views, view, cells);
}
