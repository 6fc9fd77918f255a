/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.h - what parameter `where` of a table demands of its cells: COLUMN OP VALUE, with
 * commas between; OP is one of = != ~ < > <= >=. A value in quotes may hold commas; \" and \\ stand
 * for a quote and a backslash in it. */
#pragma once

#include "view/cells.h"

typedef struct {
  int column;
  char op[3];
  char *value; /* "" fits cells that are unknown */
} NpCellCondition;

void np_cell_condition_clear (NpCellCondition *condition);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpCellCondition, np_cell_condition_clear)

/* Reads the next one and moves *at behind it; behind the last nothing is read. FALSE: it is none,
 * and *at is where it begins. */
gboolean np_cell_condition_next (const NpCells *cells, const char **at, NpCellCondition *condition);
gboolean np_cell_condition_fits (const struct nprof_cell *cell, const NpCellCondition *condition);
