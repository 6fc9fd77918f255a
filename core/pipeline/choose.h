/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - which components a run has besides its decoders, and what all of them declare. */
#pragma once

#include "run/run-state.h"

typedef struct {
  GArray *analyzers, *sinks; /* of NpChosen, in command order */
  GPtrArray *pulled;         /* of NpSpec: analyzers that others need */
} NpChoice;

void np_choice_init (NpChoice *choice);
void np_choice_clear (NpChoice *choice);

/* Before inputs are known, no analyzer takes part that is only for some; a second call chooses
 * anew. */
gboolean np_choose_analyzers (NpRun *run, NpChoice *choice, GError **error);
/* table-makers.c: when the inputs are known, adds the analyzers that make the tables which others
 * need, each before the first that reads it; those with NPROF_ANALYZER_ANSWERS come last. */
gboolean np_choice_complete (NpRun *run, NpChoice *choice, GError **error);
gboolean np_choose_sinks (NpRun *run, NpChoice *choice, GError **error);
/* A wrong option is told before anything is opened, so that no server or file is blamed first. */
gboolean np_choice_check_options (NpRun *run, const NpChoice *choice, GError **error);
/* Declares the columns of the run: those of decoders in input order, then of analyzers in command
 * order. The run knows its analyzers from then on; the choice outlives it. */
gboolean np_choice_declare (NpRun *run, const NpChoice *choice, GError **error);
