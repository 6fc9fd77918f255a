/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one run, from what the user asked for to its exit status. */
#pragma once

#include "run/run-state.h"

/* Takes a run from start to end; every error has been logged. */
NpExit np_run (const NpConfig *config, NpRegistry *registry, NpLog *log,
               const atomic_int *interrupt);
