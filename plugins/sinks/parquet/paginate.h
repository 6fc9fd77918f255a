/* SPDX-License-Identifier: Apache-2.0 */
/* paginate.h - decides where the pages of a column begin and end, and the levels of each: which
 * rows have a value, and where lists begin. */
#pragma once

#include "chunk.h"

/* This is a part of a column: rows, and the values and lists (of a map) that they have. */
struct pq_page_range {
  size_t row, n_rows;
  size_t value, n_values;
  size_t list, n_lists;
  size_t bytes; /* about what it takes */
};

/* Finds the part behind this one, of e->whole; cleared memory lies before the first. */
void pq_next_page_range (const struct pq_encoder *e, size_t n_rows, int encoding,
                         struct pq_page_range *c);
/* Appends its levels to e->body.  Returns their number. */
size_t pq_put_levels (struct pq_encoder *e, const struct pq_page_range *c);
