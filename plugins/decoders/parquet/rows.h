/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - the work on a row group, slice by slice: rows-slice.c fills the columns of a batch that
 * all rows have, attributes.c the attributes. */
#pragma once

#include "parquet.h"

#include <nprof/sdk.h>

#define SLICE 4096u

typedef struct { /* an attribute that a nested column gave */
  guint row;     /* of the slice */
  nprof_str key;
  guint type;
  guint64 bits;  /* of what is no text */
  gsize at, len; /* of what is: in Rows.json */
} Entry;

typedef struct { /* what the JSON of a map's value is: once an entry of a dictionary */
  guint type;    /* NPROF_NULL: not looked at yet */
  guint64 bits;  /* a number, a bool, or a string */
} Known;

typedef struct {
  Cursor cursor; /* of a flat column */
  Nested nested; /* of another */
  gboolean wanted, open;
  Known *values; /* of a map: by code of the value */
  gsize n_values;
} Column;

typedef struct {
  Parquet *p;
  const struct nprof_host *host;
  const Part *part;
  Source *s;
  struct nprof_writer *w;
  Column *columns;        /* one a field */
  int by[FIELD_REST + 1]; /* the field with that role; -1: none */
  nprof_str flow_phase;
  gboolean facts;         /* there may be rows that are facts */

  gsize n;           /* rows of the slice */
  guint first;       /* its first row in the batch */
  gint32 *row_of;    /* SLICE: the row in the batch; -1: dropped */
  guint32 *count;    /* SLICE: attributes; then where the next one goes */
  guint64 *scratch;  /* SLICE */
  GArray *entries;   /* of Entry, column by column */
  gsize *entries_at; /* by field: where they begin */
  struct nprof_buf json, one;
  GHashTable *keys; /* nprof_str -> wanted + 1 */
  nprof_track last_track;
  guint64 last_number;
  GHashTable *tracks; /* of paths: text -> nprof_track */
  GArray *ends;       /* of a folder of Neuron: rows of flows, behind all others */

  struct nprof_writer before; /* how much the batch held before the slice */
  PqFail fail;
} Rows;

#define ROWS_LOST                                                                                  \
  1 /* a status: what follows in the row group cannot be read, and the run goes on */

/* Puts all attributes of the slice. */
nprof_status attributes_put (Rows *r);
/* Opens the columns of attributes that somebody reads. */
void attributes_begin (Rows *r);
/* Says that a field could not be read; ROWS_LOST where the run goes on without these rows. */
nprof_status rows_fail (Rows *r, guint field);

/* rows-columns.c reads the values of the slice's n rows; `missing` is what a null becomes. */
Cursor *rows_cursor_by (Rows *r, FieldRole role);
void rows_fill_bits (const Cursor *c, gsize n, guint64 missing, guint64 *to);
void rows_fill_strings (Cursor *c, gsize n, nprof_str missing, nprof_str *to);
void rows_fill_ids (const Rows *r, const Cursor *c, gsize n, guint64 *to);
double rows_double_of (Rows *r, const PqNode *node, const Value *v);
void rows_fill_doubles (Rows *r, const Cursor *c, gsize n);

/* rows-times.c: a row whose time cannot be used is dropped, and counted; rows_drop returns
 * FALSE. */
gboolean rows_drop (Rows *r, gsize k, const Cursor *c, const char *what, const char *why);
nprof_status rows_time_fails (Rows *r, const Cursor *c, FieldRole role);
nprof_status rows_fill_starts (Rows *r);
nprof_status rows_fill_durations (Rows *r);
nprof_status rows_fill_ends (Rows *r);

/* rows-tracks.c: returns FALSE when there was no memory for a track. */
void rows_fill_kinds (Rows *r);
gboolean rows_fill_numbered (Rows *r);
void rows_fill_labelled (Rows *r);
void rows_fill_paths (Rows *r);

/* rows-slice.c: rows_next_slice puts one and takes its rows from `left`; rows_slice_rows says how
 * many fit. */
nprof_status rows_no_memory (const Rows *r);
nprof_status rows_fill (Rows *r);
void rows_set_bit (guint8 *bits, guint i, gboolean on);
void rows_advance (Rows *r);
gsize rows_slice_rows (Rows *r, gint64 left, gint *failed);
nprof_status rows_next_slice (Rows *r, gint64 *left);
