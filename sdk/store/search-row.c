/* SPDX-License-Identifier: Apache-2.0 */
/* search-row.c - asks the conditions of a search of one row: its attributes, times and value. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

static bool
fits_string (struct nprof_query *query, struct np_condition *c, uint32_t string)
{
  uint32_t *memo = c->memo + string % 512;
  size_t len;
  if (*memo >> 1 == string + 1 && string < UINT32_MAX / 2 - 1)
    return *memo & 1;
  const char *text = nprof_store_string (query->store, string, &len);
  struct np_want *w = &c->want;
  bool yes = w->op <= NP_LIKE ? np_match_text (w, text, len) : false;
  *memo = (string + 1) << 1 | yes;
  return yes;
}

static bool
fits_bytes (struct nprof_query *query, struct np_condition *c, uint32_t type, uint64_t value)
{
  uint32_t len;
  size_t n;
  const char *text = nprof_store_text (query, value, &len);
  if (!text)
    return false;
  n = len;
  if (c->member)
    text = type == NPROF_JSON ? np_json_member (text, len, c->member, &n) : NULL;
  if (!text || c->want.op <= NP_LIKE)
    return text && np_match_text (&c->want, text, n);
  return np_match_number (&c->want, text, n);
}

static bool
fits_value (struct nprof_query *query, struct np_condition *c, uint32_t type, uint64_t value)
{
  double f;
  switch (type) {
  case NPROF_INT64:
    return !c->member && np_match_int (&c->want, (int64_t) value);
  case NPROF_UINT64:
    return !c->member && np_match_uint (&c->want, value);
  case NPROF_DOUBLE:
    memcpy (&f, &value, sizeof f);
    return !c->member && np_match_double (&c->want, f);
  case NPROF_BOOL:
    return !c->member && np_match_text (&c->want, value ? "true" : "false", value ? 4 : 5);
  case NPROF_STRING:
    return !c->member && fits_string (query, c, (uint32_t) value);
  default:
    return fits_bytes (query, c, type, value);
  }
}

/* Returns 2 + the last key of the shape that is asked for; 1: none; 0: damaged. */
static uint32_t
key_of_shape (struct nprof_query *query, struct np_condition *c, uint64_t shape)
{
  const uint16_t *keys;
  uint32_t n;
  if (shape >= nprof_store_n (query->store, NPROF_STORE_S_SHAPES))
    return np_query_fail (query, "a list of attributes is damaged");
  if (c->shapes[shape])
    return c->shapes[shape];
  if (!nprof_store_shape (query, (uint32_t) shape, &keys, &n))
    return 0;
  c->shapes[shape] = 1;
  for (uint32_t k = 0; k < n; k++)
    if (keys[k] < nprof_store_n (query->store, NPROF_STORE_S_KEYS) && c->keys[keys[k]])
      c->shapes[shape] = 2 + keys[k];
  return c->shapes[shape];
}

static bool
fits_set (struct nprof_query *query, struct np_condition *c, uint64_t set, bool *has)
{
  const struct nprof_store_value *values;
  uint32_t n;
  if (set >= nprof_store_n (query->store, NPROF_STORE_S_SETS))
    return np_query_fail (query, "a shared set is damaged");
  if (!c->sets[set]) {
    if (!nprof_store_set (query, (uint32_t) set, &values, &n))
      return false;
    c->sets[set] = 1;
    for (uint32_t k = 0; k < n; k++)
      if (values[k].key == c->key)
        c->sets[set] = fits_value (query, c, values[k].type, values[k].value) ? 3 : 2;
  }
  *has = c->sets[set] > 1;
  return c->sets[set] == 3;
}

static bool
fits_attr (struct nprof_query *query, struct np_condition *c, const struct np_place *p, uint32_t i)
{
  uint32_t key = key_of_shape (query, c, (uint64_t) np_value (p, NPROF_STORE_C_SHAPE, i));
  bool has = key > 1, yes = false;
  if (key > 1) {
    const struct nprof_store_key *k = nprof_store_key_at (query->store, key - 2);
    const struct nprof_store_column *column
        = nprof_store_column (p->block, NPROF_STORE_C_ATTR + key - 2);
    yes = k && fits_value (query, c, k->type, (uint64_t) nprof_store_get (p->block, column, i));
  } else if (key == 1)
    yes = fits_set (query, c, (uint64_t) np_value (p, NPROF_STORE_C_SET, i), &has);
  return c->want.deny ? has && !yes : yes;
}

static bool
fits_time (const struct np_condition *c, int64_t v)
{
  const int order = (v > c->time) - (v < c->time);
  return c->want.op > NP_LIKE ? np_order_fits (c->want.op, order) : (order == 0) != c->want.deny;
}

static bool
fits_condition (struct nprof_query *query, struct np_condition *c, const struct np_place *p,
                uint32_t i)
{
  int64_t duration = np_value (p, NPROF_STORE_C_DURATION, i), bits;
  double value;
  switch (c->what) {
  case ATTR:
    return fits_attr (query, c, p, i);
  case DURATION:
    return duration >= 0 && fits_time (c, duration);
  case SELF:
    return duration >= 0 && fits_time (c, duration - np_value (p, NPROF_STORE_C_CHILD, i));
  case START:
    return fits_time (c, np_value (p, NPROF_STORE_C_START, i));
  default:
    bits = np_value (p, NPROF_STORE_C_VALUE, i);
    memcpy (&value, &bits, sizeof value);
    return np_value (p, NPROF_STORE_C_HAS_VALUE, i)
           && np_match_double (&c->want, value) != c->want.deny;
  }
}

static bool
fits_alternative (struct nprof_query *query, const struct np_alternative *a,
                  const struct np_place *p, uint32_t i, int64_t label)
{
  if (!np_has_label (a->labels, nprof_store_n (query->store, NPROF_STORE_S_LABELS), label))
    return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (!fits_condition (query, a->conditions[k], p, i))
      return false;
  return true;
}

bool
np_fits_row (struct nprof_query *query, const struct nprof_search *s, uint32_t lane,
             const struct np_place *p, uint32_t i)
{
  int64_t label = np_value (p, NPROF_STORE_C_LABEL, i);
  for (uint32_t k = 0; k < s->n; k++)
    if (s->all[k].lanes[lane] && fits_alternative (query, &s->all[k], p, i, label))
      return true;
  return false;
}
