/* SPDX-License-Identifier: Apache-2.0 */
/* run-writer.c - writes rows that come in order to a spill, in blocks of one size. */

#include "sort/sort-types.h"

#define WRITE_BYTES (1u << 20)

static gboolean
write_out (NpRunWriter *w, GError **error)
{
  if (!np_spill_append (w->spill, &w->pack, error))
    return FALSE;
  w->pack.used = 0;
  return TRUE;
}

/* Returns the numbers of the inputs; NULL when all rows have the same, which then goes once into
 * the block. */
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
  if (!w->gather.batch)
    return TRUE;
  NpBatch *batch = np_gather_take (&w->gather);
  if (!batch)
    return np_spill_no_memory (error);
  np_batch_seal (batch, w->inputs[0]);
  struct nprof_batch rows = np_rows_of (batch);
  gsize before = w->pack.used;
  gboolean ok = np_pack_add (&w->pack, &rows, 0, rows.n_rows, mixed_inputs (w, rows.n_rows));
  np_batch_unref (batch);
  if (!ok)
    return np_spill_no_memory (error);
  w->max_block = MAX (w->max_block, w->pack.used - before);
  return w->pack.used < WRITE_BYTES || write_out (w, error);
}

static gboolean
is_full (const NpGather *gather)
{
  guint64 row = 50; /* a guess between a row without optional columns and one with all */
  return !np_gather_room (gather)
         || np_gather_rows (gather) * row + gather->attrs * NP_ATTR_BYTES + gather->bytes
                >= NP_SORT_BLOCK_BYTES;
}

static gboolean
open_batch (NpRunWriter *w)
{
  if (!np_gather_open (&w->gather))
    return FALSE;
  if (!w->inputs)
    w->inputs = g_new (guint32, w->gather.batch->writer.max_rows);
  return TRUE;
}

static gboolean
take_range (gpointer writer, const NpBlock *block, guint from, guint n, GError **error)
{
  NpRunWriter *w = writer;
  for (guint end = from + n, m; from < end; from += m) {
    if (!open_batch (w))
      return np_spill_no_memory (error);
    guint at = np_gather_rows (&w->gather);
    m = MIN (end - from, np_gather_room (&w->gather));
    for (guint i = 0; i < m; i++)
      w->inputs[at + i] = block->inputs ? block->inputs[from + i] : block->rows.input;
    if (!np_gather_add (&w->gather, block, from, m))
      return np_spill_no_memory (error);
    if (is_full (&w->gather) && !pack_batch (w, error))
      return FALSE;
  }
  return TRUE;
}

/* Blocks end after a few hundred rows, so there is little to gain by more of them at once. */
static gboolean
take_merged (gpointer writer, const NpMerged *rows, guint n, GError **error)
{
  for (guint k = 0; k < n; k++) {
    guint b = rows->of[k];
    if (!take_range (writer, rows->blocks[b], rows->next[b]++, 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_settled (gpointer writer, GError **error)
{
  NpRunWriter *w = writer;
  return np_gather_settle (&w->gather) || np_spill_no_memory (error);
}

void
np_run_writer_init (NpRunWriter *w, NpPool *pool, NpSpill *spill)
{
  *w = (NpRunWriter){ .gather.pool = pool, .spill = spill };
}

NpRowReceiver
np_run_writer_receiver (NpRunWriter *w)
{
  return (NpRowReceiver){ take_range, take_merged, write_settled, w };
}

void
np_run_writer_clear (NpRunWriter *w)
{
  np_gather_clear (&w->gather);
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
