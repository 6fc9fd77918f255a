/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what nprof capture is made of: the command line in capture.c, a file for each way to
 * capture. */
#pragma once

#include "capture.h"
#include "cli/cli.h"

typedef struct {
  NpCliOptions options; /* of the run that looks into a NEFF */
  char *neff, *session, *libnrt;
  char **words; /* NAME FILE ... */
  int vnc, num_exec, nth_exec;
  char *xla, *output; /* HOST:PORT */
  int kineto, ms;     /* kineto: a pid */
  NpKinetoMore more;
  int timeout;
  gboolean ignore_exec_errors, dge_notifs, save_output, save_output_npy, view;
} NpCaptureAsked;

/* Runs the NEFF through libnrt.  Returns the exit status. */
int np_cli_capture_nrt (NpCaptureAsked *asked, const NpCapture *capture);

/* Says how to look at what was captured, and does so when asked: `words` stand behind nprof view.
 * Returns the exit status. */
int np_cli_capture_offer (const NpCaptureAsked *asked, const char *const *words);

/* Looks into the NEFF `path` with the decoder neff and adds its inputs and outputs to `tensors`.
 * Returns an NpExit; what is wrong has been said. */
int np_cli_capture_neff (NpCaptureAsked *asked, NpLog *log, const char *path, const guint8 *neff,
                         gsize size, GArray *tensors);
