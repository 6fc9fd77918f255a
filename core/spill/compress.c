/* SPDX-License-Identifier: Apache-2.0 */
/* compress.c - compresses blocks column by column (compress-column.h).  Where each row has as many
 * attributes as the others, the first, second, ... of all rows are a column each, so that keys take
 * no bytes and times few. */

#include "spill/compress.h"

#include "spill/compress-column.h"

#include <string.h>

#define MOST_STRIDE 64u

typedef struct {
  guint64 size;   /* compressed                                                */
  guint32 stride; /* attributes of each row; 0: they differ                  */
  guint32 reserved;
} Head;

G_STATIC_ASSERT (sizeof (Head) + NP_BLOCK_HEADER == NP_COMPRESSED_HEADER);

/* One walk over the columns of a block for both ways, so that they cannot differ. */
typedef struct {
  const NpColumnCodec *codec;
  guint8 *to; /* compressing: where the next column goes; else NULL */
  const guint8 *from;
} Way;

/* Compresses or decompresses n values of `size` bytes; data is NULL where the block lacks them. */
static void
column (Way *way, const void *data, guint n, guint size)
{
  if (!data || !n)
    return;
  if (way->to)
    way->to = way->codec->put (way->to, data, n, size);
  else
    way->from = way->codec->get (way->from, (void *) data, n, size);
}

static void
plain (Way *way, const void *data, gsize n)
{
  if (!n)
    return;
  if (way->to) {
    memcpy (way->to, data, n);
    way->to += n;
  } else {
    memcpy ((void *) data, way->from, n);
    way->from += n;
  }
}

#define COPY(type, to, to_step, from, from_step)                                                   \
  for (gsize i = 0; i < n; i++)                                                                    \
  ((type *) (void *) (to))[i * (to_step)] = ((const type *) (const void *) (from))[i * (from_step)]

static void
copy_apart (guint8 *to, gsize to_step, const guint8 *from, gsize from_step, guint n, guint size)
{
  if (size == 8)
    COPY (guint64, to, to_step, from, from_step);
  else if (size == 4)
    COPY (guint32, to, to_step, from, from_step);
  else
    COPY (guint8, to, to_step, from, from_step);
}

/* Does the same with a column whose values lie `stride` values apart. */
static void
column_apart (Way *way, const void *data, guint n, guint stride, guint size)
{
  guint64 together[NP_BATCH_ROWS];
  if (stride == 1) {
    column (way, data, n, size);
  } else if (way->to) {
    copy_apart ((guint8 *) together, 1, data, stride, n, size);
    way->to = way->codec->put (way->to, together, n, size);
  } else {
    way->from = way->codec->get (way->from, together, n, size);
    copy_apart ((guint8 *) data, stride, (const guint8 *) together, 1, n, size);
  }
}

static void
attributes (Way *way, const struct nprof_batch *rows, guint stride)
{
  guint each = stride ? rows->n_rows : rows->n_attrs, step = MAX (stride, 1);
  for (guint k = 0; k < step; k++) {
    column_apart (way, rows->attr_key + k, each, step, 4);
    column_apart (way, rows->attr_type + k, each, step, 1);
    column_apart (way, rows->attr_value + k, each, step, 8);
  }
}

static void
all_columns (Way *way, const NpBlock *block, guint stride)
{
  const struct nprof_batch *rows = &block->rows;
  guint n = rows->n_rows;
  column (way, rows->start, n, 8);
  column (way, rows->duration, n, 8);
  column (way, rows->track, n, 4);
  column (way, rows->name, n, 4);
  column (way, rows->category, n, 4);
  column (way, rows->kind, n, 1);
  column (way, rows->value, n, 8);
  column (way, rows->value_valid, (n + 7) / 8, 1);
  column (way, rows->id, n, 8);
  column (way, rows->parent, n, 8);
  column (way, rows->flow, n, 8);
  column (way, rows->shared, n, 4);
  column (way, block->inputs, n, 4);
  if (!rows->attr_at)
    return;
  column (way, rows->attr_at, n + 1, 4);
  attributes (way, rows, stride);
}

static guint
stride_of (const struct nprof_batch *rows)
{
  if (!rows->attr_at || rows->n_attrs % rows->n_rows)
    return 0;
  guint each = rows->n_attrs / rows->n_rows;
  for (guint i = 1; i <= rows->n_rows; i++)
    if (rows->attr_at[i] != i * each)
      return 0;
  return each <= MOST_STRIDE ? each : 0;
}

gsize
np_compressed_bound (guint64 block_size)
{
  return (gsize) block_size + NP_COMPRESSED_HEADER + NP_COLUMN_HEAD * (14 + 3 * MOST_STRIDE);
}

gsize
np_compress (const guint8 *data, guint8 *to)
{
  NpBlock block;
  np_block_open (data, &block);
  Head head = { .stride = stride_of (&block.rows) };
  memcpy (to + sizeof head, data, NP_BLOCK_HEADER);
  Way way = { .codec = np_column_codec (), .to = to + NP_COMPRESSED_HEADER };
  all_columns (&way, &block, head.stride);
  plain (&way, block.rows.bytes, block.n_bytes);
  head.size = (guint64) (way.to - to);
  memcpy (to, &head, sizeof head);
  return (gsize) head.size;
}

guint64
np_compressed_size (const guint8 *header)
{
  Head head;
  memcpy (&head, header, sizeof head);
  return head.size;
}

guint64
np_decompressed_size (const guint8 *header)
{
  return np_block_size (header + sizeof (Head));
}

void
np_decompress (const guint8 *compressed, guint8 *to)
{
  Head head;
  NpBlock block;
  memcpy (&head, compressed, sizeof head);
  memcpy (to, compressed + sizeof head, NP_BLOCK_HEADER);
  np_block_open (to, &block);
  Way way = { .codec = np_column_codec (), .from = compressed + NP_COMPRESSED_HEADER };
  all_columns (&way, &block, head.stride);
  plain (&way, block.rows.bytes, block.n_bytes);
}
