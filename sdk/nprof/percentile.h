/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/percentile.h - whole numbers, such as durations in ps, that are kept to tell their
 * percentiles and sum, header-only.  It keeps all of them, 8 bytes each: whoever expects more than
 * memory holds counts them in buckets instead.  Cleared memory holds none; one thread at a time.
 *
 *   struct nprof_values v = { 0 };
 *   if (!nprof_values_add (&v, batch->duration[i]))
 *     return nprof_fail (host, NPROF_E_NOMEM, "no memory for durations");
 *   cell = nprof_cell_int (nprof_values_percentile (&v, 990));      the 99th
 *   nprof_values_clear (&v); */
#ifndef NPROF_PERCENTILE_H
#define NPROF_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct nprof_values {
  int64_t *value; /* the component's to free, by nprof_values_clear */
  size_t n, max;
  bool sorted;
};

/* false: there is no memory, and the number is not among them. */
static inline bool
nprof_values_add (struct nprof_values *v, int64_t value)
{
  if (v->n == v->max) {
    const size_t max = v->max ? v->max * 2 : 256;
    int64_t *grown = (int64_t *) realloc (v->value, max * sizeof *grown);
    if (!grown)
      return false;
    v->value = grown;
    v->max = max;
  }
  v->value[v->n++] = value;
  v->sorted = false;
  return true;
}

static inline void
nprof_values_clear (struct nprof_values *v)
{
  free (v->value);
  memset (v, 0, sizeof *v);
}

static inline int
nprof_values_order (const void *a, const void *b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
  return (x > y) - (x < y);
}

/* Sorts the values, ascending; the others below do so by themselves. */
static inline void
nprof_values_sort (struct nprof_values *v)
{
  if (!v->sorted && v->n)
    qsort (v->value, v->n, sizeof *v->value, nprof_values_order);
  v->sorted = true;
}

/* Returns the value below which `mille` thousandths lie, 0 to 1000: between the two nearest of
 * rank (n - 1) x mille / 1000 in proportion, rounded to the nearest whole number, as the tables of
 * nprof have it.  Of no values it is 0: ask n before. */
static inline int64_t
nprof_values_percentile (struct nprof_values *v, unsigned mille)
{
  if (!v->n)
    return 0;
  nprof_values_sort (v);
  const uint64_t place = (uint64_t) (v->n - 1) * (mille < 1000 ? mille : 1000), part = place % 1000;
  const int64_t low = v->value[place / 1000];
  if (!part)
    return low;
  const uint64_t step = (uint64_t) v->value[place / 1000 + 1] - (uint64_t) low;
  return (int64_t) ((uint64_t) low + step / 1000 * part + (step % 1000 * part + 500) / 1000);
}

/* Adds all of them; false: the sum is beyond int64, which is unknown and no number. */
static inline bool
nprof_values_sum (const struct nprof_values *v, int64_t *sum)
{
  int64_t high = 0; /* in 2^32 */
  uint64_t low = 0;
  for (size_t i = 0; i < v->n; i++) { /* so that large ones of both signs cancel */
    low += (uint32_t) v->value[i];
    high += (v->value[i] >> 32) + (int64_t) (low >> 32);
    low &= UINT32_MAX;
  }
  *sum = 0;
  return !__builtin_mul_overflow (high, (int64_t) 1 << 32, &high)
         && !__builtin_add_overflow (high, (int64_t) low, sum);
}

#endif
