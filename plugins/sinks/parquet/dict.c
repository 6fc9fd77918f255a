/* SPDX-License-Identifier: Apache-2.0 */
/* dict.c - a hash table of 64-bit keys with open addressing, at most half full. */
#include "dict.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 9

/* Makes room for so many slots and half as many entries. */
static bool
reserve (struct pq_dict *dict, uint32_t slots)
{
  uint32_t room = slots / 2;
  if (slots > dict->n_slots) {
    free (dict->slots);
    dict->slots = malloc (slots * sizeof *dict->slots);
    dict->n_slots = dict->slots ? slots : 0;
  }
  if (room > dict->n_room) {
    uint64_t *keys = realloc (dict->keys, room * sizeof *keys);
    dict->keys = keys ? keys : dict->keys;
    uint64_t *refs = keys ? realloc (dict->refs, room * sizeof *refs) : NULL;
    dict->refs = refs ? refs : dict->refs;
    dict->n_room = refs ? room : dict->n_room;
  }
  dict->failed |= slots > dict->n_slots || room > dict->n_room;
  return !dict->failed;
}

static void
put_slot (struct pq_dict *dict, uint32_t entry)
{
  uint64_t hash = pq_dict_hash (dict->keys[entry]);
  uint32_t mask = (UINT32_C (1) << dict->bits) - 1, at = (uint32_t) (hash >> (64 - dict->bits));
  while (dict->slots[at].entry)
    at = (at + 1) & mask;
  dict->slots[at] = (struct pq_slot){ entry + 1, (uint32_t) hash };
}

static bool
use_bits (struct pq_dict *dict, unsigned bits)
{
  if (!reserve (dict, UINT32_C (1) << bits))
    return false;
  dict->bits = bits;
  memset (dict->slots, 0, sizeof *dict->slots << bits);
  for (uint32_t k = 0; k < dict->n; k++)
    put_slot (dict, k);
  return true;
}

bool
pq_dict_begin (struct pq_dict *dict, uint32_t max, uint32_t expected)
{
  unsigned bits = FIRST_BITS;
  dict->n = 0;
  dict->max = max > PQ_DICT_MAX ? PQ_DICT_MAX : max;
  while (UINT32_C (1) << (bits - 1) < expected && expected <= PQ_DICT_MAX)
    bits++;
  return !dict->failed && use_bits (dict, bits);
}

void
pq_dict_clear (struct pq_dict *dict)
{
  free (dict->slots);
  free (dict->keys);
  free (dict->refs);
  free (dict->of_handle);
  memset (dict, 0, sizeof *dict);
}

uint32_t
pq_dict_append (struct pq_dict *dict, uint64_t key, uint64_t ref)
{
  if (dict->n == dict->max)
    return PQ_DICT_FULL;
  if (dict->n == UINT32_C (1) << (dict->bits - 1) && !use_bits (dict, dict->bits + 1))
    return PQ_DICT_FULL;
  dict->keys[dict->n] = key;
  dict->refs[dict->n] = ref;
  put_slot (dict, dict->n);
  return dict->n++;
}

uint32_t *
pq_dict_handles (struct pq_dict *dict, uint32_t n)
{
  if (n > dict->n_handles) {
    free (dict->of_handle);
    dict->of_handle = malloc (n * sizeof *dict->of_handle);
    dict->n_handles = dict->of_handle ? n : 0;
  }
  if (dict->of_handle)
    memset (dict->of_handle, 0xff, n * sizeof *dict->of_handle);
  return dict->of_handle;
}

/* Hashes 8 bytes a step; collisions cost time, never a wrong value. */
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
