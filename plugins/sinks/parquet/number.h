/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - the values of a column as numbers of its dictionary. */
#pragma once

#include "dict.h"
#include "values.h"

struct pq_texts { /* how to see texts */
  pq_text_of of;
  const void *user;
};

/* ids: room for v->n.  false: too many are distinct, or there is no memory (dict->failed). */
bool pq_number (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v,
                struct pq_texts texts);
