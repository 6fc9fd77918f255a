/* SPDX-License-Identifier: Apache-2.0 */
/* clock-align.h - brings the inputs of a run onto one clock: times are shifted to the origin of
 * the first input, flow ids made unique.  One thread: the one that delivers. */
#pragma once

#include "run/run-state.h"

/* Settles the input's shift once its origin is known. */
void np_align_input (NpRun *run, NpRunInput *input);
/* Shifts a sealed batch that nobody else has seen yet. */
gboolean np_align_batch (NpRun *run, NpRunInput *input, NpBatch *batch, GError **error);
/* Counts rows and notes the range of times of what is delivered. */
void np_align_seen (NpRunInput *input, const struct nprof_batch *batch);
