/* SPDX-License-Identifier: Apache-2.0 */
/* kept-table.h - a table in memory, which outlives what its rows came from. */
#pragma once

#include "table/table.h"

/* Copies the declaration. */
NpTable *np_kept_table_new (const struct nprof_table *schema);
/* Returns the cell of a run as such a table takes it: a string as its text. */
struct nprof_cell np_kept_cell (const struct nprof_host *host, struct nprof_cell cell);
/* Copies a row with its texts; those of columns of strings are of type text, and end in NUL. */
void np_kept_table_add (NpTable *table, const struct nprof_cell *cells);
