/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - turns the values of a column into numbers of its dictionary. */
#pragma once

#include "dict.h"
#include "values.h"

struct pq_texts { /* how to see texts, and [any-thread] to make one of a map's value */
  pq_text_of of;
  const void *user;
  void (*put) (const void *user, struct nprof_buf *to, uint32_t how, uint64_t value);
};

/* After so many values of which most are distinct, the others are not looked at. */
#define PQ_EARLY 4096

static inline bool
pq_hopeless (const struct pq_dict *dict, size_t seen)
{
  return seen == PQ_EARLY && dict->n > PQ_EARLY / 4 * 3;
}

/* Begins a dictionary for n values, of which so many distinct ones are expected. */
bool pq_number_begin (struct pq_dict *dict, size_t n, uint32_t expected);
/* `ids` has room for v->n. false: too many are distinct, or there is no memory (dict->failed). */
bool pq_number (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v,
                struct pq_texts texts);
/* Returns the number of one text, or PQ_DICT_FULL. */
uint32_t pq_number_text (struct pq_dict *dict, uint32_t ref, const struct pq_values *v,
                         struct pq_texts texts);
