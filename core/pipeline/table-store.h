/* SPDX-License-Identifier: Apache-2.0 */
/* table-store.h - tables of a run kept in memory, for commands that judge them rather than print
 * them: a sink of the core's own. */
#pragma once

#include "run/config.h"

typedef struct NpAnswers NpAnswers;

typedef struct {
  const struct nprof_table *table;
  guint n_columns, n_rows;
  GArray *cells; /* of struct nprof_cell, row by row; strings are text here */
} NpAnswer;

/* tables: the names that are kept, ends in NULL. */
NpAnswers *np_answers_new (const char *const *tables);
void np_answers_free (NpAnswers *answers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpAnswers, np_answers_free)

/* Makes the run that follows fill them; config->caller is theirs then. */
void np_answers_attach (NpAnswers *answers, NpConfig *config);

/* After the run.  NULL: no component announced it. */
const NpAnswer *np_answers_find (const NpAnswers *answers, const char *table);
/* The names of all tables that were announced, in their order; ends in NULL. */
const char *const *np_answers_tables (const NpAnswers *answers);
guint64 np_answers_gaps (const NpAnswers *answers); /* rows of kind gap */

/* -1: no such column */
int np_answer_column (const NpAnswer *answer, const char *name);
const struct nprof_cell *np_answer_cell (const NpAnswer *answer, guint row, guint column);
/* The cell of a text column; NULL: unknown, or no text. */
const char *np_answer_text (const NpAnswer *answer, guint row, guint column);
