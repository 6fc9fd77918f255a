/* SPDX-License-Identifier: Apache-2.0 */
/* table-chunks.h - the tables of a run, kept until it is closed where the program asked for that. */
#pragma once

#include "rows/table.h"

typedef struct NpTableChunks NpTableChunks;

NpTableChunks *np_table_chunks_new (void);
void np_table_chunks_free (NpTableChunks *kept);
/* Keeps a chunk, or the announcement of its table; takes a reference. */
void np_table_chunks_add (NpTableChunks *kept, NpChunk *chunk);
/* Returns the tables in the order in which they were announced, ending in NULL; the array is the
 * caller's until the next add. */
const struct nprof_table *const *np_table_chunks_list (const NpTableChunks *kept);
/* Returns the NpChunks of a table; NULL: there is no table of that name. */
const GPtrArray *np_table_chunks_of (const NpTableChunks *kept, const char *name);
