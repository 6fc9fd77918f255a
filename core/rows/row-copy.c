/* SPDX-License-Identifier: Apache-2.0 */
/* row-copy.c - copies ranges of rows column by column; spool, sorter and row filter decide which
 * rows, and where to. */

#include "rows/row-copy.h"

#include <string.h>

void
np_rows_measure_each (const struct nprof_batch *src, guint from, guint n, guint64 *attrs,
                      guint64 *bytes)
{
  guint first = src->attr_at[from], end = src->attr_at[from + n];
  *attrs = end - first;
  for (guint j = first; j < end; j++)
    if (np_type_in_bytes (src->attr_type[j]))
      *bytes += src->attr_value[j].bytes.len;
}

static void
copy_bits (guint8 *dst, guint at, const guint8 *src, guint from, guint n)
{
  guint i = 0;
  if ((at & 7) == 0 && (from & 7) == 0) {
    memcpy (dst + at / 8, src + from / 8, n / 8);
    i = n & ~7u;
  }
  for (; i < n; i++)
    if (src[(from + i) >> 3] >> ((from + i) & 7) & 1)
      dst[(at + i) >> 3] = (guint8) (dst[(at + i) >> 3] | 1u << ((at + i) & 7));
}

static gboolean
any_bit (const guint8 *bits, guint from, guint n)
{
  for (guint i = from; i < from + n; i++)
    if (bits[i >> 3] >> (i & 7) & 1)
      return TRUE;
  return FALSE;
}

static void
copy_values (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  guint at = w->n_rows;
  if (!any_bit (src->value_valid, from, n)) {
    memset (w->value + at, 0, n * sizeof *w->value);
    return;
  }
  memcpy (w->value + at, src->value + from, n * sizeof *w->value);
  copy_bits (w->value_valid, at, src->value_valid, from, n);
  w->present |= NPROF_HAS_VALUE;
}

/* An optional column is there only when some row has a value in it. */
static void
note_wide (struct nprof_writer *w, const uint64_t *src, guint n, guint32 column)
{
  for (guint i = 0; i < n && !(w->present & column); i++)
    w->present |= src[i] ? column : 0;
}

static void
copy_wide (struct nprof_writer *w, uint64_t *dst, const uint64_t *src, guint n, guint32 column)
{
  note_wide (w, src, n, column);
  memcpy (dst, src, n * sizeof *dst);
}

static void
copy_shared (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  for (guint i = 0; i < n && !(w->present & NPROF_HAS_SHARED); i++)
    w->present |= src->shared[from + i] ? NPROF_HAS_SHARED : 0;
  memcpy (w->shared + w->n_rows, src->shared + from, n * sizeof *w->shared);
}

static void
copy_optional (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  guint at = w->n_rows;
  if (src->value)
    copy_values (w, src, from, n);
  if (src->id)
    copy_wide (w, w->id + at, src->id + from, n, NPROF_HAS_ID);
  if (src->parent)
    copy_wide (w, w->parent + at, src->parent + from, n, NPROF_HAS_PARENT);
  if (src->flow)
    copy_wide (w, w->flow + at, src->flow + from, n, NPROF_HAS_FLOW);
  if (src->shared)
    copy_shared (w, src, from, n);
}

void
np_rows_move_bytes (struct nprof_writer *w, guint j, const char *src)
{
  guint len = w->attr_value[j].bytes.len;
  if (len)
    memcpy (w->bytes + w->n_bytes, src + w->attr_value[j].bytes.at, len);
  w->attr_value[j].bytes.at = w->n_bytes;
  w->n_bytes += len;
}

/* A loop copies the few attributes of one row, because calls of memcpy cost more.  It holds what it
 * reads in variables: as far as compilers know, a type is stored over any of it. */
void
np_rows_copy_own (struct nprof_writer *w, const struct nprof_batch *src, guint row, guint to)
{
  const guint from = src->attr_at[row], n = src->attr_at[row + 1] - from, at = w->n_attrs;
  const nprof_str *from_key = src->attr_key + from;
  const uint8_t *from_type = src->attr_type + from;
  const nprof_value *from_value = src->attr_value + from;
  nprof_str *key = w->attr_key + at;
  uint8_t *type = w->attr_type + at;
  nprof_value *value = w->attr_value + at;
  for (guint j = 0; j < n; j++) {
    key[j] = from_key[j];
    type[j] = from_type[j];
    value[j] = from_value[j];
  }
  for (guint j = 0; src->bytes && j < n; j++)
    if (np_type_in_bytes (type[j]))
      np_rows_move_bytes (w, at + j, src->bytes);
  w->attr_at[to + 1] = w->n_attrs = at + n;
}

static void
copy_all_attrs (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  guint first = src->attr_at[from], count = src->attr_at[from + n] - first, at = w->n_attrs;
  for (guint i = 1; i <= n; i++)
    w->attr_at[w->n_rows + i] = src->attr_at[from + i] - first + at;
  if (!count)
    return;
  memcpy (w->attr_key + at, src->attr_key + first, count * sizeof *w->attr_key);
  memcpy (w->attr_type + at, src->attr_type + first, count * sizeof *w->attr_type);
  memcpy (w->attr_value + at, src->attr_value + first, count * sizeof *w->attr_value);
  w->n_attrs += count;
  if (src->bytes)
    for (guint j = at; j < at + count; j++)
      if (np_type_in_bytes (w->attr_type[j]))
        np_rows_move_bytes (w, j, src->bytes);
}

static void
copy_attrs (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  if (!w->attr_at)
    return;
  if (!src->attr_at)
    for (guint i = 1; i <= n; i++)
      w->attr_at[w->n_rows + i] = w->n_attrs;
  else if (n == 1)
    np_rows_copy_own (w, src, from, w->n_rows);
  else
    copy_all_attrs (w, src, from, n);
}

/* A loop copies a single value, because a call of memcpy costs more. */
static void
copy_base_of_one (struct nprof_writer *w, const struct nprof_batch *src, guint i)
{
  guint at = w->n_rows;
  w->start[at] = src->start[i];
  w->duration[at] = src->duration[i];
  w->track[at] = src->track[i];
  w->name[at] = src->name[i];
  w->category[at] = src->category[i];
  w->kind[at] = src->kind[i];
}

static void
copy_base (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  guint at = w->n_rows;
  memcpy (w->start + at, src->start + from, n * sizeof *w->start);
  memcpy (w->duration + at, src->duration + from, n * sizeof *w->duration);
  memcpy (w->track + at, src->track + from, n * sizeof *w->track);
  memcpy (w->name + at, src->name + from, n * sizeof *w->name);
  memcpy (w->category + at, src->category + from, n * sizeof *w->category);
  memcpy (w->kind + at, src->kind + from, n * sizeof *w->kind);
}

void
np_rows_copy (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n)
{
  if (n == 1)
    copy_base_of_one (w, src, from);
  else
    copy_base (w, src, from, n);
  copy_optional (w, src, from, n);
  copy_attrs (w, src, from, n);
  w->n_rows += n;
}

nprof_status
np_rows_append (NpBatch *dst, const struct nprof_batch *src, guint from, guint n)
{
  struct nprof_writer *w = &dst->writer;
  guint64 attrs, bytes;
  if (n > w->max_rows - w->n_rows)
    return NPROF_E_CONTRACT;
  np_rows_measure (src, from, n, &attrs, &bytes);
  if (attrs > G_MAXUINT32 - w->n_attrs || bytes > G_MAXUINT32 - w->n_bytes)
    return NPROF_E_NOMEM;
  if (attrs > w->max_attrs - w->n_attrs || bytes > w->max_bytes - w->n_bytes) {
    nprof_status status = np_batch_grow (dst, (guint) attrs, (guint) bytes);
    if (status)
      return status;
  }
  np_rows_copy (w, src, from, n);
  return NPROF_OK;
}
