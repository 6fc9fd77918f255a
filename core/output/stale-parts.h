/* SPDX-License-Identifier: Apache-2.0 */
/* stale-parts.h - parts of an older run that stand behind those of this one. */
#pragma once

#include "output/target.h"

/* A trace.json, trace-2.json of this run and a trace-3.json that is not: says so.  Before files forget
 * their temporary names.  A folder of nprof's own has its manifest, and nothing stays there. */
void np_stale_parts_tell (const NpOutputs *outputs);
