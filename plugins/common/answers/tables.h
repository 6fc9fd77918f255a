/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the tables that answers read, with the columns that some answer names. */
#pragma once

#include "answers/answer.h"
#include "table/table.h"

typedef struct NpAnswerTables NpAnswerTables;

/* Keeps what these answers (of NpAnswer) need, and what tells inputs and ranks apart; they live as
 * long. */
NpAnswerTables *np_answer_tables_new (const GPtrArray *answers);
void np_answer_tables_free (NpAnswerTables *tables);

/* Takes rows as an analyzer gets them, with the host that knows their strings; NULL: they hold
 * texts.  No rows (cells: NULL) announce the table, before the first np_answer_tables_get. */
void np_answer_tables_add (NpAnswerTables *tables, const struct nprof_host *host,
                           const struct nprof_table *declared, const struct nprof_cell *cells,
                           guint n_rows);

/* Returns how many rows all of them have. */
guint64 np_answer_tables_rows (const NpAnswerTables *tables);

/* Returns the number of the table; -1: no answer reads it. */
int np_answer_tables_find (const NpAnswerTables *tables, const char *name);
guint np_answer_tables_count (const NpAnswerTables *tables);
const char *np_answer_tables_name (const NpAnswerTables *tables, guint number);
/* Returns the table of a number: without rows where nobody made it. */
NpTable *np_answer_tables_get (NpAnswerTables *tables, guint number);

/* Returns whether the answer can be asked: nobody may make a table of it.  *problem, transfer full:
 * a table that is there has no such column. */
gboolean np_answer_tables_have (const NpAnswerTables *tables, const NpAnswer *answer,
                                char **problem);

/* Returns whether a table that the answer cannot do without has no rows: it says nothing then. */
gboolean np_answer_tables_lack_rows (const NpAnswerTables *tables, const NpAnswer *answer);

/* Returns whether the answer needs a column of that name that holds real numbers, and none that
 * holds others. */
gboolean np_answer_tables_real (const NpAnswerTables *tables, const NpAnswer *answer,
                                const char *column);
