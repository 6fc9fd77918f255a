/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - a stored table by names of columns. */
#pragma once

#include "view/json.h"

#include <nprof/store-reader.h>

typedef struct { /* rows that the store does not hold */
  /* It has struct nprof_store_cell, row by row; a text's value is its place in texts. */
  GArray *cells;
  GPtrArray *texts; /* of char * */
} NpMadeRows;

typedef struct {
  struct nprof_store *store;
  struct nprof_query *query;
  const struct nprof_store_table *table; /* NULL: the store has none of that name; then rows is 0 */
  guint64 rows;
  NpMadeRows made; /* in place of the stored rows, where it has cells; freed with this */
} NpCells;

/* Returns FALSE when there is no such table. */
gboolean np_cells_open (NpCells *cells, struct nprof_store *store, struct nprof_query *query,
                        const char *table);
void np_cells_clear (NpCells *cells);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCells, np_cells_clear)

/* Returns -1 when there is none of that name. */
int np_cells_column (const NpCells *cells, const char *column);
const struct nprof_store_table_column *np_cells_describe (const NpCells *cells, guint column);
/* Returns FALSE when it is damaged; then the cell is unknown. */
gboolean np_cells_at (const NpCells *cells, guint64 row, guint column,
                      struct nprof_store_cell *cell);

/* Returns FALSE when there is no such column, or the value is unknown. */
gboolean np_cells_i64 (const NpCells *cells, guint64 row, const char *column, gint64 *value);
gboolean np_cells_double (const NpCells *cells, guint64 row, const char *column, double *value);
/* Returns the text, transfer full; NULL: unknown. */
char *np_cells_text (const NpCells *cells, guint64 row, const char *column);

gboolean np_cell_is_number (const struct nprof_store_cell *cell);
/* Returns the number that the cell holds; those above 2^53 are rounded. */
double np_cell_number (const struct nprof_store_cell *cell);
/* Returns the text of a cell of type string, text, json or id128; "" otherwise.  It does not end in
 * NUL. */
const char *np_cell_text (const NpCells *cells, const struct nprof_store_cell *cell, guint32 *len);
/* Puts a cell as cells of tables are written: 64-bit numbers as strings, unknown as null. */
void np_json_cell (NpJson *json, const char *key, const NpCells *cells,
                   const struct nprof_store_cell *cell);
const char *np_type_name (guint type);
