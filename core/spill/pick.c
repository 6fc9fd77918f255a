/* SPDX-License-Identifier: Apache-2.0 */
/* pick.c - copies some rows of one block, and of their attributes those that are kept, into a
 * batch: column by column, with nothing to look up but the number of the row. */

#include "spill/gather.h"

#define PICK(type, column)                                                                         \
  {                                                                                                \
    const type *restrict from = src->column;                                                       \
    type *restrict to = w->column + w->n_rows;                                                     \
    _Pragma ("GCC unroll 4") for (gsize k = 0; k < n; k++) to[k] = from[rows[k]];                  \
  }

#define PICK_OPTIONAL(type, column, bit)                                                           \
  if (src->column) {                                                                               \
    type any = 0;                                                                                  \
    PICK (type, column)                                                                            \
    for (gsize k = 0; k < n; k++)                                                                  \
      any |= w->column[w->n_rows + k];                                                             \
    w->present |= any ? (bit) : 0;                                                                 \
  }

static void
pick_values (struct nprof_writer *w, const struct nprof_batch *src, const guint16 *rows, gsize n)
{
  for (gsize k = 0; k < n; k++) {
    gsize at = w->n_rows + k;
    if (!(src->value_valid[rows[k] >> 3] >> (rows[k] & 7) & 1))
      continue;
    w->value[at] = src->value[rows[k]];
    w->value_valid[at >> 3] = (guint8) (w->value_valid[at >> 3] | 1u << (at & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}

static void
pick_columns (struct nprof_writer *w, const struct nprof_batch *src, const guint16 *restrict rows,
              gsize n, const NpProjection *keep)
{
  PICK (int64_t, start)
  PICK (int64_t, duration)
  PICK (nprof_track, track)
  PICK (nprof_str, name)
  PICK (nprof_str, category)
  PICK (uint8_t, kind)
  PICK_OPTIONAL (nprof_set, shared, NPROF_HAS_SHARED)
  if (src->value)
    pick_values (w, src, rows, n);
  if (keep->no_links)
    return;
  PICK_OPTIONAL (uint64_t, id, NPROF_HAS_ID)
  PICK_OPTIONAL (uint64_t, parent, NPROF_HAS_PARENT)
  PICK_OPTIONAL (uint64_t, flow, NPROF_HAS_FLOW)
}

/* -- Attributes ------------------------------------------------------------------------------ */

/* Measures what is kept of the rows; attrs may be too many. */
static void
measure (const struct nprof_batch *src, const guint16 *rows, guint n, const NpProjection *keep,
         guint64 *attrs, guint64 *bytes)
{
  *attrs = *bytes = 0;
  for (guint k = 0; k < n; k++)
    *attrs += src->attr_at[rows[k] + 1] - src->attr_at[rows[k]];
  for (guint k = 0; src->bytes && k < n; k++)
    for (guint j = src->attr_at[rows[k]]; j < src->attr_at[rows[k] + 1]; j++)
      if (np_type_in_bytes (src->attr_type[j]) && np_projection_keeps (keep, src->attr_key[j]))
        *bytes += src->attr_value[j].bytes.len;
}

/* Each attribute is written, and stays when the next one goes behind it: no branch can be guessed
 * wrong. */
static void
pick_attrs (struct nprof_writer *w, const struct nprof_batch *src, const guint16 *restrict rows,
            gsize n, const NpProjection *keep)
{
  const guint32 *restrict from = src->attr_at;
  const nprof_str *restrict src_key = src->attr_key;
  const uint8_t *restrict src_type = src->attr_type, *restrict keys = keep->keys;
  const nprof_value *restrict src_value = src->attr_value;
  nprof_str *restrict key = w->attr_key;
  uint8_t *restrict type = w->attr_type;
  nprof_value *restrict value = w->attr_value;
  guint32 *restrict at = w->attr_at + w->n_rows + 1;
  const guint n_keys = keep->n;
  gsize to = w->n_attrs;
  for (gsize k = 0; k < n; k++) {
    for (gsize j = from[rows[k]], end = from[rows[k] + 1]; j < end; j++) {
      key[to] = src_key[j];
      type[to] = src_type[j];
      value[to] = src_value[j];
      to += !keys || (src_key[j] < n_keys && keys[src_key[j]]);
    }
    at[k] = (guint32) to;
  }
}

static gboolean
copy_attrs (NpGather *gather, const struct nprof_batch *src, const guint16 *rows, guint n,
            const NpProjection *keep)
{
  struct nprof_writer *w = &gather->batch->writer;
  guint64 attrs, bytes;
  measure (src, rows, n, keep, &attrs, &bytes);
  if (w->n_attrs + attrs >= G_MAXUINT32 || w->n_bytes + bytes > G_MAXUINT32
      || np_batch_grow (gather->batch, (guint) attrs + 1, (guint) bytes))
    return FALSE;
  pick_attrs (w, src, rows, n, keep);
  guint first = w->n_attrs;
  w->n_attrs = w->attr_at[w->n_rows + n];
  for (guint j = first; src->bytes && j < w->n_attrs; j++)
    if (np_type_in_bytes (w->attr_type[j]))
      np_rows_move_bytes (w, j, src->bytes);
  gather->attrs += w->n_attrs - first;
  gather->bytes += bytes;
  return TRUE;
}

gboolean
np_gather_chosen (NpGather *gather, const NpBlock *block, const guint16 *rows, guint n,
                  const NpProjection *keep)
{
  if (!np_gather_settle (gather))
    return FALSE;
  struct nprof_writer *w = &gather->batch->writer;
  const struct nprof_batch *src = &block->rows;
  pick_columns (w, src, rows, n, keep);
  if (src->attr_at && !copy_attrs (gather, src, rows, n, keep))
    return FALSE;
  for (guint k = 0; !src->attr_at && k < n; k++)
    w->attr_at[w->n_rows + k + 1] = w->n_attrs;
  w->n_rows += n;
  return TRUE;
}
