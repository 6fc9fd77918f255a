/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - the memory of batches and the pool that they return to. batch-layout.c knows where
 * columns lie in it, decoders fill it, sorter.c and the pipeline decide in which order batches
 * travel. */

#include "rows/batch.h"

#include "base/guard-pages.h"
#include "rows/batch-layout.h"
#include "rows/row-copy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A batch is one block: this head, then its columns.  Attributes that outgrow it move
 * to memory of their own until the batch returns to the pool. */
typedef struct Block {
  NpBatch batch;
  struct Block *next;           /* while idle */
  void *memory;                 /* what holds it all: the block is aligned within */
  gsize size;                   /* of a guarded block's memory */
  struct nprof_writer normal;   /* pointers and limits of a fresh batch */
  void *big_attrs, *big_bytes;  /* NULL while the normal room is enough */
  gsize attrs_size, bytes_size; /* of them, when guarded */
} Block;

struct NpPool {
  pthread_mutex_t lock;
  Block *idle;
  guint n_idle, max_idle;
  guint n_out;
  guint rows;
  gboolean guarded;
  void *gone; /* guarded: the memory of the batch that was let go last, so that no new one takes its
                 place while somebody may still look there */
  gsize gone_size;
};

static NpLayout
cut_from (const NpPool *pool, void *base)
{
  return (NpLayout){ base, 0, pool->guarded ? np_guard_page () : 0, TRUE };
}

static void *
memory_new (const NpPool *pool, gsize size)
{
  return pool->guarded ? np_guard_map (size) : aligned_alloc (NP_COLUMN_ALIGN, np_aligned (size));
}

static void
memory_free (const NpPool *pool, void *memory, gsize size)
{
  if (pool->guarded)
    np_guard_unmap (memory, size);
  else
    free (memory);
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
                            .max_attrs = np_first_attrs (pool->rows),
                            .max_bytes = np_first_bytes (pool->rows),
                            .grow = grow_writer };
  gsize size = np_lay_out (&w, cut_from (pool, NULL), sizeof (Block), pool->rows);
  /* calloc leaves pages that nobody writes untouched, so unused columns cost nothing */
  void *memory = pool->guarded ? np_guard_map (size) : calloc (1, size + NP_COLUMN_ALIGN);
  if (!memory)
    return NULL;
  char *base = (char *) np_aligned ((gsize) memory);
  if (pool->guarded)
    np_guard_allow (base, sizeof (Block), TRUE);
  np_lay_out (&w, cut_from (pool, base), sizeof (Block), pool->rows);
  Block *block = (Block *) base;
  block->memory = memory;
  block->size = size;
  block->normal = w;
  block->batch.pool = pool;
  return block;
}

static void
block_shrink (Block *block)
{
  memory_free (block->batch.pool, block->big_attrs, block->attrs_size);
  memory_free (block->batch.pool, block->big_bytes, block->bytes_size);
  block->big_attrs = block->big_bytes = NULL;
  g_clear_pointer (&block->batch.hidden, g_free);
}

static void
keep_gone (NpPool *pool, void *memory, gsize size)
{
  np_guard_unmap (pool->gone, pool->gone_size);
  pool->gone = memory;
  pool->gone_size = size;
  if (memory)
    np_guard_forbid (memory, size);
}

static void
block_free (Block *block)
{
  NpPool *pool = block->batch.pool;
  block_shrink (block);
  free (block->batch.notes);
  if (!pool->guarded) {
    free (block->memory);
    return;
  }
  pthread_mutex_lock (&pool->lock);
  keep_gone (pool, block->memory, block->size);
  pthread_mutex_unlock (&pool->lock);
}

/* Clears whole columns, not only the rows that were kept: a writer may have dropped rows. */
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
np_pool_guard (NpPool *pool)
{
  g_assert (pool->n_out == 0 && !pool->idle);
  pool->max_idle = 0; /* so that what is let go can no longer be touched */
  pool->guarded = TRUE;
}

guint
np_pool_out (NpPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  guint n = pool->n_out;
  pthread_mutex_unlock (&pool->lock);
  return n;
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
  keep_gone (pool, NULL, 0);
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

/* Returns the double of what there is, or what is needed; 0 when 32 bits do not hold it. */
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
  const NpPool *pool = block->batch.pool;
  struct nprof_writer fresh = *w;
  gsize size = np_lay_out_attrs (&fresh, cut_from (pool, NULL), limit);
  void *memory = memory_new (pool, size);
  if (!memory)
    return NPROF_E_NOMEM;
  np_lay_out_attrs (&fresh, cut_from (pool, memory), limit);
  memcpy (fresh.attr_key, w->attr_key, w->n_attrs * sizeof *w->attr_key);
  memcpy (fresh.attr_value, w->attr_value, w->n_attrs * sizeof *w->attr_value);
  memcpy (fresh.attr_type, w->attr_type, w->n_attrs);
  *w = fresh;
  w->max_attrs = limit;
  memory_free (pool, block->big_attrs, block->attrs_size);
  block->big_attrs = memory;
  block->attrs_size = size;
  return NPROF_OK;
}

static nprof_status
grow_bytes (Block *block, guint more)
{
  struct nprof_writer *w = &block->batch.writer;
  const NpPool *pool = block->batch.pool;
  guint32 limit = new_limit (w->max_bytes, w->n_bytes, more);
  NpLayout room = cut_from (pool, NULL);
  np_layout_column (&room, limit);
  gsize size = room.at;
  void *memory = limit ? memory_new (pool, size) : NULL;
  if (!memory)
    return NPROF_E_NOMEM;
  room = cut_from (pool, memory);
  char *fresh = np_layout_column (&room, limit);
  memcpy (fresh, w->bytes, w->n_bytes);
  w->bytes = fresh;
  w->max_bytes = limit;
  memory_free (pool, block->big_bytes, block->bytes_size);
  block->big_bytes = memory;
  block->bytes_size = size;
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

/* Columns that grew stay writable. */
void
np_batch_share (NpBatch *batch)
{
  struct nprof_writer same;
  NpLayout c = cut_from (batch->pool, batch);
  c.writable = FALSE;
  if (batch->pool->guarded)
    np_lay_out (&same, c, sizeof (Block), batch->pool->rows);
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
  batch->sum.known = FALSE;
}

static gboolean
any_hidden (const struct nprof_writer *w)
{
  guint all = 0;
  for (guint i = 0; i < w->n_rows; i++)
    all |= w->kind[i];
  return (all & NP_KIND_HIDDEN) != 0;
}

void
np_batch_show_hidden (NpBatch *batch)
{
  struct nprof_writer *w = &batch->writer;
  if (!any_hidden (w))
    return;
  NpHidden *hidden = batch->hidden = g_new0 (NpHidden, 1);
  for (guint i = 0; i < w->n_rows; i++) {
    hidden->kind[i] = w->kind[i];
    hidden->rows[i >> 3] |= (guint8) ((w->kind[i] / NP_KIND_HIDDEN) << (i & 7));
    w->kind[i] &= (guint8) ~NP_KIND_HIDDEN;
  }
  batch->view.hidden = hidden->rows;
}

void *
np_batch_notes (NpBatch *batch, gsize size)
{
  if (size <= batch->notes_size)
    return batch->notes;
  free (batch->notes);
  batch->notes_size = np_aligned (size);
  batch->notes = aligned_alloc (NP_COLUMN_ALIGN, batch->notes_size);
  if (!batch->notes)
    batch->notes_size = 0;
  return batch->notes;
}

/* Makes room in an empty batch only, so that batches stay of one size. */
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
np_batch_copy_row (NpBatch *dst, const struct nprof_batch *src, guint i)
{
  guint64 attrs, bytes;
  if (dst->writer.n_rows == dst->writer.max_rows)
    return FALSE;
  np_rows_measure (src, i, 1, &attrs, &bytes);
  if (!make_room (dst, attrs, bytes))
    return FALSE;
  np_rows_copy (&dst->writer, src, i, 1);
  return TRUE;
}
