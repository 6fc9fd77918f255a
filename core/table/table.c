/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - finds columns by their names. */

#include "table/table.h"

int
np_table_column (const NpTable *table, const char *name)
{
  for (guint c = 0; c < table->n_columns; c++)
    if (g_str_equal (table->schema->columns[c]->name, name))
      return (int) c;
  return -1;
}

gboolean
np_cell_is_number (const struct nprof_cell *cell)
{
  return cell->type >= NPROF_INT64 && cell->type <= NPROF_BOOL;
}

double
np_cell_number (const struct nprof_cell *cell)
{
  return cell->type == NPROF_DOUBLE  ? cell->v.f
         : cell->type == NPROF_INT64 ? (double) cell->v.i
                                     : (double) cell->v.u;
}

const char *
np_cell_text (const struct nprof_cell *cell, guint32 *len)
{
  *len = cell->type > NPROF_STRING ? cell->len : 0;
  return cell->type > NPROF_STRING ? cell->v.text : "";
}
