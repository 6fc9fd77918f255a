/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h - a table as people read it: every cell as safe text. */
#pragma once

#include "store.h"

typedef struct {
  char *head;
  gboolean number;  /* right-aligned                          */
  gboolean whole;   /* never cut: numbers and dates           */
  gboolean telling; /* text that may repeat another column    */
  gboolean same;    /* several rows, all with the same text   */
  gboolean hidden;  /* not printed                            */
  gboolean unknown; /* no row has a value; hidden             */
  int same_as;      /* column that it repeats, hidden; or -1  */
  gboolean key;
  gboolean reason; /* why others are unknown; nothing where they are known */
  char **cells; /* one a row; NULL: none                  */
  guint width;  /* of the widest, the head included       */
} GridColumn;

typedef struct {
  guint n_columns, n_rows;
  GridColumn *columns;
  gboolean rounded; /* a number lost digits                   */
  gboolean partial; /* the table has rows that are not here   */
} Grid;

/* `no_input` means that the first column is not printed. */
Grid *grid_new (const Table *table, gboolean no_input);
void grid_free (Grid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Grid, grid_free)

/* Returns the text of a cell; where there is none "unknown", and "-" where a key does not apply
 * or nothing needs a reason. */
const char *grid_cell (const GridColumn *column, guint row);
/* Returns what to say of the columns that are hidden, "unknown in every row: a, b; c: as d", or
 * NULL when none is; `keys` adds keys that no row has.  Transfer full. */
char *grid_hidden (const Grid *grid, gboolean keys);
