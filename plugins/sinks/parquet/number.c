/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - the loops that look each value up in the dictionary. */
#include "number.h"

/* After so many values of which most are distinct, the others are not looked at. */
#define EARLY 4096

static bool
hopeless (const struct pq_dict *dict, size_t seen)
{
  return seen == EARLY && dict->n > EARLY / 4 * 3;
}

#define NUMBERS(name, type)                                                                        \
  static bool name (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v)                \
  {                                                                                                \
    const type *values = (const void *) v->data.data;                                              \
    for (size_t k = 0; k < v->n; k++) {                                                            \
      if (k && values[k] == values[k - 1]) {                                                       \
        ids[k] = ids[k - 1];                                                                       \
        continue;                                                                                  \
      }                                                                                            \
      ids[k] = pq_dict_add (dict, values[k], values[k], NULL, NULL);                               \
      if (ids[k] == PQ_DICT_FULL || hopeless (dict, k))                                            \
        return false;                                                                              \
    }                                                                                              \
    return true;                                                                                   \
  }
NUMBERS (number_32, uint32_t)
NUMBERS (number_64, uint64_t)
#undef NUMBERS

struct texts {
  const struct pq_values *v;
  struct pq_texts texts;
};

/* Texts that somebody else keeps are equal when their refs are. */
static bool
equal_texts (const void *user, uint64_t a, uint64_t b)
{
  const struct texts *t = user;
  if (a == b)
    return true;
  if (a < PQ_OWN_TEXT || b < PQ_OWN_TEXT)
    return false;
  struct pq_text x = pq_values_text (t->v, (uint32_t) a, t->texts.of, t->texts.user);
  struct pq_text y = pq_values_text (t->v, (uint32_t) b, t->texts.of, t->texts.user);
  return x.len == y.len && (!x.len || memcmp (x.data, y.data, x.len) == 0);
}

/* A text of the column's own is hashed once, however many values have it. */
static uint32_t
number_own (struct pq_dict *dict, uint32_t ref, const struct texts *t)
{
  uint32_t *known = dict->known + (ref - PQ_OWN_TEXT);
  if (*known)
    return *known - 1;
  struct pq_text text = pq_values_text (t->v, ref, t->texts.of, t->texts.user);
  uint32_t id = pq_dict_add (dict, pq_hash_bytes (text.data, text.len), ref, equal_texts, t);
  *known = id + 1; /* PQ_DICT_FULL: 0 */
  return id;
}

static bool
number_texts (struct pq_dict *dict, uint32_t *ids, const struct texts *t)
{
  const uint32_t *refs = (const void *) t->v->data.data;
  if (!pq_dict_know (dict, t->v->spans.len / sizeof (struct pq_span)))
    return false;
  for (size_t k = 0; k < t->v->n; k++) {
    if (k && refs[k] == refs[k - 1]) {
      ids[k] = ids[k - 1];
      continue;
    }
    ids[k] = refs[k] >= PQ_OWN_TEXT ? number_own (dict, refs[k], t)
                                    : pq_dict_add (dict, refs[k], refs[k], equal_texts, t);
    if (ids[k] == PQ_DICT_FULL || hopeless (dict, k))
      return false;
  }
  return true;
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
    if (ids[k] == PQ_DICT_FULL || hopeless (dict, k))
      return false;
  }
  return true;
}

bool
pq_number (struct pq_dict *dict, uint32_t *ids, const struct pq_values *v, struct pq_texts texts)
{
  if (v->kind == PQ_BOOL || !v->n || !pq_dict_begin (dict, (uint32_t) (v->n / 2 + 1)))
    return false;
  if (pq_is_bytes (v->kind))
    return number_texts (dict, ids, &(struct texts){ v, texts });
  if (v->kind == PQ_UUID)
    return number_uuids (dict, ids, v);
  return pq_width (v->kind) == 4 ? number_32 (dict, ids, v) : number_64 (dict, ids, v);
}
