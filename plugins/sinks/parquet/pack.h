/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - packs numbers of some bits each behind each other, least significant bit first.  These
 * loops of the writer run once a value. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the bits that u takes: 0 for 0. */
static inline unsigned
pq_bits (uint64_t u)
{
  return u ? 64 - (unsigned) __builtin_clzll (u) : 0;
}

/* n is a multiple of 8, width 0..32 (0..64); writes n * width / 8 bytes, and may write up to 7
 * more behind them. */
void pq_pack32 (uint8_t *to, const uint32_t *values, size_t n, unsigned width);
void pq_pack64 (uint8_t *to, const uint64_t *values, size_t n, unsigned width);
/* Returns the length of the run of equal values at the start of these. */
size_t pq_run32 (const uint32_t *values, size_t n);
size_t pq_run64 (const uint64_t *values, size_t n);
