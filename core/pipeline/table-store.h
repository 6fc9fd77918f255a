/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.h - tables of a run kept in memory, for commands that judge them rather than print
 * them: a sink of the core's own. */
#pragma once

#include "run/config.h"

typedef struct NpTableStore NpTableStore;

typedef struct {
  const struct nprof_table *table;
  guint n_columns, n_rows;
  GArray *cells; /* of struct nprof_cell, row by row; strings are text here */
} NpStoredTable;

/* `tables` are the names of those that are kept, ending in NULL. */
NpTableStore *np_table_store_new (const char *const *tables);
void np_table_store_free (NpTableStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpTableStore, np_table_store_free)

/* Makes the run that follows fill them; config->caller is theirs then. */
void np_table_store_attach (NpTableStore *store, NpConfig *config);

/* Finds a table after the run.  NULL: no component announced it. */
const NpStoredTable *np_table_store_find (const NpTableStore *store, const char *table);
/* Returns the names of all tables that were announced, in their order; ends in NULL. */
const char *const *np_table_store_tables (const NpTableStore *store);
guint64 np_table_store_gaps (const NpTableStore *store); /* rows of kind gap */

/* Returns -1 when there is no such column. */
int np_stored_column (const NpStoredTable *stored, const char *name);
const struct nprof_cell *np_stored_cell (const NpStoredTable *stored, guint row, guint column);
/* Returns the cell of a text column; NULL: unknown, or no text. */
const char *np_stored_text (const NpStoredTable *stored, guint row, guint column);
