/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the values of one column in one row group, as they are collected: dense, with a bitmap
 * of the rows that have one.  Values that many rows share are kept once a set (rows.h), as are the
 * entries of a map, whose columns have any number a row. */
#pragma once

#include "schema.h"

#include <nprof/format.h>

/* A text is one that somebody else keeps (ref below PQ_OWN_TEXT), or one of `own`. */
#define PQ_OWN_TEXT 0x80000000u

struct pq_text {
  const char *data;
  uint32_t len;
};

/* Returns the text of a ref below PQ_OWN_TEXT; it must stay until the row group is written.
 * [any-thread] */
typedef struct pq_text (*pq_text_of) (const void *user, uint32_t ref);

struct pq_span {
  size_t at;
  uint32_t len;
};

/* Rows with this set have this, unless they have a value of their own. */
struct pq_shared {
  uint64_t value; /* bits of a number, or a ref */
  uint32_t set;
};

struct pq_values {
  enum pq_kind kind;
  size_t n;                /* values                                            */
  struct nprof_buf data;   /* n * pq_width                                      */
  struct nprof_buf bits;   /* flat: of the rows; may be shorter than them       */
  struct nprof_buf shared; /* struct pq_shared, not of PQ_UUID                  */
  struct nprof_buf own;    /* texts of this column                              */
  struct nprof_buf spans;  /* struct pq_span: where they are                    */
  size_t uncounted;        /* bytes of texts that belong to sets                */
};

void pq_values_clear (struct pq_values *v); /* memory too */
void pq_values_empty (struct pq_values *v);
/* Returns what the rows' own values take.  It depends on handles which sets are the same one, so
 * what they take must not decide where a row group ends: rows.h counts them by the row. */
size_t pq_values_bytes (const struct pq_values *v);
bool pq_values_failed (const struct pq_values *v); /* for want of memory */
/* Makes the bitmap cover n rows; those beyond what was set have no value. */
bool pq_values_pad (struct pq_values *v, size_t n_rows);

static inline void *
pq_values_grow (struct pq_values *v, size_t n)
{
  size_t bytes = n * pq_width (v->kind);
  if (!nprof_buf_need (&v->data, bytes))
    return NULL;
  void *at = v->data.data + v->data.len;
  v->data.len += bytes;
  v->n += n;
  return at;
}

/* Returns room for one value of a flat column at `row`, which was not given one; NULL: no
 * memory. */
static inline void *
pq_values_add (struct pq_values *v, size_t row)
{
  if (row / 8 >= v->bits.len && !pq_values_pad (v, row + 1))
    return NULL;
  v->bits.data[row / 8] = (char) (v->bits.data[row / 8] | 1 << row % 8);
  return pq_values_grow (v, 1);
}

/* Returns room for n rows from `row`, all of which have a value. */
void *pq_values_add_all (struct pq_values *v, size_t row, size_t n);
/* Adds those of the n values of four or eight bytes that are not 0. */
void pq_values_add_present (struct pq_values *v, size_t row, const void *values, size_t n);
/* Returns a ref for a text that is copied. */
uint32_t pq_values_own (struct pq_values *v, const void *text, uint32_t len);
/* Sets the value of a set. */
void pq_values_share (struct pq_values *v, uint32_t set, uint64_t value);
/* Empties the buffer and keeps its memory for the next row group, but not what a long text has
 * taken. */
void pq_buf_empty (struct nprof_buf *buf);

static inline struct pq_text
pq_values_text (const struct pq_values *v, uint32_t ref, pq_text_of text_of, const void *user)
{
  if (ref < PQ_OWN_TEXT)
    return text_of (user, ref);
  const struct pq_span *span = (const struct pq_span *) v->spans.data + (ref - PQ_OWN_TEXT);
  return (struct pq_text){ span->len ? v->own.data + span->at : "", span->len };
}
