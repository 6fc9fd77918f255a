/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables: their rows come interleaved; the file `cells` has each table in one
 * piece.  The first table that is long goes there at once, because mostly it is the only one; what
 * others cannot hold in memory waits in a temporary file. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define CELLS 4096 /* of a table that wait in memory */

bool
store_writer_table (struct store_writer *w, const struct nprof_store_table *table,
                    const struct nprof_store_table_column *columns, uint32_t *number)
{
  struct store_tables *t = &w->tables;
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

static bool
spill (struct store_writer *w, struct store_table *table)
{
  struct store_tables *t = &w->tables;
  size_t n = table->n;
  if (!t->first)
    t->first = 1 + (size_t) (table - t->tables);
  if (table == t->tables + t->first - 1) {
    table->n = 0;
    return store_out_put (&w->out[NPROF_STORE_F_CELLS], table->cells, n * sizeof *table->cells,
                          &w->fault);
  }
  if (!t->temp.name && !store_out_temp (&t->temp, &w->fault))
    return false;
  if (!store_room (&w->fault, &table->chunks, &table->max_chunks, table->n_chunks + 1,
                   sizeof *table->chunks))
    return false;
  table->chunks[table->n_chunks].at = t->temp.at;
  table->chunks[table->n_chunks++].n = n;
  table->n = 0;
  return store_out_put (&t->temp, table->cells, n * sizeof *table->cells, &w->fault);
}

bool
store_writer_cells (struct store_writer *w, uint32_t number, const struct nprof_store_cell *cells,
                    uint32_t n_rows)
{
  struct store_table *table = w->tables.tables + number;
  size_t n = (size_t) n_rows * table->d.n_columns;
  if (!store_room (&w->fault, &table->cells, &table->max, table->n + n, sizeof *cells))
    return false;
  memcpy (table->cells + table->n, cells, n * sizeof *cells);
  table->n += n;
  table->d.rows += n_rows;
  return table->n < CELLS || spill (w, table);
}

static bool
copy_chunk (struct store_writer *w, uint64_t at, size_t n)
{
  struct nprof_store_cell *cells = malloc (n * sizeof *cells);
  bool ok = cells ? store_out_read (&w->tables.temp, at, cells, n * sizeof *cells, &w->fault)
                        && store_out_put (&w->out[NPROF_STORE_F_CELLS], cells, n * sizeof *cells,
                                          &w->fault)
                  : store_fail (&w->fault, NPROF_E_NOMEM, "no memory for rows of a table");
  free (cells);
  return ok;
}

/* Puts what is left of a table behind the last one. */
static bool
finish_table (struct store_writer *w, struct store_table *table)
{
  struct store_out *out = &w->out[NPROF_STORE_F_CELLS];
  bool begun = w->tables.first && table == w->tables.tables + w->tables.first - 1, ok = true;
  table->d.at = begun ? 0 : out->at / sizeof (struct nprof_store_cell);
  for (size_t k = 0; ok && k < table->n_chunks; k++)
    ok = copy_chunk (w, table->chunks[k].at, table->chunks[k].n);
  return ok && store_out_put (out, table->cells, table->n * sizeof *table->cells, &w->fault);
}

bool
store_tables_finish (struct store_writer *w)
{
  struct store_tables *t = &w->tables;
  struct nprof_store_table *final = malloc ((t->n + 1) * sizeof *final);
  bool ok = final || store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %zu tables", t->n);
  ok = ok && (!t->first || finish_table (w, t->tables + t->first - 1));
  for (size_t i = 0; ok && i < t->n; i++)
    ok = i + 1 == t->first || finish_table (w, t->tables + i);
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
    free (t->tables[i].chunks);
  }
  free (t->tables);
  free (t->columns);
  store_out_clear (&t->temp);
}
