/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what the parts of nprof sql share. */
#pragma once

#include "cli/cli.h"
#include "sql/sql.h"

#include <stdio.h>

typedef enum { NP_SQL_TEXT, NP_SQL_CSV, NP_SQL_JSON, NP_SQL_MARKDOWN } NpSqlFormat;

/* The error of a statement that took %g seconds. */
#define NP_SQL_LATE "the query took more than %g s: --timeout allows more, 0 any time"

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
 * own, which is gone with the program, and sets session->store and session->sql.  FALSE: *status
 * says how it failed, and the cause was printed. */
gboolean np_cli_sql_open (NpSqlSession *session, int *status);
/* Returns whether a signal asks the program to end. */
gboolean np_cli_sql_is_interrupted (gpointer unused);

/* sql-answer.c: answers route sql of nprof view, which starts nprof for each question, so that it
 * can be ended whatever SQLite does. `store` is the path of the profile, `generation` 16 digits of
 * hex. Prints the body of the reply and returns 0, or NP_EXIT_USAGE where it says what is wrong
 * with the statement; else prints the cause on stderr alone, and returns its status. */
int np_cli_sql_answer (const char *store, const char *generation, guint limit, const char *text);

/* Tells where the store is damaged, if a place that was read is; returns the status of the run
 * then, else `status`. */
int np_cli_sql_damaged (struct nprof_store *store, int status);

/* sql-print.c: runs all statements of a text.  FALSE: the cause was printed; *status tells more. */
gboolean np_cli_sql_run (NpSqlSession *session, const char *text, int *status);

/* sql-prompt.c: asks for statements until the end of input. */
void np_cli_sql_prompt (NpSqlSession *session);
