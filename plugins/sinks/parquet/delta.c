/* SPDX-License-Identifier: Apache-2.0 */
/* delta.c - writes DELTA_BINARY_PACKED. */
#include "delta.h"

#include "pack.h"
#include "parquet/thrift.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/* Subtracts; differences wrap around, because readers add in the same way.  Returns the
 * smallest. */
static int64_t
subtract (uint64_t *deltas, const int64_t *values, size_t n)
{
  int64_t least = INT64_MAX;
  for (size_t k = 0; k < n; k++) {
    uint64_t d = (uint64_t) values[k + 1] - (uint64_t) values[k];
    deltas[k] = d;
    least = (int64_t) d < least ? (int64_t) d : least;
  }
  return least;
}

/* Puts a block of the n values behind the first. */
static void
put_block (struct nprof_buf *to, const int64_t *values, size_t n)
{
  uint64_t deltas[BLOCK];
  uint8_t widths[MINIBLOCKS] = { 0 };
  uint64_t least = (uint64_t) subtract (deltas, values, n);
  if (!nprof_buf_need (to, 10 + MINIBLOCKS + BLOCK * 8 + 8))
    return;
  pq_put_zigzag (to, (int64_t) least);
  for (size_t k = 0; k < n; k++)
    deltas[k] -= least;
  memset (deltas + n, 0, (BLOCK - n) * sizeof *deltas);
  for (size_t m = 0; m * MINIBLOCK < n; m++) {
    uint64_t all = 0;
    for (size_t k = m * MINIBLOCK; k < (m + 1) * MINIBLOCK; k++)
      all |= deltas[k];
    widths[m] = (uint8_t) pq_bits (all);
  }
  nprof_put (to, widths, sizeof widths);
  for (size_t m = 0; m * MINIBLOCK < n; m++) {
    pq_pack64 ((uint8_t *) to->data + to->len, deltas + m * MINIBLOCK, MINIBLOCK, widths[m]);
    to->len += (size_t) widths[m] * MINIBLOCK / 8;
  }
}

void
pq_put_delta (struct nprof_buf *to, const int64_t *values, size_t n)
{
  pq_put_varint (to, BLOCK);
  pq_put_varint (to, MINIBLOCKS);
  pq_put_varint (to, n);
  pq_put_zigzag (to, n ? values[0] : 0);
  for (size_t k = 1; k < n; k += BLOCK)
    put_block (to, values + k - 1, n - k < BLOCK ? n - k : BLOCK);
}
