/* SPDX-License-Identifier: Apache-2.0 */
/* delta.h - Parquet's DELTA_BINARY_PACKED for int64: differences, less the smallest of their
 * block, packed.  format: parquet-format, Encodings.md, DELTAENC */
#pragma once

#include <nprof/format.h>

void pq_put_delta (struct nprof_buf *to, const int64_t *values, size_t n);
