/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the values of one column in one row group, as they are collected: dense, with a
 * bitmap of the rows that have one.  A map's columns have any number a row. */
#pragma once

#include "schema.h"

#include <nprof/format.h>

/* A text that somebody else keeps (ref below PQ_OWN_TEXT), or one of `own`. */
#define PQ_OWN_TEXT 0x80000000u

struct pq_text {
  const char *data;
  uint32_t len;
};

/* The text of a ref below PQ_OWN_TEXT; it must stay until the row group is written.  [any-thread] */
typedef struct pq_text (*pq_text_of) (const void *user, uint32_t ref);

struct pq_span {
  size_t at;
  uint32_t len;
};

struct pq_values {
  enum pq_kind kind;
  size_t n;                /* values                                            */
  struct nprof_buf data;   /* n * pq_width                                      */
  struct nprof_buf bits;   /* flat: of the rows; may be shorter than them       */
  struct nprof_buf lists;  /* maps: struct pq_list, of the rows that have some  */
  struct nprof_buf own;    /* texts of this column                              */
  struct nprof_buf spans;  /* struct pq_span: where they are                    */
  size_t spared;           /* bytes that texts used again would have taken      */
};

struct pq_list {
  uint32_t row, n;
};

void pq_values_clear (struct pq_values *v); /* memory too */
void pq_values_empty (struct pq_values *v);
/* What the values take when each text of the column's own is kept for each value: which of them
 * are used again depends on handles, and must not decide where a row group ends. */
size_t pq_values_bytes (const struct pq_values *v);
bool pq_values_failed (const struct pq_values *v); /* for want of memory */
/* The bitmap covers n rows; those beyond what was set have no value. */
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

/* Room for one value of a flat column at `row`, which was not given one; NULL: no memory. */
static inline void *
pq_values_add (struct pq_values *v, size_t row)
{
  if (row / 8 >= v->bits.len && !pq_values_pad (v, row + 1))
    return NULL;
  v->bits.data[row / 8] = (char) (v->bits.data[row / 8] | 1 << row % 8);
  return pq_values_grow (v, 1);
}

/* The same for n rows from `row`, all of which have one. */
void *pq_values_add_all (struct pq_values *v, size_t row, size_t n);
/* An entry of a map at `row`; its value goes to the other column in the same way. */
void *pq_values_add_entry (struct pq_values *v, size_t row);
/* A ref for a text that is copied. */
uint32_t pq_values_own (struct pq_values *v, const void *text, uint32_t len);
/* The text of this ref is used once more. */
void pq_values_again (struct pq_values *v, uint32_t ref);

static inline struct pq_text
pq_values_text (const struct pq_values *v, uint32_t ref, pq_text_of text_of, const void *user)
{
  if (ref < PQ_OWN_TEXT)
    return text_of (user, ref);
  const struct pq_span *span = (const struct pq_span *) v->spans.data + (ref - PQ_OWN_TEXT);
  return (struct pq_text){ span->len ? v->own.data + span->at : "", span->len };
}
