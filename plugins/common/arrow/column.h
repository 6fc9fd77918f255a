/* SPDX-License-Identifier: Apache-2.0 */
/* column.h - a column of Arrow that grows row by row, and becomes an array that owns its
 * memory: a value is copied once, from where it was decoded to where the reader of the array finds
 * it. */
#pragma once

#include "arrow/build.h"

#include <nprof/format.h>
#include <nprof/plugin.h>

typedef struct {
  const char *format;  /* of Arrow; of the indices when it is a dictionary.  Static             */
  char *name;          /* owned                                                                 */
  gboolean nullable, dictionary;
  gint64 length, null_count;
  gsize capacity;      /* rows                                                                  */
  guint8 *valid;       /* bits; NULL while nothing is null                                      */
  gboolean failed;     /* there was no memory for them                                          */
  guint8 *data;        /* values, bits of truths, indices, or the ends of texts                 */
  struct nprof_buf text;
  guint32 *slots;      /* by handle: 1 + the index of a string in the dictionary; 0: not there  */
  guint32 n_slots, n_entries, max_entries;
  nprof_str *entries;  /* the dictionary                                                        */
} NpArrowColumn;

void np_arrow_column_init (NpArrowColumn *column, const char *format, const char *name,
                           gboolean nullable, gboolean dictionary);
void np_arrow_column_clear (NpArrowColumn *column);
gboolean np_arrow_column_schema (const NpArrowColumn *column, struct ArrowSchema *out);

/* Makes room for this many more rows; FALSE: no memory.  Each row is then put by one of the calls
 * below, of the column's type. */
gboolean np_arrow_column_reserve (NpArrowColumn *column, guint rows);
/* Adds the string to the dictionary when it is new; FALSE: no memory. */
gboolean np_arrow_column_put_string (NpArrowColumn *column, nprof_str string);
/* Puts n rows; string 0 is null where the column may be.  FALSE: no memory. */
gboolean np_arrow_column_put_strings (NpArrowColumn *column, const nprof_str *strings, guint n);
void np_arrow_column_put_null (NpArrowColumn *column);

/* Moves the rows into an array; the column is empty then.  The host knows the strings.  FALSE: no
 * memory, or more than 2 GB of text in a dictionary. */
gboolean np_arrow_column_take (NpArrowColumn *column, const struct nprof_host *host,
                               struct ArrowArray *out);

/* Counts a row whose value was written. */
static inline void
np_arrow_column_put_valid (NpArrowColumn *column)
{
  if (column->valid)
    np_bit_set (column->valid, (gsize) column->length);
  column->length++;
}

static inline void
np_arrow_column_put_64 (NpArrowColumn *column, guint64 bits)
{
  ((guint64 *) (void *) column->data)[column->length] = bits;
  np_arrow_column_put_valid (column);
}

static inline void
np_arrow_column_put_32 (NpArrowColumn *column, guint32 bits)
{
  ((guint32 *) (void *) column->data)[column->length] = bits;
  np_arrow_column_put_valid (column);
}

static inline void
np_arrow_column_put_bool (NpArrowColumn *column, gboolean value)
{
  if (value)
    np_bit_set (column->data, (gsize) column->length);
  np_arrow_column_put_valid (column);
}

/* Ends the text that was put into column->text. */
static inline void
np_arrow_column_put_text (NpArrowColumn *column)
{
  ((gint64 *) (void *) column->data)[column->length + 1] = (gint64) column->text.len;
  np_arrow_column_put_valid (column);
}
