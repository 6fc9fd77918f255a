/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - asks answers of kept tables: runs their statements, and says their sentences. */
#pragma once

#include "answers/tables.h"

#include <sqlite3.h>

/* The most that a statement gets, in steps of SQLite's machine, which are the same everywhere. */
#define NP_ANSWER_STEPS G_GINT64_CONSTANT (100000000)
#define NP_ANSWER_BYTES (1 << 20) /* of a text, a row */

typedef struct NpAsking NpAsking;

/* A thing of which an answer is true. */
typedef struct {
  const NpAnswer *answer;
  char *text;       /* the sentence, with the places of names in it */
  char *condition, *advice, *detail, *record; /* the same; NULL: a place is unknown, or none */
  gint64 rank;      /* of a job, that of the device; -1: none, or unknown */
  gboolean several; /* inputs, so it is said whose the row is */
  sqlite3_stmt *stmt;
  const NpAsking *asking;
} NpFound;

/* Opens a connection on the tables, which stay the caller's.  `stop`: NULL, or returns whether the
 * run ends.  NULL with *problem, transfer full: SQLite cannot be had. */
NpAsking *np_asking_new (NpAnswerTables *tables, gboolean (*stop) (gpointer user), gpointer user,
                         char **problem);
void np_asking_free (NpAsking *asking);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpAsking, np_asking_free)

/* From now on tables are read from their last row, and SQLite gives rows without an order the other
 * way round: what is said of them must be the same. */
void np_asking_reverse (NpAsking *asking);

/* Asks one: calls `found` for the first row of each thing, in the order of the statement, until it
 * returns FALSE.  Returns NULL, or "PATH:LINE: what is wrong", transfer full: then its rows, also
 * those that were found, are worth nothing. */
char *np_asking_run (NpAsking *asking, const NpAnswer *answer,
                     gboolean (*found) (gpointer user, const NpFound *found), gpointer user);
/* Returns the steps that the last one took. */
gint64 np_asking_steps (const NpAsking *asking);

/* Returns a column of a row: its text, or whether it is a whole number.  NULL, FALSE: it is
 * unknown, or selected by no statement. */
const char *np_found_text (const NpFound *found, const char *column);
gboolean np_found_whole (const NpFound *found, const char *column, gint64 *value);
gboolean np_found_real (const NpFound *found, const char *column, double *value);
