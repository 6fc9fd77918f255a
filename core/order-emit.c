/* SPDX-License-Identifier: Apache-2.0 */
/* order-emit.c - makes full batches of rows that come in order. */

#include "order-run.h"

#define BATCH_BYTES (8u << 20) /* of attributes: they end a batch before it is full */

static gboolean
deliver (NpEmitter *e, GError **error)
{
  if (!e->batch)
    return TRUE;
  np_batch_seal (e->batch, e->input);
  gboolean ok = e->fn (e->batch, e->user, error);
  g_clear_pointer (&e->batch, np_batch_unref);
  return ok;
}

static gboolean
is_full (const struct nprof_writer *w)
{
  return w->n_rows == w->max_rows
         || w->n_attrs * (guint64) NP_ATTR_BYTES + w->n_bytes >= BATCH_BYTES;
}

/* Makes sure of a batch that takes rows of this input. */
static gboolean
open_batch (NpEmitter *e, guint input, GError **error)
{
  if (e->batch && e->input != input && !deliver (e, error))
    return FALSE;
  e->input = input;
  if (!e->batch)
    e->batch = np_pool_take (e->pool);
  if (!e->batch)
    np_spill_no_memory (error);
  return e->batch != NULL;
}

static guint
same_input (const NpBlock *block, guint from, guint n)
{
  guint i = 1;
  if (!block->inputs)
    return n;
  while (i < n && block->inputs[from + i] == block->inputs[from])
    i++;
  return i;
}

gboolean
np_emit_range (gpointer emitter, const NpBlock *block, guint from, guint n, GError **error)
{
  static const NpKeep all = { 0 };
  NpEmitter *e = emitter;
  for (guint end = from + n, m; from < end; from += m) {
    if (!open_batch (e, block->inputs ? block->inputs[from] : block->rows.input, error))
      return FALSE;
    struct nprof_writer *w = &e->batch->writer;
    m = MIN (same_input (block, from, end - from), w->max_rows - w->n_rows);
    if (np_rows_append (e->batch, &block->rows, from, m, &all)) {
      np_spill_no_memory (error);
      return FALSE;
    }
    if (is_full (w) && !deliver (e, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_emit_rest (NpEmitter *e, GError **error)
{
  return deliver (e, error);
}

gboolean
np_emit_end (NpEmitter *e, gboolean ok, GError **error)
{
  ok = ok && deliver (e, error);
  g_clear_pointer (&e->batch, np_batch_unref);
  return ok;
}
