/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - the memory of batches and the pool that they return to; what goes into the
 * columns is up to decoders, in which order they travel up to order.c and the pipeline. */

#include "batch.h"

#include "rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64u
#define FIRST_ATTRS 8192u
#define FIRST_BYTES (256u << 10)

/* A batch is one block: this head, then its columns.  Attributes that outgrow it move
 * to memory of their own until the batch returns to the pool. */
typedef struct Block {
  NpBatch batch;
  struct Block *next;          /* while idle */
  void *memory;                /* what calloc gave: the block is aligned within */
  struct nprof_writer normal;  /* pointers and limits of a fresh batch */
  void *big_attrs, *big_bytes; /* NULL while the normal room is enough */
} Block;

struct NpPool {
  pthread_mutex_t lock;
  Block *idle;
  guint n_idle, max_idle;
  guint n_out;
  guint rows;
};

static gsize
aligned (gsize size)
{
  return (size + ALIGN - 1) & ~(gsize) (ALIGN - 1);
}

/* Cuts a column off the block; with base NULL it only adds up the sizes. */
static void *
cut (char *base, gsize *at, gsize size)
{
  void *column = base ? base + *at : NULL;
  *at += aligned (size);
  return column;
}

static gsize
lay_out (struct nprof_writer *w, char *base, gsize rows)
{
  gsize at = aligned (sizeof (Block));
  w->start = cut (base, &at, rows * sizeof *w->start);
  w->duration = cut (base, &at, rows * sizeof *w->duration);
  w->track = cut (base, &at, rows * sizeof *w->track);
  w->name = cut (base, &at, rows * sizeof *w->name);
  w->category = cut (base, &at, rows * sizeof *w->category);
  w->kind = cut (base, &at, rows);
  w->value = cut (base, &at, rows * sizeof *w->value);
  w->value_valid = cut (base, &at, (rows + 7) / 8);
  w->id = cut (base, &at, rows * sizeof *w->id);
  w->parent = cut (base, &at, rows * sizeof *w->parent);
  w->flow = cut (base, &at, rows * sizeof *w->flow);
  w->shared = cut (base, &at, rows * sizeof *w->shared);
  w->attr_at = cut (base, &at, (rows + 1) * sizeof *w->attr_at);
  w->attr_key = cut (base, &at, FIRST_ATTRS * sizeof *w->attr_key);
  w->attr_type = cut (base, &at, FIRST_ATTRS);
  w->attr_value = cut (base, &at, FIRST_ATTRS * sizeof *w->attr_value);
  w->bytes = cut (base, &at, FIRST_BYTES);
  return at;
}

static nprof_status
grow_writer (struct nprof_writer *w, uint32_t attrs, uint32_t bytes)
{
  return np_batch_grow (np_batch_from_writer (w), attrs, bytes);
}

static Block *
block_new (NpPool *pool)
{
  struct nprof_writer w = { .size = sizeof w,
                            .max_rows = pool->rows,
                            .max_attrs = FIRST_ATTRS,
                            .max_bytes = FIRST_BYTES,
                            .grow = grow_writer };
  gsize size = lay_out (&w, NULL, pool->rows);
  /* calloc leaves pages that nobody writes untouched, so unused columns cost nothing */
  void *memory = calloc (1, size + ALIGN);
  if (!memory)
    return NULL;
  char *base = (char *) aligned ((gsize) memory);
  lay_out (&w, base, pool->rows);
  Block *block = (Block *) base;
  block->memory = memory;
  block->normal = w;
  block->batch.pool = pool;
  return block;
}

static void
block_shrink (Block *block)
{
  free (block->big_attrs);
  free (block->big_bytes);
  block->big_attrs = block->big_bytes = NULL;
}

static void
block_free (Block *block)
{
  block_shrink (block);
  free (block->memory);
}

/* Whole columns, not only the rows that were kept: a writer may have dropped rows. */
static void
clear_optional (struct nprof_writer *w, guint dirty)
{
  gsize rows = w->max_rows;
  if (dirty & NPROF_HAS_VALUE) {
    memset (w->value, 0, rows * sizeof *w->value);
    memset (w->value_valid, 0, (rows + 7) / 8);
  }
  if (dirty & NPROF_HAS_ID)
    memset (w->id, 0, rows * sizeof *w->id);
  if (dirty & NPROF_HAS_PARENT)
    memset (w->parent, 0, rows * sizeof *w->parent);
  if (dirty & NPROF_HAS_FLOW)
    memset (w->flow, 0, rows * sizeof *w->flow);
  if (dirty & NPROF_HAS_SHARED)
    memset (w->shared, 0, rows * sizeof *w->shared);
}

NpPool *
np_pool_new (guint rows, guint idle)
{
  NpPool *pool = g_new0 (NpPool, 1);
  pthread_mutex_init (&pool->lock, NULL);
  pool->rows = CLAMP (rows, 1, NP_BATCH_ROWS);
  pool->max_idle = idle;
  return pool;
}

void
np_pool_free (NpPool *pool)
{
  if (!pool)
    return;
  g_assert (pool->n_out == 0);
  for (Block *block = pool->idle, *next; block; block = next) {
    next = block->next;
    block_free (block);
  }
  pthread_mutex_destroy (&pool->lock);
  g_free (pool);
}

NpBatch *
np_pool_take (NpPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  Block *block = pool->idle;
  if (block) {
    pool->idle = block->next;
    pool->n_idle--;
  }
  pool->n_out++;
  pthread_mutex_unlock (&pool->lock);

  if (!block && !(block = block_new (pool))) {
    pthread_mutex_lock (&pool->lock);
    pool->n_out--;
    pthread_mutex_unlock (&pool->lock);
    return NULL;
  }
  NpBatch *batch = &block->batch;
  clear_optional (&block->normal, batch->dirty);
  batch->dirty = 0;
  batch->writer = block->normal;
  batch->writer.attr_at[0] = 0;
  memset (&batch->view, 0, sizeof batch->view);
  g_atomic_int_set (&batch->refs, 1);
  return batch;
}

static void
pool_put (NpPool *pool, Block *block)
{
  block_shrink (block);
  pthread_mutex_lock (&pool->lock);
  gboolean keep = pool->n_idle < pool->max_idle;
  if (keep) {
    block->next = pool->idle;
    pool->idle = block;
    pool->n_idle++;
  }
  pool->n_out--;
  pthread_mutex_unlock (&pool->lock);
  if (!keep)
    block_free (block);
}

NpBatch *
np_batch_ref (NpBatch *batch)
{
  g_atomic_int_inc (&batch->refs);
  return batch;
}

void
np_batch_unref (NpBatch *batch)
{
  if (!batch || !g_atomic_int_dec_and_test (&batch->refs))
    return;
  batch->dirty |= batch->writer.present;
  pool_put (batch->pool, (Block *) batch);
}

/* The double of what there is, or what is needed; 0 when 32 bits do not hold it. */
static guint32
new_limit (guint32 now, guint32 used, guint32 more)
{
  guint64 need = (guint64) used + more;
  if (need > G_MAXUINT32)
    return 0;
  guint64 limit = MAX (need, (guint64) now * 2);
  return (guint32) MIN (limit, G_MAXUINT32);
}

static nprof_status
grow_attrs (Block *block, guint more)
{
  struct nprof_writer *w = &block->batch.writer;
  guint32 limit = new_limit (w->max_attrs, w->n_attrs, more);
  if (!limit)
    return NPROF_E_NOMEM;
  gsize keys = aligned (limit * sizeof *w->attr_key),
        values = aligned (limit * sizeof *w->attr_value);
  char *fresh = aligned_alloc (ALIGN, keys + values + aligned (limit));
  if (!fresh)
    return NPROF_E_NOMEM;
  memcpy (fresh, w->attr_key, w->n_attrs * sizeof *w->attr_key);
  memcpy (fresh + keys, w->attr_value, w->n_attrs * sizeof *w->attr_value);
  memcpy (fresh + keys + values, w->attr_type, w->n_attrs);
  w->attr_key = (void *) fresh;
  w->attr_value = (void *) (fresh + keys);
  w->attr_type = (void *) (fresh + keys + values);
  w->max_attrs = limit;
  free (block->big_attrs);
  block->big_attrs = fresh;
  return NPROF_OK;
}

static nprof_status
grow_bytes (Block *block, guint more)
{
  struct nprof_writer *w = &block->batch.writer;
  guint32 limit = new_limit (w->max_bytes, w->n_bytes, more);
  char *fresh = limit ? aligned_alloc (ALIGN, aligned (limit)) : NULL;
  if (!fresh)
    return NPROF_E_NOMEM;
  memcpy (fresh, w->bytes, w->n_bytes);
  w->bytes = fresh;
  w->max_bytes = limit;
  free (block->big_bytes);
  block->big_bytes = fresh;
  return NPROF_OK;
}

nprof_status
np_batch_grow (NpBatch *batch, guint attrs, guint bytes)
{
  const struct nprof_writer *w = &batch->writer;
  if (attrs > w->max_attrs - w->n_attrs) {
    nprof_status status = grow_attrs ((Block *) batch, attrs);
    if (status)
      return status;
  }
  return bytes > w->max_bytes - w->n_bytes ? grow_bytes ((Block *) batch, bytes) : NPROF_OK;
}

void
np_batch_seal (NpBatch *batch, guint input)
{
  const struct nprof_writer *w = &batch->writer;
  struct nprof_batch view = { .size = sizeof view,
                              .n_rows = w->n_rows,
                              .input = input,
                              .n_attrs = w->n_attrs,
                              .start = w->start,
                              .duration = w->duration,
                              .track = w->track,
                              .name = w->name,
                              .category = w->category,
                              .kind = w->kind };
  if (w->present & NPROF_HAS_VALUE) {
    view.value = w->value;
    view.value_valid = w->value_valid;
  }
  view.id = w->present & NPROF_HAS_ID ? w->id : NULL;
  view.parent = w->present & NPROF_HAS_PARENT ? w->parent : NULL;
  view.flow = w->present & NPROF_HAS_FLOW ? w->flow : NULL;
  view.shared = w->present & NPROF_HAS_SHARED ? w->shared : NULL;
  if (w->n_attrs) {
    view.attr_at = w->attr_at;
    view.attr_key = w->attr_key;
    view.attr_type = w->attr_type;
    view.attr_value = w->attr_value;
    view.bytes = w->bytes;
  }
  batch->view = view;
}

/* A batch that holds rows already does not grow for the next one, so that batches stay of
 * one size. */
static gboolean
make_room (NpBatch *dst, guint64 attrs, guint64 bytes)
{
  const struct nprof_writer *w = &dst->writer;
  if (attrs <= w->max_attrs - w->n_attrs && bytes <= w->max_bytes - w->n_bytes)
    return TRUE;
  if (w->n_rows > 0 || attrs > G_MAXUINT32 || bytes > G_MAXUINT32)
    return FALSE;
  return np_batch_grow (dst, (guint) attrs, (guint) bytes) == NPROF_OK;
}

gboolean
np_batch_copy_row (NpBatch *dst, const struct nprof_batch *src, guint i, const guint8 *keep,
                   guint n_keep)
{
  const NpKeep kept = { keep, n_keep };
  guint64 attrs, bytes;
  if (dst->writer.n_rows == dst->writer.max_rows)
    return FALSE;
  np_rows_measure (src, i, 1, &kept, &attrs, &bytes);
  if (!make_room (dst, attrs, bytes))
    return FALSE;
  np_rows_copy (&dst->writer, src, i, 1, &kept);
  return TRUE;
}
