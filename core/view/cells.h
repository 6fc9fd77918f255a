/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - a stored table by names of columns. */
#pragma once

#include "view/json.h"

#include <nprof/store-reader.h>

typedef struct {
  struct nprof_store *store;
  struct nprof_query *query;
  const struct nprof_store_table *table; /* NULL: the store has none of that name; then rows is 0 */
  guint64 rows;
} NpCells;

/* FALSE: there is no such table. */
gboolean np_cells_open (NpCells *cells, struct nprof_store *store, struct nprof_query *query,
                        const char *table);
void np_cells_clear (NpCells *cells);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCells, np_cells_clear)

/* -1: none of that name */
int np_cells_column (const NpCells *cells, const char *column);
const struct nprof_store_table_column *np_cells_describe (const NpCells *cells, guint column);
/* NULL: damaged */
const struct nprof_store_cell *np_cells_at (const NpCells *cells, guint64 row, guint column);

/* FALSE: no such column, or unknown. */
gboolean np_cells_i64 (const NpCells *cells, guint64 row, const char *column, gint64 *value);
gboolean np_cells_double (const NpCells *cells, guint64 row, const char *column, double *value);
/* Transfer full; NULL: unknown. */
char *np_cells_text (const NpCells *cells, guint64 row, const char *column);

/* The text of a cell: of string, text, json, id128; "" otherwise.  Not ended by NUL. */
const char *np_cell_text (const NpCells *cells, const struct nprof_store_cell *cell, guint32 *len);
/* As cells of tables are written: 64-bit numbers as strings, unknown as null. */
void np_json_cell (NpJson *json, const char *key, const NpCells *cells,
                   const struct nprof_store_cell *cell);
const char *np_type_name (guint type);
