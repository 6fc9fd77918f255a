/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the tables of analyzer graphs; a run without replays has none. */
#include "devicekit/cells.h"
#include "devicekit/distribution.h"
#include "layers.h"
#include "write.h"

#include <string.h>

NPROF_TABLE (graphs, "Graphs",
             "what one launch of a graph runs; (graph replay N): N kernels, copies and sets",
             GRAPHS)
NPROF_TABLE (graph_families, "Families of kernels, in graphs and outside", "", GRAPH_FAMILIES)
NPROF_TABLE (graph_operators, "Operators of graphs",
             "of replays alone, by how surely their kernels are the operator's", GRAPH_OPERATORS)
NPROF_TABLE (graph_outside, "Work outside of graphs", "", GRAPH_OUTSIDE)

/* -- Graphs ------------------------------------------------------------------------------------ */

/* All replays of one graph on one device; `first` is one of them. */
typedef struct {
  const Replay *first, *last;
  guint replays, number, at; /* the latter: before they are sorted */
  gint64 busy, named;
  GraphMatch match; /* the least sure */
  Dist span, delay, within, between, idle; /* ps, of its replays */
  Dist context, generation;                /* tokens, of its steps */
  Phase phase;  /* of its steps so far; PHASE_NONE: of none */
  bool several; /* phases */
} Graph;

static void
graph_clear (gpointer data)
{
  Graph *graph = data;
  dist_clear (&graph->span);
  dist_clear (&graph->delay);
  dist_clear (&graph->within);
  dist_clear (&graph->between);
  dist_clear (&graph->idle);
  dist_clear (&graph->context);
  dist_clear (&graph->generation);
}

static Graph *
graph_of (GArray *graphs, const Replay *r)
{
  guint alike = 0;
  for (guint i = 0; i < graphs->len; i++) {
    Graph *graph = &g_array_index (graphs, Graph, i);
    if (graph->first->device != r->device || graph->first->kernels != r->kernels)
      continue;
    if (graph->first->hash == r->hash)
      return graph;
    alike++;
  }
  const Graph graph = {
    .first = r, .number = alike, .at = graphs->len, .match = GRAPH_EXACT, .phase = PHASE_NONE
  };
  g_array_append_val (graphs, graph);
  return &g_array_index (graphs, Graph, graphs->len - 1);
}

/* Adds the step in which the launch begins. */
static void
add_step (const Graphs *g, Graph *graph, const AnListedLaunch *launch)
{
  const GArray *steps = an_server_steps_find (g->host_steps, launch->input);
  const gint at = steps ? an_server_steps_at (steps, launch->start) : -1;
  if (at < 0)
    return;
  const Said *said = &g_array_index (steps, AnServerStep, at).said;
  graph->several |= graph->phase != PHASE_NONE && graph->phase != said->phase;
  graph->phase = said->phase;
  if (said->context_tokens >= 0)
    dist_add (&graph->context, said->context_tokens);
  if (said->generation_tokens >= 0)
    dist_add (&graph->generation, said->generation_tokens);
}

static void
add_replay (Graphs *g, Graph *graph, Replay *r)
{
  const AnListedLaunch *launch
      = an_launch_list_find (&g->launches, r->input, r->correlation, r->first);
  r->number = graph->number;
  r->graph = graph->at;
  r->between = graph->last ? MAX (0, r->first - graph->last->last) : -1;
  if (graph->last)
    dist_add (&graph->between, r->between);
  if (launch && launch->start <= r->first)
    dist_add (&graph->delay, r->first - launch->start);
  if (launch)
    add_step (g, graph, launch);
  if (r->idle >= 0)
    dist_add (&graph->idle, r->idle);
  dist_add (&graph->within, r->within);
  dist_add (&graph->span, r->last - r->first);
  graph->match = MIN (graph->match, r->match);
  graph->replays++;
  graph->busy += r->busy;
  graph->named += r->named;
  graph->last = r;
}

static struct nprof_maybe_int
median (const Dist *dist)
{
  return nprof_int_if (dist->count, dist->count ? dist_percentile (dist, 500, false) : 0);
}

static int
by_device_and_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const Graphs *g = user;
  const Graph *x = a, *y = b;
  if (x->first->device != y->first->device)
    return an_place_compare (g->host, graphs_device (g, x->first->device)->track,
                             graphs_device (g, y->first->device)->track);
  if (x->busy != y->busy)
    return x->busy > y->busy ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

static nprof_status
write_graph (const Graphs *g, const Graph *graph)
{
  const struct nprof_host *h = g->host;
  const Device *d = graphs_device (g, graph->first->device);
  g_autofree char *name = graphs_name (graph->first);
  const char *phase = graph->several ? "several" : inference_phase_name (graph->phase);
  const struct graphs_row row = {
    .device = nprof_any_str (d->label),
    .graph = nprof_any_str (nprof_intern (h, name)),
    .number = nprof_some_int (graph->number),
    .replays = nprof_some_int (graph->replays),
    .kernels = nprof_some_int (graph->first->kernels),
    .streams = nprof_some_int (graph->first->streams),
    .busy = nprof_some_int (graph->busy),
    .share = graphs_share (d, graph->busy),
    .span = median (&graph->span),
    .delay = median (&graph->delay),
    .within = median (&graph->within),
    .between = median (&graph->between),
    .idle_before = median (&graph->idle),
    .match = nprof_any_str (g->keys.words[graph->match]),
    .named = nprof_double_if (graph->busy, (double) graph->named / (double) graph->busy),
    .phase = nprof_some_str (graph->phase == PHASE_NONE ? 0 : nprof_intern (h, phase)),
    .context_tokens = median (&graph->context),
    .generation_tokens = median (&graph->generation),
  };
  return h->row (h, &graphs_table, graphs_cells (graphs_input_cell (g, d), &row).cells);
}

/* -- All --------------------------------------------------------------------------------------- */

static nprof_status
write_layers (const Graphs *g, const GArray *graphs)
{
  nprof_status status = g->host->table (g->host, &graph_layers_table);
  for (guint i = 0; i < graphs->len && !status; i++) {
    const Graph *graph = &g_array_index (graphs, Graph, i);
    g_autofree char *name = graphs_name (graph->first);
    status = layers_write (g, graph->first, name, graph->number);
  }
  return status;
}

/* Has the replays know the places of their graphs in the table. */
static void
number_replays (Graphs *g, const GArray *graphs)
{
  g_autofree guint *places = g_new (guint, graphs->len + 1);
  for (guint i = 0; i < graphs->len; i++)
    places[g_array_index (graphs, Graph, i).at] = i;
  for (guint i = 0; i < g->replays->len; i++) {
    Replay *r = &g_array_index (g->replays, Replay, i);
    r->graph = places[r->graph];
  }
}

static nprof_status
write_graphs (Graphs *g)
{
  nprof_status status = g->host->table (g->host, &graphs_table);
  g_autoptr (GArray) graphs = g_array_new (FALSE, FALSE, sizeof (Graph));
  g_array_set_clear_func (graphs, graph_clear);
  layers_end (g);
  for (guint i = 0; i < g->replays->len; i++) {
    Replay *r = &g_array_index (g->replays, Replay, i);
    add_replay (g, graph_of (graphs, r), r);
  }
  g_array_sort_with_data (graphs, by_device_and_time, g);
  number_replays (g, graphs);
  for (guint i = 0; i < graphs->len && !status; i++)
    status = write_graph (g, &g_array_index (graphs, Graph, i));
  if (!status)
    status = contents_write (g);
  if (!status)
    status = replays_write (g);
  return status ? status : write_layers (g, graphs);
}

/* -- Sums -------------------------------------------------------------------------------------- */

typedef struct {
  const Graphs *g;
  const AnKeyTable *keys;
  const NpLargeArray *sums;
} Sorting;

/* Sorts by device, most time first, then by names. */
static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const Sorting *s = user;
  const guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (s->keys, i), *y = an_key_table_key (s->keys, j);
  const gint64 m = g_array_index (s->sums, Sum, i).busy, n = g_array_index (s->sums, Sum, j).busy;
  if (x[0] != y[0])
    return an_place_compare (s->g->host, graphs_device (s->g, x[0])->track,
                             graphs_device (s->g, y[0])->track);
  if (m != n)
    return m > n ? -1 : 1;
  int order = 0;
  for (guint word = 1; word < s->keys->width && !order; word++)
    order = strcmp (nprof_text (s->g->host, x[word]), nprof_text (s->g->host, y[word]));
  return order;
}

typedef nprof_status (*WriteSum) (const Graphs *g, const guint32 *key, const Sum *sum,
                                  guint number);

static nprof_status
write_sums (const Graphs *g, const struct nprof_table *table, const AnKeyTable *keys,
            const NpLargeArray *sums, WriteSum write)
{
  nprof_status status = g->host->table (g->host, table);
  g_autofree guint *order = g_new (guint, sums->len + 1);
  for (guint i = 0; i < sums->len; i++)
    order[i] = i;
  Sorting sorting = { g, keys, sums };
  g_qsort_with_data (order, (gint) sums->len, sizeof *order, by_time, &sorting);
  for (guint i = 0; i < sums->len && !status; i++)
    status = write (g, an_key_table_key (keys, order[i]), &g_array_index (sums, Sum, order[i]),
                    order[i]);
  return status;
}

static nprof_status
write_family (const Graphs *g, const guint32 *key, const Sum *sum, guint number)
{
  const struct nprof_host *h = g->host;
  const Device *d = graphs_device (g, key[FAMILY_DEVICE]);
  (void) number;
  const struct graph_families_row row = {
    .device = nprof_any_str (d->label),
    .family = nprof_any_str (key[FAMILY_NAME]),
    .place = nprof_any_str (nprof_intern (h, key[FAMILY_IN_GRAPH] ? "graph" : "outside")),
    .kernels = nprof_some_int ((gint64) sum->kernels),
    .busy = nprof_some_int (sum->busy),
    .share = graphs_share (d, sum->busy),
  };
  return h->row (h, &graph_families_table,
                 graph_families_cells (graphs_input_cell (g, d), &row).cells);
}

static nprof_status
write_operator (const Graphs *g, const guint32 *key, const Sum *sum, guint number)
{
  const struct nprof_host *h = g->host;
  const Device *d = graphs_device (g, key[OPERATOR_DEVICE]);
  const guint64 calls = g_array_index (g->operator_calls, guint64, number);
  const struct graph_operators_row row = {
    .device = nprof_any_str (d->label),
    .operator= nprof_any_str (key[OPERATOR_NAME]),
    .module = nprof_any_str (key[OPERATOR_MODULE]),
    .match = nprof_any_str (key[OPERATOR_MATCH]),
    .calls = nprof_int_if (calls, (gint64) calls),
    .kernels = nprof_some_int ((gint64) sum->kernels),
    .busy = nprof_some_int (sum->busy),
    .share = graphs_share (d, sum->busy),
  };
  return h->row (h, &graph_operators_table,
                 graph_operators_cells (graphs_input_cell (g, d), &row).cells);
}

static nprof_status
write_outside (const Graphs *g, const guint32 *key, const Sum *sum, guint number)
{
  const struct nprof_host *h = g->host;
  const Device *d = graphs_device (g, key[OUTSIDE_DEVICE]);
  (void) number;
  const nprof_str family = GPOINTER_TO_UINT (
      g_hash_table_lookup (g->family, GUINT_TO_POINTER (key[OUTSIDE_KERNEL])));
  const struct graph_outside_row row = {
    .device = nprof_any_str (d->label),
    .kernel = nprof_any_str (key[OUTSIDE_KERNEL]),
    .family = nprof_some_str (family),
    .kernels = nprof_some_int ((gint64) sum->kernels),
    .busy = nprof_some_int (sum->busy),
    .share = graphs_share (d, sum->busy),
  };
  return h->row (h, &graph_outside_table,
                 graph_outside_cells (graphs_input_cell (g, d), &row).cells);
}

nprof_status
graphs_write (Graphs *g)
{
  if (!g->replays->len)
    return NPROF_OK;
  nprof_status status = write_graphs (g);
  if (!status)
    status = write_sums (g, &graph_families_table, &g->family_keys, g->family_sums, write_family);
  if (!status)
    status = write_sums (g, &graph_operators_table, &g->operator_keys, g->operator_sums,
                         write_operator);
  if (!status)
    status = write_sums (g, &graph_outside_table, &g->outside_keys, g->outside_sums,
                         write_outside);
  return status;
}
