/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - nprof report --format json without tables. */
#pragma once

#include "cli/cli.h"

/* Writes nprof.summary/1 of what the inputs are to the output; returns an NpExit. */
int np_report_summary (NpCliOptions *o);
