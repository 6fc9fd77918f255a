/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.h - answers that take long work. */
#pragma once

#include "ask.h"
#include "jobs.h"
#include "stored/analyze.h"

/* Has it done (transfer full), once for each key; NULL: the reply is 202 with that stage, or says
 * why there is no answer. Transfer full. */
NpJob *np_job_do (NpAsk *ask, const char *key, const NpJobKind *kind, gpointer work,
                  const char *stage);

/* Returns an analysis of the profile that is asked about, with the analyzers that made its tables;
 * transfer full. */
NpAnalysis *np_job_analysis (NpAsk *ask);
/* Has it made (transfer full), once for each generation; NULL: the reply is 202, or says why there
 * are no tables. Transfer full. */
NpTableStore *np_job_tables (NpAsk *ask, NpAnalysis *analysis);
