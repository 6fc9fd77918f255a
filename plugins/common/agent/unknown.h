/* SPDX-License-Identifier: Apache-2.0 */
/* unknown.h - what a profile cannot tell, and what looks wrong in it. */
#pragma once

#include "agent/agent.h"

/* Puts list `unknown` of the data. */
void np_put_unknown (NpCall *call);
/* Notes what table sanity and table skipped have. */
void np_put_notes (NpCall *call);
/* Returns what a table would have told; NULL: it is none of those that files may lack. */
const char *np_told_by (NpCall *call, const char *table);
/* Abstains: says why it is unknown in this profile, and what to record. */
void np_abstain_unknown (NpCall *call, const char *question);
