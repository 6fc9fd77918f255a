/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.h - what parameter `where` of a table demands of its rows: the grammar of
 * store/filter.h, whose fields are columns. */
#pragma once

#include "view/cells.h"

#include <store/filter.h>

typedef struct {
  struct np_filter filter;
  guint *columns; /* of each term */
} NpCellConditions;

/* Parses a text. FALSE: *why says what was expected at byte *at. */
gboolean np_cell_conditions_parse (NpCellConditions *conditions, const NpCells *cells,
                                   const char *text, char why[160], guint32 *at);
void np_cell_conditions_clear (NpCellConditions *conditions);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCellConditions, np_cell_conditions_clear)

gboolean np_cell_conditions_fit (const NpCellConditions *conditions, const NpCells *cells,
                                 guint64 row);
/* Returns whether a cell is as wanted. What is unknown meets no condition, != neither, but that of
 * an empty value. */
gboolean np_cell_fits (const struct nprof_cell *cell, const struct np_want *want);
