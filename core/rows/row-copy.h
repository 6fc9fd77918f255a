/* SPDX-License-Identifier: Apache-2.0 */
/* row-copy.h - copying ranges of rows, column by column, from a batch to anything that has
 * the columns of a writer. */
#pragma once

#include "rows/batch.h"

#define NP_ATTR_BYTES 13u /* of an own attribute: key, type, value */

/* Returns whether a value of this type lies in `bytes`. */
static inline gboolean
np_type_in_bytes (guint8 type)
{
  return type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

/* Returns the rows of a sealed batch for copying: with `bytes` only when there are some, which
 * saves looking, and with kinds that say which rows are hidden. */
static inline struct nprof_batch
np_rows_of (const NpBatch *batch)
{
  struct nprof_batch rows = batch->view;
  if (batch->hidden)
    rows.kind = batch->hidden->kind;
  if (batch->writer.n_bytes == 0)
    rows.bytes = NULL;
  return rows;
}

/* Returns whether attributes are counted without a look at each of them. */
static inline gboolean
np_rows_are_plain (const struct nprof_batch *src)
{
  return !src->attr_at || !src->bytes;
}

/* Does np_rows_measure for rows that are not plain. */
void np_rows_measure_each (const struct nprof_batch *src, guint from, guint n, guint64 *attrs,
                           guint64 *bytes);
/* Measures how many attributes and bytes the rows from .. from + n have. */
static inline void
np_rows_measure (const struct nprof_batch *src, guint from, guint n, guint64 *attrs, guint64 *bytes)
{
  *attrs = *bytes = 0;
  if (!np_rows_are_plain (src))
    np_rows_measure_each (src, from, n, attrs, bytes);
  else if (src->attr_at)
    *attrs = src->attr_at[from + n] - src->attr_at[from];
}

/* Appends these rows to a writer that has the room.  Optional columns that src lacks, and
 * attr_at where no row has attributes, may be NULL in the writer. */
void np_rows_copy (struct nprof_writer *w, const struct nprof_batch *src, guint from, guint n);
/* Appends the own attributes of a row of src, which has some columns for them, as those of row
 * `to`, the last so far. */
void np_rows_copy_own (struct nprof_writer *w, const struct nprof_batch *src, guint row, guint to);
/* Appends the bytes of attribute j, whose value still points into src. */
void np_rows_move_bytes (struct nprof_writer *w, guint j, const char *src);
/* Appends these rows to a batch that has room for them; attributes get their room here.
 * NPROF_E_NOMEM; NPROF_E_CONTRACT when there is no room for the rows. */
nprof_status np_rows_append (NpBatch *dst, const struct nprof_batch *src, guint from, guint n);
