/* SPDX-License-Identifier: Apache-2.0 */
/* replays.c - writes each launch of a graph by itself: a row of a table, and a span. */
#include "devicekit/cells.h"
#include "write.h"

NPROF_TABLE (graph_replays, "Replays of graphs", "by device and start", GRAPH_REPLAYS)

static const Replay *
replay_at (const Graphs *g, guint i)
{
  return &g_array_index (g->replays, Replay, i);
}

/* Returns the number that the decoder gave a replay. */
static gint64
said_number (const Graphs *g, guint i)
{
  const guint32 *key = an_key_table_key (&g->replay_keys, i);
  return (gint64) ((guint64) key[3] << 32 | key[2]);
}

static int
by_device_and_start (gconstpointer a, gconstpointer b, gpointer user)
{
  const Graphs *g = user;
  const guint i = *(const guint *) a, j = *(const guint *) b;
  const Replay *x = replay_at (g, i), *y = replay_at (g, j);
  if (x->device != y->device)
    return an_place_compare (g->host, graphs_device (g, x->device)->track,
                             graphs_device (g, y->device)->track);
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (said_number (g, i) > said_number (g, j)) - (said_number (g, i) < said_number (g, j));
}

/* Returns the step of a server in which it was launched; NULL: none, or it is not known. */
static const AnServerStep *
step_of (const Graphs *g, const AnListedLaunch *launch)
{
  const GArray *steps = launch ? an_server_steps_find (g->host_steps, launch->input) : NULL;
  const gint at = steps ? an_server_steps_at (steps, launch->start) : -1;
  return at < 0 ? NULL : &g_array_index (steps, AnServerStep, at);
}

static nprof_status
write_span (const Graphs *g, const Replay *r, const AnServerStep *step)
{
  const struct nprof_host *h = g->host;
  g_autofree char *name = graphs_name (r);
  const nprof_track track
      = h->track (h, graphs_device (g, r->device)->track, NPROF_TRACK_DERIVED,
                  nprof_intern (h, "graph-replays"), nprof_intern (h, "Graph replays"), G_MAXINT32);
  struct nprof_writer *w = track ? h->writer (h) : NULL;
  nprof_status status
      = w ? nprof_span (w, track, nprof_intern (h, name), r->first, r->last - r->first)
          : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (h, "graph_replay"));
  status = nprof_attr_str (w, g->keys.match, g->keys.words[r->match]);
  return status || !step ? status : nprof_attr_str (w, nprof_intern (h, "graph_step"), step->name);
}

static nprof_status
write_replay (Graphs *g, guint i)
{
  const struct nprof_host *h = g->host;
  const Replay *r = replay_at (g, i);
  const Device *d = graphs_device (g, r->device);
  const AnListedLaunch *launch
      = an_launch_list_find (&g->launches, r->input, r->correlation, r->first);
  const AnServerStep *step = step_of (g, launch);
  const Said *said = step ? &step->said : NULL;
  const char *phase = said ? inference_phase_name (said->phase) : NULL;
  g_autofree char *name = graphs_name (r);
  const struct graph_replays_row row = {
    .device = nprof_any_str (d->label),
    .replay = nprof_some_int (said_number (g, i)),
    .graph = nprof_any_str (nprof_intern (h, name)),
    .number = nprof_some_int (r->number),
    .start = nprof_some_int (r->first),
    .span = nprof_some_int (r->last - r->first),
    .busy = nprof_some_int (r->busy),
    .delay = an_count (launch && launch->start <= r->first ? r->first - launch->start : -1),
    .within = nprof_some_int (r->within),
    .between = an_count (r->between),
    .idle_before = an_count (r->idle),
    .outside_kernels = nprof_some_int ((gint64) r->outside.kernels),
    .outside = nprof_some_int (r->outside.busy),
    .match = nprof_any_str (g->keys.words[r->match]),
    .phase = nprof_some_str (phase ? nprof_intern (h, phase) : 0),
    .requests = an_count (said ? said->requests : -1),
  };
  const nprof_status status = h->row (h, &graph_replays_table,
                                      graph_replays_cells (graphs_input_cell (g, d), &row).cells);
  return status ? status : write_span (g, r, step);
}

nprof_status
replays_write (Graphs *g)
{
  nprof_status status = g->host->table (g->host, &graph_replays_table);
  g_autofree guint *order = g_new (guint, g->replays->len + 1);
  for (guint i = 0; i < g->replays->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) g->replays->len, sizeof *order, by_device_and_start, g);
  for (guint i = 0; i < g->replays->len && !status; i++)
    status = write_replay (g, order[i]);
  return status;
}
