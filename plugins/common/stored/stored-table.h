/* SPDX-License-Identifier: Apache-2.0 */
/* stored-table.h - tables of a stored profile. */
#pragma once

#include "table/table.h"

#include <nprof/store-reader.h>

/* Returns the table of this number (nprof_store_find_table), whose texts live as long as the store
 * and whose query says what is damaged in query->error; NULL: its declaration is damaged. */
NpTable *np_stored_table_new (struct nprof_store *store, struct nprof_query *query, guint32 number);
