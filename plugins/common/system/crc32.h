/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.h - CRC-32 as gzip, zip and Parquet have it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the sum of the bytes whose sum is `crc` (0: none) and these behind them.  [any-thread] */
uint32_t np_crc32 (uint32_t crc, const void *data, size_t len);
