/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.h - keeps tables in memory for those who look at them when the run is over: commands
 * that judge tables rather than print them, and programs that embed nprof. */
#pragma once

#include "table/table.h"

typedef struct NpTableStore NpTableStore;

/* Keeps the rows of the tables of these names, which end in NULL; NULL: of all. */
NpTableStore *np_table_store_new (const char *const *names);
NpTableStore *np_table_store_ref (NpTableStore *store);
/* Frees it with the last reference. */
void np_table_store_free (NpTableStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpTableStore, np_table_store_free)

/* Adds rows as a sink gets them, whose host knows their strings; no rows announce the table. */
void np_table_store_add (NpTableStore *store, const struct nprof_host *host,
                         const struct nprof_table *table, const struct nprof_cell *cells,
                         guint n_rows);

/* Adds a copy of a table of another store or of a stored profile. */
void np_table_store_copy (NpTableStore *store, const NpTable *table);

/* Returns the tables that were announced, in their order, with those whose rows nobody wanted; ends
 * in NULL.  The array is the caller's until the next add. */
const struct nprof_table *const *np_table_store_list (const NpTableStore *store);
/* Returns about how many bytes its rows take. */
gsize np_table_store_bytes (const NpTableStore *store);
/* NULL: no component announced it, or its rows are not kept.  Its declaration is a copy, because a
 * run takes its decoders' tables with it. */
const NpTable *np_table_store_find (const NpTableStore *store, const char *name);
