/* SPDX-License-Identifier: Apache-2.0 */
/* batch-emitter.c - makes full batches of rows that come in order. */

#include "sort/sort-types.h"

#include <string.h>

#define BATCH_BYTES (8u << 20) /* of attributes: they end a batch before it is full */

void
np_emit_init (NpEmitter *e, NpPool *pool, NpSorterFn fn, gpointer user)
{
  *e = (NpEmitter){ .gather.pool = pool, .fn = fn, .user = user };
}

gboolean
np_emit_rest (NpEmitter *e, GError **error)
{
  if (!e->gather.batch)
    return TRUE;
  NpBatch *batch = np_gather_take (&e->gather);
  if (!batch)
    return np_spill_no_memory (error);
  np_batch_seal (batch, e->input);
  gboolean ok = e->fn (batch, e->user, error);
  np_batch_unref (batch);
  return ok;
}

static gboolean
is_full (const NpGather *gather)
{
  return !np_gather_room (gather) || gather->attrs * NP_ATTR_BYTES + gather->bytes >= BATCH_BYTES;
}

/* Makes sure of a batch that takes rows of this input. */
static gboolean
open_batch (NpEmitter *e, guint input, GError **error)
{
  if (e->gather.batch && e->input != input && !np_emit_rest (e, error))
    return FALSE;
  e->input = input;
  return np_gather_open (&e->gather) || np_spill_no_memory (error);
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
  NpEmitter *e = emitter;
  for (guint end = from + n, m; from < end; from += m) {
    if (!open_batch (e, block->inputs ? block->inputs[from] : block->rows.input, error))
      return FALSE;
    m = MIN (same_input (block, from, end - from), np_gather_room (&e->gather));
    if (!np_gather_add (&e->gather, block, from, m))
      return np_spill_no_memory (error);
    if (is_full (&e->gather) && !np_emit_rest (e, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_emit_chosen (NpEmitter *e, const NpBlock *block, const guint16 *rows, guint n,
                const NpProjection *keep, GError **error)
{
  for (guint m; n; n -= m, rows += m) {
    if (!open_batch (e, block->rows.input, error))
      return FALSE;
    m = MIN (n, np_gather_room (&e->gather));
    if (!np_gather_chosen (&e->gather, block, rows, m, keep))
      return np_spill_no_memory (error);
    if (is_full (&e->gather) && !np_emit_rest (e, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
np_emit_settle (gpointer emitter, GError **error)
{
  NpEmitter *e = emitter;
  return np_gather_settle (&e->gather) || np_spill_no_memory (error);
}

static guint
input_of (const NpBlock *block, guint row)
{
  return block->inputs ? block->inputs[row] : block->rows.input;
}

/* Returns whether all rows are of this input, as far as blocks tell. */
static gboolean
is_one_input (const NpMerged *rows, guint input)
{
  for (guint b = 0; b < rows->n_blocks; b++)
    if (rows->blocks[b]->inputs || rows->blocks[b]->rows.input != input)
      return FALSE;
  return TRUE;
}

/* Returns how many of the first n rows are of this input. */
static guint
merged_of_input (const NpMerged *rows, guint n, guint input)
{
  guint next[NP_MERGED_BLOCKS], k = 0;
  if (is_one_input (rows, input))
    return n;
  memcpy (next, rows->next, rows->n_blocks * sizeof *next);
  while (k < n && input_of (rows->blocks[rows->of[k]], next[rows->of[k]]++) == input)
    k++;
  return k;
}

static gboolean
emit_merged (gpointer emitter, const NpMerged *all, guint n, GError **error)
{
  NpEmitter *e = emitter;
  NpMerged rows = *all;
  for (guint m; n; n -= m, rows.of += m) {
    guint first = rows.of[0];
    if (!open_batch (e, input_of (rows.blocks[first], rows.next[first]), error))
      return FALSE;
    m = merged_of_input (&rows, MIN (n, np_gather_room (&e->gather)), e->input);
    if (!np_gather_merged (&e->gather, &rows, m))
      return np_spill_no_memory (error);
    if (is_full (&e->gather) && !np_emit_rest (e, error))
      return FALSE;
  }
  return TRUE;
}

NpRowReceiver
np_emit_receiver (NpEmitter *e)
{
  return (NpRowReceiver){ np_emit_range, emit_merged, np_emit_settle, e };
}

gboolean
np_emit_end (NpEmitter *e, gboolean ok, GError **error)
{
  ok = ok && np_emit_rest (e, error);
  np_gather_clear (&e->gather);
  return ok;
}
