/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - tables as NAME.csv. */
#pragma once

#include "columns.h"
#include "file.h"
#include "value.h"

struct csv_tables {
  struct csv_format *format;
  GPtrArray *files;           /* of struct csv_table                                    */
  GPtrArray *others;          /* names of tables that were not asked for                */
  gboolean one_file;          /* stdout, or a file that the user named                  */
  gboolean all;               /* every table, or only `only`                            */
  const char *only;           /* table=, which columns= is about                        */
  const char *picks;          /* columns= when it is about a table                      */
};

void csv_tables_open (struct csv_tables *tables, struct csv_format *format);
nprof_status csv_tables_rows (struct csv_tables *tables, const struct nprof_table *table,
                              const struct nprof_cell *cells, guint n_rows);
nprof_status csv_tables_finish (struct csv_tables *tables);
void csv_tables_clear (struct csv_tables *tables);
