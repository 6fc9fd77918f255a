/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - notes rows and gathers them into a batch. */

#include "spill/gather.h"

#define LONG_RANGE 16u /* rows that lie together and are copied together */

gboolean
np_gather_open (NpGather *gather)
{
  if (gather->batch)
    return TRUE;
  gather->batch = np_pool_take (gather->pool);
  if (!gather->batch)
    return FALSE;
  if (!gather->refs)
    gather->refs = g_new (NpRowRef, gather->batch->writer.max_rows);
  gather->n_refs = 0;
  gather->attrs = gather->bytes = 0;
  return TRUE;
}

/* -- Gathering ------------------------------------------------------------- */

#define GATHER(column)                                                                             \
  for (guint k = 0; k < n; k++)                                                                    \
  w->column[at + k] = refs[k].block->rows.column[refs[k].row]

/* Copies a column that not all blocks have. */
#define GATHER_OPTIONAL(column, bit)                                                               \
  if (present & (bit)) {                                                                           \
    guint64 any = 0;                                                                               \
    for (guint k = 0; k < n; k++) {                                                                \
      const struct nprof_batch *rows = &refs[k].block->rows;                                       \
      any |= w->column[at + k] = rows->column ? rows->column[refs[k].row] : 0;                     \
    }                                                                                              \
    w->present |= any ? (bit) : 0;                                                                 \
  }

static void
gather_base (struct nprof_writer *w, const NpRowRef *refs, guint n)
{
  guint at = w->n_rows;
  GATHER (start);
  GATHER (duration);
  GATHER (track);
  GATHER (name);
  GATHER (category);
  GATHER (kind);
}

static void
gather_values (struct nprof_writer *w, const NpRowRef *refs, guint n)
{
  for (guint k = 0; k < n; k++) {
    const struct nprof_batch *rows = &refs[k].block->rows;
    guint row = refs[k].row, at = w->n_rows + k;
    gboolean valid = rows->value && rows->value_valid[row >> 3] >> (row & 7) & 1;
    w->value[at] = valid ? rows->value[row] : 0;
    if (!valid)
      continue;
    w->value_valid[at >> 3] = (guint8) (w->value_valid[at >> 3] | 1u << (at & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}

static void
gather_optional (struct nprof_writer *w, const NpRowRef *refs, guint n)
{
  guint at = w->n_rows;
  guint32 present = 0;
  for (guint k = 0; k < n; k++)
    present |= refs[k].block->present;
  if (present & NPROF_HAS_VALUE)
    gather_values (w, refs, n);
  GATHER_OPTIONAL (id, NPROF_HAS_ID)
  GATHER_OPTIONAL (parent, NPROF_HAS_PARENT)
  GATHER_OPTIONAL (flow, NPROF_HAS_FLOW)
  GATHER_OPTIONAL (shared, NPROF_HAS_SHARED)
}

static void
gather_attrs (struct nprof_writer *w, const NpRowRef *refs, guint n)
{
  for (guint k = 0; k < n; k++) {
    const struct nprof_batch *rows = &refs[k].block->rows;
    guint row = refs[k].row;
    if (rows->attr_at)
      np_rows_copy_own (w, rows, row, w->n_rows + k);
    else
      w->attr_at[w->n_rows + k + 1] = w->n_attrs;
  }
}

gboolean
np_gather_settle (NpGather *gather)
{
  guint n = gather->n_refs;
  if (!n)
    return TRUE;
  struct nprof_writer *w = &gather->batch->writer;
  if (gather->attrs > G_MAXUINT32 || gather->bytes > G_MAXUINT32
      || np_batch_grow (gather->batch, (guint) (gather->attrs - w->n_attrs),
                        (guint) (gather->bytes - w->n_bytes)))
    return FALSE;
  gather_base (w, gather->refs, n);
  gather_optional (w, gather->refs, n);
  gather_attrs (w, gather->refs, n);
  w->n_rows += n;
  gather->n_refs = 0;
  return TRUE;
}

/* -- Rows ------------------------------------------------------------------ */

gboolean
np_gather_add (NpGather *gather, const NpBlock *block, guint from, guint n)
{
  guint64 attrs, bytes;
  np_rows_measure (&block->rows, from, n, &attrs, &bytes);
  gather->attrs += attrs;
  gather->bytes += bytes;
  if (n >= LONG_RANGE)
    return np_gather_settle (gather)
           && np_rows_append (gather->batch, &block->rows, from, n) == NPROF_OK;
  NpRowRef *refs = gather->refs + gather->n_refs;
  for (guint i = 0; i < n; i++)
    refs[i] = (NpRowRef){ block, from + i };
  gather->n_refs += n;
  return TRUE;
}

NpBatch *
np_gather_take (NpGather *gather)
{
  return np_gather_settle (gather) ? g_steal_pointer (&gather->batch) : NULL;
}

void
np_gather_clear (NpGather *gather)
{
  g_clear_pointer (&gather->batch, np_batch_unref);
  g_clear_pointer (&gather->refs, g_free);
  g_clear_pointer (&gather->places, g_free);
}
