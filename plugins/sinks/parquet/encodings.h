/* SPDX-License-Identifier: Apache-2.0 */
/* encodings.h - writes the values of a page in the encodings of Parquet: PLAIN; the RLE /
 * bit-packing hybrid, runs of equal numbers and groups of 8 packed ones; DELTA_BINARY_PACKED for
 * int64, differences, less the smallest of their block, packed; DELTA_LENGTH_BYTE_ARRAY for texts,
 * lengths so packed and all bytes behind them. format: parquet-format, Encodings.md */
#pragma once

#include "number.h"

#include <nprof/format.h>
#include <stddef.h>
#include <stdint.h>

/* -- Packed numbers ----------------------------------------------------------------------- */

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

/* -- RLE ---------------------------------------------------------------------------------- */

/* Puts n numbers of at most `width` bits (0..32). */
void pq_put_hybrid (struct nprof_buf *to, const uint32_t *values, size_t n, unsigned width);
/* Puts n bits of a bitmap, from bit `from`, a multiple of 8; width 1, or 2 where each bit stands
 * for 0 or 2. */
void pq_put_hybrid_bits (struct nprof_buf *to, const uint8_t *bits, size_t from, size_t n,
                         unsigned width);
/* Puts one number, n times; n may be 0. */
void pq_put_hybrid_run (struct nprof_buf *to, uint32_t value, size_t n, unsigned width);

/* -- DELTAENC ----------------------------------------------------------------------------- */

void pq_put_delta (struct nprof_buf *to, const int64_t *values, size_t n);

/* -- DELTA_LENGTH_BYTE_ARRAY -------------------------------------------------------------- */

/* Puts the lengths of n texts, for which `scratch` is used, then the texts without them. */
void pq_put_lengths_and_texts (struct nprof_buf *to, const struct pq_text *texts, size_t n,
                               struct nprof_buf *scratch);

/* -- PLAIN -------------------------------------------------------------------------------- */

/* Puts the values from..to of a column that is no text. */
void pq_put_plain (struct nprof_buf *to, const struct pq_values *v, size_t from, size_t to_value);
void pq_put_plain_texts (struct nprof_buf *to, const struct pq_text *texts, size_t n);
/* Puts the entries of its dictionary. */
void pq_put_entries (struct nprof_buf *to, const struct pq_values *v, const struct pq_dict *dict,
                     struct pq_texts texts);
