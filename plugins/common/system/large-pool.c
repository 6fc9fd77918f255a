/* SPDX-License-Identifier: Apache-2.0 */
/* large-pool.c - blocks in classes of like sizes, cut from chunks that double; what is given back
 * is kept for its class. */
#include "system/large-pool.h"

#include <string.h>

#define UNIT 16u /* bytes */
#define FEW_UNITS                                                                                  \
  16u /* up to here each number of units is a class; then there are four an octave */
#define CLASSES 64u
#define OWN_BYTES (1u << 20) /* a block as large as this is no part of a chunk */
#define FIRST_CHUNK (64u << 10)
#define LAST_CHUNK (16u << 20)

struct block { /* one that was given back */
  struct block *next;
};

struct chunk { /* at its beginning */
  struct chunk *next;
  gsize size;
};

struct _NpLargePool {
  struct block *given[CLASSES];
  struct chunk *chunks; /* the last one first, from which blocks are cut */
  gsize used;           /* of it */
};

/* Returns the class of a block, whose size in units becomes that of the class. */
static guint
class_of (gsize *units)
{
  if (*units <= FEW_UNITS)
    return (guint) *units - 1;
  guint step = 61 - (guint) __builtin_clzll (*units - 1); /* a quarter of its octave */
  *units = (*units + ((gsize) 1 << step) - 1) >> step << step;
  return FEW_UNITS + 4 * (step - 2) + (guint) ((*units - 1) >> step) - 4;
}

NpLargePool *
np_large_pool_new (void)
{
  return g_new0 (NpLargePool, 1);
}

void
np_large_pool_free (NpLargePool *pool)
{
  while (pool && pool->chunks) {
    struct chunk *chunk = pool->chunks;
    pool->chunks = chunk->next;
    np_large_free (chunk, chunk->size);
  }
  g_free (pool);
}

static void
add_chunk (NpLargePool *pool)
{
  gsize size = pool->chunks ? MIN (2 * pool->chunks->size, LAST_CHUNK) : FIRST_CHUNK;
  struct chunk *chunk = np_large_grow (NULL, 0, size);
  *chunk = (struct chunk){ pool->chunks, size };
  pool->chunks = chunk;
  pool->used = sizeof *chunk;
}

gpointer
np_large_pool_take (NpLargePool *pool, gsize size)
{
  if (!pool || size >= OWN_BYTES)
    return np_large_grow (NULL, 0, size);
  gsize units = MAX (1, (size + UNIT - 1) / UNIT);
  struct block **given = pool->given + class_of (&units), *block = *given;
  if (block) {
    *given = block->next;
    return memset (block, 0, size);
  }
  if (!pool->chunks || pool->used + units * UNIT > pool->chunks->size)
    add_chunk (pool);
  block = (gpointer) ((char *) pool->chunks + pool->used);
  pool->used += units * UNIT;
  return block;
}

void
np_large_pool_give (NpLargePool *pool, gpointer memory, gsize size)
{
  if (!memory)
    return;
  if (!pool || size >= OWN_BYTES) {
    np_large_free (memory, size);
    return;
  }
  gsize units = MAX (1, (size + UNIT - 1) / UNIT);
  struct block *block = memory, **given = pool->given + class_of (&units);
  block->next = *given;
  *given = block;
}
