/* SPDX-License-Identifier: Apache-2.0 */
/* range.h - the least and the greatest value of a page or a column chunk, as statistics hold
 * them: plain bytes, long texts cut to a bound.
 * format: parquet.thrift, Statistics, ColumnOrder TYPE_ORDER */
#pragma once

#include "values.h"

#define PQ_RANGE_BYTES 64

struct pq_bound {
  uint8_t data[PQ_RANGE_BYTES];
  uint8_t len;
  bool exact;
};

struct pq_range {
  bool known; /* false: no value, or none that can be compared (NaN) */
  struct pq_bound min, max;
};

/* Finds the range of the values from..to of a column that is no text. */
void pq_range_of (struct pq_range *range, const struct pq_values *v, size_t from, size_t to);
/* It finds the range of texts, one after the other: begin, add each, end. */
struct pq_text_range {
  bool any;
  struct pq_text min, max;
  uint64_t min_head, max_head;
};
void pq_text_range_add (struct pq_text_range *r, struct pq_text text);
void pq_text_range_end (const struct pq_text_range *r, struct pq_range *range);
/* Makes `all` cover `one` as well. */
void pq_range_merge (struct pq_range *all, const struct pq_range *one, enum pq_kind kind);
/* Returns < 0, 0, > 0 by the order of the column; the bounds are of known ranges. */
int pq_bound_compare (const struct pq_bound *a, const struct pq_bound *b, enum pq_kind kind);
