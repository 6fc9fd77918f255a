/* SPDX-License-Identifier: Apache-2.0 */
/* check-run.h - a run that looks at what others' plugins do (nprof run --checked). */
#pragma once

#include "pipeline/choose.h"

/* When all components are known, before the first row. Not in the process of another (libnprof). */
void np_check_run_begin (NpRun *run, const NpChoice *choice);
/* When all are closed. `whole`: the run has neither failed nor was it stopped. */
void np_check_run_end (const NpRun *run, gboolean whole);
