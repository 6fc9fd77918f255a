/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.h - answers from tables that are analyzed for them. */
#pragma once

#include "ask.h"
#include "jobs.h"

/* Returns an analysis of the profile that is asked about, with the analyzers that made its tables;
 * transfer full. */
NpAnalysis *np_job_analysis (NpAsk *ask);
/* Has it made (transfer full), once for each generation; NULL: the reply is 202, or says why there
 * are no tables. Transfer full. */
NpTableStore *np_job_tables (NpAsk *ask, NpAnalysis *analysis);
