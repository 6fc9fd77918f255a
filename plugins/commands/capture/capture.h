/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the ways in which nprof records a profile itself: through libnrt, from the profiler
 * of an XLA program, from a PyTorch process. */
#pragma once

#include "base/log.h"
#include "nrt-job.h"
#include "output/read-files.h"

#include <stdatomic.h>

/* All captures share this.  A capture ends with its result, with an error, after `timeout_s`, or
 * when `interrupt` is an exit status. */
typedef struct {
  NpLog *log;
  const atomic_int *interrupt;
  guint timeout_s;
  GPtrArray *saved; /* of char *: gets the paths of the profiles, owned */
  NpReadFiles *read; /* which no file that is saved replaces */
} NpCapture;

/* Runs a job in a process of its own; its files go into the folder of `session`, whose name is its
 * path. job->folder and job->session are filled in here. Returns an NpExit; all has been said, and
 * without NP_EXIT_OK or NP_EXIT_LOSSES no file is left. */
int np_capture_nrt (const NpCapture *capture, const char *session, NpNrtJob *job);

/* Has the profiler of an XLA program at HOST:PORT record `ms` milliseconds; the profile comes into
 * FOLDER/plugins/profile/SESSION/HOST.xplane.pb.  Returns an NpExit; all has been said. */
int np_capture_xla (const NpCapture *capture, const char *address, guint ms, const char *folder);

/* What a PyTorch process records beside what takes time, which costs it time; the words are those
 * of torch.profiler. */
typedef struct {
  gboolean shapes, memory, stack, flops, modules;
} NpKinetoMore;

/* Has the PyTorch process `pid`, or the children of it that ask, record `ms` milliseconds. output:
 * the file, or NULL for trace_PID.json. Returns an NpExit; all has been said. */
int np_capture_kineto (const NpCapture *capture, int pid, guint ms, const NpKinetoMore *more,
                       const char *output);
