/* SPDX-License-Identifier: Apache-2.0 */
/* rest.h - rows of a table whose columns without a place of their own become attributes, under
 * their names. */
#ifndef DATABASE_REST_H
#define DATABASE_REST_H

#include "database.h"

typedef struct {
  DbRows in;
  bool *used;      /* by column: it has a place of its own */
  nprof_str *rest; /* by column: its key as an attribute; 0: nobody reads it */
} DbRest;

/* Begins a table as db_rows_begin. A column that has the name of one of the n attributes that the
 * decoder declares, with a type, gets another key. */
nprof_status db_rest_begin (Db *db, const char *table, const nprof_str *declared, gsize n,
                            DbRest *rows);
void db_rest_end (DbRest *rows);
/* Returns as db_column; the column has a place of its own then. */
int db_rest_column (DbRest *rows, const char *name);
/* Does so where it is wanted; otherwise it returns -1, and the column is neither read nor an
 * attribute. */
int db_rest_column_if (DbRest *rows, const char *name, bool wanted);
/* Gives the row just begun each column that has no place of its own. */
nprof_status db_rest_add (const DbRest *rows, struct nprof_writer *w);

#endif
