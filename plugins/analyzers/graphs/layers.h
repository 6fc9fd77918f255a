/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - sums up the layers of graphs: those that modules name, else what repeats. */
#pragma once

#include "graphs.h"

/* Adds work to its replay, whose rows come by start. */
void layers_add (Graphs *g, guint replay, nprof_str name, nprof_str module, gint64 busy);
/* Ends the rows. */
void layers_end (Graphs *g);
/* Writes those of a graph, of which `of` is a replay, as it is called. */
nprof_status layers_write (const Graphs *g, const Replay *of, const char *graph, guint number);
void layers_clear (Graphs *g);
