/* SPDX-License-Identifier: Apache-2.0 */
/* column.h - reads one column of one row group, a page at a time: levels, and the values that are
 * there.  The bytes may be anything; it knows nothing of nprof. */
#pragma once

#include "encodings.h"
#include "footer.h"

typedef struct { /* what is wrong, and where; cleared: nothing                       */
  guint64 at;    /* byte of the file                                                 */
  char *why;     /* owned                                                            */
  gboolean no_memory;
} PqFail;

/* The values that are there lie densely.  Numbers (and booleans) are `bits`: 64-bit integers, sign-
 * or zero-extended, or doubles.  All else is `text`: byte arrays, fixed ones, INT96. */
typedef struct {
  gsize n;
  guint64 *bits;
  PqText *text;
} PqValues;

typedef struct {
  guint64 at;          /* byte of its header                                               */
  gsize n;             /* values, nulls too                                                */
  const guint8 *def;   /* n levels; NULL: each value is there                              */
  const guint8 *rep;   /* n levels; NULL: all 0                                            */
  const guint32 *code; /* of texts: places in the dictionary instead; NULL: they are in values */
  gboolean one_code;   /* all are code[0]                                                  */
  PqValues values;     /* n: how many are there, also with codes                           */
} PqPage;

typedef struct PqColumn PqColumn;

/* data .. data + end is the file up to its footer, with at least PQ_SLACK bytes behind it; all must
 * stay.  Never returns NULL. */
PqColumn *pq_column_new (const guint8 *data, guint64 end, const PqLeaf *leaf, const PqChunk *chunk);
void pq_column_free (PqColumn *column);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PqColumn, pq_column_free)

/* Reads the next page with values; valid until the next call.  FALSE: the column is at its end
 * (*page is cleared), or *fail says what is wrong. */
gboolean pq_column_next (PqColumn *column, PqPage *page, PqFail *fail);
/* The dictionary of texts is the same for all pages of a column and known after the first page with
 * codes. */
const PqValues *pq_column_dictionary (const PqColumn *column);
/* Returns where the column ends. */
guint64 pq_column_end (const PqColumn *column);
