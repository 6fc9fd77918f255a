/* SPDX-License-Identifier: Apache-2.0 */
/* window-rows.h - tables of a part of a profile, as nprof report --clip --from --to makes them. */
#pragma once

#include "ask.h"
#include "stored/cells.h"

/* Does the request ask for a part, by its parameters t0, t1, tracks and parts? */
gboolean np_asks_for_window (const NpAsk *ask);
/* Puts the rows of the part that the request asks for in place of those of a table that is open;
 * those stay where it asks for none. *why is a sentence where the table of a part is unknown,
 * else NULL. FALSE: the reply is 202, or says what is wrong. */
gboolean np_window_rows (NpAsk *ask, NpCells *cells, const char **why);
/* Returns whether np_window_rows can answer at once, or begins what it takes; FALSE as above. */
gboolean np_window_is_known (NpAsk *ask);
/* Returns all tables of the part that the request asks for; NULL: the reply is 202, or says why
 * there are none. */
const NpTableStore *np_window_tables (NpAsk *ask);
/* Frees what was kept for this question. */
void np_window_forget (NpAsk *ask);
/* Puts members t0, t1, tracks and parts where the request has them. */
void np_json_window (NpAsk *ask);
