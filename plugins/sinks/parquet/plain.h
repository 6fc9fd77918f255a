/* SPDX-License-Identifier: Apache-2.0 */
/* plain.h - writes values in encoding PLAIN. format: parquet-format, Encodings.md, PLAIN */
#pragma once

#include "number.h"

/* Puts the values from..to of a column. */
void pq_put_plain (struct nprof_buf *to, const struct pq_values *v, size_t from, size_t to_value,
                   struct pq_texts texts);
/* Puts the entries of its dictionary. */
void pq_put_entries (struct nprof_buf *to, const struct pq_values *v, const struct pq_dict *dict,
                     struct pq_texts texts);
