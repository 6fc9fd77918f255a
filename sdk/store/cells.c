/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - reads tables: a block holds 512 rows of one, its types and values by column. */
#include "internal.h"

#include <string.h>

static uint32_t
number_of (const struct nprof_store *s, const struct nprof_store_table *table)
{
  return (uint32_t) (table - (const struct nprof_store_table *) s->section[NPROF_STORE_S_TABLES]);
}

/* Returns whether the block is the one of this table for these rows, and has all columns. */
static bool
is_its (const struct nprof_store_block *b, uint32_t number, const struct nprof_store_table *table,
        uint64_t first)
{
  const uint64_t left = table->rows - first, columns = 2ull * table->n_columns;
  return b->lane == number && !b->level && b->first == first
         && b->n == (left < NPROF_STORE_ROWS ? left : NPROF_STORE_ROWS) && b->n_columns == columns
         && nprof_store_columns (b)[columns - 1].key == columns - 1;
}

static const struct nprof_store_block *
block_of (struct nprof_query *query, const struct nprof_store_table *table, uint64_t row)
{
  struct nprof_store *s = query->store;
  const uint64_t k = row / NPROF_STORE_ROWS;
  const uint64_t *at = row < table->rows && table->n_columns
                           ? np_store_elements (s, NPROF_STORE_S_TABLE_BLOCKS, table->blocks + k, 1)
                           : NULL;
  if (!at) {
    np_query_fail (query, "row %llu of the table does not exist, or is damaged",
                   (unsigned long long) row);
    return NULL;
  }
  const struct nprof_store_block *b = np_block (query, NPROF_STORE_F_CELLS, *at);
  if (b && !is_its (b, number_of (s, table), table, k * NPROF_STORE_ROWS)) {
    np_query_damaged (query, NPROF_STORE_F_CELLS, *at, "the block belongs elsewhere");
    return NULL;
  }
  return b;
}

static struct nprof_store_cell
cell_of (const struct nprof_store_block *b, uint32_t i, uint32_t column)
{
  const struct nprof_store_column *c = nprof_store_columns (b) + 2 * column;
  const uint32_t type = (uint32_t) nprof_store_get (b, c, i);
  return (struct nprof_store_cell){ type, type ? (uint64_t) nprof_store_get (b, c + 1, i) : 0 };
}

bool
nprof_store_cell (struct nprof_query *query, const struct nprof_store_table *table, uint64_t row,
                  uint32_t column, struct nprof_store_cell *cell)
{
  const struct nprof_store_block *b
      = column < table->n_columns ? block_of (query, table, row) : NULL;
  *cell = b ? cell_of (b, row % NPROF_STORE_ROWS, column) : (struct nprof_store_cell){ 0 };
  return b != NULL;
}

bool
nprof_store_cells (struct nprof_query *query, const struct nprof_store_table *table, uint64_t row,
                   struct nprof_store_cell *cells)
{
  const struct nprof_store_block *b = block_of (query, table, row);
  for (uint32_t c = 0; b && c < table->n_columns; c++)
    cells[c] = cell_of (b, row % NPROF_STORE_ROWS, c);
  return b != NULL;
}

uint32_t
nprof_store_find_table (struct nprof_store *store, const char *name)
{
  size_t len, want = strlen (name);
  for (uint32_t i = 0; i < nprof_store_n (store, NPROF_STORE_S_TABLES); i++) {
    const struct nprof_store_table *t = nprof_store_table_at (store, i);
    const char *text = t ? nprof_store_string (store, t->name, &len) : NULL;
    if (text && len == want && !memcmp (text, name, want))
      return i;
  }
  return UINT32_MAX;
}
