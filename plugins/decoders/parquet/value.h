/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - what a leaf column holds, as types of nprof, and its values as text and JSON: dates,
 * times, decimals, bytes. format: apache/parquet-format, LogicalTypes.md */
#pragma once

#include "parquet/column.h"

#include <nprof/format.h>
#include <nprof/plugin.h>

typedef enum {
  AS_INT64,
  AS_UINT64,
  AS_DOUBLE,
  AS_BOOL,
  AS_STRING, /* text, or bytes: as text where they are UTF-8, else 0x and hex digits */
  AS_JSON,
  AS_ID128,
  AS_HALF,    /* double, from two bytes                                               */
  AS_DECIMAL, /* double, of at most 15 digits, which a double holds                   */
  AS_WRITTEN, /* date, time, timestamp, long decimal: made text                       */
  AS_NOTHING  /* all its values are null                                              */
} ValueAs;

typedef struct { /* one value */
  guint64 bits;  /* of numbers */
  PqText text;   /* of all else */
} Value;

ValueAs value_as (const PqNode *leaf);
guint value_type (ValueAs as); /* NPROF_INT64 ...: of an attribute or a column */
/* Reads a value of AS_HALF or AS_DECIMAL; FALSE: a decimal of more digits than its column says. */
gboolean value_double (const PqNode *leaf, const Value *v, double *to);
/* Puts any value as text for people. */
void value_put (struct nprof_buf *to, const PqNode *leaf, const Value *v);
/* Writes the value as JSON: numbers bare, JSON as it is, all else as a string. */
void value_put_json (struct nprof_buf *to, const PqNode *leaf, const Value *v);
gboolean value_is_utf8 (const PqText *text);
/* Returns whether it is one JSON value, whole. */
gboolean value_is_json (const PqText *text);

/* Reads a time as ps since 1970 (or since what its column counts from).  `per` is ps of the
 * column's unit where it does not tell it itself.  FALSE: it is no time. */
gboolean value_time (const PqNode *leaf, const Value *v, gint64 per, __int128 *ps);
/* Returns ps of the unit that the type of the column states; 0: it states none. */
gint64 value_unit (const PqNode *leaf);
