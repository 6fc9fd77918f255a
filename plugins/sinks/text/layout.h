/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - decides which columns of a table stand side by side, and how wide each is.  A table
 * that is too wide becomes several blocks, whose rows are numbered and which repeat the column that
 * tells rows apart best. */
#pragma once

#include "grid.h"

#define LAYOUT_GAP 2 /* blanks between columns */

typedef struct {
  const Grid *grid;
  guint *list; /* the columns of this block         */
  guint n_list;
  gboolean single; /* one block: the last columns that do not fit are left out */
  gboolean whole;  /* single: texts are never cut           */
  guint *width;    /* of each column of the grid        */
  gboolean numbered;
  /* The rest is layout.c's. */
  guint room, next;
  int anchor;
} Layout;

void layout_init (Layout *layout, const Grid *grid, guint room);
void layout_clear (Layout *layout);
/* Goes to the next block; FALSE: there is none. */
gboolean layout_next (Layout *layout);
/* Returns the columns that a single block has no room for, "a, b", or NULL; transfer full. */
char *layout_left_out (const Layout *layout);
/* Returns the columns of the terminal that the numbers of the rows take. */
guint layout_number_width (const Layout *layout);
