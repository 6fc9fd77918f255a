/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory that grows and never moves, for what lives as long as the run: slots,
 * an array whose readers take no lock, and an arena for bytes. */
#pragma once

#include <glib.h>
#include <stdlib.h>

#include "system/large.h"

/* Chunk k holds 128 << k elements, so 26 of them cover all indexes of 32 bits.  Elements come
 * cleared.  The owner of an element publishes what it holds, with release and acquire. */
#define NP_SLOTS_CHUNKS 26
#define NP_SLOTS_FIRST 7

typedef struct {
  gpointer chunk[NP_SLOTS_CHUNKS];
} NpSlots;

static inline guint
np_slots_chunk (guint32 i, guint64 *within)
{
  guint64 n = (guint64)i + (1u << NP_SLOTS_FIRST);
  guint k = 63u - (guint)__builtin_clzll (n) - NP_SLOTS_FIRST;
  *within = n - ((guint64)1 << (NP_SLOTS_FIRST + k));
  return k;
}

/* Returns element i, or NULL when np_slots_make was never called for it or a neighbour.
 * [any-thread] */
static inline gpointer
np_slots_get (const NpSlots *slots, guint32 i, gsize size)
{
  guint64 within;
  guint k = np_slots_chunk (i, &within);
  char *chunk = __atomic_load_n (&slots->chunk[k], __ATOMIC_ACQUIRE);
  return chunk ? chunk + within * size : NULL;
}

/* Returns element i and makes its chunk first; NULL when out of memory.  [any-thread] */
static inline gpointer
np_slots_make (NpSlots *slots, guint32 i, gsize size)
{
  gpointer element = np_slots_get (slots, i, size);
  if (element)
    return element;
  guint64 within;
  guint k = np_slots_chunk (i, &within);
  gsize bytes = size << (NP_SLOTS_FIRST + k);
  gpointer fresh = np_large_try_grow (NULL, 0, bytes), other = NULL;
  if (!fresh)
    return NULL;
  if (!__atomic_compare_exchange_n (&slots->chunk[k], &other, fresh, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
    np_large_free (fresh, bytes);
  return np_slots_get (slots, i, size);
}

static inline void
np_slots_clear (NpSlots *slots, gsize size)
{
  for (guint k = 0; k < NP_SLOTS_CHUNKS; k++)
    np_large_free (slots->chunk[k], size << (NP_SLOTS_FIRST + k));
}

/* Chunks double from the first size to the last one: a small run has many arenas, and touches their
 * pages. */
#define NP_ARENA_FIRST (1u << 10)
#define NP_ARENA_CHUNK (64u << 10)

typedef struct NpArenaChunk {
  struct NpArenaChunk *next;
  gsize size; /* with this head */
} NpArenaChunk;

/* The arena has no lock; its owner does the locking. */
typedef struct {
  NpArenaChunk *chunks;
  char *at;
  gsize left;
  gsize last;  /* bytes of the last chunk of many pieces     */
  gsize chunk; /* least bytes of the next ones; 0: as above  */
} NpArena;

/* Returns size bytes, aligned for anything of 8 bytes; NULL when out of memory. */
static inline gpointer
np_arena_alloc (NpArena *arena, gsize size)
{
  if (size > G_MAXSIZE / 2)
    return NULL;
  size = (size + 7) & ~(gsize)7;
  if (size <= arena->left) {
    gpointer p = arena->at;
    arena->at += size;
    arena->left -= size;
    return p;
  }
  /* A large piece gets memory of its own, so that the rest of the chunk stays in use. */
  gsize most = MAX (arena->chunk, CLAMP (2 * arena->last, NP_ARENA_FIRST, NP_ARENA_CHUNK));
  gboolean own = size > most / 4;
  gsize bytes = MAX (sizeof (NpArenaChunk) + (own ? size : most), arena->chunk);
  NpArenaChunk *chunk = np_large_try_grow (NULL, 0, bytes);
  if (!chunk)
    return NULL;
  chunk->next = arena->chunks;
  chunk->size = bytes;
  arena->chunks = chunk;
  if (!own) {
    arena->at = (char *)(chunk + 1) + size;
    arena->left = most - size;
    arena->last = most;
  }
  return chunk + 1;
}

static inline void
np_arena_clear (NpArena *arena)
{
  for (NpArenaChunk *chunk = arena->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    np_large_free (chunk, chunk->size);
  }
}
