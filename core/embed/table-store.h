/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.h - the tables of a run, kept until it is closed where the program asked for that. */
#pragma once

#include "rows/table.h"

typedef struct NpKept NpKept;

NpKept *np_kept_new (void);
void np_kept_free (NpKept *kept);
/* A chunk that passes by, the announcement of its table too; takes a reference. */
void np_kept_add (NpKept *kept, NpChunk *chunk);
/* In the order in which they were announced, ending in NULL; the caller's until the next add. */
const struct nprof_table *const *np_kept_list (const NpKept *kept);
/* Of NpChunk; NULL: no table of that name. */
const GPtrArray *np_kept_chunks (const NpKept *kept, const char *name);
