/* SPDX-License-Identifier: Apache-2.0 */
/* stale-parts.h - parts of an older run that stand behind those of this one. */
#pragma once

#include "output/target.h"

/* Warns of a trace-3.json that is not this run's when this run wrote trace.json and trace-2.json.
 * Call it before files forget their temporary names.  A folder of nprof's own has its manifest, and
 * no such part stays there. */
void np_stale_parts_tell (const NpOutputs *outputs);
