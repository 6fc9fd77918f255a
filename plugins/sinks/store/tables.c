/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables: their rows come interleaved; the file `cells` has each table in one
 * piece.  The first table that is long goes there at once, because mostly it is the only one and would
 * else be written twice; what others cannot hold in memory waits in a temporary file. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define CELLS 4096     /* of a table that wait in memory */
#define LONG (1 << 20) /* cells of a long table: 16 MB */

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

/* Copies to the file `cells` what waits of a table. */
static bool
copy_chunks (struct store_writer *w, struct store_table *table)
{
  bool ok = true;
  for (size_t k = 0; ok && k < table->n_chunks; k++)
    ok = copy_chunk (w, table->chunks[k].at, table->chunks[k].n);
  table->n_chunks = 0;
  return ok;
}

/* Lets the cells that are in memory wait in the temporary file. */
static bool
put_aside (struct store_writer *w, struct store_table *table)
{
  struct store_tables *t = &w->tables;
  if ((!t->temp.name && !store_out_temp (&t->temp, &w->fault))
      || !store_room (&w->fault, &table->chunks, &table->max_chunks, table->n_chunks + 1,
                      sizeof *table->chunks))
    return false;
  table->chunks[table->n_chunks].at = t->temp.at;
  table->chunks[table->n_chunks++].n = table->n;
  return store_out_put (&t->temp, table->cells, table->n * sizeof *table->cells, &w->fault);
}

static bool
is_first (const struct store_tables *t, const struct store_table *table)
{
  return t->first && table == t->tables + t->first - 1;
}

static bool
put_in_place (struct store_writer *w, struct store_table *table)
{
  return copy_chunks (w, table)
         && store_out_put (&w->out[NPROF_STORE_F_CELLS], table->cells,
                           table->n * sizeof *table->cells, &w->fault);
}

static bool
spill (struct store_writer *w, struct store_table *table)
{
  struct store_tables *t = &w->tables;
  if (!t->first && table->d.rows * table->d.n_columns >= LONG)
    t->first = 1 + (size_t) (table - t->tables);
  bool ok = (is_first (t, table) ? put_in_place : put_aside) (w, table);
  table->n = 0;
  return ok;
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

/* Puts what is left of a table behind the last one. */
static bool
finish_table (struct store_writer *w, struct store_table *table)
{
  bool begun = is_first (&w->tables, table);
  table->d.at = begun ? 0 : w->out[NPROF_STORE_F_CELLS].at / sizeof (struct nprof_store_cell);
  return put_in_place (w, table);
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
