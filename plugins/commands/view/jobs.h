/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - long work: analyses, whose answers are kept for those who ask the same again. */
#pragma once

#include "stored/analyze.h"

typedef struct NpJobs NpJobs;

typedef struct {
  gboolean done;
  char id[17];
  int status;           /* of the run, once it is done                 */
  char *err;            /* what it said                                */
  NpTableStore *tables; /* NULL: it did not go well */
} NpJob;

NpJobs *np_jobs_new (void);
/* Frees the jobs and ends those that run. */
void np_jobs_free (NpJobs *jobs);
/* Returns the work of this key, begun with the analysis (transfer full) unless it was before; waits
 * a moment for its end. What nobody asks for any more ends without an answer. NULL: too many run.
 * Transfer full. */
NpJob *np_jobs_analyze (NpJobs *jobs, const char *key, NpAnalysis *analysis);
void np_job_free (NpJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpJob, np_job_free)
