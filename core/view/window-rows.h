/* SPDX-License-Identifier: Apache-2.0 */
/* window-rows.h - tables of a part of a profile, as nprof report --clip --from --to makes them. */
#pragma once

#include "view/ask.h"
#include "view/cells.h"

/* Does the request ask for a part, by its parameters t0, t1, tracks and parts? */
gboolean np_asks_for_window (const NpAsk *ask);
/* Puts the rows of the part that the request asks for in place of those of a table that is open; those stay where it asks
 * for none.  *why is a sentence where nobody knows the table of a part, else NULL.  FALSE: the reply is 202, or says what
 * is wrong. */
gboolean np_window_rows (NpAsk *ask, NpCells *cells, const char **why);
/* Puts members t0, t1, tracks and parts where the request has them. */
void np_json_window (NpAsk *ask);
