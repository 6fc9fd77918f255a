/* SPDX-License-Identifier: Apache-2.0 */
/* scatter.c - copies rows of several blocks that alternate into a batch, block by block and column
 * by column: what is read lies side by side, and only where it goes to is looked up.  It does for
 * merged rows what np_gather_settle does for rows in any order, in a third of the instructions. */

#include "spill/gather.h"

/* These are rows of one block: `from` and those behind it go to rows at + to[k] of the writer. */
typedef struct {
  const NpBlock *block;
  const guint16 *to;
  guint from, n, at;
} Part;

/* -- Where each row goes --------------------------------------------------------------------- */

/* Notes where the places of each block begin, of whose rows there are as many among the first n. */
static void
count_rows (const NpMerged *rows, guint n, guint *begins)
{
  const guint8 *of = rows->of;
  for (guint b = 0; b < rows->n_blocks; b++)
    begins[b] = 0;
  for (gsize k = 0; k < n; k++)
    begins[of[k]]++;
  for (guint b = 0, sum = 0; b < rows->n_blocks; b++) {
    guint count = begins[b];
    begins[b] = sum;
    sum += count;
  }
}

/* Notes where rows go, block by block; at[block] is then where its places end. */
static void
note_places (const guint8 *restrict of, gsize n, guint *restrict at, guint16 *restrict places)
{
  for (gsize k = 0; k < n; k++)
    places[at[of[k]]++] = (guint16) k;
}

static Part
part_of (const NpMerged *rows, guint b, const guint *ends, const guint16 *places, guint at)
{
  guint begin = b ? ends[b - 1] : 0;
  return (Part){ .block = rows->blocks[b],
                 .to = places + begin,
                 .from = rows->next[b],
                 .n = ends[b] - begin,
                 .at = at };
}

/* -- Columns --------------------------------------------------------------------------------- */

/* Columns of a row go together, since its place is looked up for each loop.  All that a loop needs
 * lies in variables: as far as compilers know, a store could change the rest. */
#define FROM(type, column) const type *restrict from_##column = rows->column + p->from
#define TO(type, column) type *restrict to_##column = w->column + p->at
#define COPY(column) to_##column[to[k]] = from_##column[k]

static void
scatter_times (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  const guint16 *restrict to = p->to;
  FROM (int64_t, start);
  FROM (int64_t, duration);
  FROM (uint8_t, kind);
  TO (int64_t, start);
  TO (int64_t, duration);
  TO (uint8_t, kind);
#pragma GCC unroll 2
  for (gsize k = 0, n = p->n; k < n; k++) {
    COPY (start);
    COPY (duration);
    COPY (kind);
  }
}

static void
scatter_names (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  const guint16 *restrict to = p->to;
  FROM (nprof_track, track);
  FROM (nprof_str, name);
  FROM (nprof_str, category);
  TO (nprof_track, track);
  TO (nprof_str, name);
  TO (nprof_str, category);
#pragma GCC unroll 2
  for (gsize k = 0, n = p->n; k < n; k++) {
    COPY (track);
    COPY (name);
    COPY (category);
  }
}

/* Copies a column that not all blocks have; batches come with zeros in it. */
#define SCATTER_OPTIONAL(type, column, bit)                                                        \
  if (rows->column) {                                                                              \
    FROM (type, column);                                                                           \
    TO (type, column);                                                                             \
    type any = 0;                                                                                  \
    _Pragma ("GCC unroll 4") for (gsize k = 0, n = p->n; k < n; k++)                               \
    {                                                                                              \
      any |= from_##column[k];                                                                     \
      COPY (column);                                                                               \
    }                                                                                              \
    w->present |= any ? (bit) : 0;                                                                 \
  }

static void
scatter_values (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  for (guint k = 0; k < p->n; k++) {
    guint row = p->from + k, at = p->at + p->to[k];
    if (!(rows->value_valid[row >> 3] >> (row & 7) & 1))
      continue;
    w->value[at] = rows->value[row];
    w->value_valid[at >> 3] = (guint8) (w->value_valid[at >> 3] | 1u << (at & 7));
    w->present |= NPROF_HAS_VALUE;
  }
}

static void
scatter_optional (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  const guint16 *restrict to = p->to;
  SCATTER_OPTIONAL (uint64_t, id, NPROF_HAS_ID)
  SCATTER_OPTIONAL (uint64_t, parent, NPROF_HAS_PARENT)
  SCATTER_OPTIONAL (uint64_t, flow, NPROF_HAS_FLOW)
  SCATTER_OPTIONAL (nprof_set, shared, NPROF_HAS_SHARED)
  if (rows->value)
    scatter_values (w, p);
}

/* -- Attributes ------------------------------------------------------------------------------ */

/* Notes how many each row has, behind the place of the row. */
static void
note_lengths (struct nprof_writer *w, const Part *p)
{
  const guint16 *restrict to = p->to;
  guint32 *restrict lengths = w->attr_at + p->at + 1;
  const guint32 *restrict at = p->block->rows.attr_at + p->from;
#pragma GCC unroll 4
  for (gsize k = 0, n = p->n; k < n; k++)
    lengths[to[k]] = at[k + 1] - at[k];
}

static void
note_none (struct nprof_writer *w, const Part *p)
{
  for (guint k = 0; k < p->n; k++)
    w->attr_at[p->at + p->to[k] + 1] = 0;
}

/* Lets each row's begin behind those of the row before. */
static void
add_lengths (guint32 *attr_at, gsize n)
{
  guint32 sum = attr_at[0];
#pragma GCC unroll 4
  for (gsize k = 1; k <= n; k++)
    attr_at[k] = sum += attr_at[k];
}

static void
scatter_attrs (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  const guint16 *restrict to = p->to;
  const guint32 *restrict attr_at = w->attr_at + p->at, *restrict from = rows->attr_at + p->from;
  const nprof_str *restrict src_key = rows->attr_key;
  const uint8_t *restrict src_type = rows->attr_type;
  const nprof_value *restrict src_value = rows->attr_value;
  nprof_str *restrict key = w->attr_key;
  uint8_t *restrict type = w->attr_type;
  nprof_value *restrict value = w->attr_value;
  gsize j = from[0];
  for (gsize k = 0, n = p->n; k < n; k++) {
    gsize at = attr_at[to[k]];
    for (gsize end = from[k + 1]; j < end; j++, at++) {
      key[at] = src_key[j];
      type[at] = src_type[j];
      value[at] = src_value[j];
    }
  }
}

static void
scatter_bytes (struct nprof_writer *w, const Part *p)
{
  const struct nprof_batch *rows = &p->block->rows;
  for (guint k = 0; k < p->n; k++)
    for (guint at = w->attr_at[p->at + p->to[k]]; at < w->attr_at[p->at + p->to[k] + 1]; at++)
      if (np_type_in_bytes (w->attr_type[at]))
        np_rows_move_bytes (w, at, rows->bytes);
}

/* -- All of it ------------------------------------------------------------------------------- */

static gboolean
make_room (NpGather *gather, const Part *parts, guint n_parts)
{
  guint64 attrs = 0, bytes = 0;
  for (guint b = 0; b < n_parts; b++) {
    guint64 of_attrs, of_bytes;
    np_rows_measure (&parts[b].block->rows, parts[b].from, parts[b].n, &of_attrs, &of_bytes);
    attrs += of_attrs;
    bytes += of_bytes;
  }
  gather->attrs += attrs;
  gather->bytes += bytes;
  if (gather->attrs > G_MAXUINT32 || gather->bytes > G_MAXUINT32)
    return FALSE;
  return !np_batch_grow (gather->batch, (guint) attrs, (guint) bytes);
}

static void
copy (struct nprof_writer *w, const Part *parts, guint n_parts, guint n)
{
  for (guint b = 0; b < n_parts; b++) {
    scatter_times (w, &parts[b]);
    scatter_names (w, &parts[b]);
    scatter_optional (w, &parts[b]);
    (parts[b].block->rows.attr_at ? note_lengths : note_none) (w, &parts[b]);
  }
  add_lengths (w->attr_at + w->n_rows, n);
  for (guint b = 0; b < n_parts; b++) {
    if (parts[b].block->rows.attr_at)
      scatter_attrs (w, &parts[b]);
    if (parts[b].block->rows.attr_at && parts[b].block->rows.bytes)
      scatter_bytes (w, &parts[b]);
  }
  w->n_rows += n;
  w->n_attrs = w->attr_at[w->n_rows];
}

gboolean
np_gather_merged (NpGather *gather, const NpMerged *rows, guint n)
{
  guint ends[NP_MERGED_BLOCKS];
  Part parts[NP_MERGED_BLOCKS];
  if (!np_gather_settle (gather))
    return FALSE;
  struct nprof_writer *w = &gather->batch->writer;
  if (!gather->places)
    gather->places = g_new (guint16, w->max_rows);
  count_rows (rows, n, ends);
  note_places (rows->of, n, ends, gather->places);
  for (guint b = 0; b < rows->n_blocks; b++) {
    parts[b] = part_of (rows, b, ends, gather->places, w->n_rows);
    rows->next[b] += parts[b].n;
  }
  if (!make_room (gather, parts, rows->n_blocks))
    return FALSE;
  copy (w, parts, rows->n_blocks, n);
  return TRUE;
}
