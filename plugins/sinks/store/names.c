/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - keeps strings, labels, keys, shapes and shared sets, to which rows refer by number. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* -- A map from 64 bits to a number -------------------------------------------- */

static uint32_t
slot_of (uint64_t key, uint32_t max)
{
  return (uint32_t) ((key * NPROF_STORE_P1) >> 32) & (max - 1);
}

static bool
map_grow (struct store_map *map, struct store_fault *fault)
{
  struct store_map old = *map;
  map->max = old.max ? old.max * 2 : 64;
  map->slots = calloc (map->max, sizeof *map->slots);
  if (!map->slots) {
    *map = old;
    return store_fail (fault, NPROF_E_NOMEM, "no memory for %u names of the store", old.max * 2);
  }
  for (uint32_t i = 0; i < old.max; i++) {
    uint32_t at = slot_of (old.slots[i].key, map->max);
    if (!old.slots[i].number)
      continue;
    while (map->slots[at].number)
      at = (at + 1) & (map->max - 1);
    map->slots[at].key = old.slots[i].key;
    map->slots[at].number = old.slots[i].number;
  }
  free (old.slots);
  return true;
}

uint32_t
store_map_add (struct store_map *map, uint64_t key, uint32_t fresh, struct store_fault *fault)
{
  if (map->n * 2 >= map->max && !map_grow (map, fault))
    return UINT32_MAX;
  uint32_t at = slot_of (key, map->max);
  for (; map->slots[at].number; at = (at + 1) & (map->max - 1))
    if (map->slots[at].key == key)
      return map->slots[at].number - 1;
  map->slots[at].key = key;
  map->slots[at].number = fresh + 1;
  map->n++;
  return fresh;
}

/* -- Strings, labels, keys ------------------------------------------------------- */

uint32_t
store_writer_string (struct store_writer *w, const char *text, size_t len)
{
  struct store_names *names = &w->names;
  struct store_out *out = &w->out[NPROF_STORE_F_STRINGS];
  if (names->n_strings >= UINT32_MAX - 1) {
    store_fail (&w->fault, NPROF_E_UNSUPPORTED, "more than %u different texts", UINT32_MAX - 1);
    return 0;
  }
  if (!store_room (&w->fault, &names->string_at, &names->max_strings, names->n_strings + 2,
                   sizeof *names->string_at)
      || !store_out_put (out, text, len, &w->fault) || !store_out_put (out, "", 1, &w->fault))
    return 0;
  names->string_at[names->n_strings + 1] = out->at;
  return (uint32_t) names->n_strings++;
}

uint32_t
store_writer_label (struct store_writer *w, uint32_t name, uint32_t category)
{
  struct store_names *names = &w->names;
  uint32_t number = store_map_add (&names->label_of, (uint64_t) name << 32 | category,
                                   (uint32_t) names->n_labels, &w->fault);
  if (number != names->n_labels)
    return number;
  if (!store_room (&w->fault, &names->labels, &names->max_labels, names->n_labels + 1,
                   sizeof *names->labels))
    return 0;
  names->labels[names->n_labels++]
      = (struct nprof_store_label){ .name = name, .category = category };
  return number;
}

uint32_t
store_writer_key (struct store_writer *w, uint32_t key, uint32_t type, uint32_t repeat)
{
  struct store_names *names = &w->names;
  uint64_t id = (uint64_t) key << 32 | (uint64_t) (type & 0xff) << 24 | (repeat & 0xffffff);
  uint32_t number = store_map_add (&names->key_of, id, (uint32_t) names->n_keys, &w->fault);
  if (number != names->n_keys)
    return number;
  if (names->n_keys >= UINT16_MAX - NPROF_STORE_C_ATTR) {
    store_fail (
        &w->fault, NPROF_E_UNSUPPORTED,
        "more than %u different attributes (key and type): leave some out, or write parquet",
        UINT16_MAX - NPROF_STORE_C_ATTR);
    return UINT32_MAX;
  }
  if (!store_room (&w->fault, &names->keys, &names->max_keys, names->n_keys + 1,
                   sizeof *names->keys))
    return UINT32_MAX;
  names->keys[names->n_keys++] = (struct nprof_store_key){ .key = key,
                                                           .type = (uint16_t) type,
                                                           .repeat = (uint16_t) repeat };
  return number;
}

/* -- Lists of keys, shared sets --------------------------------------------------- */

static bool
same_shape (const struct store_names *names, uint32_t shape, const uint16_t *keys, uint32_t n)
{
  const struct nprof_store_span *s = names->shapes + shape;
  return s->n == n && !memcmp (names->shape_keys + s->from, keys, n * sizeof *keys);
}

static bool
add_shape (struct store_writer *w, const uint16_t *keys, uint32_t n)
{
  struct store_names *names = &w->names;
  if (!store_room (&w->fault, &names->shapes, &names->max_shapes, names->n_shapes + 1,
                   sizeof *names->shapes)
      || !store_room (&w->fault, &names->shape_keys, &names->max_shape_keys,
                      names->n_shape_keys + n, sizeof *names->shape_keys))
    return false;
  names->shapes[names->n_shapes++]
      = (struct nprof_store_span){ .from = names->n_shape_keys, .n = n };
  if (n)
    memcpy (names->shape_keys + names->n_shape_keys, keys, n * sizeof *keys);
  names->n_shape_keys += n;
  return true;
}

static uint32_t
find_shape (struct store_writer *w, const uint16_t *keys, uint32_t n)
{
  struct store_names *names = &w->names;
  for (uint64_t salt = 0;; salt++) { /* two lists may share a hash */
    uint64_t hash = nprof_store_hash (keys, n * sizeof *keys) + salt;
    uint32_t fresh = (uint32_t) names->n_shapes;
    uint32_t number = store_map_add (&names->shape_of, hash, fresh, &w->fault);
    if (number == UINT32_MAX)
      return 0;
    if (number == fresh)
      return add_shape (w, keys, n) ? number : 0;
    if (same_shape (names, number, keys, n))
      return number;
  }
}

/* Rows of a few shapes mostly take turns: the last one of each place is tried first. */
uint32_t
store_writer_shape (struct store_writer *w, const uint16_t *keys, uint32_t n)
{
  struct store_names *names = &w->names;
  if (!n)
    return 0;
  uint32_t *last = names->last_shapes + (keys[0] + 7u * keys[n - 1] + 31u * n) % STORE_LAST_SHAPES;
  if (!*last || !same_shape (names, *last, keys, n))
    *last = find_shape (w, keys, n);
  return *last;
}

uint32_t
store_writer_set (struct store_writer *w, const struct nprof_store_value *values, uint32_t n)
{
  struct store_names *names = &w->names;
  if (!store_room (&w->fault, &names->sets, &names->max_sets, names->n_sets + 1,
                   sizeof *names->sets)
      || !store_room (&w->fault, &names->set_values, &names->max_set_values,
                      names->n_set_values + n, sizeof *names->set_values))
    return 0;
  names->sets[names->n_sets] = (struct nprof_store_span){ .from = names->n_set_values, .n = n };
  if (n)
    memcpy (names->set_values + names->n_set_values, values, n * sizeof *values);
  names->n_set_values += n;
  return (uint32_t) names->n_sets++;
}

uint64_t
store_writer_text (struct store_writer *w, const void *bytes, uint32_t len)
{
  struct store_out *out = &w->out[NPROF_STORE_F_TEXT];
  uint64_t at = out->at;
  if (store_out_put (out, &len, sizeof len, &w->fault))
    store_out_put (out, bytes, len, &w->fault);
  return at;
}

bool
store_names_init (struct store_writer *w)
{
  struct store_names *names = &w->names;
  if (!store_room (&w->fault, &names->string_at, &names->max_strings, 1, sizeof *names->string_at))
    return false;
  names->string_at[0] = 0;
  store_writer_string (w, "", 0);
  store_writer_set (w, NULL, 0);
  return !w->fault.status && add_shape (w, NULL, 0);
}

void
store_names_clear (struct store_names *names)
{
  free (names->string_at);
  free (names->labels);
  free (names->keys);
  free (names->shapes);
  free (names->shape_keys);
  free (names->sets);
  free (names->set_values);
  free (names->label_of.slots);
  free (names->key_of.slots);
  free (names->shape_of.slots);
}
