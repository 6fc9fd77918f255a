/* SPDX-License-Identifier: Apache-2.0 */
/* asked.h - asks answers of what the analyzers of a report make of some inputs. */
#pragma once

#include "answers/ask.h"
#include "answers/division.h"
#include "cli/cli.h"

/* Reads the inputs and keeps the tables that the answers need; *tables: transfer full.  Returns an
 * NpExit; a failure has been printed. */
int np_answers_of_inputs (NpCliOptions *options, const GPtrArray *answers, NpAnswerTables **tables);
/* Returns tables without rows, as the components of this nprof declare them; transfer full. */
NpAnswerTables *np_answers_declared (NpCliOptions *options, const GPtrArray *answers);

typedef struct {
  gboolean asked;  /* its tables are there */
  GPtrArray *text; /* of char *: sentences with the names in them */
  gint64 steps;
  char *problem; /* NULL: none */
} NpAnswerSaid;

/* Asks one of them. */
void np_answer_say (NpAsking *asking, const NpAnswerTables *tables, const NpAnswer *answer,
                    NpAnswerSaid *said);
void np_answer_said_clear (NpAnswerSaid *said);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpAnswerSaid, np_answer_said_clear)
