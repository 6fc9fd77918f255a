/* SPDX-License-Identifier: Apache-2.0 */
/* dict.c - a hash table of 64-bit keys with open addressing. */
#include "dict.h"

#include <stdlib.h>
#include <string.h>

bool
pq_dict_begin (struct pq_dict *dict, uint32_t max)
{
  uint32_t slots = 64;
  max = max > PQ_DICT_MAX ? PQ_DICT_MAX : max;
  if (!dict->slots && !dict->failed) {
    dict->slots = malloc (2 * PQ_DICT_MAX * sizeof *dict->slots);
    dict->keys = malloc (PQ_DICT_MAX * sizeof *dict->keys);
    dict->refs = malloc (PQ_DICT_MAX * sizeof *dict->refs);
    dict->failed = !dict->slots || !dict->keys || !dict->refs;
  }
  if (dict->failed)
    return false;
  while (slots < 2 * max)
    slots *= 2;
  memset (dict->slots, 0, slots * sizeof *dict->slots);
  dict->mask = slots - 1;
  dict->n = 0;
  dict->max = max;
  return true;
}

void
pq_dict_clear (struct pq_dict *dict)
{
  free (dict->slots);
  free (dict->keys);
  free (dict->refs);
  free (dict->known);
  memset (dict, 0, sizeof *dict);
}

bool
pq_dict_know (struct pq_dict *dict, size_t n)
{
  if (n > dict->n_known) {
    free (dict->known);
    dict->known = malloc (n * sizeof *dict->known);
    dict->n_known = dict->known ? n : 0;
    dict->failed |= !dict->known;
  }
  if (n && dict->known)
    memset (dict->known, 0, n * sizeof *dict->known);
  return !dict->failed;
}

/* Multiplication spreads low bits upwards, so the slot is taken from above. */
static inline uint32_t
slot_of (uint64_t key)
{
  return (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 40);
}

uint32_t
pq_dict_add (struct pq_dict *dict, uint64_t key, uint64_t ref, pq_dict_equal equal,
             const void *user)
{
  for (uint32_t at = slot_of (key);; at++) {
    uint32_t *slot = dict->slots + (at & dict->mask);
    uint32_t entry = *slot - 1;
    if (!*slot) {
      if (dict->n == dict->max)
        return PQ_DICT_FULL;
      dict->keys[dict->n] = key;
      dict->refs[dict->n] = ref;
      *slot = ++dict->n;
      return dict->n - 1;
    }
    if (dict->keys[entry] == key && (!equal || equal (user, dict->refs[entry], ref)))
      return entry;
  }
}

/* 8 bytes a step; collisions cost time, never a wrong value. */
uint64_t
pq_hash_bytes (const void *data, size_t len)
{
  const uint8_t *at = data;
  uint64_t h = len * UINT64_C (0x9e3779b97f4a7c15), word;
  for (; len >= 8; len -= 8, at += 8) {
    memcpy (&word, at, 8);
    h = (h ^ word) * UINT64_C (0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  word = 0;
  memcpy (&word, at, len);
  h = (h ^ word) * UINT64_C (0xc4ceb9fe1a85ec53);
  return h ^ h >> 29;
}
