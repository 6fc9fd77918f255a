/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - the page of a report: the list of its views and their life; summary.c sums them up,
 * grid.c prints their cells. */

#include "views.h"

#include "summary.h"
#include "view.h"

#include <nprof/sdk.h>
#include <string.h>

#define COLUMNS_LEAST 80 /* what a line of the first screen is made for */

/* The first page is one composition: what stands beside what, and which columns people need,
 * depends on all of it, so it is one list here and not told by the analyzers. A table that is not
 * listed has the place that its analyzer's NAME.plugin says. */
/* clang-format off */
static const ViewDecl decls[] = {
  { .table = "devices", .title = "Devices", .top = 8,
    .columns = "span_ns+busy_ns/span_ns+?lost_ns/span_ns+compute_ns/span_ns+communication_ns/span_ns+copy_ns/span_ns"
               "+exposed_ns/span_ns+mfu+mbu+device",
    .note = "Shares of the span, first to last work; what overlaps counts once. exposed: communication and copies while "
            "nothing computes." },
  { .table = "logical_cores", .title = "Logical cores", .top = 4,
    .columns = "span_ns+busy_ns/span_ns+compute_ns/span_ns+copy_ns/span_ns+exposed_ns/span_ns+cores"
               "+device",
    .note = "Their cores together: what works on several counts once." },
  { .table = "job", .title = "Job", .top = 1,
    .columns = "ranks+expected+missing+mfu+violations+end_spread_ns+mfu_unknown+gain_unknown+checked+incomplete+late",
    .note = "violations: collectives that somebody ends before all have begun, of those checked." },
  { .table = "stragglers", .title = "Stragglers", .top = 5,
    .columns = "cause+late_ns+share+collectives+cost_ns+gain_ns+last+steps+who",
    .note = "Who made others wait, by more than ranks always differ." },
  { .table = "step_skew", .title = "Steps over ranks", .top = 5,
    .columns = "step+ranks+begin_skew_ns+end_skew_ns+slowest+longest_ns+median_ns" },
  { .table = "rank_spread", .title = "Times of ranks", .top = 6,
    .columns = "min_ns+min_rank+p50_ns+max_ns+max_rank+time" },
  { .table = "rank_operators", .title = "Operators whose ranks differ most", .top = 5, .by = "spread_ns",
    .columns = "spread_ns+p50_ns+max_ns+max_rank+outliers+ranks+role+operator",
    .note = "Each rank is one number: what the operator took on it. spread: most less median." },
  { .table = "categories", .title = "Time by category", .top = 8, .takes = view_takes_busy,
    .columns = "busy_ns+share+category", .note = "Categories overlap." },
  { .table = "step_times", .title = "Step times", .top = 6, .by = "steps",
    .columns = "steps+cut+median_ns+p90_ns+p99_ns+max_ns+max_skew_ns+program+device" },
  { .table = "graphs", .title = "Graphs", .top = 4, .by = "busy_ns",
    .columns = "busy_ns+share+replays+kernels+span_ns+delay_ns+?between_ns+named+match+graph",
    .note = "One launch runs a graph. delay: launch to first kernel; between: end of a replay to the next. Medians." },
  { .table = "operators", .title = "Operators", .top = 8, .by = "self_ns", .takes = view_takes_operator,
    .columns = "self_ns+share+calls+mean_ns+mfu+category+?certainty+operator",
    .note = "self: without the operators within; mean: of a call, with them." },
  { .table = "kernels", .title = "Kernels", .top = 6, .by = "total_ns", .takes = view_takes_kernel,
    .columns = "total_ns+share+share_so_far+calls+mean_ns+?certainty+operator+kernel" },
  { .table = "kernels", .title = "Kernels by shape", .top = 6, .by = "total_ns", .takes = view_takes_shape,
    .columns = "total_ns+share_so_far+calls+shape+kernel",
    .note = "shape: arguments of the matrix product, convolution or attention around the launch; behind ; values." },
  { .table = "operator_shapes", .title = "Operators by shape", .top = 8, .by = "self_ns", .takes = view_takes_shaped,
    .columns = "self_ns+share+calls+mean_ns+?mfu+category+arguments+result+operator",
    .note = "Shapes without layouts; behind ; the values of other arguments. \"-\", or no column: unknown; --full says why." },
  { .table = "operators", .title = "CPU operators", .top = 4, .by = "self_ns", .takes = view_takes_host_operator,
    .columns = "self_ns+share+calls+mean_ns+operator",
    .note = "self: without the operators within; mean: of a call, with them." },
  { .table = "layers", .title = "Layers", .top = 4, .by = "busy_ns", .columns = "busy_ns+flops+bytes+mfu+layer",
    .note = "On all devices; a layer holds those below it." },
  { .table = "fusions", .title = "Fusions", .top = 5, .by = "self_ns",
    .columns = "self_ns+total_ns+calls+category+fusion" },
  { .table = "mfu", .title = "Utilisation", .top = 8, .takes = view_takes_utilisation, .needs = "hfu+mbu",
    .columns = "mfu+hfu+mbu+flops+peak_flops+bound+best_mfu+operator+device",
    .note = "Of the span, idle time included. best_mfu: what the flops per byte allow." },
  { .table = "mfu", .title = "Roofline", .top = 5, .by = "time_ns", .takes = view_takes_roofline,
    .columns = "time_ns+mfu+mbu+intensity+bound+best_mfu+operator" },
  { .table = "latency", .title = "Latency", .top = 5, .by = "total_ns", .takes = view_takes_repeated,
    .columns = "calls+total_ns+median_ns+p90_ns+p99_ns+max_ns+thread+name",
    .note = "Spans that came once, annotations and waits are left out." },
  { .table = "collectives", .title = "Collectives", .top = 4, .by = "total_ns",
    .columns = "total_ns+exposed_ns+calls+bytes+ranks+busbw_p50+efficiency+kind+device" },
  { .table = "what_if", .title = "Speedup if an operator were free", .top = 8, .by = "gain_ns",
    .columns = "gain_ns+critical_ns+total_ns+factor+category+step+process+operator",
    .note = "By replay of the step: what waits for something else stays where it was. factor: how much faster; 0: free." },
  { .table = "memory", .title = "Memory", .top = 3, .by = "peak_bytes",
    .columns = "peak_bytes+rise_bytes+peak_ns+before_bytes+reserved_bytes+capacity_bytes+end_bytes+allocator" },
  { .table = "gaps", .title = "Longest idle gaps", .top = 3, .by = "duration_ns", .takes = view_takes_placed,
    .columns = "duration_ns+start_ns+cause+device" },
  { .table = "section_gaps", .title = "Gaps of sections", .top = 3, .by = "duration_ns",
    .columns = "duration_ns+start_ns+share+transfer+section",
    .note = "share: transfers of other sections under way meanwhile; transfer: the longest of them." },
  { .table = "dma", .title = "Transfers by queue", .top = 3, .by = "busy_ns", .needs = "bytes",
    .columns = "busy_ns+calls+bytes+throughput+efficiency+queue+device" },
  { .table = "instructions", .title = "Instructions", .top = 5, .by = "count", .columns = "count+opcode+engine" },
  { .table = "tensors", .title = "Largest tensors", .top = 5, .by = "bytes", .columns = "bytes+usage+dtype+shape+name" },
  { .table = "dma_queues", .title = "DMA queues", .top = 5, .by = "bytes", .columns = "bytes+descriptors+type+queue" },
  { .table = "furiosa_summary", .title = "Inferences", .top = 1,
    .columns = "Inference counts+Median latency (ns)+99.0 percentile latency (ns)+Max latency (ns)" },
  { .table = "npu_executions", .title = "Longest NPU executions", .top = 3, .by = "NPU Total",
    .columns = "NPU Total+NPU Run+NPU IoWait+pe_index+execution_index+span_id",
    .note = "Run: the sum of the operators; Load and Store are within IoWait." },
  { .table = "npu_operators", .title = "NPU operators", .top = 5, .by = "average elapsed(ns)",
    .columns = "average elapsed(ns)+count+name" },
  { .table = "external_operators", .title = "Longest operators on the host", .top = 3, .by = "dur",
    .columns = "dur+thread.id+operator_index+name" },
  { .table = "neuron_summary", .title = "Neuron metrics", .top = 12, .takes = view_takes_known,
    .columns = "value+unit+group+metric",
    .note = "Those that are known; --full has formulas, and why others are not." },
  { .table = "inferences" },
  { .table = "steps" },
  { .table = "communication" },
  { .table = "memory_holders" },
  { .table = "memory_modules" },
  { .table = "program_memory" },
  { .table = "neuron_memory" },
  { .table = "fusion_members" },
  { .table = "linked" },
  { .table = "engines" },
  { .table = "operators_linked" },
};
/* clang-format on */

Views *
views_new (const struct nprof_host *host, gint64 top, const char *by, const WantedTables *only)
{
  Views *views = g_new0 (Views, 1);
  *views = (Views){ .host = host,
                    .top = top,
                    .by = by,
                    .only = only,
                    .views = g_new0 (View, G_N_ELEMENTS (decls)),
                    .reasons = reasons_new (),
                    .shown = g_ptr_array_new () };
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++)
    views->views[i].decl = &decls[i];
  return views;
}

void
views_free (Views *views)
{
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++)
    g_clear_pointer (&views->views[i].table, table_free);
  g_free (views->views);
  g_clear_pointer (&views->lines, table_free);
  reasons_free (views->reasons);
  g_ptr_array_unref (views->shown);
  g_free (views);
}

gboolean
views_know (const char *table)
{
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++)
    if (g_str_equal (table, decls[i].table))
      return TRUE;
  return g_str_equal (table, "summary");
}

static guint64
rows_to_keep (const Views *views, const View *view)
{
  return view->decl->by && !*views->by ? view_top (views, view) : 0;
}

static void
open_view (const Views *views, View *view, const struct nprof_table *decl)
{
  view->table = table_new (views->host, decl, rows_to_keep (views, view), views->by);
  view->asked = view->table->by >= 0;
  if ((view->asked && !views_by_shape (views)) || !view->decl->by)
    return;
  table_free (view->table);
  view->table = table_new (views->host, decl, rows_to_keep (views, view), view->decl->by);
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
  if (g_str_equal (decl->name, "summary"))
    return add_lines (views, decl, cells, n_rows);
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++) {
    View *view = &views->views[i];
    if (!view->decl->columns || !g_str_equal (view->decl->table, decl->name))
      continue;
    if (!view->table)
      open_view (views, view, decl);
    for (guint32 r = 0; r < n_rows; r++) {
      const struct nprof_cell *row = cells + (gsize) r * view->table->n_columns;
      if ((!view->decl->takes || view->decl->takes (views, view, row))
          && table_add (view->table, row))
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
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++)
    if (views->views[i].table)
      table_finish (views->views[i].table);
}

GPtrArray *
views_finish (Views *views)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func ((GDestroyNotify) table_free);
  finish_tables (views);
  Table *summary = is_wanted (views, "summary")
                       ? summary_new (views->lines, views->more_room, views->whole)
                       : NULL;
  if (summary)
    g_ptr_array_add (tables, summary);
  for (guint i = 0; i < G_N_ELEMENTS (decls); i++) {
    const View *view = &views->views[i];
    if (!is_wanted (views, view->decl->table) || !view_is_worth_it (view))
      continue;
    Table *table = view_print (views, view);
    if (!table)
      return NULL;
    g_ptr_array_add (tables, table);
    g_ptr_array_add (views->shown, (gpointer) view->decl);
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
    if (g_str_equal (((const ViewDecl *) g_ptr_array_index (views->shown, i))->table, table))
      return TRUE;
  return FALSE;
}
