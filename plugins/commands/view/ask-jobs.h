/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.h - answers that another nprof works out. */
#pragma once

#include "ask.h"
#include "jobs.h"

#include <json-glib/json-glib.h>

/* Returns a stored profile as an input: its name where commands look for it, else the file of its
 * first input. Transfer full. */
char *np_job_input (NpAsk *ask, const char *id);
/* Starts the command that `builder` spells, once for each generation; NULL: the reply says that too
 * much runs. Transfer full. */
NpJob *np_job_of (NpAsk *ask, GStrvBuilder *builder, const char *generation);
/* Returns an analysis of the profile that is asked about, with the analyzers that made its tables;
 * transfer full. */
NpAnalysis *np_job_analysis (NpAsk *ask);
/* Has it made (transfer full), once for each generation; NULL: the reply is 202, or says why there
 * are no tables. Transfer full. */
NpTableStore *np_job_tables (NpAsk *ask, NpAnalysis *analysis);
/* Adds the window of the parameters t0 and t1 as options of the command, where it is given; sums
 * are cut at its edges. */
void np_job_add_window (NpAsk *ask, GStrvBuilder *words);
/* Adds the analyzers that made a part of the stored profile, with their options. */
void np_job_add_analyzers (NpAsk *ask, GStrvBuilder *words);
/* Returns whether a job has ended with an answer; else the reply is 202 with that stage, or says
 * why there is no answer. */
gboolean np_job_answered (NpAsk *ask, const NpJob *job, const char *stage);
