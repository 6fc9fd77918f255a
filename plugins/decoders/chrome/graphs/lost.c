/* SPDX-License-Identifier: Apache-2.0 */
/* lost.c - sums up launches that replays do not show, by graph, with the gaps of the stream where
 * they must have run, and writes their table. */
#include "lost.h"

#include <string.h>

NPROF_TABLE (
    graph_lost, "Launches that replays of graphs do not show",
    "The recorder lost their kernels, or their nodes were left out; their time is the gap, "
    "and in no table.",
    GRAPH_LOST)

typedef struct {
  const GraphPlan *plan;
  guint32 kernels, launch;
  guint64 replays;
  gint64 least, most; /* ps; -1: no kernel of the stream lies around it */
} Sum;

struct _GraphLost {
  const GArray *events;
  GPtrArray *work;   /* of GraphEvent, stream by stream, by start; NULL: nobody asked yet */
  GHashTable *place; /* event -> 1 + its place there */
  GHashTable *sums;  /* Sum, which is its key */
};

static guint
sum_hash (gconstpointer sum)
{
  const Sum *s = sum;
  return g_direct_hash (s->plan) * 31 + s->kernels * 7 + s->launch;
}

static gboolean
sum_equal (gconstpointer a, gconstpointer b)
{
  const Sum *x = a, *y = b;
  return x->plan == y->plan && x->kernels == y->kernels && x->launch == y->launch;
}

GraphLost *
graph_lost_new (const GArray *events)
{
  GraphLost *lost = g_new0 (GraphLost, 1);
  lost->events = events;
  lost->sums = g_hash_table_new_full (sum_hash, sum_equal, g_free, NULL);
  return lost;
}

void
graph_lost_free (GraphLost *lost)
{
  g_clear_pointer (&lost->work, g_ptr_array_unref);
  g_clear_pointer (&lost->place, g_hash_table_unref);
  g_hash_table_unref (lost->sums);
  g_free (lost);
}

/* -- Gaps -------------------------------------------------------------------------------------- */

static int
by_stream (gconstpointer a, gconstpointer b)
{
  const GraphEvent *x = *(const GraphEvent *const *) a, *y = *(const GraphEvent *const *) b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static void
sort_work (GraphLost *lost)
{
  lost->work = g_ptr_array_new ();
  lost->place = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < lost->events->len; i++) {
    GraphEvent *e = &g_array_index (lost->events, GraphEvent, i);
    if (e->kind == GRAPH_WORK)
      g_ptr_array_add (lost->work, e);
  }
  g_ptr_array_sort (lost->work, by_stream);
  for (guint i = 0; i < lost->work->len; i++)
    g_hash_table_insert (lost->place, lost->work->pdata[i], GUINT_TO_POINTER (i + 1));
}

/* Returns the time from the end of a kernel to the next of its stream; -1: it is the last. */
static gint64
gap_behind (GraphLost *lost, const GraphEvent *e)
{
  if (!lost->work)
    sort_work (lost);
  const guint next = GPOINTER_TO_UINT (g_hash_table_lookup (lost->place, e));
  const GraphEvent *behind = next < lost->work->len ? lost->work->pdata[next] : NULL;
  return behind && behind->thread == e->thread ? MAX (0, behind->start - e->end) : -1;
}

/* -- Sums -------------------------------------------------------------------------------------- */

static void
add (GraphLost *lost, const GraphPlan *plan, guint32 kernels, guint32 launch, gint64 gap)
{
  const Sum key = { .plan = plan, .kernels = kernels, .launch = launch, .least = -1, .most = -1 };
  Sum *sum = g_hash_table_lookup (lost->sums, &key);
  if (!sum) {
    sum = g_memdup2 (&key, sizeof key);
    g_hash_table_add (lost->sums, sum);
  }
  sum->replays++;
  if (gap < 0)
    return;
  sum->least = sum->least < 0 ? gap : MIN (sum->least, gap);
  sum->most = MAX (sum->most, gap);
}

void
graph_lost_add (GraphLost *lost, const GraphPlan *plan, const GraphEvent *const *work,
                const guint32 *place, guint n)
{
  guint32 launch = 0;
  const GraphEvent *before = NULL;
  for (guint k = 0; k <= n; k++) { /* the kernels that have a place have them in order */
    if (k < n && place[k] == GRAPH_NO_PLACE)
      continue;
    for (const guint32 until = k < n ? place[k] : plan->sites->len; launch < until; launch++)
      add (lost, plan, n, launch, before ? gap_behind (lost, before) : -1);
    if (k == n)
      return;
    launch = place[k] + 1;
    before = work[k];
  }
}

/* -- The table --------------------------------------------------------------------------------- */

static int
by_graph (gconstpointer a, gconstpointer b)
{
  const Sum *x = *(const Sum *const *) a, *y = *(const Sum *const *) b;
  if (x->kernels != y->kernels)
    return x->kernels > y->kernels ? -1 : 1;
  const int order = strcmp (x->plan->label, y->plan->label);
  return order ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

static nprof_status
write_sum (const Chrome *c, const Sum *sum)
{
  const struct nprof_host *h = c->host;
  const GraphSite *site = &g_array_index (sum->plan->sites, GraphSite, sum->launch);
  g_autofree char *graph = g_strdup_printf (GRAPH_UNKNOWN "%u)", sum->kernels);
  const struct graph_lost_row row = {
    .graph = nprof_any_str (nprof_intern (h, graph)),
    .capture = nprof_any_str (nprof_intern (h, sum->plan->label)),
    .launch = nprof_some_int (sum->launch),
    .kernel = nprof_any_str (site->kernel),
    .operator= nprof_any_str (site->operator),
    .replays = nprof_some_int ((gint64) sum->replays),
    .gap_least = nprof_int_if (sum->least >= 0, sum->least),
    .gap_most = nprof_int_if (sum->most >= 0, sum->most),
  };
  return h->row (h, &graph_lost_table,
                 graph_lost_cells (nprof_cell_str (c->input->label), &row).cells);
}

nprof_status
graph_lost_write (const GraphLost *lost, const Chrome *c)
{
  g_autoptr (GPtrArray) sums = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer sum;
  g_hash_table_iter_init (&iter, lost->sums);
  while (g_hash_table_iter_next (&iter, &sum, NULL))
    g_ptr_array_add (sums, sum);
  g_ptr_array_sort (sums, by_graph);
  nprof_status status = c->host->table (c->host, &graph_lost_table);
  for (guint i = 0; i < sums->len && !status; i++)
    status = write_sum (c, sums->pdata[i]);
  return status;
}
