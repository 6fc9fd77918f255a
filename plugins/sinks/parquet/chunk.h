/* SPDX-License-Identifier: Apache-2.0 */
/* chunk.h - one column of one row group as the bytes of its pages, in the encoding that makes
 * them smallest, with what footer and indexes say about them. */
#pragma once

#include "assemble.h"
#include "codec.h"
#include "range.h"

#define PQ_PAGE_ROWS 131072u     /* a page has at most these rows   */
#define PQ_PAGE_BYTES (1u << 20) /* and ends when it has these bytes */

struct pq_page {
  size_t at, bytes;              /* in the chunk, with its header    */
  size_t first_row, nulls;
  bool all_null;
  struct pq_range range;
};

/* It says which encoding was found best, and of what: it is tried anew when the column has
 * changed. */
struct pq_choice {
  int encoding;
  unsigned trusted; /* row groups that go by it; 0: nothing was found yet */
  unsigned left;    /* of those                                          */
  bool numbered;
  size_t n;
  uint32_t entries;
};

#define PQ_CHOICES 4

struct pq_choices {
  struct pq_choice known[PQ_CHOICES];
  unsigned next; /* of them that is forgotten for another */
};

struct pq_chunk {
  struct nprof_buf bytes;
  size_t dict_bytes;             /* the page of the dictionary, which comes first; 0: none */
  size_t uncompressed;           /* headers too                      */
  size_t n_values, nulls;        /* values: nulls too                */
  int encoding;
  struct nprof_buf pages;        /* struct pq_page                   */
  struct pq_range range;
  bool unbounded;                /* some page has values without a range */
  struct pq_choices choices;     /* these stay when the chunk is written anew */
  uint32_t n_entries;            /* of the dictionary                    */
};

/* Encoding needs this, for one thread. */
struct pq_encoder {
  struct pq_codec codec;
  struct pq_texts texts;
  struct pq_dict dict;
  struct pq_assembled assembled;
  struct nprof_buf levels, body, scratch;
};

void pq_encoder_clear (struct pq_encoder *e);
/* Writes the chunk anew.  `rows` is NULL when no column has sets or is a map's. false: no
 * memory. */
bool pq_encode (struct pq_encoder *e, struct pq_values *v, const struct pq_rows *rows,
                size_t n_rows, struct pq_chunk *chunk);
void pq_chunk_clear (struct pq_chunk *chunk);

/* choose.c returns PQ_ENC_PLAIN, _DELTA, _LENGTHS or _DICT, by what a sample of e->whole takes when
 * compressed. */
int pq_choose (struct pq_encoder *e, struct pq_choices *choices);
/* Returns whether a dictionary of n values need not be tried, because it did not pay in the row
 * groups before. */
bool pq_is_plainly_not_numbered (const struct pq_choices *choices, size_t n);
