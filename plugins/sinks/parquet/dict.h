/* SPDX-License-Identifier: Apache-2.0 */
/* dict.h - numbers the distinct values of a column, in order of first appearance.  Values are
 * 64-bit keys; where a key is only a hash, the caller says what is equal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PQ_DICT_MAX (1u << 16) /* entries; beyond, a dictionary does not pay */
#define PQ_DICT_FULL UINT32_MAX

struct pq_slot {
  uint32_t entry; /* 1 + entry; 0: free      */
  uint32_t tag;   /* of its key: a first look */
};

/* It begins small and grows, so that the many columns with few values stay in the fastest cache. */
struct pq_dict {
  struct pq_slot *slots;
  uint64_t *keys;  /* by entry                       */
  uint64_t *refs;  /* by entry: what the caller gave */
  uint32_t n, max; /* entries; and how many it may have */
  unsigned bits;   /* of the number of slots in use  */
  uint32_t n_slots, n_room; /* that there is memory for: slots, entries */
  uint32_t *of_handle; /* n_handles: see pq_dict_handles */
  uint32_t n_handles;
  bool failed;     /* out of memory                  */
};

/* Returns whether two refs that differ, of equal keys, are the same value. */
typedef bool (*pq_dict_equal) (const void *user, uint64_t a, uint64_t b);

/* Empties it, for at most `max` entries (up to PQ_DICT_MAX), with room for those expected; cleared
 * memory is a new one. */
bool pq_dict_begin (struct pq_dict *dict, uint32_t max, uint32_t expected);
void pq_dict_clear (struct pq_dict *dict);
/* Appends a value that is new, whose slot is not there yet.  Returns its number, or
 * PQ_DICT_FULL. */
uint32_t pq_dict_append (struct pq_dict *dict, uint64_t key, uint64_t ref);
/* Returns an array of n numbers, all PQ_DICT_FULL, for a caller whose values are handles that lie
 * close together; it stays until the next call.  NULL: no memory. */
uint32_t *pq_dict_handles (struct pq_dict *dict, uint32_t n);
uint64_t pq_hash_bytes (const void *data, size_t len);

/* Hashes by multiplication, which spreads low bits upwards. */
static inline uint64_t
pq_dict_hash (uint64_t key)
{
  return key * UINT64_C (0x9e3779b97f4a7c15);
}

/* Returns the value's number, or PQ_DICT_FULL.  NULL as `equal`: keys are the values. */
static inline uint32_t
pq_dict_add (struct pq_dict *dict, uint64_t key, uint64_t ref, pq_dict_equal equal,
             const void *user)
{
  uint64_t hash = pq_dict_hash (key);
  uint32_t mask = (UINT32_C (1) << dict->bits) - 1;
  for (uint32_t at = (uint32_t) (hash >> (64 - dict->bits));; at = (at + 1) & mask) {
    struct pq_slot slot = dict->slots[at];
    if (!slot.entry)
      return pq_dict_append (dict, key, ref);
    if (slot.tag == (uint32_t) hash && dict->keys[slot.entry - 1] == key
        && (!equal || dict->refs[slot.entry - 1] == ref
            || equal (user, dict->refs[slot.entry - 1], ref)))
      return slot.entry - 1;
  }
}

/* Prefetches the slot of a value that is looked up soon. */
static inline void
pq_dict_prefetch (const struct pq_dict *dict, uint64_t key)
{
  __builtin_prefetch (dict->slots + (pq_dict_hash (key) >> (64 - dict->bits)));
}
