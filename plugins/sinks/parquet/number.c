/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - runs the loops that look each value up in the dictionary. */
#include "number.h"

#include "encodings.h"

/* Gives values that follow an equal one its number. */
static inline size_t
fill_run (uint32_t *ids, size_t k, size_t run)
{
  for (size_t i = 1; i < run; i++)
    ids[k + i] = ids[k];
  return run;
}

#define NUMBERS(name, type, width)                                                                 \
  static bool name (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v)                \
  {                                                                                                \
    const type *values = (const void *) v->data.data;                                              \
    size_t n = v->n;                                                                               \
    for (size_t k = 0; k < n;) {                                                                   \
      ids[k] = pq_dict_add (dict, values[k], values[k], NULL, NULL);                               \
      if (ids[k] == PQ_DICT_FULL || pq_hopeless (dict, k))                                         \
        return false;                                                                              \
      bool again = k + 1 < n && values[k] == values[k + 1];                                        \
      k += again ? fill_run (ids, k, pq_run##width (values + k, n - k)) : 1;                       \
    }                                                                                              \
    return true;                                                                                   \
  }
NUMBERS (number_32, uint32_t, 32)
NUMBERS (number_64, uint64_t, 64)
#undef NUMBERS

struct texts {
  const struct pq_values *v;
  struct pq_texts texts;
};

/* Compares refs: texts that somebody else keeps are equal when their refs are. */
static bool
equal_texts (const void *user, uint64_t a, uint64_t b)
{
  const struct texts *t = user;
  if (a < PQ_OWN_TEXT || b < PQ_OWN_TEXT)
    return false;
  struct pq_text x = pq_values_text (t->v, (uint32_t) a, t->texts.of, t->texts.user);
  struct pq_text y = pq_values_text (t->v, (uint32_t) b, t->texts.of, t->texts.user);
  return x.len == y.len && (!x.len || memcmp (x.data, y.data, x.len) == 0);
}

static inline uint32_t
number_text (struct pq_dict *dict, uint32_t ref, const struct texts *t)
{
  uint64_t key = ref;
  if (ref >= PQ_OWN_TEXT) {
    struct pq_text text = pq_values_text (t->v, ref, t->texts.of, t->texts.user);
    key = pq_hash_bytes (text.data, text.len);
  }
  return pq_dict_add (dict, key, ref, equal_texts, t);
}

uint32_t
pq_number_text (struct pq_dict *dict, uint32_t ref, const struct pq_values *v,
                struct pq_texts texts)
{
  return number_text (dict, ref, &(struct texts){ v, texts });
}

/* Finds the span of refs that are all handles; 0: there are others, or they lie too far apart. */
static uint32_t
span_of (const uint32_t *refs, size_t n, uint32_t *least)
{
  uint32_t min = UINT32_MAX, max = 0;
  for (size_t k = 0; k < n; k++) {
    min = refs[k] < min ? refs[k] : min;
    max = refs[k] > max ? refs[k] : max;
  }
  *least = min;
  return max < PQ_OWN_TEXT && max - min < 4 * n ? max - min + 1 : 0;
}

/* Numbers handles by an array over all of them; only a new one is looked up. */
static bool
number_handles (struct pq_dict *dict, uint32_t *ids, const uint32_t *refs, size_t n, uint32_t least,
                uint32_t *of_handle)
{
  for (size_t k = 0; k < n;) {
    uint32_t *id = of_handle + (refs[k] - least);
    if (*id == PQ_DICT_FULL)
      *id = pq_dict_add (dict, refs[k], refs[k], equal_texts, NULL);
    ids[k] = *id;
    if (ids[k] == PQ_DICT_FULL || pq_hopeless (dict, k))
      return false;
    bool again = k + 1 < n && refs[k] == refs[k + 1];
    k += again ? fill_run (ids, k, pq_run32 (refs + k, n - k)) : 1;
  }
  return true;
}

/* Numbers texts one by one, by what they are. */
static bool
number_mixed (struct pq_dict *dict, uint32_t *ids, const struct texts *t)
{
  const uint32_t *refs = (const void *) t->v->data.data;
  size_t n = t->v->n;
  for (size_t k = 0; k < n;) {
    ids[k] = number_text (dict, refs[k], t);
    if (ids[k] == PQ_DICT_FULL || pq_hopeless (dict, k))
      return false;
    bool again = k + 1 < n && refs[k] == refs[k + 1];
    k += again ? fill_run (ids, k, pq_run32 (refs + k, n - k)) : 1;
  }
  return true;
}

static bool
number_texts (struct pq_dict *dict, uint32_t *ids, const struct texts *t)
{
  const uint32_t *refs = (const void *) t->v->data.data;
  uint32_t least, span = span_of (refs, t->v->n, &least);
  uint32_t *of_handle = span ? pq_dict_handles (dict, span) : NULL;
  return of_handle ? number_handles (dict, ids, refs, t->v->n, least, of_handle)
                   : number_mixed (dict, ids, t);
}

static bool
equal_uuids (const void *user, uint64_t a, uint64_t b)
{
  return memcmp ((const char *) user + a * 16, (const char *) user + b * 16, 16) == 0;
}

static bool
number_uuids (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v)
{
  for (size_t k = 0; k < v->n; k++) {
    uint64_t key = pq_hash_bytes (v->data.data + k * 16, 16);
    ids[k] = pq_dict_add (dict, key, k, equal_uuids, v->data.data);
    if (ids[k] == PQ_DICT_FULL || pq_hopeless (dict, k))
      return false;
  }
  return true;
}

bool
pq_number_begin (struct pq_dict *dict, size_t n, uint32_t expected)
{
  return pq_dict_begin (dict, n / 2 + 1 < PQ_DICT_MAX ? (uint32_t) (n / 2 + 1) : PQ_DICT_MAX,
                        expected);
}

bool
pq_number (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v, struct pq_texts texts)
{
  if (v->kind == PQ_BOOL)
    return false;
  if (pq_is_bytes (v->kind))
    return number_texts (dict, ids, &(struct texts){ v, texts });
  if (v->kind == PQ_UUID)
    return number_uuids (dict, ids, v);
  return pq_width (v->kind) == 4 ? number_32 (dict, ids, v) : number_64 (dict, ids, v);
}
