/* SPDX-License-Identifier: Apache-2.0 */
/* run-options.h - tells the outputs of a run which inputs and options they come from. */
#pragma once

#include "run/run-state.h"

/* Identifies the outputs, after the inputs are known and before files are opened.  A pipe, whose
 * path says nothing, is opened here and counts by its bytes. */
gboolean np_run_identify_outputs (NpRun *run, GError **error);
