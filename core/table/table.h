/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a table as all its readers see it: what it declares, how many rows, a cell by row and
 * column.  Where the cells lie is its backend's: in memory (kept-table.h), in a stored profile
 * (stored/stored-table.h). */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpTable NpTable;
struct NpTable {
  const struct nprof_table *schema;
  guint n_columns;
  guint64 n_rows;
  /* Reads a cell that is there; strings are of type text.  FALSE: it is damaged, and *cell is as it
   * was. */
  gboolean (*read) (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell);
  void (*free) (NpTable *table);
};

/* Frees it, whatever its backend; NULL is none. */
static inline void
np_table_close (NpTable *table)
{
  if (table)
    table->free (table);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpTable, np_table_close)

/* Returns the number of the column of that name, -1: there is none.  Look it up once, not for each
 * row. */
int np_table_column (const NpTable *table, const char *name);

/* Returns a cell; unknown where the table has no such column (-1) and where it is damaged. */
static inline struct nprof_cell
np_table_cell (const NpTable *table, guint64 row, int column)
{
  struct nprof_cell cell = { .type = NPROF_NULL };
  if (column >= 0)
    table->read (table, row, (guint) column, &cell);
  return cell;
}

/* Returns the text of such a cell, which ends in NUL where the table is of a run; NULL: unknown, or
 * it is no text. */
static inline const char *
np_table_text (const NpTable *table, guint64 row, int column)
{
  const struct nprof_cell cell = np_table_cell (table, row, column);
  return cell.type == NPROF_TEXT ? cell.v.text : NULL;
}

gboolean np_cell_is_number (const struct nprof_cell *cell);
/* Returns the number that the cell holds; those above 2^53 are rounded. */
double np_cell_number (const struct nprof_cell *cell);
/* Returns the text of a cell of type string, text, json or id128; "" otherwise.  It does not end in
 * NUL. */
const char *np_cell_text (const struct nprof_cell *cell, guint32 *len);
