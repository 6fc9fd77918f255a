/* SPDX-License-Identifier: Apache-2.0 */
/* ask-jobs.h - answers that another nprof works out. */
#pragma once

#include "view/ask.h"
#include "view/jobs.h"

/* A stored profile as an input: by its name where commands look for it, else by the file of its first input.  Transfer full. */
char *np_job_input (NpAsk *ask, const char *id);
/* The words of `builder`, once for each generation; NULL: the reply says that too much runs.  Transfer full. */
NpJob *np_job_of (NpAsk *ask, GStrvBuilder *builder, const char *generation);
/* The window of the parameters t0 and t1 as options of the command, where it is given; sums are cut at its edges. */
void np_job_add_window (NpAsk *ask, GStrvBuilder *words);
/* The reply 202 for one that is not done; TRUE. */
gboolean np_job_pending (NpAsk *ask, const NpJob *job, const char *stage);
/* The reply for one whose exit status says that there is no answer; FALSE. */
gboolean np_job_fail (NpAsk *ask, const NpJob *job);
