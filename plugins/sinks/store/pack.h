/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - packs columns of numbers into one block. */
#pragma once

#include "out.h"

#include <nprof/store.h>

struct store_packed { /* a column that waits for its block */
  uint16_t key;
  const int64_t *values;
  int64_t low, high; /* the least and the greatest value */
};

struct store_packer {
  struct store_packed *columns; /* by key; n_columns */
  size_t n_columns, max_columns;
  uint8_t *block;
  size_t max_block;
};

void store_pack_begin (struct store_packer *packer);
/* Packs n values, n the same for all columns of the block; in order of keys.  `values` stay until
 * the end.  A column of zeros is left out. */
bool store_pack_column (struct store_packer *packer, uint32_t key, const int64_t *values,
                        uint32_t n, struct store_fault *fault);
/* The same, but a column of zeros is kept. */
bool store_pack_always (struct store_packer *packer, uint32_t key, const int64_t *values,
                        uint32_t n, struct store_fault *fault);
/* Writes the block; of `head` all but magic, bytes, hash and n_columns is set. *at: where it
 * lies. */
bool store_pack_end (struct store_packer *packer, struct nprof_store_block *head,
                     struct store_out *out, uint64_t *at, struct store_fault *fault);
void store_pack_clear (struct store_packer *packer);
