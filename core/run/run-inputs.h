/* SPDX-License-Identifier: Apache-2.0 */
/* run-inputs.h - the inputs of a run and the decoder of each. */
#pragma once

#include "input/digest.h"
#include "run/run-state.h"

/* Finds the inputs of the configuration. Files of a folder that no decoder knows are skipped. */
gboolean np_run_open_inputs (NpRun *run, GError **error);
/* Opens the file of an input, unless it is open.  With --keep-going a compressed file that was
 * cut off ends there; that is said and counted once. */
gboolean np_run_open_input (NpRun *run, NpRunInput *input, GError **error);
/* Adds to the error of a decoder that -d named, where it is one of format, which decoder is sure of
 * these bytes. */
void np_run_name_decoder (NpRun *run, NpRunInput *input, nprof_status status, GError **error);
/* Adds an input, or one for each of its profiles; its decoder is chosen by bids unless spec names
 * one. [any-thread] */
gboolean np_run_add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec,
                           GError **error);
/* Digests an input before decoding begins, see digest.h; `hex` has room for NP_DIGEST_HEX digits
 * and a NUL. */
gboolean np_run_digest_input (NpRun *run, NpRunInput *input, char *hex, GError **error);
