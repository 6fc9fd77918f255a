/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the sinks report-furiosa-0.9 and report-furiosa-0.10: print what Furiosa's profiler
 * prints, from the tables of the analyzer furiosa; pandas.c and polars.c lay the tables out. */
#include "grid.h"
#include "summary.h"

#include <nprof/sdk.h>

/* -- The tables ------------------------------------------------------------------------------ */

/* clang-format off */
static const GridColumn inferences[] = {
  { "row", GRID_INT }, { "trace_id", GRID_TEXT }, { "span_id", GRID_TEXT }, { "thread.id", GRID_INT },
  { "dur", GRID_INT } };
static const GridColumn executions[] = {
  { "row", GRID_INT }, { "trace_id", GRID_TEXT }, { "span_id", GRID_TEXT }, { "pe_index", GRID_INT },
  { "execution_index", GRID_INT }, { "NPU Total", GRID_INT }, { "NPU Run", GRID_INT }, { "NPU IoWait", GRID_INT } };
static const GridColumn operators[] = {
  { "name", GRID_TEXT }, { "average elapsed(ns)", GRID_DOUBLE }, { "count", GRID_INT } };
static const GridColumn operators_0_10[] = {
  { "name", GRID_TEXT }, { "average_elapsed (ns)", GRID_DOUBLE }, { "count", GRID_INT } };
static const GridColumn externals[] = {
  { "row", GRID_INT }, { "trace_id", GRID_TEXT }, { "span_id", GRID_TEXT }, { "thread.id", GRID_INT },
  { "name", GRID_TEXT }, { "operator_index", GRID_INT }, { "dur", GRID_INT } };
/* clang-format on */

enum { INFERENCES, EXECUTIONS, OPERATORS, EXTERNALS, N_TABLES };

static const struct {
  const char *name;
  const GridColumn *columns;
  guint n_columns;
  int must; /* a column without which the vendor has no row; -1 */
} tables[N_TABLES] = {
  { "inferences", inferences, G_N_ELEMENTS (inferences), -1 },
  { "npu_executions", executions, G_N_ELEMENTS (executions), 0 },
  { "npu_operators", operators, G_N_ELEMENTS (operators), -1 },
  { "external_operators", externals, G_N_ELEMENTS (externals), -1 },
};

typedef struct {
  nprof_str label;
  double mean, median;
  Grid *grid[N_TABLES];
} Page; /* of an input */

typedef struct {
  const struct nprof_host *host;
  struct nprof_output *out;
  GPtrArray *pages; /* of Page, in order of their summaries */
} Report;

static void
page_free (gpointer data)
{
  Page *page = data;
  for (guint t = 0; t < N_TABLES; t++)
    grid_free (page->grid[t]);
  g_free (page);
}

static Page *
page_of (Report *r, nprof_str label)
{
  for (guint i = r->pages->len; i; i--) {
    Page *page = g_ptr_array_index (r->pages, i - 1);
    if (page->label == label)
      return page;
  }
  Page *page = g_new0 (Page, 1);
  page->label = label;
  for (guint t = 0; t < N_TABLES; t++)
    page->grid[t] = grid_new (tables[t].columns, tables[t].n_columns);
  g_ptr_array_add (r->pages, page);
  return page;
}

/* -- Cells ------------------------------------------------------------------------------------ */

static char *
text_cell (const Report *r, const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_STRING:
    return g_strdup (nprof_text (r->host, cell->v.s));
  case NPROF_TEXT:
    return g_strndup (cell->v.text, cell->len);
  case NPROF_ID128: {
    GString *hex = g_string_new (NULL);
    for (uint32_t i = 0; i < cell->len; i++)
      g_string_append_printf (hex, "%02x", (guint8) cell->v.text[i]);
    return g_string_free (hex, FALSE);
  }
  default:
    return NULL;
  }
}

static GridCell
grid_cell (const Report *r, GridType type, const struct nprof_cell *cell)
{
  GridCell to = { 0 };
  if (type == GRID_TEXT)
    to.text = text_cell (r, cell);
  to.known = type == GRID_TEXT ? to.text != NULL
                               : cell->type == (type == GRID_INT ? NPROF_INT64 : NPROF_DOUBLE);
  if (to.known && type == GRID_INT)
    to.i = cell->v.i;
  if (to.known && type == GRID_DOUBLE)
    to.f = cell->v.f;
  return to;
}

/* -- Life -------------------------------------------------------------------------------------- */

static nprof_status
report_open (void *self, const struct nprof_host *host)
{
  Report *r = self;
  r->host = host;
  r->pages = g_ptr_array_new_with_free_func (page_free);
  r->out = host->output (host, NULL);
  return r->out ? NPROF_OK : NPROF_E_IO;
}

static nprof_status
report_consume (void *self, const struct nprof_batch *batch)
{
  (void) self;
  (void) batch;
  return NPROF_OK;
}

static double
number (const struct nprof_table *table, const struct nprof_cell *row, const char *name)
{
  int c = nprof_find_column (table, name);
  return c >= 0 && row[c].type == NPROF_DOUBLE ? row[c].v.f : 0;
}

static void
add_row (Report *r, guint t, const struct nprof_table *table, const struct nprof_cell *row)
{
  Page *page = page_of (r, row[0].v.s);
  int must = tables[t].must >= 0
                 ? nprof_find_column (table, tables[t].columns[tables[t].must].title)
                 : -1;
  if (must >= 0 && row[must].type == NPROF_NULL)
    return;
  for (guint c = 0; c < tables[t].n_columns; c++) {
    const struct nprof_cell none = nprof_cell_null ();
    int from = nprof_find_column (table, tables[t].columns[c].title);
    grid_add (page->grid[t],
              grid_cell (r, tables[t].columns[c].type, from < 0 ? &none : row + from));
  }
}

static nprof_status
report_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  Report *r = self;
  guint n_columns = nprof_count_columns (table), t = 0;
  bool summary = strcmp (table->name, "furiosa_summary") == 0;
  while (t < N_TABLES && strcmp (tables[t].name, table->name) != 0)
    t++;
  if (t == N_TABLES && !summary)
    return NPROF_OK;
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns) {
    if (cells[0].type != NPROF_STRING)
      continue;
    if (!summary) {
      add_row (r, t, table, cells);
      continue;
    }
    Page *page = page_of (r, cells[0].v.s);
    page->mean = number (table, cells, "Mean latency (ns)");
    page->median = number (table, cells, "Median latency (ns)");
  }
  return NPROF_OK;
}

/* -- Printing ---------------------------------------------------------------------------------- */

static void
print_summary (const Page *page, Style style, GString *out)
{
  const Grid *grid = page->grid[INFERENCES];
  guint n = grid_rows (grid);
  g_autofree gint64 *ns = g_new (gint64, n + 1);
  for (guint i = 0; i < n; i++)
    ns[i] = g_array_index (grid->cells, GridCell, (i + 1) * grid->n_columns - 1).i;
  summary_print (style, ns, n, page->mean, page->median, out);
}

static void
print_page (Page *page, Style style, GString *out)
{
  print_summary (page, style, out);
  for (guint t = 0; t < N_TABLES; t++) {
    Grid *grid = page->grid[t];
    if (style == STYLE_0_9) {
      grid_pandas (grid, t == OPERATORS ? "name" : NULL, out);
      continue;
    }
    if (t == OPERATORS)
      grid->columns = operators_0_10;
    grid_polars (grid, t == OPERATORS ? 0 : 1, out);
  }
}

static nprof_status
finish (Report *r, Style style)
{
  if (r->pages->len == 0)
    nprof_log (r->host, NPROF_WARNING,
               "there is nothing of Furiosa's to print: this style needs a trace of Furiosa's and "
               "the analyzer furiosa, as nprof report --style runs it");
  if (style == STYLE_0_10)
    nprof_log (r->host, NPROF_INFO,
               "NPU IoWait is Total - Run with its sign; SDK 0.10 prints Run - Total plus 2^64");
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < r->pages->len && !status; i++) {
    Page *page = g_ptr_array_index (r->pages, i);
    g_autoptr (GString) out = g_string_new (NULL);
    if (r->pages->len > 1)
      g_string_append_printf (out, "%s%s:\n", i ? "\n" : "", nprof_text (r->host, page->label));
    print_page (page, style, out);
    status = r->out->write (r->out, out->str, out->len);
  }
  return status ? status : r->out->close (r->out);
}

static nprof_status
finish_0_9 (void *self)
{
  return finish (self, STYLE_0_9);
}

static nprof_status
finish_0_10 (void *self)
{
  return finish (self, STYLE_0_10);
}

static void
report_close (void *self)
{
  Report *r = self;
  g_clear_pointer (&r->pages, g_ptr_array_unref);
}

/* clang-format off */
#define SINK(name_, summary_, finish_) { \
  .size = sizeof (struct nprof_component), .kind = NPROF_SINK, .name = name_, .summary = summary_, \
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT, .default_name = "report.txt", .instance_size = sizeof (Report), \
  .open = report_open, .consume = report_consume, .table = report_table, .finish = finish_, .close = report_close }
/* clang-format on */

static const struct nprof_component sink_0_9
    = SINK ("report-furiosa-0.9", "what Furiosa's profiler of SDK 0.8 and 0.9 prints", finish_0_9),
    sink_0_10
    = SINK ("report-furiosa-0.10", "what Furiosa's profiler of SDK 0.10 prints", finish_0_10);

NPROF_PLUGIN ("report-furiosa", NPROF_VERSION, "Apache-2.0", &sink_0_9, &sink_0_10)
