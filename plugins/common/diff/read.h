/* SPDX-License-Identifier: Apache-2.0 */
/* read.h - the sides of a comparison, read from the tables of a run. */
#pragma once

#include "diff/side.h"
#include "table/table-store.h"

/* Returns a side for each device of the run, with names of the set; with `hosts`, for each process.
 * The array of NpDiffSide is transfer full, those with most rows first. */
GPtrArray *np_diff_read (const NpTableStore *store, gboolean hosts, GHashTable *names);
/* Returns the table of the steps of devices or, with `hosts`, of hosts. */
const char *np_diff_steps_table (gboolean hosts);
