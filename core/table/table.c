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
