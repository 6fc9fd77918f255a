/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - the members of an object that have one of some keys, without much ado about the
 * others: those are most of args, and most args look like the ones before.  It gives what
 * te_member and a comparison of each key give.  Compiled once for each instruction set.
 *
 * What stands between two values is compared with what stood there before (shapes.h), which tells
 * as well whether the key is a wanted one; values of others are only skipped.  The walk ends
 * behind the last place where a wanted key may begin (mentions.c).
 *
 * Equal bytes are read alike from equal places, so a step that was learned is the step that would
 * be made.  One thing is beyond the bytes that were learned: spaces may follow them.  Nothing of
 * what lies behind the object is taken for a part of it, though s->end lies there: its closing
 * bracket is no part of a string, number or learned step, since it was found by the same rules
 * about quotes when the object was read. */
#include "json/shapes.h"
#include "json/value.h"
#include "json/variant.h"

/* Returns its number; TE_MOST_KEYS: it is none of them. */
static unsigned
find_key (const TeKeys *keys, const char *p, size_t len)
{
  if (len > TE_LONGEST_KEY)
    return TE_MOST_KEYS;
  for (uint32_t left = keys->of_len[len]; left; left &= left - 1) {
    unsigned i = (unsigned) __builtin_ctz (left);
    if (memcmp (p, keys->key[i], len) == 0)
      return i;
  }
  return TE_MOST_KEYS;
}

/* Reads a key as te_member does; returns where the value begins. */
static const char *
read_key (TeScan *s, const char *p, const TeKeys *keys, unsigned *number)
{
  p = skip_space (p, s->end);
  while (p < s->end && *p == ',')
    p = skip_space (p + 1, s->end);
  if (p >= s->end || *p != '"')
    return NULL;
  bool escaped;
  const char *end = string_end (s, p + 1, &escaped);
  if (!end)
    return NULL;
  *number = find_key (keys, p + 1, (size_t) (end - p - 1));
  p = skip_space (end + 1, s->end);
  return p < s->end && *p == ':' ? skip_space (p + 1, s->end) : NULL;
}

static inline const char *
next_key (TeScan *s, TeWalk *walk, const TeKeys *keys, unsigned *number)
{
  const Edge *edge = known_edge (s, walk->shape, walk->at);
  if (TE_LIKELY (edge)) {
    walk->shape = edge->next;
    *number = edge->field;
    return skip_space (walk->at + edge->len, s->end);
  }
  const char *value = read_key (s, walk->at, keys, number);
  if (value)
    walk->shape
        = learn (s->shapes, walk->shape, walk->at, value, &(Edge){ .field = (uint8_t) *number });
  return value;
}

/* Skips up to 8 digits. */
static inline const char *
skip_digits (const char *p)
{
  unsigned n;
  eight_digits (p, &n);
  return p + n;
}

/* Returns what value_at returns, without the value. */
static inline const char *
skip_value (TeScan *s, const char *p, TeValue *none)
{
  if (TE_LIKELY (s->end - p >= 32)) {
    if (*p == '"') {
      bool escaped;
      const char *end = string_end (s, p + 1, &escaped);
      return end ? end + 1 : NULL;
    }
    const char *behind = skip_digits (p);
    if (*behind == '.')
      behind = skip_digits (behind + 1);
    if (behind > p && ends_value (*behind))
      return behind;
  }
  return value_at (s, p, none);
}

unsigned
TE_VARIANT_NAME (te_wanted) (TeScan *s, TeWalk *walk, const TeKeys *keys, TeValue *value)
{
  unsigned number = TE_MOST_KEYS;
  while (number == TE_MOST_KEYS && walk->at <= walk->last) {
    const char *p = next_key (s, walk, keys, &number);
    if (p)
      p = number < TE_MOST_KEYS ? value_at (s, p, value) : skip_value (s, p, value);
    if (!p)
      return TE_MOST_KEYS;
    walk->at = p;
  }
  return number;
}
