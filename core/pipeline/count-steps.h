/* SPDX-License-Identifier: Apache-2.0 */
/* count-steps.h - a run before the run, for selections that count steps: `last`, `2nd`. */
#pragma once

#include "run/config.h"

#include "base/log.h"
#include "plugin/registry.h"

#include <stdatomic.h>

/* Decodes the inputs to find their steps, and puts their numbers into `selection`, a copy of that
 * of the configuration. Not NP_EXIT_OK: what was wrong has been logged. */
NpExit np_count_steps (const NpConfig *config, NpSelection *selection, NpRegistry *registry,
                       NpLog *log, const atomic_int *interrupt);
