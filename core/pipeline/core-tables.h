/* SPDX-License-Identifier: Apache-2.0 */
/* core-tables.h - the tables that the core itself writes: inputs, tracks, skipped, facts, and
 * input_steps when it is asked for. */
#pragma once

#include "rows/table.h"
#include "run/run-state.h"

/* Takes a chunk (transfer full); FALSE ends the walk. */
typedef gboolean (*NpChunkFn) (NpChunk *chunk, gpointer user);

/* Announces the first four, so that they come first wherever tables are listed. */
gboolean np_core_tables_announce (NpChunkFn fn, gpointer user);
/* Writes all of them, complete; gives the tracks without rows their numbers.  FALSE: there is no
 * memory, or fn returned FALSE, which sets no error here. */
gboolean np_core_tables (NpRun *run, NpChunkFn fn, gpointer user, GError **error);
/* Returns their declarations; ends in NULL. */
const struct nprof_table *const *np_core_tables_list (void);
/* Returns whether that is one of their names. */
gboolean np_core_table_named (const char *name);
