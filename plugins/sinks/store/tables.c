/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables: their rows come interleaved, and are packed by blocks as they come. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS (UINT16_MAX / 2) /* since a block numbers types and values by 16 bits */

bool
store_writer_table (struct store_writer *w, const struct nprof_store_table *table,
                    const struct nprof_store_table_column *columns, uint32_t *number)
{
  struct store_tables *t = &w->tables;
  if (table->n_columns > MOST_COLUMNS)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED,
                       "a table has %u columns: the store takes %u at most", table->n_columns,
                       MOST_COLUMNS);
  if (!store_room (&w->fault, &t->tables, &t->max, t->n + 1, sizeof *t->tables)
      || !store_room (&w->fault, &t->columns, &t->max_columns, t->n_columns + table->n_columns,
                      sizeof *t->columns))
    return false;
  t->tables[t->n] = (struct store_table){ .d = *table };
  t->tables[t->n].d.columns = (uint32_t) t->n_columns;
  t->tables[t->n].d.rows = 0;
  memcpy (t->columns + t->n_columns, columns, table->n_columns * sizeof *columns);
  t->n_columns += table->n_columns;
  *number = (uint32_t) t->n++;
  return true;
}

/* Packs a column of cells. An unknown cell gets the value of the next known one, which costs no
 * bytes. */
static bool
pack_cells (struct store_writer *w, const struct store_table *table, uint32_t column)
{
  int64_t *types = w->tables.values + (size_t) 2 * column * NPROF_STORE_ROWS,
          *values = types + NPROF_STORE_ROWS, last = 0;
  for (uint32_t i = table->n; i-- > 0;) {
    const struct nprof_store_cell *cell = table->cells + (size_t) i * table->d.n_columns + column;
    last = cell->type ? (int64_t) cell->value : last;
    types[i] = cell->type;
    values[i] = last;
  }
  return store_pack_always (&w->packer, 2 * column, types, table->n, &w->fault)
         && store_pack_always (&w->packer, 2 * column + 1, values, table->n, &w->fault);
}

/* Writes the rows that wait as a block. */
static bool
flush (struct store_writer *w, struct store_table *table)
{
  struct store_tables *t = &w->tables;
  struct nprof_store_block head = { .lane = (uint32_t) (table - t->tables),
                                    .first = (uint32_t) (table->d.rows - table->n),
                                    .n = (uint16_t) table->n,
                                    .previous = NPROF_STORE_NONE };
  if (!store_room (&w->fault, &t->values, &t->max_values,
                   (size_t) 2 * table->d.n_columns * NPROF_STORE_ROWS, sizeof *t->values)
      || !store_room (&w->fault, &table->blocks, &table->max_blocks, table->n_blocks + 1,
                      sizeof *table->blocks))
    return false;
  store_pack_begin (&w->packer);
  for (uint32_t c = 0; c < table->d.n_columns; c++)
    if (!pack_cells (w, table, c))
      return false;
  table->n = 0;
  return store_pack_end (&w->packer, &head, &w->out[NPROF_STORE_F_CELLS],
                         &table->blocks[table->n_blocks++], &w->fault);
}

static bool
has_room (struct store_writer *w, struct store_table *table)
{
  if (!table->cells)
    table->cells = malloc ((size_t) NPROF_STORE_ROWS * table->d.n_columns * sizeof *table->cells);
  if (table->d.rows >= UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED, "a table has more than %u rows", UINT32_MAX);
  return table->cells || store_fail (&w->fault, NPROF_E_NOMEM, "no memory for rows of a table");
}

bool
store_writer_cells (struct store_writer *w, uint32_t number, const struct nprof_store_cell *cells,
                    uint32_t n_rows)
{
  struct store_table *table = w->tables.tables + number;
  const size_t width = table->d.n_columns;
  for (; n_rows && width; n_rows--, cells += width) {
    if (!has_room (w, table))
      return false;
    memcpy (table->cells + table->n * width, cells, width * sizeof *cells);
    table->n++;
    table->d.rows++;
    if (table->n == NPROF_STORE_ROWS && !flush (w, table))
      return false;
  }
  return true;
}

/* Gives the places of all blocks, and tells each table which are its own. */
static bool
finish_blocks (struct store_writer *w)
{
  struct store_tables *t = &w->tables;
  uint64_t *blocks = NULL;
  size_t n = 0, max = 0;
  bool ok = true;
  for (size_t i = 0; ok && i < t->n; i++) {
    struct store_table *table = t->tables + i;
    ok = (!table->n || flush (w, table))
         && store_room (&w->fault, &blocks, &max, n + table->n_blocks + 1, sizeof *blocks);
    table->d.blocks = n;
    if (ok && table->n_blocks)
      memcpy (blocks + n, table->blocks, table->n_blocks * sizeof *blocks);
    n += table->n_blocks;
  }
  ok = ok && store_writer_section (w, NPROF_STORE_S_TABLE_BLOCKS, blocks, n);
  free (blocks);
  return ok;
}

bool
store_tables_finish (struct store_writer *w)
{
  struct store_tables *t = &w->tables;
  struct nprof_store_table *final = malloc ((t->n + 1) * sizeof *final);
  bool ok = (final || store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %zu tables", t->n))
            && finish_blocks (w);
  for (size_t i = 0; ok && i < t->n; i++)
    final[i] = t->tables[i].d;
  ok = ok && store_writer_section (w, NPROF_STORE_S_TABLES, final, t->n)
       && store_writer_section (w, NPROF_STORE_S_TABLE_COLUMNS, t->columns, t->n_columns);
  free (final);
  return ok;
}

void
store_tables_clear (struct store_tables *t)
{
  for (size_t i = 0; i < t->n; i++) {
    free (t->tables[i].cells);
    free (t->tables[i].blocks);
  }
  free (t->tables);
  free (t->columns);
  free (t->values);
}
