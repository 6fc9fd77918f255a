/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - long work, whose answers are kept for those who ask the same again. */
#pragma once

#include <glib.h>

typedef struct NpJobs NpJobs;

/* What a kind of work does, and how its answer is kept. */
typedef struct {
  /* Returns the answer, transfer full. NULL: *status is an NpExit, and *said the errors, transfer
   * full. `stop` is asked now and then; TRUE ends it. [any-thread] */
  gpointer (*run) (gpointer work, gboolean (*stop) (gpointer user), gpointer user, int *status,
                   char **said);
  GDestroyNotify free; /* frees the work */
  gpointer (*ref) (gpointer answer);
  GDestroyNotify unref;
  gsize (*bytes) (gconstpointer answer);
} NpJobKind;

typedef struct {
  const NpJobKind *kind;
  gboolean done;
  char id[17];
  int status;      /* of the run, once it is done                    */
  char *err;       /* what it said                                   */
  gpointer answer; /* what the kind returns; NULL: it did not go well */
} NpJob;

NpJobs *np_jobs_new (void);
/* Lets what runs end, and what begins later end at once; does not wait. [any-thread] */
void np_jobs_end (NpJobs *jobs);
/* Ends the jobs, waits until none runs, and frees them. */
void np_jobs_free (NpJobs *jobs);
/* Returns the work of this key, begun with `work` (transfer full) unless it was before; waits a
 * moment for its end. What nobody asks for any more ends without an answer. NULL: too many run.
 * Transfer full. */
NpJob *np_jobs_do (NpJobs *jobs, const char *key, const NpJobKind *kind, gpointer work);
void np_job_free (NpJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpJob, np_job_free)
