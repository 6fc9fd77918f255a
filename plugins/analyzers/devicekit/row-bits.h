/* SPDX-License-Identifier: Apache-2.0 */
/* row-bits.h - reads and sets the bits of nprof_component.choose, a bit a row.  Analyzers are asked
 * one after the other about the same bits, so what one has chosen no other needs to look at. */
#ifndef AN_ROW_BITS_H
#define AN_ROW_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool
an_is_chosen (const uint8_t *rows, uint32_t i)
{
  return rows[i >> 3] >> (i & 7) & 1;
}

static inline void
an_choose_row (uint8_t *rows, uint32_t i)
{
  rows[i >> 3] = (uint8_t) (rows[i >> 3] | 1u << (i & 7));
}

#endif
