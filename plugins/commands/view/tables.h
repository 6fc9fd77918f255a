/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - a stored table as an answer: chosen columns, sorted and filtered rows. */
#pragma once

#include "ask.h"
#include "stored/cells.h"

typedef struct {
  GArray *columns; /* of guint: which, in order             */
  GArray *rows;    /* of guint64: those that fit, in order  */
  guint32 offset, n;
} NpChosenRows;

void np_chosen_rows_clear (NpChosenRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpChosenRows, np_chosen_rows_clear)

/* Chooses rows and columns by the parameters columns, sort, where, offset and n; FALSE: the reply
 * says what is wrong with them. */
gboolean np_rows_choose (NpAsk *ask, const NpCells *cells, NpChosenRows *rows);
/* Keeps rows whose cell of the column is this text. */
void np_rows_keep (NpChosenRows *rows, const NpCells *cells, const char *column, const char *text);
/* Puts the members of a table, within an object that the caller opened. */
gboolean np_json_table (NpAsk *ask, const NpCells *cells, const NpChosenRows *rows);
/* Puts those of a table that the store does not hold: no rows, and what it needs. */
void np_json_no_table (NpJson *json, const char *name, const char *needs);
/* Puts the description of a table's columns, as member `columns`; NULL for `chosen` is all. */
void np_json_columns (NpAsk *ask, const NpCells *cells, const GArray *chosen);
