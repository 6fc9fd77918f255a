/* SPDX-License-Identifier: Apache-2.0 */
/* derived-rows.h - rows that an analyzer adds: they wait until all that is decoded was
 * delivered. */
#pragma once

#include "run/run-state.h"
#include "spill/row-spool.h"

/* Adds a batch, which may mix rows of several inputs; makes the spool with the first. */
gboolean np_derived_rows_add (NpSpool **rows, NpRun *run, NpBatch *batch, GError **error);
/* Checks that the rows lie within the times of the decoded ones, which the run has told. */
gboolean np_derived_rows_check (const NpRun *run, const char *who, const struct nprof_batch *batch,
                                GError **error);
