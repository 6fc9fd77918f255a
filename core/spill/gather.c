/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - notes rows and gathers them into a batch. */

#include "spill/gather.h"

#define LONG_RANGE 16u /* rows that lie together and are copied together */

gboolean
np_fill_open (NpFill *fill)
{
  if (fill->batch)
    return TRUE;
  fill->batch = np_pool_take (fill->pool);
  if (!fill->batch)
    return FALSE;
  if (!fill->picks)
    fill->picks = g_new (NpPick, fill->batch->writer.max_rows);
  fill->n_picks = 0;
  fill->attrs = fill->bytes = 0;
  return TRUE;
}

/* -- Gathering ------------------------------------------------------------- */

#define GATHER(column)                                                                             \
  for (guint k = 0; k < n; k++)                                                                    \
  w->column[at + k] = picks[k].block->rows.column[picks[k].row]

/* A column that not all blocks have. */
#define GATHER_OPTIONAL(column, bit)                                                               \
  if (present & (bit)) {                                                                           \
    guint64 any = 0;                                                                               \
    for (guint k = 0; k < n; k++) {                                                                \
      const struct nprof_batch *rows = &picks[k].block->rows;                                      \
      any |= w->column[at + k] = rows->column ? rows->column[picks[k].row] : 0;                    \
    }                                                                                              \
    w->present |= any ? (bit) : 0;                                                                 \
  }

static void
gather_base (struct nprof_writer *w, const NpPick *picks, guint n)
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
gather_values (struct nprof_writer *w, const NpPick *picks, guint n)
{
  for (guint k = 0; k < n; k++) {
    const struct nprof_batch *rows = &picks[k].block->rows;
    guint row = picks[k].row, at = w->n_rows + k;
    gboolean valid = rows->value && rows->value_valid[row >> 3] >> (row & 7) & 1;
    w->value[at] = valid ? rows->value[row] : 0;
    if (!valid)
      continue;
    w->value_valid[at >> 3] = (guint8) (w->value_valid[at >> 3] | 1u << (at & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}

static void
gather_optional (struct nprof_writer *w, const NpPick *picks, guint n)
{
  guint at = w->n_rows;
  guint32 present = 0;
  for (guint k = 0; k < n; k++)
    present |= picks[k].block->present;
  if (present & NPROF_HAS_VALUE)
    gather_values (w, picks, n);
  GATHER_OPTIONAL (id, NPROF_HAS_ID)
  GATHER_OPTIONAL (parent, NPROF_HAS_PARENT)
  GATHER_OPTIONAL (flow, NPROF_HAS_FLOW)
  GATHER_OPTIONAL (shared, NPROF_HAS_SHARED)
}

static void
gather_attrs (struct nprof_writer *w, const NpPick *picks, guint n)
{
  for (guint k = 0; k < n; k++) {
    const struct nprof_batch *rows = &picks[k].block->rows;
    guint row = picks[k].row;
    if (rows->attr_at)
      np_rows_copy_own (w, rows, row, w->n_rows + k);
    else
      w->attr_at[w->n_rows + k + 1] = w->n_attrs;
  }
}

gboolean
np_fill_settle (NpFill *fill)
{
  guint n = fill->n_picks;
  if (!n)
    return TRUE;
  struct nprof_writer *w = &fill->batch->writer;
  if (fill->attrs > G_MAXUINT32 || fill->bytes > G_MAXUINT32
      || np_batch_grow (fill->batch, (guint) (fill->attrs - w->n_attrs),
                        (guint) (fill->bytes - w->n_bytes)))
    return FALSE;
  gather_base (w, fill->picks, n);
  gather_optional (w, fill->picks, n);
  gather_attrs (w, fill->picks, n);
  w->n_rows += n;
  fill->n_picks = 0;
  return TRUE;
}

/* -- Rows ------------------------------------------------------------------ */

gboolean
np_fill_add (NpFill *fill, const NpBlock *block, guint from, guint n)
{
  guint64 attrs, bytes;
  np_rows_measure (&block->rows, from, n, &attrs, &bytes);
  fill->attrs += attrs;
  fill->bytes += bytes;
  if (n >= LONG_RANGE)
    return np_fill_settle (fill) && np_rows_append (fill->batch, &block->rows, from, n) == NPROF_OK;
  for (guint i = 0; i < n; i++)
    fill->picks[fill->n_picks++] = (NpPick){ block, from + i };
  return TRUE;
}

NpBatch *
np_fill_take (NpFill *fill)
{
  return np_fill_settle (fill) ? g_steal_pointer (&fill->batch) : NULL;
}

void
np_fill_clear (NpFill *fill)
{
  g_clear_pointer (&fill->batch, np_batch_unref);
  g_clear_pointer (&fill->picks, g_free);
}
