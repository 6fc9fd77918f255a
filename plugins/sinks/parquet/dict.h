/* SPDX-License-Identifier: Apache-2.0 */
/* dict.h - numbers the distinct values of a column, in order of first appearance.  Values are
 * 64-bit keys; where a key is only a hash, the caller says what is equal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PQ_DICT_MAX (1u << 16) /* entries; beyond, a dictionary does not pay */
#define PQ_DICT_FULL UINT32_MAX

struct pq_dict {
  uint32_t *slots; /* 1 + entry; 0: free          */
  uint64_t *keys;  /* by entry                    */
  uint64_t *refs;  /* by entry: what the caller gave */
  uint32_t *known; /* by text of the column's own: 1 + entry; 0: not looked up yet */
  size_t n_known;  /* that it has room for        */
  uint32_t n, max; /* entries; and how many it may have */
  uint32_t mask;
  bool failed;     /* out of memory               */
};

/* Two refs of equal keys: the same value? */
typedef bool (*pq_dict_equal) (const void *user, uint64_t a, uint64_t b);

/* Empties it, for at most `max` entries (up to PQ_DICT_MAX); cleared memory is a new one. */
bool pq_dict_begin (struct pq_dict *dict, uint32_t max);
void pq_dict_clear (struct pq_dict *dict);
/* Makes `known` n zeros.  false: no memory. */
bool pq_dict_know (struct pq_dict *dict, size_t n);
/* The value's number, or PQ_DICT_FULL.  equal NULL: keys are the values. */
uint32_t pq_dict_add (struct pq_dict *dict, uint64_t key, uint64_t ref, pq_dict_equal equal,
                      const void *user);
uint64_t pq_hash_bytes (const void *data, size_t len);
