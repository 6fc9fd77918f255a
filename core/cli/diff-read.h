/* SPDX-License-Identifier: Apache-2.0 */
/* diff-read.h - the sides of a comparison, read from the tables of a run. */
#pragma once

#include "cli/diff-side.h"
#include "pipeline/table-store.h"

/* The tables that sides are made of; ends in NULL. */
extern const char *const np_diff_tables[];

/* A side for each device of the run; with `hosts`, for each process.  of NpDiffSide; transfer
 * full.  Those with most rows come first. */
GPtrArray *np_diff_read (const NpTableStore *store, gboolean hosts);
