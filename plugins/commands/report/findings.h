/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - nprof report --findings. */
#pragma once

#include "cli/cli.h"

/* Prints what stands out in the profile that the inputs are, as the page of nprof view lists it;
 * returns an NpExit. */
int np_report_findings (NpCliOptions *o);
