/* SPDX-License-Identifier: Apache-2.0 */
/* range.c - finds the least and the greatest value. */
#include "range.h"

static void
set_bound (struct pq_bound *bound, const void *data, size_t len)
{
  if (len)
    memcpy (bound->data, data, len);
  bound->len = (uint8_t) len;
  bound->exact = true;
}

static void
set_range (struct pq_range *range, const void *min, const void *max, size_t len)
{
  range->known = true;
  set_bound (&range->min, min, len);
  set_bound (&range->max, max, len);
}

/* This is the loop of each type of number, of which the compiler makes vectors. */
#define NUMBERS(name, type)                                                                        \
  static void name (struct pq_range *range, const void *data, size_t from, size_t to)              \
  {                                                                                                \
    const type *values = data;                                                                     \
    type min = values[from], max = values[from];                                                   \
    for (size_t k = from; k < to; k++) {                                                           \
      min = values[k] < min ? values[k] : min;                                                     \
      max = values[k] > max ? values[k] : max;                                                     \
    }                                                                                              \
    set_range (range, &min, &max, sizeof min);                                                     \
  }
NUMBERS (range_i32, int32_t)
NUMBERS (range_u32, uint32_t)
NUMBERS (range_i64, int64_t)
NUMBERS (range_u64, uint64_t)
NUMBERS (range_u8, uint8_t)
#undef NUMBERS

/* Skips NaN; a zero is -0 below and +0 above, as the format asks. */
static void
range_double (struct pq_range *range, const void *data, size_t from, size_t to)
{
  const double *values = data;
  double min = INFINITY, max = -INFINITY;
  bool any = false;
  for (size_t k = from; k < to; k++) {
    min = values[k] < min ? values[k] : min;
    max = values[k] > max ? values[k] : max;
    any |= values[k] == values[k];
  }
  if (!any)
    return;
  min = min == 0 ? -0.0 : min;
  max = max == 0 ? 0.0 : max;
  set_range (range, &min, &max, sizeof min);
}

static void
range_uuid (struct pq_range *range, const void *data, size_t from, size_t to)
{
  const uint8_t *min = (const uint8_t *) data + from * 16, *max = min;
  for (size_t k = from; k < to; k++) {
    const uint8_t *at = (const uint8_t *) data + k * 16;
    min = memcmp (at, min, 16) < 0 ? at : min;
    max = memcmp (at, max, 16) > 0 ? at : max;
  }
  set_range (range, min, max, 16);
}

void
pq_range_of (struct pq_range *range, const struct pq_values *v, size_t from, size_t to)
{
  static void (*const by_kind[]) (struct pq_range *, const void *, size_t, size_t)
      = { [PQ_BOOL] = range_u8,       [PQ_INT32] = range_i32,  [PQ_UINT32] = range_u32,
          [PQ_INT64] = range_i64,     [PQ_UINT64] = range_u64, [PQ_TIMESTAMP_NS] = range_i64,
          [PQ_DOUBLE] = range_double, [PQ_UUID] = range_uuid };
  range->known = false;
  if (from < to)
    by_kind[v->kind](range, v->data.data, from, to);
}

/* -- Texts ----------------------------------------------------------------- */

static int
compare_bytes (const void *a, size_t a_len, const void *b, size_t b_len)
{
  size_t len = a_len < b_len ? a_len : b_len;
  int order = len ? memcmp (a, b, len) : 0;
  return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* Returns its first bytes as a number, which tells most texts apart; zeros where it is shorter. */
static uint64_t
head_of (struct pq_text text)
{
  uint64_t head = 0;
  if (text.len >= 8)
    memcpy (&head, text.data, 8);
  else
    memcpy (&head, text.data, text.len);
  return __builtin_bswap64 (head);
}

void
pq_text_range_add (struct pq_text_range *r, struct pq_text text)
{
  uint64_t head = head_of (text);
  if (!r->any) {
    r->any = true;
    r->min = r->max = text;
    r->min_head = r->max_head = head;
    return;
  }
  if (head <= r->min_head && compare_bytes (text.data, text.len, r->min.data, r->min.len) < 0) {
    r->min = text;
    r->min_head = head;
  }
  if (head >= r->max_head && compare_bytes (text.data, text.len, r->max.data, r->max.len) > 0) {
    r->max = text;
    r->max_head = head;
  }
}

/* Returns at most PQ_RANGE_BYTES of a long text, which end where a character does. */
static size_t
whole_characters (const char *text)
{
  size_t len = PQ_RANGE_BYTES;
  while (len && (text[len] & 0xc0) == 0x80)
    len--;
  return len;
}

static bool
bound_above (struct pq_bound *bound, struct pq_text text)
{
  size_t len = text.len;
  if (len <= PQ_RANGE_BYTES) {
    set_bound (bound, text.data, len);
    return true;
  }
  /* In the next greater text of fewer characters the last ASCII one counts up. */
  for (len = whole_characters (text.data); len; len--) {
    uint8_t last = (uint8_t) text.data[len - 1];
    if (last >= 0x7f)
      continue;
    set_bound (bound, text.data, len);
    bound->data[len - 1] = (uint8_t) (last + 1);
    bound->exact = false;
    return true;
  }
  return false;
}

void
pq_text_range_end (const struct pq_text_range *r, struct pq_range *range)
{
  range->known = r->any && bound_above (&range->max, r->max);
  if (!range->known)
    return;
  bool fits = r->min.len <= PQ_RANGE_BYTES;
  set_bound (&range->min, r->min.data, fits ? r->min.len : whole_characters (r->min.data));
  range->min.exact = fits;
}

/* -- Comparing ------------------------------------------------------------- */

#define COMPARE(type)                                                                              \
  {                                                                                                \
    type x, y;                                                                                     \
    memcpy (&x, a->data, sizeof x);                                                                \
    memcpy (&y, b->data, sizeof y);                                                                \
    return (x > y) - (x < y);                                                                      \
  }

int
pq_bound_compare (const struct pq_bound *a, const struct pq_bound *b, enum pq_kind kind)
{
  switch (kind) {
  case PQ_INT32:
    COMPARE (int32_t)
  case PQ_UINT32:
    COMPARE (uint32_t)
  case PQ_INT64:
  case PQ_TIMESTAMP_NS:
    COMPARE (int64_t)
  case PQ_UINT64:
    COMPARE (uint64_t)
  case PQ_DOUBLE:
    COMPARE (double)
  default:
    return compare_bytes (a->data, a->len, b->data, b->len);
  }
}
#undef COMPARE

void
pq_range_merge (struct pq_range *all, const struct pq_range *one, enum pq_kind kind)
{
  if (pq_bound_compare (&one->min, &all->min, kind) < 0)
    all->min = one->min;
  if (pq_bound_compare (&one->max, &all->max, kind) > 0)
    all->max = one->max;
}
