/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.h - keeps tables in memory for those who look at them when the run is over: commands
 * that judge tables rather than print them, and programs that embed nprof. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpTableStore NpTableStore;

typedef struct {
  struct nprof_table *table; /* a copy, because a run takes its decoders' tables with it */
  guint n_columns, n_rows;
  GArray *cells; /* of struct nprof_cell, row by row; strings are text here */
} NpStoredTable;

/* Keeps the rows of the tables of these names, which end in NULL; NULL: of all. */
NpTableStore *np_table_store_new (const char *const *names);
void np_table_store_free (NpTableStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpTableStore, np_table_store_free)

/* Adds rows as a sink gets them, whose host knows their strings; no rows announce the table. */
void np_table_store_add (NpTableStore *store, const struct nprof_host *host,
                         const struct nprof_table *table, const struct nprof_cell *cells,
                         guint n_rows);

/* Returns the tables that were announced, in their order, with those whose rows nobody wanted; ends
 * in NULL.  The array is the caller's until the next add. */
const struct nprof_table *const *np_table_store_list (const NpTableStore *store);
/* NULL: no component announced it, or its rows are not kept. */
const NpStoredTable *np_table_store_find (const NpTableStore *store, const char *name);

/* Returns -1 when there is no such column. */
int np_stored_column (const NpStoredTable *stored, const char *name);
const struct nprof_cell *np_stored_cell (const NpStoredTable *stored, guint row, guint column);
/* Returns the cell of a text column; NULL: unknown, or no text. */
const char *np_stored_text (const NpStoredTable *stored, guint row, guint column);
