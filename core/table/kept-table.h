/* SPDX-License-Identifier: Apache-2.0 */
/* kept-table.h - a table in memory, which outlives what its rows came from. */
#pragma once

#include "table/table.h"

/* Copies the declaration. */
NpTable *np_kept_table_new (const struct nprof_table *schema);
/* Copies a row with its texts; those of columns of strings are of type text, and end in NUL. */
void np_kept_table_add (NpTable *table, const struct nprof_cell *cells);
