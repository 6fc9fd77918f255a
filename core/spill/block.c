/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - the layout of packed blocks of rows; where they lie is left to others. */

#include "spill/block.h"

#include <string.h>

enum { HAS_ATTRS = 1 << 16, HAS_INPUTS = 1 << 17 }; /* beside NPROF_HAS_VALUE ... */

typedef struct {
  guint64 size;
  guint32 n_rows, n_attrs, n_bytes, input, present, reserved;
} Header;

G_STATIC_ASSERT (sizeof (Header) == NP_BLOCK_HEADER);

#define BASE_BYTES 29u /* of a row in the columns that are always there */
#define GROW_BYTES (1u << 20)

static guint32
present_columns (const struct nprof_batch *src)
{
  return (src->value ? NPROF_HAS_VALUE : 0u) | (src->id ? NPROF_HAS_ID : 0u)
         | (src->parent ? NPROF_HAS_PARENT : 0u) | (src->flow ? NPROF_HAS_FLOW : 0u)
         | (src->shared ? NPROF_HAS_SHARED : 0u);
}

/* Returns the bytes of a row without attributes and without the bitmap of the values. */
static guint
row_bytes (guint32 present)
{
  guint wide = (present & NPROF_HAS_VALUE) + (present & NPROF_HAS_ID) / NPROF_HAS_ID
               + (present & NPROF_HAS_PARENT) / NPROF_HAS_PARENT
               + (present & NPROF_HAS_FLOW) / NPROF_HAS_FLOW;
  return BASE_BYTES + 8 * wide + (present & NPROF_HAS_SHARED ? 4 : 0)
         + (present & HAS_INPUTS ? 4 : 0);
}

static guint64
block_bytes (guint32 present, guint64 n, guint64 attrs, guint64 bytes)
{
  guint64 size = sizeof (Header) + n * row_bytes (present);
  if (present & NPROF_HAS_VALUE)
    size += (n + 7) / 8;
  if (present & HAS_ATTRS)
    size += (n + 1) * sizeof (guint32) + attrs * NP_ATTR_BYTES + bytes;
  return (size + 7) & ~(guint64) 7;
}

static void *
take_column (guint8 **at, guint64 bytes, gboolean is_there)
{
  guint8 *start = *at;
  if (!is_there)
    return NULL;
  *at += bytes;
  return start;
}

/* Lays out the columns of a block, widest first so that each is aligned. */
static guint32 *
lay_out (struct nprof_writer *w, guint8 *data, const Header *h)
{
  guint8 *at = data + sizeof *h;
  guint64 n = h->n_rows, has = h->present;
  w->start = take_column (&at, 8 * n, TRUE);
  w->duration = take_column (&at, 8 * n, TRUE);
  w->value = take_column (&at, 8 * n, has & NPROF_HAS_VALUE);
  w->id = take_column (&at, 8 * n, has & NPROF_HAS_ID);
  w->parent = take_column (&at, 8 * n, has & NPROF_HAS_PARENT);
  w->flow = take_column (&at, 8 * n, has & NPROF_HAS_FLOW);
  w->attr_value = take_column (&at, 8 * (guint64) h->n_attrs, has & HAS_ATTRS);
  w->track = take_column (&at, 4 * n, TRUE);
  w->name = take_column (&at, 4 * n, TRUE);
  w->category = take_column (&at, 4 * n, TRUE);
  w->shared = take_column (&at, 4 * n, has & NPROF_HAS_SHARED);
  guint32 *inputs = take_column (&at, 4 * n, (has & HAS_INPUTS) != 0);
  w->attr_at = take_column (&at, 4 * (n + 1), (has & HAS_ATTRS) != 0);
  w->attr_key = take_column (&at, 4 * (guint64) h->n_attrs, (has & HAS_ATTRS) != 0);
  w->kind = take_column (&at, n, TRUE);
  w->value_valid = take_column (&at, (n + 7) / 8, has & NPROF_HAS_VALUE);
  w->attr_type = take_column (&at, h->n_attrs, (has & HAS_ATTRS) != 0);
  w->bytes = take_column (&at, h->n_bytes, h->n_bytes != 0);
  return inputs;
}

static gboolean
reserve (NpPack *pack, guint64 bytes)
{
  if (bytes <= pack->size - pack->used)
    return TRUE;
  if (bytes > G_MAXSIZE / 2 - pack->used)
    return FALSE;
  gsize size = MAX (pack->used + (gsize) bytes, MIN (2 * pack->size, pack->size + GROW_BYTES));
  guint8 *data = g_try_realloc (pack->data, size);
  if (!data)
    return FALSE;
  pack->data = data;
  pack->size = size;
  return TRUE;
}

void
np_pack_clear (NpPack *pack)
{
  g_free (pack->data);
  memset (pack, 0, sizeof *pack);
}

gboolean
np_pack_add (NpPack *pack, const struct nprof_batch *src, guint from, guint n,
             const guint32 *inputs)
{
  guint64 attrs, bytes;
  np_rows_measure (src, from, n, &attrs, &bytes);
  if (attrs > G_MAXUINT32 || bytes > G_MAXUINT32)
    return FALSE;
  Header h = { .n_rows = n,
               .n_attrs = (guint32) attrs,
               .n_bytes = (guint32) bytes,
               .input = inputs ? inputs[0] : src->input,
               .present = present_columns (src) };
  h.present |= (attrs ? HAS_ATTRS : 0u) | (inputs ? HAS_INPUTS : 0u);
  h.size = block_bytes (h.present, n, attrs, bytes);
  if (!reserve (pack, h.size))
    return FALSE;

  guint8 *data = pack->data + pack->used;
  struct nprof_writer w = { 0 };
  guint32 *to_inputs = lay_out (&w, data, &h);
  memcpy (data, &h, sizeof h);
  if (inputs)
    memcpy (to_inputs, inputs, n * sizeof *inputs);
  if (w.value_valid)
    memset (w.value_valid, 0, (n + 7) / 8);
  if (w.attr_at)
    w.attr_at[0] = 0;
  np_rows_copy (&w, src, from, n);
  pack->used += h.size;
  return TRUE;
}

/* This is the room that rows of a batch take in a block. */
typedef struct {
  const struct nprof_batch *src;
  guint64 fixed, row; /* of the block, and of each row without its attributes */
} Fit;

static guint64
bytes_of (const Fit *fit, guint from, guint n)
{
  guint64 attrs, bytes;
  np_rows_measure (fit->src, from, n, &attrs, &bytes);
  return n * fit->row + attrs * NP_ATTR_BYTES + bytes;
}

/* Halves what may fit until it is known, for rows of which any number is measured at once. */
static guint
fit_plain (const Fit *fit, guint from, guint64 limit)
{
  guint fits = 1, most = fit->src->n_rows - from;
  while (fits < most) {
    guint n = most - (most - fits) / 2;
    if (fit->fixed + bytes_of (fit, from, n) <= limit)
      fits = n;
    else
      most = n - 1;
  }
  return fits;
}

guint
np_pack_fit (const struct nprof_batch *src, guint from, guint64 limit, guint64 *size)
{
  guint left = src->n_rows - from, n = 1;
  guint32 present = present_columns (src) | (src->attr_at ? HAS_ATTRS : 0u);
  Fit fit = { .src = src,
              .fixed = block_bytes (present, 0, 0, 0) + 8, /* 8: what rounding up may add */
              .row = row_bytes (present) + (src->value ? 1 : 0) + (src->attr_at ? 4 : 0) };
  if (np_rows_are_plain (src)) {
    n = fit_plain (&fit, from, limit);
    *size = fit.fixed + bytes_of (&fit, from, n);
    return n;
  }
  guint64 sum = fit.fixed + bytes_of (&fit, from, 1), one;
  for (; n < left && sum + (one = bytes_of (&fit, from + n, 1)) <= limit; n++)
    sum += one;
  *size = sum;
  return n;
}

NpBlock
np_block_of (const NpBatch *batch)
{
  return (NpBlock){ .rows = np_rows_of (batch),
                    .n_bytes = batch->writer.n_bytes,
                    .present = present_columns (&batch->view) };
}

guint64
np_block_size (const guint8 *header)
{
  Header h;
  memcpy (&h, header, sizeof h);
  return h.size;
}

void
np_block_open (const guint8 *data, NpBlock *block)
{
  Header h;
  struct nprof_writer w = { 0 };
  memcpy (&h, data, sizeof h);
  block->inputs = lay_out (&w, (guint8 *) data, &h);
  block->size = h.size;
  block->n_bytes = h.n_bytes;
  block->present = h.present & (HAS_ATTRS - 1);
  block->rows = (struct nprof_batch){ .size = sizeof block->rows,
                                      .n_rows = h.n_rows,
                                      .input = h.input,
                                      .n_attrs = h.n_attrs,
                                      .start = w.start,
                                      .duration = w.duration,
                                      .track = w.track,
                                      .name = w.name,
                                      .category = w.category,
                                      .kind = w.kind,
                                      .value = w.value,
                                      .value_valid = w.value_valid,
                                      .id = w.id,
                                      .parent = w.parent,
                                      .flow = w.flow,
                                      .shared = w.shared,
                                      .attr_at = w.attr_at,
                                      .attr_key = w.attr_key,
                                      .attr_type = w.attr_type,
                                      .attr_value = w.attr_value,
                                      .bytes = w.bytes };
}
