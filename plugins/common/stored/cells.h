/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - a stored table by names of columns. */
#pragma once

#include "stored/stored-table.h"
#include "table/table-store.h"
#include "stored/json.h"

typedef struct {
  NpTable *table; /* NULL: the store has none of that name; then rows is 0 */
  guint64 rows;
  gboolean of_file; /* the file states it, no analyzer made it */
  gboolean lent;    /* the table is of an analysis, which outlives the cells */
} NpCells;

/* Returns FALSE when there is no such table. */
gboolean np_cells_open (NpCells *cells, struct nprof_store *store, struct nprof_query *query,
                        const char *table);
/* Opens a table of an analysis; without one of that name it has no rows. */
gboolean np_cells_lend (NpCells *cells, const NpTableStore *tables, const char *table);
void np_cells_clear (NpCells *cells);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCells, np_cells_clear)

/* Returns -1 when there is none of that name. */
int np_cells_column (const NpCells *cells, const char *column);
/* Returns NULL beyond the last. */
const struct nprof_table_column *np_cells_describe (const NpCells *cells, guint column);
/* Returns FALSE when it is damaged; then the cell is unknown. */
gboolean np_cells_at (const NpCells *cells, guint64 row, guint column, struct nprof_cell *cell);

/* Returns FALSE when there is no such column, or the value is unknown. */
gboolean np_cells_i64 (const NpCells *cells, guint64 row, const char *column, gint64 *value);
gboolean np_cells_double (const NpCells *cells, guint64 row, const char *column, double *value);
/* Returns the text, transfer full; NULL: unknown. */
char *np_cells_text (const NpCells *cells, guint64 row, const char *column);
/* Returns whether it is that text; NULL: unknown. */
gboolean np_cells_is (const NpCells *cells, guint64 row, const char *column, const char *text);

/* Puts a cell as cells of tables are written: 64-bit numbers as strings, unknown as null. */
void np_json_cell (NpJson *json, const char *key, const struct nprof_cell *cell);
