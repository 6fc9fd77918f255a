/* SPDX-License-Identifier: Apache-2.0 */
/* order-write.c - writes rows that come in order to a spill, in blocks of one size. */

#include "order-run.h"

#define WRITE_BYTES (1u << 20)

static gboolean
write_out (NpRunWriter *w, GError **error)
{
  if (!np_spill_append (w->spill, &w->pack, error))
    return FALSE;
  w->pack.used = 0;
  return TRUE;
}

/* The number of the input, when it is the same for all rows, goes once into the block. */
static const guint32 *
mixed_inputs (const NpRunWriter *w, guint n)
{
  for (guint i = 1; i < n; i++)
    if (w->inputs[i] != w->inputs[0])
      return w->inputs;
  return NULL;
}

static gboolean
pack_batch (NpRunWriter *w, GError **error)
{
  static const NpKeep all = { 0 };
  if (!w->batch)
    return TRUE;
  np_batch_seal (w->batch, w->inputs[0]);
  struct nprof_batch rows = np_rows_of (w->batch);
  gsize before = w->pack.used;
  gboolean ok = np_pack_add (&w->pack, &rows, 0, rows.n_rows, mixed_inputs (w, rows.n_rows), &all);
  g_clear_pointer (&w->batch, np_batch_unref);
  if (!ok) {
    np_spill_no_memory (error);
    return FALSE;
  }
  w->max_block = MAX (w->max_block, w->pack.used - before);
  return w->pack.used < WRITE_BYTES || write_out (w, error);
}

static gboolean
is_full (const struct nprof_writer *w)
{
  guint64 row = 50; /* a guess between a row without optional columns and one with all */
  return w->n_rows == w->max_rows
         || w->n_rows * row + w->n_attrs * (guint64) NP_ATTR_BYTES + w->n_bytes
                >= NP_ORDER_BLOCK_BYTES;
}

static gboolean
take_batch (NpRunWriter *w, GError **error)
{
  if (w->batch)
    return TRUE;
  w->batch = np_pool_take (w->pool);
  if (!w->batch) {
    np_spill_no_memory (error);
    return FALSE;
  }
  if (!w->inputs)
    w->inputs = g_new (guint32, w->batch->writer.max_rows);
  return TRUE;
}

gboolean
np_run_writer_range (gpointer writer, const NpBlock *block, guint from, guint n, GError **error)
{
  static const NpKeep all = { 0 };
  NpRunWriter *w = writer;
  for (guint end = from + n, m; from < end; from += m) {
    if (!take_batch (w, error))
      return FALSE;
    guint at = w->batch->writer.n_rows;
    m = MIN (end - from, w->batch->writer.max_rows - at);
    if (np_rows_append (w->batch, &block->rows, from, m, &all)) {
      np_spill_no_memory (error);
      return FALSE;
    }
    for (guint i = 0; i < m; i++)
      w->inputs[at + i] = block->inputs ? block->inputs[from + i] : block->rows.input;
    if (is_full (&w->batch->writer) && !pack_batch (w, error))
      return FALSE;
  }
  return TRUE;
}

void
np_run_writer_clear (NpRunWriter *w)
{
  g_clear_pointer (&w->batch, np_batch_unref);
  g_clear_pointer (&w->inputs, g_free);
  np_pack_clear (&w->pack);
}

gboolean
np_run_writer_end (NpRunWriter *w, GError **error)
{
  gboolean ok = pack_batch (w, error) && write_out (w, error);
  np_run_writer_clear (w);
  return ok;
}
