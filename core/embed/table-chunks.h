/* SPDX-License-Identifier: Apache-2.0 */
/* table-chunks.h - the tables of a run, kept until it is closed where the program asked for that. */
#pragma once

#include "rows/table.h"

typedef struct NpTableChunks NpTableChunks;

NpTableChunks *np_table_chunks_new (void);
void np_table_chunks_free (NpTableChunks *kept);
/* A chunk that passes by, the announcement of its table too; takes a reference. */
void np_table_chunks_add (NpTableChunks *kept, NpChunk *chunk);
/* In the order in which they were announced, ending in NULL; the caller's until the next add. */
const struct nprof_table *const *np_table_chunks_list (const NpTableChunks *kept);
/* Of NpChunk; NULL: no table of that name. */
const GPtrArray *np_table_chunks_of (const NpTableChunks *kept, const char *name);
