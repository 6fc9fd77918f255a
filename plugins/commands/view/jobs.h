/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - long work: analyses, and other nprofs, whose answers are kept for those who ask the same
 * again. */
#pragma once

#include "stored/analyze.h"

typedef struct NpJobs NpJobs;

typedef struct {
  gboolean done;
  char id[17];
  int status;   /* of the exit */
  GString *out; /* once it is done; the job's until np_job_free */
  char *err;
  NpTableStore *tables; /* of an analysis that went well */
} NpJob;

NpJobs *np_jobs_new (void);
/* Frees the jobs and ends those that run. */
void np_jobs_free (NpJobs *jobs);
/* Returns the work of this key, begun with `words` unless it was before; waits a moment for its
 * end. What nobody asks for any more ends without an answer. NULL: too many run. Transfer full. */
NpJob *np_jobs_get (NpJobs *jobs, const char *key, char **words);
/* The same for an analysis, transfer full. */
NpJob *np_jobs_analyze (NpJobs *jobs, const char *key, NpAnalysis *analysis);
void np_job_free (NpJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpJob, np_job_free)
