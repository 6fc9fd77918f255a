/* SPDX-License-Identifier: Apache-2.0 */
/* rows-where.h - keeps from sinks those rows of tables that do not meet a condition. Analyzers, the
 * answers too, get all. One thread. */
#pragma once

#include "base/error.h"
#include "rows/strings.h"
#include "rows/table.h"

typedef struct NpRowsWhere NpRowsWhere;

/* `conditions` are texts by the names of their tables, char * each; NULL: all rows are wanted, and
 * so is NULL returned. */
NpRowsWhere *np_rows_where_new (GHashTable *conditions, NpStrings *strings);
void np_rows_where_free (NpRowsWhere *self);
/* Returns what sinks get of the chunk, transfer full: the chunk itself where its table has no
 * condition. NULL with NP_EXIT_USAGE: the condition does not fit the table. */
NpChunk *np_rows_where_of (NpRowsWhere *self, NpChunk *chunk, GError **error);
/* Checks, when all rows have come, that each condition left one of a table that has rows: else it
 * is a mistake (NP_EXIT_USAGE), and no empty result. */
gboolean np_rows_where_end (const NpRowsWhere *self, GError **error);
