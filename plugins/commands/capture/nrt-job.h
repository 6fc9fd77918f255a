/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-job.h - the calls that record a profile through libnrt, from nrt_init to nrt_close. They
 * print, exit and hang, so a process of their own makes them and says through a pipe what it
 * does. */
#pragma once

#include "nrt-tensors.h"

typedef enum { NP_SAVE_NONE, NP_SAVE_RAW, NP_SAVE_NPY } NpSaveOutput;

typedef struct {
  const guint8 *neff; /* the whole file */
  gsize neff_size;
  const GArray *neff_tensors; /* of NpNrtTensor, as the NEFF has them; may be empty */
  const GPtrArray *inputs;    /* of NpNrtInput */
  const char *session;        /* name of the profile, without a folder */
  const char *folder;         /* where the files go */
  const char *library;        /* or NULL */
  int vnc;
  guint num_exec, nth_exec; /* every nth execution is profiled */
  gboolean ignore_exec_errors, dge_notifs;
  NpSaveOutput save;
} NpNrtJob;

/* One of these comes through the pipe, with a text and a byte 0. */
enum {
  NP_JOB_CALL = 'c', /* this function is called now */
  NP_JOB_WARN = 'w',
  NP_JOB_PRINT = 'p',   /* for stdout */
  NP_JOB_PROFILE = 'n', /* this file of the folder is whole, a profile */
  NP_JOB_FILE = 'f',    /* the same, another file; profiles come first */
  NP_JOB_ERROR = 'e',   /* an NpExit as a letter from 'A', then the text */
  NP_JOB_DONE = 'd',    /* the last one; an NpExit as a letter */
};

/* Makes the calls.  In the child; `pipe` is where it says what it does. */
void np_nrt_job_run (const NpNrtJob *job, int pipe);

/* Makes "profile_exec_2.ntff" of "profile.ntff"; transfer full. */
char *np_nrt_file_name (const char *session, guint execution, guint n);
