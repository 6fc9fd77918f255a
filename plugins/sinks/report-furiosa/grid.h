/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h - prints a table as pandas or polars does, whole: no row and no column is cut.  It does
 * not know what the tables are. */
#pragma once

#include <glib.h>

typedef enum { GRID_TEXT, GRID_INT, GRID_DOUBLE } GridType;

typedef struct {
  gboolean known;
  gint64 i;
  double f;
  char *text; /* owned by the grid */
} GridCell;

typedef struct {
  const char *title;
  GridType type;
} GridColumn;

typedef struct {
  const GridColumn *columns; /* the first is the index in pandas, and not printed by polars */
  guint n_columns;
  GArray *cells;             /* of GridCell, row by row */
} Grid;

Grid *grid_new (const GridColumn *columns, guint n_columns);
void grid_free (Grid *grid);
guint grid_rows (const Grid *grid);
void grid_add (Grid *grid, GridCell cell);

/* `index` is the name of the index, or NULL where it has none. */
void grid_pandas (const Grid *grid, const char *index, GString *out);
/* `from` is the first column that is printed. */
void grid_polars (const Grid *grid, guint from, GString *out);

/* Returns the cells of a column of doubles as pandas prints them: six decimals, without the zeros
 * that all have in common; with exponents where they are very large or small.  Transfer full. */
char **grid_pandas_doubles (const double *values, guint n);
/* Returns a number with at most six decimals, at least one.  Transfer full. */
char *grid_polars_double (double value);
