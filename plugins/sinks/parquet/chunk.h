/* SPDX-License-Identifier: Apache-2.0 */
/* chunk.h - one column of one row group as the bytes of its pages, in the encoding that makes
 * them smallest, with what footer and indexes say about them. */
#pragma once

#include "codec.h"
#include "number.h"
#include "range.h"

#define PQ_PAGE_ROWS 131072u     /* a page has at most these rows   */
#define PQ_PAGE_BYTES (1u << 20) /* and ends when it has these bytes */

struct pq_page {
  size_t at, bytes;              /* in the chunk, with its header    */
  size_t first_row, nulls;
  bool all_null;
  struct pq_range range;
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
};

/* What encoding needs, for one thread. */
struct pq_encoder {
  struct pq_codec codec;
  struct pq_texts texts;
  struct pq_dict dict;
  struct nprof_buf ids, levels, body, scratch;
};

void pq_encoder_clear (struct pq_encoder *e);
/* Writes the chunk anew.  false: no memory. */
bool pq_encode (struct pq_encoder *e, struct pq_values *v, size_t n_rows, struct pq_chunk *chunk);
void pq_chunk_clear (struct pq_chunk *chunk);

/* choose.c: PQ_ENC_PLAIN, _DELTA or _DICT, by what a sample of them takes when compressed.
 * numbered: e->ids and e->dict hold the dictionary. */
int pq_choose (struct pq_encoder *e, const struct pq_values *v, bool numbered);
