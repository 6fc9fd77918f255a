/* SPDX-License-Identifier: Apache-2.0 */
/* write.h - what the writers of the tables of graphs share. */
#pragma once

#include "graphs.h"

static inline const Device *
graphs_device (const Graphs *g, guint32 number)
{
  return &g_array_index (g->devices, Device, number);
}

static inline struct nprof_cell
graphs_input_cell (const Graphs *g, const Device *d)
{
  return nprof_cell_str (g->host->input (g->host, d->input)->label);
}

static inline struct nprof_maybe_double
graphs_share (const Device *d, gint64 busy)
{
  return nprof_double_if (d->busy, (double) busy / (double) d->busy);
}

/* Returns what the graph of a replay is called; transfer full. */
static inline char *
graphs_name (const Replay *r)
{
  return g_strdup_printf (GRAPH_UNKNOWN "%u)", r->kernels);
}

/* contents.c: the families of each graph, when its replays know it. */
nprof_status contents_write (const Graphs *g);
/* replays.c: a row for each replay, when their graphs have numbers. */
nprof_status replays_write (Graphs *g);
