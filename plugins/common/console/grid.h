/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h - a small table of texts, for a terminal or in Markdown. */
#pragma once

#include <glib.h>

#define NP_GRID_MOST 16 /* columns */

typedef struct {
  GPtrArray *rows;     /* of char **, ends in NULL; the heads first */
  guint columns, left; /* left: bit set of columns that hold words */
} NpGrid;

NpGrid np_grid_new (guint columns, guint left, const char *const *heads);
/* Adds a row; its cells are the caller's to fill, each with a text that the grid frees. */
char **np_grid_row (NpGrid *grid);
/* Appends an empty line and the grid, and frees it. */
void np_grid_print (GString *out, NpGrid *grid, gboolean markdown);
