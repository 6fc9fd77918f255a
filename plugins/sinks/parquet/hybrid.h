/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.h - writes Parquet's RLE / bit-packing hybrid: runs of equal numbers, and groups of 8
 * packed ones. format: parquet-format, Encodings.md, RLE */
#pragma once

#include <nprof/format.h>

/* Puts n numbers of at most `width` bits (0..32). */
void pq_put_hybrid (struct nprof_buf *to, const uint32_t *values, size_t n, unsigned width);
/* Puts n bits of a bitmap, from bit `from`, a multiple of 8; width 1, or 2 where each bit stands
 * for 0 or 2. */
void pq_put_hybrid_bits (struct nprof_buf *to, const uint8_t *bits, size_t from, size_t n,
                         unsigned width);
/* Puts one number, n times; n may be 0. */
void pq_put_hybrid_run (struct nprof_buf *to, uint32_t value, size_t n, unsigned width);
