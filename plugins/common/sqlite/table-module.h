/* SPDX-License-Identifier: Apache-2.0 */
/* table-module.h - an NpTable as a table of SQLite: statements read the cells of columns that they
 * name.  As in Parquet a column of times is called *_ps, because it holds ps. */
#pragma once

#include "table/table.h"

#include <sqlite3.h>

typedef struct {
  /* Returns the table of that number; NULL: its declaration is damaged. */
  NpTable *(*open) (gpointer user, guint number);
  void (*close) (NpTable *table); /* NULL: it stays open */
  /* Returns why a cell cannot be read; NULL: cells are never damaged. */
  const char *(*damage) (gpointer user);
  gpointer user;
  gboolean backwards; /* the last rows come first, for who tries that the order means nothing */
} NpSqlTables;

/* Adds the module to a connection; `tables` lives as long.  Returns SQLITE_OK, or what failed. */
int np_sql_add_table_module (sqlite3 *db, const NpSqlTables *tables);
/* Makes the table of that number, which statements call `name`. */
int np_sql_make_table (sqlite3 *db, const char *name, guint number);

/* Names the table of that number, which is opened by the first statement that reads it; no
 * statement sees it in sqlite_schema.  `tables` lives as long as the connection. */
int np_sql_name_table (sqlite3 *db, const NpSqlTables *tables, const char *name, guint number);

/* Returns how statements call a column, transfer full: "start_ns" of unit ps is start_ps. */
char *np_sql_plain_name (const struct nprof_table_column *column);
/* Results in a cell, whose text lives as long as the statement. */
void np_sql_result_cell (const struct nprof_cell *cell, sqlite3_context *out);
