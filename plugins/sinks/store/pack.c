/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - packs columns as base, scale and as few bytes a value as they need. */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

#define SPARSE_BYTES 10 /* of a value in a sparse column */

void
store_pack_begin (struct store_packer *packer)
{
  packer->n_columns = 0;
}

/* Finds the least and the greatest value. */
static void
bounds_of (struct store_packed *c, uint32_t n)
{
  int64_t low = c->values[0], high = low;
  for (uint32_t i = 1; i < n; i++) {
    low = c->values[i] < low ? c->values[i] : low;
    high = c->values[i] > high ? c->values[i] : high;
  }
  c->low = low;
  c->high = high;
}

static bool
add_column (struct store_packer *packer, const struct store_packed *column,
            struct store_fault *fault)
{
  if (!store_room (fault, &packer->columns, &packer->max_columns, packer->n_columns + 1,
                   sizeof *packer->columns))
    return false;
  packer->columns[packer->n_columns++] = *column;
  return true;
}

bool
store_pack_always (struct store_packer *packer, uint32_t key, const int64_t *values, uint32_t n,
                   struct store_fault *fault)
{
  struct store_packed c = { .key = (uint16_t) key, .values = values };
  bounds_of (&c, n);
  return add_column (packer, &c, fault);
}

bool
store_pack_column (struct store_packer *packer, uint32_t key, const int64_t *values, uint32_t n,
                   struct store_fault *fault)
{
  struct store_packed c = { .key = (uint16_t) key, .values = values };
  bounds_of (&c, n);
  return (!c.low && !c.high) || add_column (packer, &c, fault);
}

static uint32_t
width_of (uint64_t range)
{
  return range ? (uint32_t) (64 - __builtin_clzll (range) + 7) / 8 : 0;
}

static bool
are_thousands (const int64_t *v, uint32_t n, uint64_t base)
{
  for (uint32_t i = 0; i < n; i++)
    if (((uint64_t) v[i] - base) % 1000)
      return false;
  return true;
}

/* Puts 8 bytes of each: what is too much is overwritten by the next. */
static uint8_t *
put_dense (uint8_t *p, const int64_t *v, uint32_t n, uint64_t base, uint32_t width)
{
  for (uint32_t i = 0; i < n; i++, p += width) {
    uint64_t x = (uint64_t) v[i] - base;
    memcpy (p, &x, 8);
  }
  return p;
}

static uint8_t *
put_thousands (uint8_t *p, const int64_t *v, uint32_t n, uint64_t base, uint32_t width)
{
  for (uint32_t i = 0; i < n; i++, p += width) {
    uint64_t x = ((uint64_t) v[i] - base) / 1000;
    memcpy (p, &x, 8);
  }
  return p;
}

static uint8_t *
put_sparse (uint8_t *p, const int64_t *v, uint32_t n, uint32_t k)
{
  uint16_t count = (uint16_t) k;
  uint8_t *rows = p + 2, *values = p + 2 + 2 * k;
  memcpy (p, &count, 2);
  for (uint32_t i = 0; i < n; i++) {
    uint16_t row = (uint16_t) i;
    if (!v[i])
      continue;
    memcpy (rows, &row, 2);
    memcpy (values, &v[i], 8);
    rows += 2;
    values += 8;
  }
  return values;
}

/* Returns how many values are not 0. */
static uint32_t
count_some (const struct store_packed *column, uint32_t n)
{
  uint32_t some = 0;
  if (column->low > 0 || column->high < 0)
    return n;
  for (uint32_t i = 0; i < n; i++)
    some += column->values[i] != 0;
  return some;
}

static uint8_t *
put_column (struct nprof_store_column *c, uint8_t *p, const struct store_packed *column, uint32_t n)
{
  uint64_t low = (uint64_t) column->low, range = (uint64_t) column->high - low;
  uint32_t width = width_of (range), some;
  c->base = column->low;
  c->width = (uint8_t) width;
  if (!width)
    return p;
  some = count_some (column, n);
  if (some * SPARSE_BYTES + 2 < n * width) {
    c->base = 0;
    c->width = NPROF_STORE_SPARSE;
    return put_sparse (p, column->values, n, some);
  }
  if (width > 2 && width_of (range / 1000) < width && are_thousands (column->values, n, low)) {
    c->scale = 1;
    c->width = (uint8_t) width_of (range / 1000);
    return put_thousands (p, column->values, n, low, c->width);
  }
  return put_dense (p, column->values, n, low, width);
}

bool
store_pack_end (struct store_packer *packer, struct nprof_store_block *head, struct store_out *out,
                uint64_t *at, struct store_fault *fault)
{
  size_t most
      = sizeof *head
        + packer->n_columns * (sizeof (struct nprof_store_column) + (size_t) head->n * 8 + 2) + 8
        + 64;
  if (most > UINT32_MAX)
    return store_fail (fault, NPROF_E_UNSUPPORTED,
                       "%zu different attributes within %u rows: a block has no room for them",
                       packer->n_columns, head->n);
  if (!store_room (fault, &packer->block, &packer->max_block, most, 1))
    return false;
  struct nprof_store_block *b = (struct nprof_store_block *) packer->block;
  struct nprof_store_column *c = (struct nprof_store_column *) (b + 1);
  uint8_t *p = (uint8_t *) (c + packer->n_columns);
  *b = *head;
  b->magic = NPROF_STORE_BLOCK;
  b->hash = 0;
  b->n_columns = (uint16_t) packer->n_columns;
  for (size_t i = 0; i < packer->n_columns; i++) {
    c[i] = (struct nprof_store_column){ .key = packer->columns[i].key,
                                        .at = (uint32_t) (p - packer->block) };
    p = put_column (c + i, p, packer->columns + i, b->n);
  }
  size_t len = (size_t) (p - packer->block), whole = (len + 8 + 63) & ~(size_t) 63;
  memset (p, 0, whole - len);
  b->bytes = (uint32_t) whole;
  b->hash = nprof_store_block_hash (b);
  *at = out->at;
  return store_out_put (out, b, whole, fault);
}

void
store_pack_clear (struct store_packer *packer)
{
  free (packer->columns);
  free (packer->block);
}
