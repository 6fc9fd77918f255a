/* SPDX-License-Identifier: Apache-2.0 */
/* assemble.h - a column as the file has it: the rows' own values and those of their sets together,
 * as numbers of the dictionary where that is possible.  The value of a set is looked up once a row
 * group, not once a row. */
#pragma once

#include "number.h"
#include "rows.h"

struct pq_assembled {
  struct pq_values v; /* borrowed; data: see pq_assemble_values; texts of maps: `made`, or own */
  struct pq_texts texts;  /* to see its texts with                                      */
  bool numbered;          /* else there are too many distinct values                    */
  bool filled;            /* v.data is there                                            */
  bool spelled;           /* so are the texts                                           */
  struct nprof_buf ids;   /* uint32_t: entries of the dictionary                        */
  struct nprof_buf lists; /* maps: struct pq_list, of the rows that have entries        */
  struct nprof_buf spelling; /* struct pq_text, of the values: see pq_assemble_texts    */
  size_t text_bytes;      /* of all of them                                             */

  uint32_t expected;      /* entries of the dictionary: what the last row group had     */
  bool unnumbered;        /* no dictionary is to be tried                               */

  struct nprof_buf bits, data;
  struct nprof_buf of_set;           /* uint32_t: what is known of each set's value     */
  struct nprof_buf made, made_spans; /* texts of map values                             */
};

/* `dict` is begun anew.  `rows` is NULL, or at least as long as v, and padded. false: no memory. */
bool pq_assemble (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
                  const struct pq_rows *rows, size_t n_rows, struct pq_texts texts);
/* Makes the values of a column that was only numbered. false: no memory. */
bool pq_assemble_values (struct pq_assembled *w, const struct pq_dict *dict);
/* Looks up the text of each value, for encodings that write them; of a column whose values are
 * there.  false: no memory. */
bool pq_assemble_texts (struct pq_assembled *w);
void pq_assembled_clear (struct pq_assembled *w);

/* flat.c and map.c assemble, numbered or not; w->ids, v.n and bits or lists. false: no memory. */
bool pq_assemble_flat (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
                       const struct pq_rows *rows, size_t n_rows);
bool pq_assemble_map (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
                      size_t n_rows);
