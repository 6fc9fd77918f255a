/* SPDX-License-Identifier: Apache-2.0 */
/* large-pool.h - many small blocks of memory that may become large together: from 4 MB on they lie
 * in files without a name (large.h). Blocks do not move. */
#pragma once

#include "system/large.h"

typedef struct _NpLargePool NpLargePool;

NpLargePool *np_large_pool_new (void);
/* All blocks were given back before. */
void np_large_pool_free (NpLargePool *pool); /* or NULL */
/* Returns cleared memory, aligned as malloc's. pool: NULL takes it from the heap. Like g_malloc it
 * ends the process when there is none. */
gpointer np_large_pool_take (NpLargePool *pool, gsize size);
/* Gives back a block of that size; or NULL. */
void np_large_pool_give (NpLargePool *pool, gpointer block, gsize size);
