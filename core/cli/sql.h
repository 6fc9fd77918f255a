/* SPDX-License-Identifier: Apache-2.0 */
/* sql.h - what the parts of nprof sql share. */
#pragma once

#include "cli/cli.h"
#include "sql/sql.h"

#include <stdio.h>

typedef enum { NP_SQL_TEXT, NP_SQL_CSV, NP_SQL_JSON, NP_SQL_MARKDOWN } NpSqlFormat;

typedef struct {
  NpCliOptions *options;
  struct nprof_store *store;
  NpSql *sql;
  NpSqlFormat format;
  double timeout;
  FILE *out;
  gboolean printed; /* results of an earlier statement are there */
} NpSqlSession;

/* sql-store.c: opens the stored profile that the inputs name, else reads them into a store of its
 * own, which is gone with the program.  NULL: *status says how it failed, and the cause was
 * printed. */
NpSql *np_cli_sql_open (NpCliOptions *o, struct nprof_store **store, int *status);

/* Tells where the store is damaged, if a place that was read is; returns the status of the run then, else `status`. */
int np_cli_sql_damaged (struct nprof_store *store, int status);

/* sql-print.c: runs all statements of a text.  FALSE: the cause was printed; *status tells more. */
gboolean np_cli_sql_run (NpSqlSession *session, const char *text, int *status);

/* sql-prompt.c: asks for statements until the end of input. */
void np_cli_sql_prompt (NpSqlSession *session);
